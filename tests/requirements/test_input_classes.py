"""Inputs are sorted into the classes that their values are in, and nothing is run for it."""

from __future__ import annotations

from typing import Any

import pytest

from evalplus_lite.reduction.input_classes import classes, input_classes, relations
from evalplus_lite.reduction.set_cover import members


@pytest.mark.parametrize(
    ("value", "some"),
    [
        (None, {"NoneType"}),
        (True, {"bool", "True"}),
        (0, {"int zero", "int even", "int of no size"}),
        (-17, {"int negative", "int odd", "int of two digits"}),
        (10**40, {"int positive", "int huge"}),
        (2.0, {"float whole", "float positive"}),
        (-0.5, {"float below one", "float half way", "float negative"}),
        (float("nan"), {"float not a number"}),
        (float("inf"), {"float infinite"}),
        ("", {"str empty"}),
        ("aa ", {"str ends with spaces", "str equal neighbours"}),
        ("Été", {"str beyond ASCII", "str some capitals", "str both cases of a letter"}),
        ("abba", {"str a palindrome", "str of even length"}),
        ("Ab-ba", {"str a palindrome but for case", "str with hyphens"}),
        ("A man, nam a", {"str a palindrome but for marks"}),
        ("-012", {"str a numeral", "str begins with zero"}),
        ("(()", {"str brackets left open", "str brackets 2 deep"}),
        ([], {"list empty"}),
        ([1], {"list of one"}),
        ([1, 1], {"list all equal", "list of two", "list ascending", "list descending"}),
        ([1, "a"], {"list of int and str", "list of items without an order"}),
        ([3, 2, 1], {"list descending", "list not ascending", "list of three"}),
        ([2, 3, 1], {"list turned round", "list maximum inside", "list without gaps"}),
        ([-1, 1], {"list sum 0", "list product one, negative"}),
        ([0.5, 3], {"list one below one", "list with float"}),
        (["b", "B"], {"list equal but for case", "list of one length"}),
        ([[0], []], {"list one empty", "list of rows of int"}),
        ({1, 2}, {"set", "set of two"}),
        ({"a": 1}, {"dict", "dict of one", "dict values of int"}),
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
    assert found["argument 1 and argument 2: is in"] == [0, 2]
    assert found["argument 1 and argument 2: equals"] == [2]
    assert found["argument 1 and argument 2: is shorter than"] == [0, 1]
    assert found["answer: int zero"] == [1]


def test_no_class_is_of_two_types() -> None:
    """An empty text in the place of a list takes nothing away from the empty list."""
    found = rows([([],), ("",)], [0, 0])
    assert found["argument 1: list empty"] == [0]
    assert found["argument 1: str empty"] == [1]


@pytest.mark.parametrize(
    ("one", "other", "some"),
    [
        (2, -2, {"sum 0", "the same size"}),
        (0.5, 2.0, {"product 1", "is below"}),
        (12, 4, {"a multiple"}),
        ("AB", "cab", {"is in but for case", "is not in"}),
        ("abc", "bca", {"turned round", "the same characters as often"}),
        ([1, 2], [2, 1], {"the same items in another order"}),
        (3, [1, 2, 3], {"the most", "the length +0"}),
    ],
)
def test_two_values_stand_to_each_other(one: Any, other: Any, some: set[str]) -> None:
    """Sums, ratios, case and order between two arguments are named."""
    assert some <= set(relations(one, other))


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
    assert "argument 1: list of complex and float" in found


def test_names_come_in_order() -> None:
    """Equal suites give equal rows in equal order."""
    keys = list(input_classes([(1, "a"), (2, "b")], [1, 2]))
    assert keys == sorted(keys)
