"""The HumanEval contracts: what their files hold, accept, reject, repair and check."""

from __future__ import annotations

import ast
import itertools
import math
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.backends import beside_sandboxes
from support.contracts import call, contract, faults, number

from evalplus_lite.execution.processes import Processes
from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine.generator import Generator
from evalplus_lite.programs import parsing
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.tasks import load_dataset
from evalplus_lite.tasks.contracts import load_contracts, parse
from evalplus_lite.tasks.published.base_cases import with_base_cases
from evalplus_lite.types import Outcome, Raised, Returned, Task
from evalplus_lite.values import wire

REJECTED = {
    75: 6,  # 105 to 1001: "(a) is less then 100"
    78: 1,  # []: "receives a hexadecimal number as a string"
    116: 1,  # negative numbers: "an array of non-negative integers"
    129: 1,  # [[1, 3], [3, 2]]: "Every integer ... appears exactly once"
}
"""How many inputs of the original tests a contract rejects, by task number, and why."""

JUNK: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 7, 10**30, -(10**30), 10**4400, 0.0, -0.5, 2.5, 1e308, 5e-324),
    *(math.nan, math.inf, -math.inf, 1j, b"", b"ab", "", " ", "a", "I", "12", "1.5", "(", "[]"),
    *("a b", "é", "ß", "Σας", "ǅ", "٣", "²", "\x00", "\n\t", "-", "1/0", "9" * 5000, "a" * 3000),
    *([], [[]], [None], [True], [1], [0, 0], [-1, 2], [1.5, 2], [math.nan], [math.inf, 1]),
    *([1e308] * 3, ["a"], ["a", "B"], ["a", 1], [""], ["+"], [[1, 2], [3, 4]], [[1], "x"]),
    *([[0, 1], [1, 0]], [{}], [10**4400], [[[[[]]]]], (), (1, 2), (2, 1), ("a",), {}, {"a": 1}),
    *({1: 2}, {None: 1, "b": 2}, set(), {1, 2}, frozenset("a")),
)
"""Plain values that are no input of most tasks, or a strange one."""


@pytest.fixture(scope="module")
def tasks() -> tuple[Task, ...]:
    with Processes(2) as backend:
        return with_base_cases(load_dataset("humaneval"), backend).tasks


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


def parameters(source: str, function: str) -> list[str]:
    """Return a function's parameter names; where it is defined twice, the last one counts."""
    found = [node for node in parsing.parse(source).body if isinstance(node, ast.FunctionDef)]
    (last,) = [node for node in found if node.name == function][-1:]
    return [argument.arg for argument in last.args.args]


def strange(task: Task) -> list[tuple[Any, ...]]:
    """Return junk for every parameter, and changed base inputs, valid or not."""
    count = len(parameters(contract(task), "precondition"))
    rng = random.Random(task.id)
    rows: list[tuple[Any, ...]] = [(junk,) * count for junk in JUNK]
    if count > 1:
        rows += [tuple(rng.choice(JUNK) for _ in range(count)) for _ in range(300)]
        for base in task.base[:3]:
            for place, junk in itertools.product(range(count), JUNK):
                rows.append((*base.arguments[:place], junk, *base.arguments[place + 1 :]))
    inputs = [case.arguments for case in task.base]
    generator = Generator(
        task.base,
        input_filter=InputFilter.typed(inputs),
        rng=rng,
        constants=Constants.of_task(task),
    )
    return rows + [case.arguments for case in generator.propose(60)]


def shown(row: Sequence[Any]) -> str:
    try:
        return repr(row)[:100]
    except ValueError:  # an integer of more than 4,300 digits
        return "a very long integer"


@dataclass(frozen=True, slots=True)
class Strange:
    """Strange inputs of a task, and what its precondition does on each."""

    rows: Sequence[tuple[Any, ...]]
    outcomes: Sequence[Outcome | None]


@pytest.fixture(scope="module")
def stranges(tasks: tuple[Task, ...]) -> dict[str, Strange]:
    def meet(sandbox: Sandbox, task: Task) -> Strange:
        rows = strange(task)
        return Strange(rows, call(sandbox, contract(task), "precondition", rows))

    return {task.id: met for task, met in zip(tasks, beside_sandboxes(meet, tasks), strict=True)}


def test_every_task_has_its_file() -> None:
    """Each task of HumanEval has one file, named by its number and entry point, and no other is."""
    names = [f"{number(task):03d}_{task.entry_point}" for task in load_dataset("humaneval").tasks]
    assert list(load_contracts("humaneval")) == names
    assert len(names) == 164


