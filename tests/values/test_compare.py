"""Each comparison rule, leaf by leaf."""

from __future__ import annotations

import math
from typing import Any

import pytest
from support.values import brief

from evalplus_lite.types import Rule, RuleKind
from evalplus_lite.values.equality import matches

HUGE = 10**5000
NAN, INF = math.nan, math.inf
PYTHON, STRICT = Rule(), Rule("strict")
UNORDERED, PRESENCE = Rule("unordered"), Rule("truthiness")


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (1, 1),
        (True, 1),
        (1, True),
        (5.0, 5),
        (5 + 0j, 5),
        (1, 1.0),
        (True, 1.0),
        (0.1 + 0.2, 0.3),
        (1.0000005, 1.0),
        (1e10 + 500, 1e10),
        (-0.0, 0.0),
        (-0.0, 0),
        (NAN, NAN),
        (INF, INF),
        (1 + 1.0000005j, 1 + 1j),
        (complex(NAN, 1), complex(NAN, 1)),
        ([1.0, [2.0000001]], [1.0, [2.0]]),
        ({"a": (1.0000001,)}, {"a": (1.0,)}),
        ({1: 1, 2: 2}, {2: 2, 1: 1}),
        ({1, 2}, {2, 1}),
        ({1, 2}, frozenset({1, 2})),
        ({NAN}, {NAN}),
        ({NAN: 1, "a": 2}, {"a": 2, float("nan"): 1}),
        ({True}, {1}),
        (HUGE, HUGE),
        ("a", "a"),
        (b"a", b"a"),
        (None, None),
        ([], []),
    ],
    ids=brief,
)
def test_python_rule_accepts(output: Any, expected: Any) -> None:
    """Python equality, NaN equal to itself, a tolerance where the expected leaf is a float."""
    assert matches(output, expected, PYTHON)


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (1, 2),
        (5.0000001, 5),
        (5 + 1e-9j, 5),
        (1.000002, 1.0),
        (1e10 + 5000, 1e10),
        ("1.0", 1.0),
        (None, 0),
        (0, None),
        (None, 0.0),
        (False, None),
        ("", None),
        (NAN, 1.0),
        (1.0, NAN),
        (0, NAN),
        (-INF, INF),
        (1e308, INF),
        (INF, 1e308),
        (HUGE, HUGE + 1),
        (HUGE, 1.0),
        (HUGE, INF),
        (HUGE, 1 + 1j),
        ((1, 2), [1, 2]),
        ([1, 2], (1, 2)),
        ([1], [1, 2]),
        ([1, 2], [2, 1]),
        ([], 0),
        ([], 0.0),
        ([1.0], 1.0),
        (1.0, [1.0]),
        ([[1.0]], [1.0]),
        ([], [[]]),
        ("ab", ["a", "b"]),
        (b"a", "a"),
        ({1: 1}, {1: 2}),
        ({1: 1}, {2: 1}),
        ({1: 1, 2: 2}, {1: 1}),
        ({1}, {2}),
        ({1}, [1]),
        ([1], {1}),
        ({1.0000001}, {1.0}),
        ({HUGE}, {1}),
        ({1: 1}, [1]),
        ({NAN: 1}, {NAN: 2}),
        ({NAN: 1}, {1: 1}),
    ],
    ids=brief,
)
def test_python_rule_rejects(output: Any, expected: Any) -> None:
    """Another value, shape, length or container is wrong; integers and set elements are exact."""
    assert not matches(output, expected, PYTHON)


def test_the_tolerance_is_the_rules_own() -> None:
    """A rule's absolute and relative tolerance decide, the larger of the two, and stick nowhere."""
    assert matches(1.05, 1.0, Rule(atol=0.1))
    assert not matches(1.05, 1.0, Rule(atol=0.01))
    assert matches(1.05, 1.0, Rule(atol=0.0, rtol=0.1))
    assert not matches(5e-7, 0.0, Rule(atol=0.0))
    assert not matches([1.0000005, 1000001], [1.0, 1000000], Rule())
    assert not matches([0.5, 10**9 + 1], [0.5, 10**9], Rule())


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (1.0000005, 1.0),
        ([1, (2, {3})], [1, (2, {3})]),
        ({1: 2}, {1: 2}),
        ({frozenset({1, 9, 17})}, {frozenset({17, 9, 1})}),
        ({NAN}, {NAN}),
        ({HUGE}, {HUGE}),
    ],
    ids=brief,
)
def test_strict_rule_accepts(output: Any, expected: Any) -> None:
    """The same types at every leaf are compared as by the python rule."""
    assert matches(output, expected, STRICT)


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (True, 1),
        (1, True),
        (1, 1.0),
        (1.0, 1),
        (1 + 0j, 1.0),
        ([1, True], [1, 1]),
        ({1}, frozenset({1})),
        ({True}, {1}),
        ({(1, 2.0)}, {(1, 2)}),
        ({True: 1}, {1: 1}),
        ({1: True}, {1: 1}),
        ({frozenset({1})}, {frozenset({True})}),
    ],
    ids=brief,
)
def test_strict_rule_rejects(output: Any, expected: Any) -> None:
    """What Python calls equal is wrong where a type differs, within keys and elements too."""
    assert not matches(output, expected, STRICT)
    assert matches(output, expected, PYTHON)


