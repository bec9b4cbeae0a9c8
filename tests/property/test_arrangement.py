"""Rules that look at where a value stands: laws that hold for any value, and examples."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evalplus_lite.errors import CodecError
from evalplus_lite.reports.exporters.suites import judging_text
from evalplus_lite.types import Rule, Task, Tolerance
from evalplus_lite.values.equality import matches

leaves = st.one_of(
    st.integers(0, 3), st.sampled_from([0.5, 1.0, 1.25, 2.0]), st.text("ab", max_size=2), st.none()
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner),
        st.dictionaries(st.sampled_from(["a", "b", 0, 1]), inner, max_size=3),
    ),
    max_leaves=12,
)
steps = st.sampled_from(["*", "a", "b", 0, 1, -1])
tolerances = st.builds(
    Tolerance, st.lists(steps, max_size=3).map(tuple), st.sampled_from([0.0, 0.3, 1.0])
)
rules = st.one_of(
    st.builds(Rule, st.just("multiset"), levels=st.sets(st.integers(1, 3), min_size=1).map(tuple)),
    st.builds(
        Rule,
        st.just("sorted"),
        key=st.lists(steps.filter(lambda step: step != "*"), max_size=2).map(tuple),
        by=st.sampled_from(["", "len", "abs", "lower"]),
    ),
    st.builds(Rule, fields=st.lists(tolerances, max_size=3).map(tuple)),
    st.builds(Rule, st.just("strict"), fields=st.lists(tolerances, max_size=2).map(tuple)),
    st.builds(
        Rule,
        st.just("multiset"),
        levels=st.just((1, 2)),
        fields=st.lists(tolerances, max_size=2).map(tuple),
    ),
)


def shuffled(value: Any, rng: random.Random, rule: Rule, level: int = 1) -> Any:
    """Return a value with what is free of its order in another one."""
    if isinstance(value, dict):
        items = [(key, shuffled(item, rng, rule, level + 1)) for key, item in value.items()]
        rng.shuffle(items)
        return dict(items)
    if not isinstance(value, list | tuple):
        return value
    parts = [shuffled(item, rng, rule, level + 1) for item in value]
    if level in rule.free_levels:
        rng.shuffle(parts)
    return type(value)(parts)


@settings(max_examples=150)
@given(values, rules, st.randoms(use_true_random=False))
def test_what_is_free_may_be_in_any_order(value: Any, rule: Rule, rng: random.Random) -> None:
    """A multiset is itself however its free levels are ordered."""
    if rule.kind == "sorted":
        rule = replace(rule, kind="multiset", key=(), by="")
    assert matches(shuffled(value, rng, rule), value, rule)


@example("a", ("a", (1, 0)), Rule(kind="sorted", key=(0,)), random.Random(0))
@settings(max_examples=150)
@given(values, values, rules, st.randoms(use_true_random=False))
def test_exported_judging_is_the_verifier_s(
    output: Any, expected: Any, rule: Rule, rng: random.Random
) -> None:
    """An exported file says what the verifier says."""
    names: dict[str, Any] = {}
    exec(judging_text(Task("t", "", "f", "", rule=rule)), names)
    for each in (output, shuffled(expected, rng, Rule("multiset", levels=(1, 2, 3))), expected):
        assert bool(names["is_right"]((), each, expected)) == matches(each, expected, rule)


RECORDS = [{"name": "a", "price": 1.0}, {"name": "b", "price": 2.0}]


@pytest.mark.parametrize(
    ("output", "expected", "rule", "right"),
    [
        ([[1, 2], [3]], [[3], [2, 1]], Rule("multiset", levels=(1, 2)), True),
        ([[1, 2], [3]], [[3], [2, 1]], Rule("multiset"), False),
        ([[1, 2], [3]], [[3], [2, 1]], Rule("multiset", levels=(2,)), False),
        ([1, 1, 2], [1, 2, 2], Rule("multiset"), False),
        ({"a": [1, 2]}, {"a": [2, 1]}, Rule("multiset", levels=(2,)), True),
        (((1, 2),), [(2, 1)], Rule("multiset", levels=(1, 2)), False),
        ([0.1 + 0.2, 1], [1, 0.3], Rule("multiset"), True),
        (["bb", "a", "c"], ["bb", "c", "a"], Rule("sorted", by="len"), True),
        (["a", "bb", "c"], ["a", "c", "bb"], Rule("sorted", by="len"), False),
        ([[1, "x"], [2, "x"]], [[2, "x"], [1, "x"]], Rule("sorted", key=(-1,)), True),
        ([[1], [2]], [[2], [1]], Rule("sorted", key=(5,)), False),
        ([-1, 1, 2], [1, -1, 2], Rule("sorted", by="abs"), True),
        ([{"k": 1}, {"k": 2}], [{"k": 2}, {"k": 1}], Rule("sorted", key=("k",)), False),
        (
            [{"name": "b", "price": 2.01}, {"price": 1, "name": "a"}],
            RECORDS,
            Rule("multiset", fields=(Tolerance(("*", "price"), 0.1),)),
            True,
        ),
        (
            [{"name": "b", "price": 2.01}, {"price": 1, "name": "a"}],
            RECORDS,
            Rule("multiset", fields=(Tolerance(("*", "name"), 0.1),)),
            False,
        ),
        ([1.05, 2.05], [1.0, 2.0], Rule(fields=(Tolerance((0,), 0.1),)), False),
        ([1.05, 2.05], [1.0, 2.0], Rule(fields=(Tolerance(("*",), 0.1),)), True),
        ([1.05, 2.05], [1.0, 2.0], Rule(fields=(Tolerance((0,), 1), Tolerance((-1,), 1))), True),
    ],
)
def test_examples(output: Any, expected: Any, rule: Rule, right: bool) -> None:
    """Levels, keys and fields as docs/reference/formats.md has them."""
    assert matches(output, expected, rule) == right


@pytest.mark.parametrize(
    "rule", [Rule("multiset"), Rule("sorted", key=(0,)), Rule("sorted", by="len")]
)
def test_what_is_not_right_costs_no_more_than_what_is(rule: Rule) -> None:
    """Large items, and many that are near each other, end in a refusal, not in hours."""
    large = [[[None, True] * 200_000], [2]]
    near = [n / 1000 for n in range(250)]
    shifted = [*(n + 0.0005 for n in near[1:]), 9.0]
    for output, expected in ((large, [[1], [2]]), (shifted, near)):
        try:
            assert not matches(output, expected, replace(rule, atol=0.01))
        except CodecError as error:
            assert "value" in str(error)  # noqa: PT017 - or False: by the rule