def test_preconditions_take_the_tasks_parameters(tasks: tuple[Task, ...]) -> None:
    """A precondition has exactly the parameters of the function that the prompt shows."""
    for task in tasks:
        shown = parameters(task.prompt + "    pass\n", task.entry_point)
        assert parameters(contract(task), "precondition") == shown, task.id


def test_files_hold_what_the_format_asks_for(tasks: tuple[Task, ...]) -> None:
    """A file says what it accepts, imports the standard library alone, and words each assertion."""
    for task in tasks:
        tree = ast.parse(contract(task))
        assert (ast.get_docstring(tree) or "").partition("\n")[0].endswith((".", ",", ":")), task.id
        for node in ast.walk(tree):
            if isinstance(node, ast.Assert):
                assert isinstance(node.msg, ast.Constant), f"{task.id}:{node.lineno}"
                assert "must" in str(node.msg.value), f"{task.id}:{node.lineno}"
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [alias.name for alias in node.names]
                modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else names
                assert set(modules) <= sys.stdlib_module_names, f"{task.id}: {modules}"


def test_base_inputs_are_accepted(tasks: tuple[Task, ...]) -> None:
    """The original tests' inputs are accepted, but for those that break the prompt's words."""

    def rejected(sandbox: Sandbox, task: Task) -> int:
        inputs = [case.arguments for case in task.base]
        outcomes = call(sandbox, contract(task), "precondition", inputs)
        return sum(not isinstance(outcome, Returned) for outcome in outcomes)

    found = faults(tasks, rejected)
    assert found == {f"HumanEval/{key}": count for key, count in REJECTED.items()}


def test_strange_inputs_are_refused_in_words(stranges: dict[str, Strange]) -> None:
    """On whatever values a precondition returns None or raises AssertionError with a message."""
    for id, met in stranges.items():
        refused = 0
        for row, outcome in zip(met.rows, met.outcomes, strict=True):
            if isinstance(outcome, Returned):
                assert wire.decode(outcome.data) is None, f"{id}: {shown(row)}"
            else:
                assert isinstance(outcome, Raised), f"{id}: {shown(row)}: {outcome}"
                assert outcome.type == "AssertionError", f"{id}: {shown(row)}: {outcome}"
                assert "must" in outcome.message, f"{id}: {shown(row)}: {outcome}"
                refused += 1
        assert refused, f"{id} refuses nothing"


def test_what_is_accepted_has_an_answer(
    tasks: tuple[Task, ...], stranges: dict[str, Strange]
) -> None:
    """The reference answers every strange input that the contract accepts, in good time."""

    def wrong(sandbox: Sandbox, task: Task) -> list[str]:
        met = stranges[task.id]
        judged = zip(met.rows, met.outcomes, strict=True)
        accepted = [row for row, outcome in judged if isinstance(outcome, Returned)]
        answers = call(sandbox, task.reference, task.entry_point, accepted)
        both = zip(accepted, answers, strict=True)
        return [
            f"{shown(row)}: {answer}" for row, answer in both if not isinstance(answer, Returned)
        ]

    assert faults(tasks, wrong) == {}


def test_arguments_are_left_alone(tasks: tuple[Task, ...], stranges: dict[str, Strange]) -> None:
    """A precondition changes none of its arguments, whether it accepts them or not."""
    watcher = (
        "\n\ndef _changes(*arguments):\n"
        "    import copy, pickle\n"
        "    before = pickle.dumps(copy.deepcopy(arguments))\n"
        "    try:\n"
        "        precondition(*arguments)\n"
        "    except AssertionError:\n"
        "        pass\n"
        "    return pickle.dumps(copy.deepcopy(arguments)) != before\n"
    )

    def wrong(sandbox: Sandbox, task: Task) -> list[str]:
        rows = [*(case.arguments for case in task.base), *stranges[task.id].rows[-60:]]
        outcomes = call(sandbox, contract(task) + watcher, "_changes", rows)
        unchanged = wire.encode(False)
        both = zip(rows, outcomes, strict=True)
        return [
            f"{shown(row)}: {outcome}"
            for row, outcome in both
            if not isinstance(outcome, Returned) or outcome.data != unchanged
        ]

    assert faults(tasks, wrong) == {}


