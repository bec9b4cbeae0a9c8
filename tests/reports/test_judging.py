"""Exported files judge as the verifier does, and hold values exactly."""

from __future__ import annotations

import math
from collections import Counter, OrderedDict
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalplus_lite.reports.exporters.suites import judging_text
from evalplus_lite.types import Rule, RuleKind, Task
from evalplus_lite.values.equality import matches
from evalplus_lite.values.source import literal

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(),
    st.sampled_from([0.0, -0.0, 1.0, 1.0000001, 1.1, math.nan, math.inf, -math.inf, 1e300]),
    st.floats(),
    st.complex_numbers(max_magnitude=3),
    st.text(max_size=3),
    st.lists(st.sampled_from([*" \n\t.", "1.0", "1.00", "-1e5", "a"])).map("".join),
    st.binary(max_size=2),
)
hashable = st.recursive(scalars, lambda inner: st.lists(inner, max_size=2).map(tuple), max_leaves=3)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.sets(hashable, max_size=3),
        st.frozensets(hashable, max_size=2),
        st.dictionaries(hashable, inner, max_size=2),
    ),
    max_leaves=6,
)
rules = st.builds(
    Rule,
    st.sampled_from(get_args(RuleKind)),
    st.sampled_from([0.0, 1e-6, 0.5]),
    st.sampled_from([0.0, 1e-7]),
)


def task(rule: Rule = Rule(), contract: str | None = None) -> Task:  # noqa: B008 - frozen
    return Task("T/0", "", "f", "def f(x):\n    return x\n", rule=rule, contract=contract)


def judging(of: Task) -> Any:
    names: dict[str, Any] = {}
    exec(judging_text(of), names)
    return names["is_right"]


@settings(max_examples=100, deadline=None)
@given(values, values, rules)
def test_exported_judging_is_the_verifier_s(output: Any, expected: Any, rule: Rule) -> None:
    """Of plain values, an exported file says what the verifier says."""
    is_right = judging(task(rule))
    assert bool(is_right((), output, expected)) == matches(output, expected, rule)
    assert bool(is_right((), expected, expected)) == matches(expected, expected, rule)


@settings(max_examples=100, deadline=None)
@given(values)
def test_a_literal_is_its_value(value: Any) -> None:
    """Evaluating what was written gives the value, type by type, NaN and sign of zero too."""
    again = eval(literal(value))
    assert matches(again, value, Rule("strict", 0.0, 0.0))
    assert literal(again) == literal(value)


@pytest.mark.parametrize(
    "value",
    [10**5000, -(10**5000), "\ud800\n\"'", set(), frozenset(), (1,)],
    ids=["long", "long negative", "surrogate", "set", "frozenset", "one-tuple"],
)
def test_literals_that_repr_gets_wrong(value: Any) -> None:
    """Very long integers, lone surrogates, empty sets and one-tuples come back."""
    again = eval(literal(value))
    assert type(again) is type(value)
    assert again == value


def test_subclasses_and_checks() -> None:
    """A Counter is a right answer for a dict; a check decides where the rule does not accept."""
    is_right = judging(task())
    assert is_right((), Counter("aab"), {"a": 2, "b": 1})
    assert is_right((), OrderedDict(a=1), {"a": 1})
    contract = (
        "import math\n\ndef precondition(x):\n    assert x > 0\n\n"
        "def helper(x):\n    return math.isqrt(x)\n\n"
        "def check(inputs, output, expected):\n    return abs(output) == helper(inputs[0])\n"
    )
    text = judging_text(task(contract=contract))
    assert "precondition" not in text
    names: dict[str, Any] = {}
    exec(text, names)
    assert "helper" not in names
    assert names["is_right"]([9], -3, 3) is True
    assert names["is_right"]([9], 2, 3) is False
