"""Guards admit what the base inputs show to be usual, and say why they refuse the rest."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.tasks import make_task

from evalplus_lite.errors import InputError
from evalplus_lite.generate.domains.annotations import read_type
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.domains.layout import Layout
from evalplus_lite.generate.domains.text import has_days, has_times
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.tasks.assertions import precondition, with_stated_contract
from evalplus_lite.tasks.contracts import Violation, violations
from evalplus_lite.types import Case, Task

INTS = [([1, 2, 3],), ([5],), ([4, 4],), ([7, 1, 9, 2],)]
DATES = [(date,) for date in ("03-11-2000", "15-01-2012", "04-30-2040", "1-1-2001", "12-12-1212")]
LONG_DATES = [("03-11-2000",), ("15-01-2012",), ("04-30-2040",), ("11-12-1313",), ("01-02-0304",)]
PAIRS = [([n, *range(n % 4)], [*range(n % 4), -n]) for n in range(9)]
INDEXED = [([5, 6, 7], 2), ([1], 0), ([4, 4], 1), ([9, 8, 7, 6], 3), ([2, 3], 0), ([0, 0], 1)]
WORDS = [("zero two",), ("one",), ("two two three",), ("three",), ("one two",), ("zero",)]
GRIDS = [([[1, 2], [3, 4]],), ([[5, 6], [7, 8]],), ([[0] * 3] * 3,)]
UNIFORM = [([1, 2],), (["a", "b"],), ([3, 4],), (["b", "c"],), ([5, 6, 7],)]

REFUSED: list[tuple[list[tuple[Any, ...]], tuple[Any, ...], str]] = [
    (INTS, ("",), "str where only list"),
    (INTS, ([1.0],), "float where only int"),
    (INTS, ([True],), "bool where only int"),
    (INTS, ([-1],), "below 1"),
    (INTS, ([10**9],), "above"),
    (INTS, ([],), "length of 0"),
    (INTS, ([1], [2]), "2 arguments where 1"),
    (INTS, ([[1]],), "list where only int"),
    (DATES, ("03/11/2000",), "'/' is no character"),
    (DATES, ("03-11-200-",), "not in the format"),
    (DATES, ("é3-11-2000",), "'é' is no character"),
    (LONG_DATES, ("3-11-2000",), "length of 9"),
    (PAIRS, ([1], [1, 2]), "equal length"),
    (INDEXED, ([1, 2], 2), "index into"),
    ([("abc\n",), ("xy",)], ("\t",), "no character"),
    (UNIFORM, ([1, "a"],), "several types"),
    (GRIDS, ([[1, 2], [3]],), "different lengths"),
    (GRIDS, ([[1, 2]],), "square"),
    ([([],)], ([1],), "only empty containers"),
    ([(1.5,)], (float("nan"),), "nan"),
    ([({"a": 1},), ({"b": 2, "c": 3},)], ({1: 1},), "int where only str"),
]


@pytest.mark.parametrize(("base", "arguments", "reason"), REFUSED)
def test_inferred_guards_refuse_with_a_reason(
    base: list[tuple[Any, ...]], arguments: tuple[Any, ...], reason: str
) -> None:
    """Each departure from what the base inputs have in common is refused and named."""
    said = InputFilter.infer(base).explain(arguments)
    assert said is not None
    assert reason in said


@pytest.mark.parametrize(
    ("base", "arguments"),
    [
        (INTS, ([30, 2],)),
        (INTS, ([1] * 8,)),
        (DATES, ("99-99-0000",)),
        (PAIRS, ([9, 9], [9, 9])),
        (INDEXED, ([1, 2, 3], 1)),
        ([("Hello",), ("ok then",)], ("zebra Crossing",)),
        ([(-1,), (4,)], (-7,)),
    ],
)
def test_inferred_guards_admit_what_is_alike(
    base: list[tuple[Any, ...]], arguments: tuple[Any, ...]
) -> None:
    """Unseen letters of a class, other numbers of seen signs and other lengths are admitted."""
    assert InputFilter.infer(base).explain(arguments) is None


def test_words_of_a_closed_vocabulary_stay_in_it() -> None:
    """Where all words seen are constants of the reference, only such words are admitted."""
    input_filter = InputFilter.infer(WORDS, known=["zero", "one", "two", "three", "four", " "])
    assert input_filter.admits(("four one",))
    assert not input_filter.admits(("five",))


def test_closed_alphabets_stay_closed() -> None:
    """Two digits that come up again and again are taken for all digits there are."""
    input_filter = InputFilter.infer([("010110",), ("1100",), ("0",), ("1",), ("01",), ("111",)])
    assert input_filter.admits(("111",))
    assert not input_filter.admits(("120",))


RELATED: dict[str, tuple[list[tuple[Any, ...]], int]] = {
    "0.sorted": ([([-n, n],) for n in range(1, 20)], 5),
    "0.descending": ([([n, 0, -n],) for n in range(1, 20)], 5),
    "0.distinct": ([([n, 40, -n],) for n in range(1, 20)], 9),
    "0.less.1": ([(n, 100 - n) for n in range(20)], 14),
    "0.part.1": ([("ab" * n, "ab" * 3 * n) for n in range(1, 20)], 6),
    "0.index.1": ([(n, [n] * (n + 1)) for n in range(20)], 6),
    "0.equal-length.1": ([("a" * n, "b" * n) for n in range(20)], 9),
    "0.square": ([([[n] * n] * n,) for n in range(2, 20)], 3),
    "0.items.layout": ([([f"{n}-{n}"],) for n in range(20)], 3),
}


@pytest.mark.parametrize("name", RELATED)
def test_a_guard_needs_a_number_of_informative_inputs(name: str) -> None:
    """One input fewer than its kind needs, and it is found but not taken on."""
    base, number = RELATED[name]
    for count in (number - 1, number, number + 1):
        found = {
            constraint.name: constraint
            for constraint in InputFilter.infer(base[:count]).constraints
        }
        assert (found[name].seen, found[name].needed) == (count, number)
        assert found[name].is_on == (count >= number)


@pytest.mark.parametrize(
    ("name", "base", "seen"),
    [
        ("0.sorted", [([1, 2],)] * 30, 1),
        ("0.sorted", [([n],) for n in range(30)] + [([1, 2, 3],)], 1),
        ("0.sorted", [([n, n],) for n in range(30)] + [([1, 2, 3],)], 1),
        ("0.distinct", [([n],) for n in range(30)] + [([],), ([3, 4],)], 1),
        ("0.part.1", [("", str(n)) for n in range(30)] + [("a", "ab")], 1),
        ("0.square", [([[n] * n] * n,) for n in (1, 2, 2, 3)], 2),
        ("0.not-negative", [(0,), (0,), (7,)], 1),
        ("0.less.1", [(1, 2, n) for n in range(30)], 1),
        ("0.items.layout", [(["a-b", "a-b"],)] * 5, 1),
    ],
)
def test_inputs_that_say_nothing_are_not_counted(
    name: str, base: list[tuple[Any, ...]], seen: int
) -> None:
    """What could not have broken a constraint, or was seen before, does not speak for it."""
    assert {constraint.name: constraint.seen for constraint in InputFilter.infer(base).constraints}[
        name
    ] == seen


def test_a_relation_that_one_input_breaks_is_not_found() -> None:
    """However many inputs keep to a relation, one that does not refutes it."""
    base = [([1, 2, n],) for n in range(3, 40)]
    assert any(constraint.name == "0.sorted" for constraint in InputFilter.infer(base).constraints)
    assert not any(
        constraint.name == "0.sorted"
        for constraint in InputFilter.infer([*base, ([2, 1],)]).constraints
    )


def test_every_guard_can_be_chosen_either_way() -> None:
    """A choice decides whatever the support, changes what is admitted, and is noted as one."""
    few = [([1, 2, 3],), ([4, 6],), ([0, 2],)]
    assert InputFilter.infer(few).admits(([2, 1],))
    assert not InputFilter.infer(few, choices={"0.sorted": True}).admits(([2, 1],))
    many, _ = RELATED["0.sorted"]
    assert not InputFilter.infer(many).admits(([2, 1],))
    assert not InputFilter.infer(many).admits(([1, 10**9],))
    free = InputFilter.infer(many, choices={"0.sorted": False, "0.items.reach": False})
    assert free.admits(([10**9, 1],))
    (constraint,) = [each for each in free.constraints if each.name == "0.sorted"]
    assert constraint.is_chosen
    assert not constraint.is_on


@pytest.mark.parametrize("base", [INTS, DATES, PAIRS, INDEXED, GRIDS, UNIFORM, WORDS])
@pytest.mark.parametrize("infer", [InputFilter.infer, InputFilter.typed])
def test_choices_do_not_change_which_guards_there_are(
    base: list[tuple[Any, ...]], infer: Callable[..., InputFilter]
) -> None:
    """A name that is shown stays valid, whatever else is chosen."""
    names = [constraint.name for constraint in infer(base).constraints]
    for is_on in (True, False):
        chosen = infer(base, choices=dict.fromkeys(names, is_on))
        assert [constraint.name for constraint in chosen.constraints] == names
        assert all(constraint.is_on == is_on for constraint in chosen.constraints)
        assert all(chosen.admits(arguments) for arguments in base)


def test_a_choice_of_an_unknown_guard_names_those_there_are() -> None:
    """The message says which task, and what could have been meant."""
    base = tuple(Case(arguments) for arguments in INTS)
    task = Task("T/1", "", "f", "def f(x): return x", base, constraints={"0.sortd": False})
    with pytest.raises(InputError, match=r"T/1.*0\.sortd.*0\.not-empty"):
        InputFilter.of_task(task)


def test_inputs_that_the_prompt_shows_count_too() -> None:
    """An example in the prompt speaks for a constraint, or against it."""
    base = tuple(Case((list(range(-n, n)),)) for n in range(1, 8))
    prompt = 'def f(x):\n    """>>> f({})\n    1\n    """\n'
    for shown, is_on in (("[1, 5]", True), ("[5, 1]", False)):
        task = Task("T/1", prompt.format(shown), "f", "def f(x):\n    return 1\n", base)
        names = {
            constraint.name: constraint for constraint in InputFilter.of_task(task).constraints
        }
        assert ("0.sorted" in names) == is_on
        if is_on:
            assert names["0.sorted"].seen == 8


@pytest.mark.parametrize(
    ("words", "admitted", "refused"),
    [
        ("", "BA", None),  # what calls are given is no vocabulary
        ("Each is won by A or B. ", "BA", "BC"),
        ("It is 'AB', 'AAB' or 'BBB'. ", "BBB", "BA"),
    ],
)
def test_a_prompt_names_letters_and_words(words: str, admitted: str, refused: str | None) -> None:
    """Letters that stand alone are all there are, and so are words outside the example calls."""
    texts = ("AB", "AAB", "BBB")
    prompt = words + " ".join(f'f("{each}") is {n}.' for n, each in enumerate(texts))
    base = tuple(Case((each,)) for each in texts)
    found = InputFilter.of_task(Task("T/1", prompt, "f", "def f(x):\n    return 1\n", base))
    doubts = {text: found.doubt((text,)) or found.explain((text,)) for text in ("BA", "BC", "BBB")}
    assert doubts[admitted] is None
    assert refused is None or doubts[refused] is not None


def test_typed_guards_leave_values_to_the_contract_but_not_types() -> None:
    """Signs, sizes and characters of ASCII are free; types, other scripts and control codes not."""
    numbers = InputFilter.typed(INTS)
    assert numbers.admits(([],))
    assert numbers.admits(([-(10**30)],))
    assert not numbers.admits(("",))
    assert not numbers.admits(([None],))
    texts = InputFilter.typed([("abc",)], characters="\t")
    assert texts.admits(("A b-1",))
    assert texts.admits(("\t",))
    assert not texts.admits(("é",))
    assert not texts.admits(("\n",))


def test_typed_guards_keep_records_and_admit_stated_types() -> None:
    """A record keeps its fields; what the signature states is admitted besides what was seen."""
    records = InputFilter.typed([([("ann", 3), ("bob", 4)],)])
    assert records.admits(([("x", -1)],))
    assert not records.admits(([(1, "x")],))
    stated = InputFilter.typed([([1, "a"],)], stated=[read_type("list[Any]")])
    assert stated.admits(([None, True, 1.5],))


def test_lists_that_nest_freely_may_nest_deeper() -> None:
    """Where lists stand beside other values in a list, deeper lists are admitted, not endlessly."""
    input_filter = InputFilter.typed([([0, [1, 2]],)])
    assert input_filter.admits(([[[[1]]]],))
    deep: Any = [1]
    for _ in range(12):
        deep = [deep]
    assert not input_filter.admits((deep,))


@pytest.mark.parametrize(
    "contract",
    [
        "# def precondition(x): not yet\ndef check(inputs, output, expected):\n    return True\n",
        'NOTE = "def precondition(x)"\ndef check(inputs, output, expected):\n    return True\n',
    ],
)
def test_words_in_a_contract_are_no_precondition(contract: str) -> None:
    """Only a function named so restricts the inputs; without one they are inferred."""
    base = tuple(Case(arguments) for arguments in INTS)
    task = Task("T/1", "def f(x):\n", "f", "def f(x):\n    return x\n", base, contract=contract)
    assert not InputFilter.of_task(task).admits(([-1],))


def test_a_precondition_decides_which_guards_a_task_gets() -> None:
    """With a precondition values are left to it; without one the base inputs bind."""
    base = tuple(Case(arguments) for arguments in INTS)
    task = Task("T/1", "def f(x):\n", "f", "def f(x):\n    return x\n", base)
    assert not InputFilter.of_task(task).admits(([-1],))
    contract = "def precondition(x):\n    assert x\n"
    bound = Task("T/1", task.prompt, "f", task.reference, base, contract=contract)
    assert InputFilter.of_task(bound).admits(([-1],))


def test_no_base_input_is_an_input_error() -> None:
    """Nothing can be inferred from nothing, and the message says what to do."""
    with pytest.raises(InputError, match="no base input"):
        InputFilter.infer([])


@pytest.mark.parametrize("name", ["HumanEvalPlus", "MbppPlus"])
def test_guards_admit_every_base_input_of_real_tasks(shared: Path, name: str) -> None:
    """No constraint refuses an input that it was inferred from."""
    with gzip.open(shared / "datasets" / f"{name}.jsonl.gz", "rt") as rows:
        for row in map(json.loads, rows):
            inputs = row["base_input"]
            base = json.loads(inputs) if isinstance(inputs, str) else inputs
            for input_filter in (InputFilter.infer(base), InputFilter.typed(base)):
                reasons = [input_filter.explain(arguments) for arguments in base]
                assert reasons == [None] * len(base), row["task_id"]


INTERVALS = [
    ([[1, 3], [2, 6], [8, 10]],),
    ([[4, 7]],),
    ([],),
    ([[0, 2], [5, 5], [6, 9]],),
]


def test_the_order_within_pairs_is_read_off_the_rows_of_all_examples() -> None:
    found = InputFilter.infer(INTERVALS)
    assert found.admits(([[3, 4], [0, 1]],))
    assert not found.admits(([[3, 4], [2, 1]],))
    assert InputFilter.infer(INTERVALS, choices={"0.ordered-pairs": False}).admits(([[2, 1]],))


def test_one_row_the_other_way_or_too_few_rows_leave_pairs_free() -> None:
    for base in ([*INTERVALS, ([[9, 1]],)], INTERVALS[1:3]):
        assert InputFilter.infer(base).admits(([[3, 4], [2, 1]],))


def test_a_sign_that_every_text_begins_with_is_kept() -> None:
    paths = [("/a",), ("/home//b/",), ("/../x",), ("/a/./b",), ("/usr/c",)]
    found = InputFilter.infer(paths)
    assert found.admits(("/b/a",))
    assert not found.admits(("b/a",))
    assert InputFilter.infer([*paths, ("a/b",)]).admits(("b/a",))
    assert InputFilter.infer(paths[:2]).admits(("b/a",))


TIMES = [("09:30 Ann",), ("23:59 Bob",), ("00:05 Cy",)]
PRICES = [("pen,1,0.99",), ("ink,10,12.50",), ("cup,2,1.00",)]


@pytest.mark.parametrize(
    ("base", "admitted", "refused"),
    [
        (TIMES, "20:00 Eve", "24:00 Ann"),
        (TIMES, "12:34 Ann", "09:60 Ann"),
        (TIMES, "12:34 Ann", "9:30 Ann"),
        ([("1:30 pm",), ("12:00 am",), ("11:59 PM",)], "2:15 am", "13:00 pm"),
        (PRICES, "pen,300,444.25", "pen,1,0.9"),
        ([("12.37",), ("0.99",), ("4.50",)], "100.05", "12.37."),
    ],
)
def test_times_and_decimals_stay_such(
    base: list[tuple[Any, ...]], admitted: str, refused: str
) -> None:
    """A right program may read a time with a library, and an amount as so many cents."""
    found = InputFilter.infer(base)
    assert found.admits((admitted,))
    assert not found.admits((refused,))
    assert InputFilter.infer([*base, (refused,)]).admits((refused,))


TREES = [([5, [3, None, None], None],), ([1, None, [2, [4, None, None], None]],), (None,)]
INVOICES = [([{"no": 1, "of": "Abt"}, {"no": 2, "of": "Berg"}],), ([{"no": 3, "of": "Abt"}],)]
BOARDS = [(["..", ".o"],), (["o..", "...", "..o"],), (["o", "."],), (["o.o"],), (["oo", "oo"],)]
CONDITIONS = [
    ([{"age": 3, "city": "Rome"}], "age > 2"),
    ([{"age": 3, "city": "Oslo"}], "city = 'Bergen' and age < 9"),
]
MOVES = [("right" if n % 2 else "down", n) for n in range(1, 7)]
LINES = [({"red": ["A", "B"], "blue": ["B", "C"]}, "A"), ({"red": ["A", "B"]}, "B")]
GAMES = [(["win", "loss"],), (["draw", "win", "win"],)]
MONTHS = [([{"month": f"202{n}-0{n}"}, {"month": f"202{n}-10"}],) for n in (1, 2, 3)]
POINTS = [([{"x": 2, "y": -3}],), ([{"x": -5, "y": 0}],)]
SHIFTS = [("09:15-10:00",), ("08:00-23:00",), ("10:00-12:30",), ("01:00-02:00",), ("07:30-09:00",)]


@pytest.mark.parametrize(
    ("base", "text", "known", "admitted", "refused"),
    [
        (TREES, "A tree has a value and two trees.", (), ([7, None, None],), ([7, 1, None],)),
        (TREES, "A tree has a value and two trees.", (), (None,), ([7, None],)),
        (INVOICES, "", ("no",), ([{"no": 8, "of": "Abt"}],), ([{"of": "Abt", "on": 8}],)),
        (INVOICES, "", ("no",), ([{"no": 8, "of": "Abt"}],), ([{"no": "8", "of": "Abt"}],)),
        (INVOICES, "All are different.", (), INVOICES[0], ([INVOICES[1][0][0]] * 2,)),
        (BOARDS, "", (), ([".oo", "..."],), ([".oo", ".."],)),
        (CONDITIONS, "", (" and ",), (CONDITIONS[0][0], "age < 7"), (CONDITIONS[0][0], "agee < 7")),
        (MOVES, "", ("right",), ("down", 9), ("downd", 9)),
        (LINES, "Both are in the network.", (), (LINES[0][0], "C"), (LINES[0][0], "AC")),
        (GAMES, "A season may have no games yet.", (), ([],), ([""],)),
        (GAMES, "", (), (["win"],), ([],)),
        (GAMES, "Also the empty season counts.", (), ([],), ([""],)),
        ([([2, 1],), ([3],)], "Use each number at most once.", (), ([1, 1],), (["x"],)),
        (POINTS, "A point.", ("x", "y"), ([{"x": 0, "y": 3}],), ([{"x": "1", "y": 3}],)),
        (MONTHS, "", (), ([{"month": "2024-12"}],), ([{"month": "2024-13"}],)),
        (INTERVALS, "The two may come in any order.", (), ([[9, 1], [2, 3]],), ([["x", 1]],)),
        ([([1, 2],), ([5],)], "Returns have negative units.", (), ([-3],), (["x"],)),
        (SHIFTS, "The end is later than the start.", (), ("11:00-11:05",), ("11:05-11:00",)),
        ([("2020-01-02", "2021-01-01"), ("2019-05-06", "2019-05-06")], "not before the first",
         (), ("2020-02-02", "2022-01-01"), ("2022-01-01", "2020-02-02")),
    ],
)  # fmt: skip
def test_records_trees_and_moments_keep_their_form(
    base: list[tuple[Any, ...]],
    text: str,
    known: tuple[str, ...],
    admitted: tuple[Any, ...],
    refused: tuple[Any, ...],
) -> None:
    """What examples show of them is kept, if the text speaks of it or enough of them show it."""
    found = InputFilter.infer(base, text=text, known=known)
    assert found.explain(admitted) is None
    assert found.explain(refused) is not None


HEADS = ("From: ann\nTo: bob", "To: bob\nSubject: a long story\n", "X-Tag: one\nX-Tag: two")
EVENTS = ("take ann\ncall\ntake bob\n", "take eve\ncall\n", "call\ntake cy\n")


@pytest.mark.parametrize(
    ("texts", "known", "alike", "unlike"),
    [
        (HEADS, (), "From: eve\nTo: mia", ["From ann\nTo: bob", "From: ann:", "From:ann"]),
        (EVENTS, ("take", "call"), "take ann\ntake bob\n", ["call\ntaken ann", "take ann bob"]),
        (("k2 [p k3]x2", "p3 p", "[k p]x3"), (), "[p k]x9 p3", ["k2 p 3", "k2 [p kk3]x2", "k2 ]"]),
    ],
)
def test_texts_in_a_format_keep_its_layout(
    texts: tuple[str, ...], known: tuple[str, ...], alike: str, unlike: list[str]
) -> None:
    """Tokens beside each other, signs that none lacks, words that the reference knows."""
    layout = Layout.of(texts, known=known, is_said=True)
    assert layout is not None
    assert all(layout.explain(text) is None for text in (*texts, alike))
    assert all(layout.explain(text) is not None for text in unlike)


def test_records_within_records_cost_no_more_with_each_level() -> None:
    """The number of constraints grows with the levels, and does not double with each."""
    node: Any = None
    counts = []
    for level in range(1, 13):
        node = {"value": level, "next": node}
        found = InputFilter.infer([(node,)], known=("value", "next"))
        counts.append(len(found.constraints))
    assert counts[-1] < 4 * counts[5]


def test_what_stands_in_one_node_of_a_tree_may_stand_in_others() -> None:
    """A branch that is missing at the root of the example may be there, and the reverse."""
    leaf = {"left": None, "right": None}
    base = {"left": {"left": None, "right": leaf}, "right": None}
    found = InputFilter.infer([(base,)], known=("left", "right"))
    assert found.admits(({"left": None, "right": leaf},))
    assert not found.admits(({"left": None, "right": 1},))


def test_records_are_no_tree_and_long_numerals_cost_nothing() -> None:
    """As many records as each has fields; and texts of many digits."""
    found = InputFilter.infer([([["a", 1], ["b", 2]],), ([["c", 3], ["d", 4]],)])
    assert found.admits(([["e", 5]],))
    assert has_days(f"2024-01-{10**11}") is False
    assert has_times("1" * 200_000) is None
    assert has_times("1" * 200_000 + ":00") is False


def test_prose_has_no_layout() -> None:
    """Blanks, signs and numerals at any place are what text programs are tested with."""
    assert Layout.of(("Hello, World!", "one two", "What's up?", "")) is None
    assert Layout.of(("12 7 3", "-4 5", "8")) is None
    names = Layout.of(("Ada Lovelace", "Alan Turing", "Grace Hopper"))  # all alike: no prose
    assert names is not None
    assert names.explain("Barbara Jane Liskov") is not None


# Stated contracts: the assertions that published rows hold, as preconditions.

STATED = '\n\tdef is_small(n):\n\t\treturn n < 5\n\tassert is_small(x), "invalid inputs"\n'
CHECK = "def check(inputs, output, expected):\n    return True\n"


def test_a_rows_assertions_become_a_precondition(sandbox: Sandbox) -> None:
    """The task rejects what the row's assertions reject, however they are indented."""
    task = with_stated_contract(replace(make_task(), extra={"contract": STATED}))
    assert task.contract is not None
    reasons = violations(sandbox, task.contract, [Case((1,)), Case((7,))])
    assert reasons == [None, Violation("invalid inputs")]