@pytest.mark.parametrize(
    ("output", "expected", "right"),
    [
        ([3, 1, 2], (1, 2, 3), True),
        ([1, 1, 2], [2, 1], True),
        ({1, 2}, [2, 1], True),
        ([], set(), True),
        ([1], [1, 2], False),
        ([1, 2], [1], False),
        ([[1.0], [2.0]], [[2.0000001], [1]], True),
        ([[1], [1]], [[1], [2]], False),
        ([[1]], [[1], [1]], False),
        ([[1], [1]], [[1]], False),
        ([[]], [[], 1], False),
        (1, 1, True),
        ("ab", "ba", False),
        ("ab", ["a", "b"], False),
        ({1: 2}, [1], False),
        (None, [], False),
    ],
    ids=brief,
)
def test_unordered_rule(output: Any, expected: Any, right: bool) -> None:
    """Containers are compared as sets of elements; what cannot be hashed, one for one."""
    assert matches(output, expected, UNORDERED) is right


@pytest.mark.parametrize(
    ("output", "expected", "right"),
    [
        (None, None, True),
        ("m", True, True),
        (0, "x", True),
        (None, True, False),
        (1, None, False),
        (False, None, True),
        (False, "x", False),
        ([], {}, True),
    ],
)
def test_truthiness_rule(output: Any, expected: Any, right: bool) -> None:
    """Only whether there is something counts; None and False say that there is not."""
    assert matches(output, expected, PRESENCE) is right


# Printed texts are compared as judges compare them, whatever their size.

SAME: list[tuple[str, str, set[str]]] = [
    # output, expected, the rules by which it is right
    ("1 2\n", "1 2\n", {"python", "lines", "tokens", "numbers"}),
    ("1 2  \r\n\n \n", "1 2\n", {"lines", "tokens", "numbers"}),
    ("1 2", "1 2\n", {"lines", "tokens", "numbers"}),
    ("", "\n", {"lines", "tokens", "numbers"}),
    ("1\n2\n", "1 2\n", {"tokens", "numbers"}),
    ("  x\n", "x\n", {"tokens", "numbers"}),
    ("x\n\ny\n", "x\ny\n", {"tokens", "numbers"}),
    ("0.5\n", "0.50000001\n", {"numbers"}),
    ("5e-1\n", ".5\n", {"numbers"}),
    ("-0.0\n", "0.000\n", {"numbers"}),
    ("2.0\n", "2\n", set()),
    ("2\n", "2.0\n", {"numbers"}),
    ("0.6\n", "0.5\n", set()),
    ("nan\n", "0.5\n", set()),
    ("1_0.0\n", "10.0\n", set()),
    ("1 2 3\n", "1 2\n", set()),
    ("1\n", "1\n2\n", set()),
    ("Yes\n", "YES\n", set()),
    ("1\u00a02\n", "1 2\n", set()),
]


@pytest.mark.parametrize(("output", "expected", "right"), SAME)
def test_what_counts_in_a_printed_text(output: str, expected: str, right: set[str]) -> None:
    """White space and small differences count as the rule says, and nothing else is forgiven."""
    kinds: tuple[RuleKind, ...] = ("python", "lines", "tokens", "numbers")
    assert {kind for kind in kinds if matches(output, expected, Rule(kind))} == right
    # Texts in what was observed besides are compared likewise.
    assert {
        kind
        for kind in kinds
        if matches({"printed": output, "value": 1}, {"printed": expected, "value": 1}, Rule(kind))
    } == right


@pytest.mark.parametrize("kind", ["lines", "tokens", "numbers"])
@pytest.mark.parametrize("filling", [" ", "\n", " \n", "1", "1 ", "1.5 "])
def test_a_text_of_any_size_costs_what_the_expected_one_costs(kind: RuleKind, filling: str) -> None:
    """Sixteen megabytes are refused, or read past, without being taken apart."""
    large = "1\n2\n" + filling * ((1 << 24) // len(filling))
    assert matches(large, "1\n2\n", Rule(kind)) == (not filling.strip())
    assert not matches("1\n", large + "3", Rule(kind))
