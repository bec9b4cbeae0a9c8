"""Inputs are sorted into the classes that their values are in, and nothing is run for it."""

from __future__ import annotations

from typing import Any

import pytest

from evalplus_lite.reduction.set_cover import members
from evalplus_lite.requirements.input_classes import classes, input_classes


@pytest.mark.parametrize(
    ("value", "some"),
    [
        (None, {"is NoneType"}),
        (True, {"is bool", "is True"}),
        (0, {"zero", "even", "of 1 digits"}),
        (-17, {"negative", "odd", "of 2 digits"}),
        (10**40, {"positive", "huge"}),
        (2.0, {"whole", "positive"}),
        (-0.5, {"with a fraction", "negative"}),
        (float("nan"), {"is float"}),
        ("", {"empty"}),
        ("aa ", {"ends with a space", "with repetitions"}),
        ("Été", {"beyond ASCII", "some capitals", "all letters"}),
        ("abba", {"a palindrome", "of even length"}),
        ([], {"empty"}),
        ([1], {"of one"}),
        ([1, 1], {"all equal", "of two", "ascending", "descending"}),
        ([1, "a"], {"of int and str", "of items without an order"}),
        ([3, 2, 1], {"descending", "not ascending", "of three"}),
        ({1, 2}, {"is set", "of two"}),
        ({"a": 1}, {"is dict", "of one"}),
    ],
)
def test_a_value_is_in_its_classes(value: Any, some: set[str]) -> None:
    """Kind, sign, length, order and repetition are named."""
    assert some <= set(classes(value))


def rows(cases: list[tuple[Any, ...]], answers: list[Any]) -> dict[str, list[int]]:
    found = input_classes(cases, answers)
    return {key: members(row) for key, row in found.items()}


def test_arguments_are_compared_with_each_other() -> None:
    """Order, containment and length between two arguments are classes of their own."""
    found = rows([("a", "cab"), ("x", "cab"), ("cab", "cab")], [1, 0, 1])
    assert found["argument 1 is in argument 2"] == [0, 2]
    assert found["argument 1 equals argument 2"] == [2]
    assert found["argument 1 is shorter than argument 2"] == [0, 1]
    assert found["answer: zero"] == [1]


def test_extremes_are_of_the_suite() -> None:
    """The longest and shortest, largest and smallest of all cases are requirements."""
    found = rows([([1, 9], 5), ([], 2), ([4, 4, 4], 2)], [0, 0, 0])
    assert found["argument 1: most size"] == [2]
    assert found["argument 1: least size"] == [1]
    assert found["argument 1: most greatest item"] == [0]
    assert found["argument 2: least size"] == [1, 2]


def test_values_without_order_or_hash_are_no_error() -> None:
    """Mixed kinds, dicts in lists, NaN and integers too long to be written are all sorted."""
    cases = [([{}, []], {1: 2}), ([float("nan"), 1j], 3), ([10**5000, 10**5000], "a")]
    found = input_classes(cases, [None, None, None])
    assert "argument 1: of complex and float" in found


def test_names_come_in_order() -> None:
    """Equal suites give equal rows in equal order."""
    keys = list(input_classes([(1, "a"), (2, "b")], [1, 2]))
    assert keys == sorted(keys)
