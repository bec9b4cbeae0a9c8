"""Two inputs are the same exactly if they are equal and of equal types throughout."""

from __future__ import annotations

import sys
from collections import OrderedDict

import pytest

from evalplus_lite.types import Value
from evalplus_lite.values.identity import key

SAME: list[tuple[Value, Value]] = [
    ({1, 2, 3}, {3, 2, 1}),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ([{"a": {2, 1}}], [{"a": {1, 2}}]),
    ("{", "{"),
    (float("nan"), float("nan")),
    (frozenset({"x", "yy", "zzz"}), frozenset({"zzz", "x", "yy"})),
]
DIFFERENT: list[tuple[Value, Value]] = [
    (1, True),
    (1, 1.0),
    (0.0, -0.0),
    ((1,), [1]),
    ("a", b"a"),
    ({1}, frozenset({1})),
    ([{"a": 1}], [{"a": True}]),
    ({}, []),
    ({1: "x"}, {True: "x"}),
    ([[1], 2], [1, [2]]),
    (None, False),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_equal_values_have_one_key(one: Value, other: Value) -> None:
    """Order within sets and dicts makes no difference."""
    assert key((one,)) == key((other,))


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_unlike_values_have_different_keys(one: Value, other: Value) -> None:
    """Neither Python's equality of numbers nor a container's type blurs the difference."""
    assert key((one,)) != key((other,))


def test_interning_makes_no_difference() -> None:
    """Whether Python happens to share a string says nothing about its value."""
    text = "".join(["so", "me", "thing"])
    assert key(sys.intern("something")) == key(text)


def test_numbers_beyond_what_python_prints_have_keys() -> None:
    """A number of thousands of digits is told from the next."""
    assert key((10**5000,)) != key((10**5000 + 1,))


def test_an_omitted_argument_is_no_tag() -> None:
    """Mining leaves arguments out by an ellipsis, which marks values of other types as well."""
    assert key((..., "{k}")) == key((..., "{k}")) != key((..., "{l}"))
    assert key((..., "{k}", {1: 2, 3: 4})) == key((..., "{k}", {3: 4, 1: 2}))
    assert key(OrderedDict(a=1, b=2)) != key(OrderedDict(b=2, a=1))