WRONG: dict[int, Sequence[tuple[list[Any], Any]]] = {
    20: [
        ([[1.0, 2.0, 4.0]], (1.0, 4.0)),
        ([[1.0, 2.0, 4.0]], (2.0, 1.0)),
        ([[1.0, 2.0, 4.0]], [1.0, 2.0]),
        ([[1.0, 2.0, 4.0]], (1.0, 1.0)),
        ([[1.0, 2.0, 4.0]], (2.5, 2.5)),
        ([[1.0, 1.0, 4.0]], (1.0, 4.0)),
        ([[1.0, 2.0, 4.0]], (math.nan, math.nan)),
    ],
    32: [
        ([[1, 2]], -0.4),
        ([[1, 2]], 0.5),
        ([[-6, 11, -6, 1]], 1.5),
        ([[1, 2]], math.nan),
        ([[1, 2]], math.inf),
        ([[1, 2]], True),
        ([[1, 2]], [-0.5]),
    ],
}
"""Wrong answers, by the number of a task with a check."""

RIGHT: dict[int, Sequence[tuple[list[Any], Any]]] = {
    20: [([[1.0, 2.0, 3.0]], (1.0, 2.0)), ([[1.0, 2.0, 3.0]], (2.0, 3.0)), ([[3, 1, 1]], (1, 1))],
    32: [([[-6, 11, -6, 1]], root) for root in (1, 2.0, 3.0000000001)],
}
"""Right answers where there are several."""


def test_checks_tell_right_from_wrong(sandbox: Sandbox, tasks: tuple[Task, ...]) -> None:
    """A check takes the reference's answer and other right ones, and no wrong or strange one."""
    checked = [task for task in tasks if parse(contract(task)).has_check]
    assert [number(task) for task in checked] == list(WRONG) == list(RIGHT)
    for task in checked:
        inputs = [case.arguments for case in task.base]
        answers = []
        for outcome in call(sandbox, task.reference, task.entry_point, inputs):
            assert isinstance(outcome, Returned), task.id
            answers.append(wire.decode(outcome.data))
        own = [(list(row), answer, answer) for row, answer in zip(inputs, answers, strict=True)]
        right = [(row, answer, None) for row, answer in RIGHT[number(task)]]
        wrong = [(row, answer, None) for row, answer in WRONG[number(task)]]
        numbers = (int, float)
        junk = [
            (list(inputs[0]), value, answers[0]) for value in JUNK if type(value) not in numbers
        ]
        for rows, verdict in ((own + right, True), (wrong + junk, False)):
            outcomes = call(sandbox, contract(task), "check", rows)
            data = wire.encode(verdict)
            for row, outcome in zip(rows, outcomes, strict=True):
                assert isinstance(outcome, Returned), f"{task.id} {row}: {outcome}"
                assert outcome.data == data, f"{task.id} {row}: not {verdict}"


