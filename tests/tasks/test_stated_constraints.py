"""Constraints on inputs that a task's own text states."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest

from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.domains.words import says_size
from evalplus_lite.tasks.stated_constraints import StatedConstraints, unwrapped
from evalplus_lite.types import Case, Task


def stated(*lines: str) -> StatedConstraints:
    return StatedConstraints.read("Do it.\n\nConstraints:\n" + "\n".join(lines))


@pytest.mark.parametrize(
    ("line", "kept", "broken"),
    [
        ("- 1 <= nums.length <= 4", {"nums": [1]}, {"nums": []}),
        ("-5 <= nums[i] < 10**1", {"nums": [9, -5]}, {"nums": [10]}),
        ("0 <= grid[i][j] <= 2", {"grid": [[0, 1], [2]]}, {"grid": [[0], [3]]}),
        ("1 <= n, m <= 3", {"n": 1, "m": 3}, {"n": 1, "m": 4}),
        ("a.length == b.length", {"a": "xy", "b": "zz"}, {"a": "x", "b": ""}),
        ("1 <= k == s.length", {"s": "ab", "k": 2}, {"s": "ab", "k": 1}),
        ("nums[i] % 5 != 0", {"nums": [1, 6]}, {"nums": [1, 5]}),
        ("s consists of lowercase English letters", {"s": "abc"}, {"s": "aB"}),
        ("s consists only of digits and '-'.", {"s": "1-2"}, {"s": "1+2"}),
        ("s is a string of lowercase English letters of length 2", {"s": "ab"}, {"s": "aB"}),
        ("s is a string of lowercase letters of length at most 2", {"s": "ab"}, {"s": "abc"}),
        ("s is a string of digits whose length is at most 2", {"s": "12"}, {"s": "123"}),
        ("words[i] is a string of length 2", {"words": ["ab"]}, {"words": ["a"]}),
        ("All the values in nums are unique.", {"nums": [1, 2]}, {"nums": [1, 1]}),
        ("nums is sorted in non-decreasing order.", {"nums": [1, 1, 2]}, {"nums": [2, 1]}),
        ("nums is a permutation.", {"nums": [2, 0, 1]}, {"nums": [2, 2, 0]}),
        ("t is a permutation of s.", {"s": "ab", "t": "ba"}, {"s": "ab", "t": "bb"}),
        ("1 <= max_size <= 3", {"max_size": 3}, {"max_size": 0}),
        ("x is odd.", {"x": 3}, {"x": 4}),
        ("n is at least 2", {"n": 2}, {"n": 1}),
        ("n and m are non-negative integers", {"n": 0, "m": 1}, {"n": 0, "m": -1}),
        ("x is from 0 to 9", {"x": 9}, {"x": 10}),
        ("flags[i] is either 0 or 1.", {"flags": [0, 1]}, {"flags": [2]}),
        ("N is an integer between 2 and 9, inclusive.", {"N": 9}, {"N": 10}),
        ("n must be between 1 and 20.", {"n": 20}, {"n": 21}),
        ("n lies between 1 and 20.", {"n": 1}, {"n": 0}),
        ("n is less than 21", {"n": 20}, {"n": 21}),
        ("n is no more than 20", {"n": 20}, {"n": 21}),
        ("n is never less than 2", {"n": 2}, {"n": 1}),
        ("n does not exceed 20", {"n": 20}, {"n": 21}),
        ("n is in the range [1, 20]", {"n": 20}, {"n": 21}),
        ("n is at least 1 and at most 20", {"n": 20}, {"n": 21}),
        ("a is not greater than b", {"a": 2, "b": 2}, {"a": 3, "b": 2}),
        ("k never exceeds the length of s", {"k": 2, "s": "ab"}, {"k": 3, "s": "ab"}),
        ("x is not zero", {"x": -1}, {"x": 0}),
        ("x must not be 0", {"x": 1}, {"x": 0}),
        ("s[0] is not 0", {"s": "10"}, {"s": "01"}),
        ("x is nonzero", {"x": 1}, {"x": 0}),
        ("each score is between 0 and 100", {"scores": [0]}, {"scores": [101]}),
        ("each score is between 0 and 100", {"scores": {"a": 9}}, {"scores": {"a": 101}}),
        (
            "xs is a list of distinct integers in increasing order",
            {"xs": [1, 2]},
            {"xs": [1, 1]},
        ),
        ("xs is in ascending order", {"xs": [1, 1]}, {"xs": [2, 1]}),
        ("xs holds integers in strictly increasing order", {"xs": [1, 2]}, {"xs": [1, 1]}),
        ("xs holds distinct integers", {"xs": [2, 1]}, {"xs": [1, 1]}),
        ("xs has no repeated values", {"xs": [2, 1]}, {"xs": [1, 1]}),
        ("s contains at least one '#'.", {"s": "a#"}, {"s": "a"}),
        ("The first character of s is not 0.", {"s": "10"}, {"s": "01"}),
        (r"1 \leq A_i \leq 2 \times 10^{1}", {"A": [20]}, {"A": [21]}),
        ("A[i][j] = A[j][i]", {"A": [[0, 1], [1, 0]]}, {"A": [[0, 1], [0, 0]]}),
        ("A[i] != A[i + 1]", {"A": [1, 2, 1]}, {"A": [1, 1]}),
        ("a[i] != A[j]", {"a": [1, 1], "A": [2]}, {"a": [1, 2], "A": [2]}),
        ("A[i][j] != A[i][k] (j != k)", {"A": [[1, 2], [1]]}, {"A": [[1, 1]]}),
        ("A[i] = -1 or 1 <= A[i] <= N", {"A": [-1, 2], "N": 2}, {"A": [0], "N": 2}),
        (r"1 \leq \sum_{i=1}^{N} A_i \leq 5", {"A": [2, 3]}, {"A": [3, 3]}),
        (
            "grid[r[i]][c[i]] is not #",
            {"grid": [".#"], "r": [0], "c": [0]},
            {"grid": ["#"], "r": [0], "c": [0]},
        ),
        (r"M \leq \frac{N(N-1)}{2}", {"N": 3, "M": 3}, {"N": 3, "M": 4}),
        ("s is a string of length at most 2 consisting of ( and )", {"s": "()"}, {"s": "((("}),
        ("The given graph is a tree.", {"edges": [[0, 1], [2, 1]]}, {"edges": [[0, 1], [1, 0]]}),
        ("There is at least one 1 in grid.", {"grid": [[0, 1]]}, {"grid": [[0, 0]]}),
    ],
)
def test_a_line(line: str, kept: dict[str, Any], broken: dict[str, Any]) -> None:
    """Each line is understood as a whole, and tells inputs apart."""
    found = stated(line)
    assert found.is_whole
    assert found.kept([kept]) == found
    assert found.broken(broken) is not None


@pytest.mark.parametrize(
    "line",
    ["If t = 1, then x <= 5.", "The graph is planar.", "a b <= <= 3", "__import__('os') <= 3"],
)
def test_what_is_not_understood(line: str) -> None:
    """A line that is not understood states nothing, and then the block does not state it all."""
    found = stated("1 <= n <= 3", line)
    assert [each.text for each in found.constraints] == ["1 <= n <= 3"]
    assert not found.is_whole


def test_formulas_bind_what_examples_do_not_contradict() -> None:
    """Also in sentences, and by the names that the text gives to fields of rows."""
    found = StatedConstraints.read(
        "queries[i] = [l_i, r_i] asks for a sum.\nConstraints:\n0 <= l_i <= r_i < nums.length\n"
    )
    assert found.kept([{"nums": [1, 2], "queries": [[0, 1]]}]).is_whole
    assert found.broken({"nums": [1, 2], "queries": [[1, 0]]})
    assert found.broken({"nums": [1, 2], "queries": [[0, 2]]})
    found = StatedConstraints.read(
        "Merge intervals [start, end], where start <= end. Return -1 if k > 3 for some k."
    )
    assert not found.is_whole
    assert [each.text for each in found.constraints] == ["start <= end"]
    assert found.broken({"intervals": [[1, 2], [3, 3]]}) is None
    assert found.broken({"intervals": [[2, 1]]}) is not None
    found = stated("1 <= n <= 3")
    assert found.kept([{"n": 1}, {"n": 3}]) == found
    assert not found.kept([{"n": 1}, {"n": 4}]).constraints
    assert not found.kept([{"m": 1}]).constraints


def test_promises_make_inputs_doubtful() -> None:
    """Unless a constraint speaks for them, or they are taken off by name."""
    text = "Return the k-th number. It is guaranteed that somebody likes it.\nk is at least 0\n"
    promising = task(text, ([3, 1], 1), ([5, 5, 2], 0))
    input_filter = InputFilter.of_task(promising)
    assert "likes it" in (input_filter.doubt(([3, 1, 2], 1)) or "")
    (name,) = [each.name for each in input_filter.constraints if "likes it" in each.text]
    object.__setattr__(promising, "constraints", {name: False})
    assert InputFilter.of_task(promising).doubt(([3, 1, 2], 1)) is None
    base = ("a b", 1), ("c d e", 0)
    kept = InputFilter.of_task(task("nums has words, never more than one space between.", *base))
    assert not kept.unread
    assert not [each.name for each in kept.constraints if each.name.startswith("stated.")]
    half = task("Keep nums. The list is never empty and begins with the largest.", *base)
    assert InputFilter.of_task(half).unread


@pytest.mark.parametrize(
    ("text", "is_doubtful"),
    [
        ("Return the pair's indices; exactly one such pair exists.", True),
        ("Return the pair's indices. Exactly one solution exists.", True),
        ("Return a path; a path always exists.", True),
        ("Return -1 if exactly one such pair exists.", False),
        ("Does a pair exist?", False),
        ("Return the sum. Your function must never modify its argument.", False),
        ("The sum is always rounded down.", False),
    ],
)
def test_that_there_is_one_answer_is_a_promise(text: str, is_doubtful: bool) -> None:
    """An input with two such pairs, or none, has no right answer."""
    input_filter = InputFilter.of_task(task(text, ([3, 1], 1), ([5, 5, 2], 0)))
    assert bool(input_filter.doubt(([5, 2, 1], 1))) is is_doubtful


def task(prompt: str, *inputs: Any) -> Task:
    source = "def f(nums, k=0):\n    return sorted(nums)[k]\n"
    return Task("T/0", prompt, "f", source, base=tuple(Case(each) for each in inputs))


def test_a_task_without_a_contract() -> None:
    """Its text binds inputs and replaces what examples suggest; else these make doubtful."""
    text = (
        "Return the k-th number.\n\nConstraints:\n- 1 <= nums.length <= 5\n- 0 <= k < nums.length\n"
    )
    base = (([3, 1], 1), ([5, 5, 2], 0))
    input_filter = InputFilter.of_task(task(text, *base))
    assert input_filter.admits(([4, 4], 1))
    assert not input_filter.admits(([4, 4], 2))
    assert [each.text for each in input_filter.constraints if each.is_stated] == [
        "1 <= len(nums) <= 5",
        "0 <= k < len(nums)",
    ]
    free = task(text, *base)
    off = {"stated.1": False, "1.index.0": False, "1.at-most-length.0": False}
    known = {each.name for each in InputFilter.of_task(free).constraints}
    chosen = {name: value for name, value in off.items() if name in known}
    object.__setattr__(free, "constraints", chosen)
    assert "stated.1" in known
    assert InputFilter.of_task(free).admits(([4, 4], 2))
    base = [([1, 2],), ([3, 5, 9],), ([2, 7],)]
    plain = InputFilter.of_task(task("Return the median.", *base))
    assert plain.admits(([2, 1],))
    assert plain.doubt(([2, 1],)) is not None
    assert plain.doubt(([1, 4],)) is None
    said = InputFilter.of_task(task("Return the median of a sorted list.", *base))
    assert not said.admits(([2, 1],))
    whole = "Return the median.\nConstraints:\n1 <= nums.length <= 9\n0 <= nums[i] <= 99\n"
    assert InputFilter.of_task(task(whole, *base)).doubt(([2, 1],)) is None
    base = [([3, 1, 2], 1), ([5, 4], 1), ([9, 8, 7, 6], 2)]
    bounded = task("The k-th largest. 1 <= k <= len(nums).", *base)
    said = InputFilter.of_task(bounded)
    assert said.admits(([3, 1, 2], 3))
    required = InputFilter.of_task(replace(bounded, constraints={"1.index.0": True}))
    assert not required.admits(([3, 1, 2], 3))
    assert said.doubt(([3, 1, 2], 3)) is None
    assert not said.admits(([3, 1, 2], 4))
    assert InputFilter.of_task(task("The k-th largest.", *base)).doubt(([3, 1, 2], 3)) is not None
    far = InputFilter.of_task(task("1 <= k <= 5000", ([1], 2), ([2], 3)))
    assert far.admits(([1], 4999))


@pytest.mark.parametrize(
    "atom", ["a", " ", "A_1 ", "[", "\n", "1 <= ", "a, ", "len(", "{", "a is "]
)
def test_long_texts_are_bounded(atom: str) -> None:
    """A text of any length and content is read in a time that grows with its length."""
    text = "Constraints:\n" + atom * 50_000
    begun = time.process_time()
    StatedConstraints.read(text)
    StatedConstraints.read(text[13:])
    assert time.process_time() - begun < 20


@pytest.mark.parametrize(
    "text", ["n == len([])", "n = len(in)", "n = len(x[) here", "Constraints:\nn == len(])\n"]
)
def test_a_text_that_is_no_formula(text: str) -> None:
    """What looks like a length and is none states nothing, and raises nothing."""
    assert StatedConstraints.read(text).constraints == ()


@pytest.mark.parametrize(
    ("text", "kept", "broken"),
    [
        ("month is 1 to 12, and year is a year.", {"month": 12}, {"month": 13}),
        (
            "A list of records (scores are from 0 to 100).",
            {"r": [{"scores": [9]}]},
            {"r": [{"scores": [101]}]},
        ),
        (
            "Names are all different.",
            {"r": [{"name": "a"}, {"name": "b"}]},
            {"r": [{"name": "a"}] * 2},
        ),
        ("Each is [start, end] (0 to 9, end after start).", {"r": [[1, 9]]}, {"r": [[1, 10]]}),
        ("Each is [start, end] (0 to 9, end after start).", {"r": [[1, 9]]}, {"r": [[3, 3]]}),
        (
            "Pairs [open, close], open and close are never the same.",
            {"d": {"a": [["1", "2"]]}},
            {"d": {"a": [["1", "1"]]}},
        ),
        (
            "rows of {a, b} (b is never earlier than a)",
            {"r": [{"a": 1, "b": 1}]},
            {"r": [{"a": 2, "b": 1}]},
        ),
        ('square: where it stands, "a1" to "h8".', {"square": "e4"}, {"square": "e9"}),
        ("amount is never negative and at most 50.", {"amount": 0}, {"amount": -1}),
        ("There is at least one price and none is negative.", {"p": ["0.5"]}, {"p": []}),
        ("There is at least one price and none is negative.", {"p": ["0.5"]}, {"p": ["-0.5"]}),
        ("Rank them, but never the same name twice.", {"r": [["a", "b"]]}, {"r": [["a", "a"]]}),
        ("Shifts as [from, to] in hours, from < to.", {"s": [[1, 2]]}, {"s": [[2, 2]]}),
        (
            "and (hi - lo) is a multiple of n",
            {"lo": 1, "hi": 7, "n": 3},
            {"lo": 0, "hi": 7, "n": 3},
        ),
        (
            "A list of records, each month at most once.",
            {"r": [{"month": 1}, {"month": 2}]},
            {"r": [{"month": 1}] * 2},
        ),
        (
            "Every record of the table has the key.",
            {"r": [{"id": 1}], "key": "id"},
            {"r": [{"id": 1}], "key": "name"},
        ),
        ("Pairs [a, b], and a is never b.", {"p": [[1, 2]]}, {"p": [[2, 2]]}),
        (
            "Sales are whole numbers, never negative.",
            {"r": [{"sales": 1}]},
            {"r": [{"sales": -1}]},
        ),
    ],
)
def test_words_of_everyday(text: str, kept: dict[str, Any], broken: dict[str, Any]) -> None:
    """Clauses, fields of records, ranges and orders that people put in words are understood."""
    found = StatedConstraints.read(text).kept([kept])
    assert found.broken(kept) is None
    assert found.broken(broken) is not None


@pytest.mark.parametrize(
    ("text", "is_promise"),
    [
        ("Words are never cut, not even at hyphens.", False),
        ("It is always the cheapest piece that is free.", False),
        ("Everything outside the board is always dead.", False),
        ('a "}" that ends no placeholder is an ordinary character', False),
        ("o is a stone, # is a shelf that never moves.", False),
        ("Equal values have equal rank, and no rank is left out afterwards.", False),
        ("The mean of the two. Always as float (2.0, not 2).", False),
        (
            "A magic square of size n contains each of the numbers from 1 to n*n exactly once.",
            False,
        ),
        ("numbers is a list that never decreases.", True),
        ("We never give an unsorted list.", True),
        ("A word that never repeats a letter.", True),
        ("Settle the debts so that at the end, none is negative.", True),
    ],
)
def test_promises_are_of_inputs(text: str, is_promise: bool) -> None:
    """One that is not understood stays unread; what is said of the result is none."""
    assert bool(StatedConstraints.read(text).unread) is is_promise


def test_ranges_bind_the_parameters_that_they_may_be_said_of() -> None:
    """By name, or where examples keep in them; of a dict the values, not the keys."""
    task = Task(
        "t",
        "f(board, k): cells hold 1 to 9, or 0. Take k of them (1 to 3).",
        "f",
        "def f(board, k):\n    return k\n",
        base=(Case(([[0, 9]], 2)),),
    )
    found = InputFilter.of_task(task)
    assert found.explain(([[9, 0]], 3)) is None
    assert found.explain(([[10, 0]], 3)) is not None
    assert found.explain(([[9, 0]], 4)) is not None
    task = Task(
        "t",
        "f(year, month): our files go from 1990 to 2050 and each month has a working day.",
        "f",
        "def f(year, month):\n    return year\n",
        base=(Case((2024, 3)),),
    )
    found = InputFilter.of_task(task)
    assert found.explain((1990, 5)) is None
    assert found.explain((1989, 5)) is not None
    text = "Call f(scores, bonus). Of the scores the best 1 to 3 count."
    task = Task("t", text, "f", "def f(scores, bonus):\n    return 1\n", (Case(([50], 2)),))
    assert InputFilter.of_task(task).explain(([50], 10)) is None
    text = "The best of scores, a dict from a number to points, 0 to 100."
    found = InputFilter.of_task(task_of("scores", text, ({200: 5},), ({150: 90, 180: 7},)))
    assert found.admits(({300: 100},))
    assert not found.admits(({300: 101},))


def test_sentences_and_sizes_in_words() -> None:
    """Sentences are joined over lines, those of lists are not; a signature is no size."""
    wrapped = "records have the keys name and mail. The mail\n    is never negative and at most 50."
    assert "The mail is never negative" in unwrapped(wrapped)
    block = (
        "Constraints:\nnums.length and values.length are the same number\n"
        "nums is sorted in non-decreasing order\n"
    )
    assert StatedConstraints.read(block).kept([{"nums": [1, 2]}]).broken({"nums": [2, 1]})
    names = "words: a list of words that is already sorted\nextra: a list of words as they came"
    assert unwrapped(names) == names
    assert says_size("each is [x1, y1, x2, y2]", 4)
    assert says_size("a text of ten characters", 10)
    assert not says_size("late(trips, now) returns the late ones", 2)


PAIRS = [([3, 1], 1), ([5, 5, 2], 0)]
BINDING: dict[str, tuple[list[Any], Any]] = {
    # inputs of a task, and another that a word about its inputs rules out
    "order": ([([1, 3], 1), ([2, 5, 7], 0)], ([3, 1], 1)),
    "distinct": ([([3, 1], 1), ([5, 7, 2], 0)], ([3, 3], 1)),
    "blanks": ([("a b", 1), ("c d e", 0)], ("a  b", 1)),
    "empty": (PAIRS, ([], 0)),
    "negative": (PAIRS, ([-3, 1], 1)),
}


@pytest.mark.parametrize(
    ("kind", "text", "is_said"),
    [
        ("order", "Write f(nums, k): a sorted list of the squares of nums.", False),
        ("order", "Return the squares of nums. The result is sorted.", False),
        ("order", "Merge the lists. The list returned is sorted.", False),
        ("order", "Insert k into nums so that it is sorted again.", False),
        ("order", "Check whether nums is sorted.", False),
        ("order", "Given a list of numbers, return a sorted list of their squares.", False),
        ("order", "Merge nums into a sorted list.", False),
        ("order", "Return two sorted lists of nums, the even and the odd ones.", False),
        ("order", "Find the pair whose sum is k. The pair is ascending.", False),
        ("order", "Find the k-th number; nums is sorted.", True),
        ("order", "Return the k-th number of a sorted list.", True),
        ("order", "Given a sorted list, return the k-th number.", True),
        ("order", "Return the k-th. The numbers are increasing.", True),
        ("order", "Return the k-th. The numbers are in ascending order.", True),
        ("order", "Return the k-th of nums, which is given in sorted order.", True),
        ("distinct", "Return the number of distinct values of nums.", False),
        ("distinct", "Return a list of only unique values.", False),
        ("distinct", "Return how many of nums are unique.", False),
        ("distinct", "Return the k-th number. nums are distinct.", True),
        ("distinct", "Return the k-th number. All values are distinct.", True),
        ("distinct", "Return the k-th number. Every value is unique.", True),
        ("distinct", "Return the k-th number. No value occurs twice.", True),
        ("distinct", "f(nums, k) gets different numbers and returns the k-th.", True),
        ("blanks", "Collapse runs of blanks so that words are separated by one space.", False),
        ("blanks", "Return nums with words separated by single spaces.", False),
        ("blanks", "Break a text of words with single spaces into lines.", True),
        ("empty", "The list must not be empty.", True),
        ("empty", "nums cannot be empty.", True),
        ("empty", "nums isn't empty.", True),
        ("empty", "nums is never empty.", True),
        ("empty", "Assume that no list is empty.", True),
        ("empty", "There are no empty lists.", True),
        ("empty", "nums is non empty.", True),
        ("negative", "A number must not be negative.", True),
        ("negative", "nums are non negative.", True),
        ("negative", "No number is negative.", True),
        ("negative", "nums is a list of integers, and they cannot be negative.", True),
        ("empty", "nums may be empty, and its numbers negative.", False),
        ("negative", "nums may be empty, and its numbers negative.", False),
    ],
)
def test_what_a_text_says_of_the_input_alone_binds_it(kind: str, text: str, is_said: bool) -> None:
    """An order, distinct values or single blanks of the result bind no input."""
    base, other = BINDING[kind]
    if base is PAIRS:
        text = f"Return the k-th. {text}"
    found = InputFilter.of_task(task(text, *base))
    assert found.admits(other) is not is_said
    if kind == "empty" and is_said:
        assert not found.unread
        (limit,) = [each for each in found.constraints if each.name == "0.not-empty"]
        assert limit.is_stated


def task_of(name: str, prompt: str, *inputs: Any) -> Task:
    source = f"def f({name}):\n    return 0\n"
    return Task("T/0", prompt, "f", source, base=tuple(Case(each) for each in inputs))
