"""Each comparison rule, leaf by leaf."""

from __future__ import annotations

import math
from typing import Any

import pytest
from support.values import brief

from evalplus_lite.types import Rule
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