OPEN: dict[str, Sequence[tuple[Any, ...]]] = {
    "006_differ_At_One_Bit_Pos": [(-2, 2), (True, 1)],
    "007_find_char_long": [("this.that",), ("well\tdone",)],
    "012_sort_matrix": [([],), ([[1], [1, 2]],), ([[]],)],
    "016_text_lowercase_underscore": [("",), ("aab_cbb\n",), ("é_a",)],
    "020_is_woodall": [(2**53,), (383.0,), (True,)],
    "058_opposite_Signs": [(0, -1), (3, 0), (0, 0), (True, -1)],
    "061_count_Substrings": [("",), ("1" * 151,), ("1a",)],
    "065_recursive_list_sum": [([1e6],), (["a"],)],
    "070_get_equal": [([],)],
    "074_is_samepatterns": [(["a", "a"], ["x", "y"]), ([], [])],
    "075_find_tuples": [([(1,)], 0), ([()], 1)],
    "087_merge_dictionaries_three": [({"a": 1}, {}, {"a": 2}), ({"a": 1}, {"a": True}, {})],
    "092_is_undulating": [(9,), (82,)],
    "097_frequency_lists": [([1],), ([],)],
    "100_next_smallest_palindrome": [(-1,), (10**8 + 1,)],
    "102_snake_to_camel": [("a__b",), ("_a",), ("aB",)],
    "103_eulerian_num": [(0, 0), (19, 1)],
    "109_odd_Equivalent": [("100", 1), ("1", 2), ("", 0)],
    "113_check_integer": [("",), (" 5",), ("1_0",), ("--5",), ("\u00b2",)],
    "119_search": [([],), ([4, 5],), ([1, 1, 1, 1, 2],), ([2, 1, 1],)],
    "123_amicable_numbers_sum": [(220,), (283,), (1209,), (10_001,), (0,)],
    "125_find_length": [("",), ("11",)],
    "128_long_words": [(1, "a,b"), (1, "a\tb")],
    "129_magic_square_test": [([[1, 1], [1, 1]],), ([[3, 4]],), ([],)],
    "137_zero_count": [([0, 0],)],
    "160_find_solution": [(0, 1, 2), (1, 1, 1001), (1, 1, -1)],
    "170_sum_range_list": [([1, 2], 1, 0), ([1], 0, 1)],
    "223_is_majority": [([1], 2, 1), ([2, 1], 2, 1)],
    "239_get_total_number_of_sequences": [(151, 3), (3, 151), (0, 1), (True, 1)],
    "245_max_sum": [([-1],), ([],)],
    "253_count_integer": [([True],)],
    "267_square_Sum": [(0,), (10**6 + 1,)],
    "272_rear_extract": [([()],)],
    "278_count_first_elements": [((1, 2),), ((),)],
    "294_max_val": [([2, 2.5],), (["a"],)],
    "297_flatten_list": [([None],)],
    "305_start_withp": [(["python Php"],), (["Java"],), (["Java Python", "Python Php"],)],
    "306_max_sum_increasing_subseq": [([-1, 2, 3], 3, 0, 2), ([1, 2], 2, 1, 1)],
    "308_large_product": [([1, 2], [2, 1], 2), ([1], [2], 2), ([1], [2], 0)],
    "310_string_to_tuple": [("a\n",)],
    "311_set_left_most_unset_bit": [(0,)],
    "391_convert_list_dictionary": [(["a"], ["b"], [])],
    "392_get_max_sum": [(-1,), (615264,)],
    "405_check_tuplex": [((True,), 1)],
    "410_min_val": [(["a", 2.5, 3],), ([True, 2],), ([],), (["a"],)],
    "415_max_Product": [([3, 3],), ([4, 1, -4, -1],), ([-3, -2, 2, 3],)],
    "419_round_and_sum": [([2.5],), ([-1.5],)],
    "421_concatenate_tuple": [((b"",),)],
    "427_change_date_format": [("2021-1-02",), ("2021-02-30",), ("2021-01-02\n",)],
    "430_parabola_directrix": [(0.5, 1, 1)],
    "440_find_adverb_position": [("a quicklyx way",), ("it's flyé ly",), ("LY ably",)],
    "446_count_Occurrence": [((1, 1), [1, 1])],
    "448_cal_sum": [(-1,)],
    "451_remove_whitespaces": [("a\tb",), ("\n",), (" \u00a0",)],
    "453_sumofFactors": [(0,), (1_000_001,)],
    "459_remove_uppercase": [("a b",), ("a1",)],
    "463_max_subarray_product": [([],), ([1] * 101,)],
    "465_drop_empty": [({"a": ""},), ({"a": []},)],
    "468_max_product": [([-2, -1],), ([0, 1],)],
    "471_find_remainder": [([0.5], 2), ([1], 0)],
    "472_check_Consecutive": [([2, 1],), ([3, 1, 2],), ([],)],
    "556_find_Odd_Pair": [([1, 2], 1)],
    "558_digit_distance_nums": [(-1, 1)],
    "559_max_sub_array_sum": [([1, 2], 1), ([-1], 1), ([], 0)],
    "563_extract_values": [('"a',), ('"',), ('""',), ("'a'",)],
    "564_count_Pairs": [([1, 2], 1)],
    "576_is_Sub_Array": [([1, 2, 3], [1, 3]), ([1], [])],
    "577_last_Digit_Factorial": [(2.5,), (901,)],
    "581_surface_Area": [(0, 1)],
    "589_perfect_squares": [(2, 1), (0, 10**7)],
    "591_swap_List": [([1],), ([],)],
    "593_removezero_ip": [("0.1.2.3",), ("01.2.3.4",), ("1.0.2.3",), ("1.256",)],
    "597_find_kth": [([2, 1], [3], 1), ([1], [2], 3)],
    "604_reverse_words": [("a  b",), (" a",), ("a\tb",)],
    "607_find_literals": [("abc", "a.c"), ("abc", "")],
    "611_max_of_nth": [([[1, 2]], -1), ([[1], [1, 2]], 0)],
    "615_average_tuple": [(((1,), (1, 2)),), ((),)],
    "620_largest_subset": [([3, 6, 2],), ([0, 1],)],
    "622_get_median": [([1], [2], 0), ([2, 1], [1, 2], 2)],
    "631_replace_spaces": [("a b_c",), ("a\tb",), ("a\n",)],
    "633_pair_xor_Sum": [([7, 3, -5], 3), ([7, 3, 5], 2), ([2**31, 1], 2)],
    "638_wind_chill": [(-1, 1)],
    "639_sample_nam": [(["DYLAN"],), (["A"],)],
    "643_text_match_wordz_middle": [("zaza",), ("az bz c",), (" za",)],
    "724_power_base_sum": [(2, -1), (10, 10_000)],
    "725_extract_quotation": [('a "b',), ('a "" b',)],
    "734_sum_Of_Subarray_Prod": [([],), ([1] * 101,)],
    "735_toggle_middle_bits": [(1,), (0,)],
    "739_find_Index": [(0,), (13,)],
    "741_all_Characters_Same": [("",)],
    "748_capital_words_spaces": [("ABc",), ("aB",), ("A b",)],
    "749_sort_numeric_strings": [(["+1"],), (["--1"],), (["٣"],)],
    "753_min_k": [([("a", 1)], -1), ([("a", 1)], 2)],
    "759_is_decimal": [("123",), ("1.5",), ("-1.25",), ("1.25\n",), ("1e2",)],
    "763_find_min_diff": [((1,), 1), ((1, 2), 1)],
    "767_get_pairs_count": [([0.5, 0.5], 1)],
    "769_Diff": [([1, 1], [2])],
    "771_check_expression": [("",), ("(a)",)],
    "772_remove_length": [("a  b", 1), ("a,b", 3)],
    "773_occurance_substring": [("abc", "a.c"), ("abc", "")],
    "782_odd_length_sum": [([0.5],), ([1] * 151,)],
    "785_tuple_str_int": [("(7)",), ("(7,8)",), ("(07, 8)",)],
    "786_right_insertion": [([2, 1], 1)],
    "790_even_position": [([2, 2],)],
    "794_text_starta_endb": [("xab",), ("ab\n",)],
    "799_left_rotate": [(2**31, 1), (1, 32)],
    "800_remove_all_spaces": [("a\tb",), ("a\n",)],
    "805_max_sum_list": [([],), ([[0.5]],)],
    "806_max_run_uppercase": [("Aaa",), ("AAbBc",), ("A A",)],
}
"""Inputs of MBPP+ tasks on which its texts leave the answer open, or that they do not allow;
or on which a plain program would not finish."""