def test_a_contract_of_ones_own_comes_first() -> None:
    """A precondition that the task has stays the only one; a check is joined by the stated one."""
    own = "def precondition(x):\n    assert x, 'x must not be zero'\n"
    for contract, has_stated in ((own, False), (CHECK, True)):
        task = replace(make_task(), contract=contract, extra={"contract": STATED})
        joined = with_stated_contract(task).contract or ""
        assert joined.startswith(contract)
        assert ("is_small" in joined) is has_stated


def test_annotations_and_imports_do_no_harm(sandbox: Sandbox) -> None:
    """The reference's imports are there for the assertions; its annotations are not needed."""
    reference = "import math\n\ndef f(x: Unknown = 1) -> Thing:\n    return x\n"
    text = precondition(reference, "f", "    assert math.isfinite(x), 'x must be finite'\n")
    reasons = violations(sandbox, text, [Case((1.0,)), Case((float("inf"),)), Case(())])
    assert reasons == [None, Violation("x must be finite"), None]


def test_what_cannot_be_read_is_left_aside() -> None:
    """Text that is no Python, asserts nothing, or belongs to no function is no contract."""
    reference = "def f(x):\n    return x\n"
    assert precondition(reference, "f", "assert (") == ""
    assert precondition(reference, "f", "x = 1") == ""
    assert precondition(reference, "g", "assert x") == ""
    assert with_stated_contract(make_task()).contract is None