@pytest.mark.parametrize(
    ("name", "arguments", "expected", "right", "wrong"),
    [
        ("160_find_solution", [2, 3, 7], (2, 1), [(2, 1), (5, -1)], [(1, 2), None, [2, 1], 7]),
        ("160_find_solution", [2, 2, 3], None, [None], [(1, 1), (0, 0), False]),
        ("415_max_Product", [[1, 2, 3]], (2, 3), [(2, 3), (3, 2)], [(1, 3), (3,), [2, 3], 6]),
    ],
)
def test_mbpp_checks_take_every_right_answer(
    sandbox: Sandbox,
    name: str,
    arguments: list[Any],
    expected: object,
    right: list[Any],
    wrong: list[Any],
) -> None:
    """Any pair that the words allow is right, and no other answer."""
    source = load_contracts("mbpp")[name]
    rows = [(arguments, answer, expected) for answer in (*right, *wrong)]
    outcomes = call(sandbox, source, "check", rows)
    accepted = [isinstance(each, Returned) and wire.decode(each.data) for each in outcomes]
    assert accepted == [True] * len(right) + [False] * len(wrong)


def test_mbpp_contracts_reject_what_is_open(sandbox: Sandbox, shared: Path) -> None:
    """A contract for an MBPP+ task keeps its base inputs and no input whose answer is open.

    It has the reference's parameters, its file is named by the task, and it words each refusal.
    """
    tasks = load_dataset(shared / "datasets" / "MbppPlus.jsonl.gz").tasks
    reviewed = [task for task in tasks if task.contract]
    names = [f"{number(task):03d}_{task.entry_point}" for task in reviewed]
    assert list(load_contracts("mbpp")) == names
    assert list(OPEN) == names
    for name, task in zip(names, reviewed, strict=True):
        own, theirs = parameters(contract(task), "precondition"), task.reference
        assert own == parameters(theirs, task.entry_point), name
        base, refused = [case.arguments for case in task.base], OPEN[name]
        outcomes = call(sandbox, contract(task), "precondition", [*base, *refused])
        for outcome in outcomes[: len(base)]:
            assert isinstance(outcome, Returned), f"{name}: {outcome}"
        for row, outcome in zip(refused, outcomes[len(base) :], strict=True):
            assert isinstance(outcome, Raised), f"{name}: {row}"
            assert (outcome.type, "must" in outcome.message) == ("AssertionError", True), name
