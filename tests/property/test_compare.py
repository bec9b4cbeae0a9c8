"""Laws of comparison, on any plain values."""

from __future__ import annotations

from typing import Any, Literal

from hypothesis import given, settings
from hypothesis import strategies as st
from support.values import VALUES, exact

from evalplus_lite.codec import dumps, loads
from evalplus_lite.compare import matches
from evalplus_lite.sandbox import wire
from evalplus_lite.types import Returned, Rule
from evalplus_lite.verdicts import judge

MANY = settings(max_examples=60, deadline=None)
ORDERED = st.sampled_from([Rule("python"), Rule("strict")])
NEAR = st.recursive(
    st.sampled_from([0, 1, True, False, None, "", "a", b"a", 2**64]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.lists(inner, max_size=2).map(tuple),
        st.dictionaries(st.sampled_from([0, 1, True, "a"]), inner, max_size=2),
    ),
    max_leaves=5,
)
"""Values without a float that are often alike."""


def copied(value: Any) -> Any:
    return loads(dumps(value))


@given(VALUES, ORDERED)
@MANY
def test_every_value_matches_its_copy(value: object, rule: Rule) -> None:
    """A value that was written and read again is right, NaN within it or not."""
    assert matches(copied(value), value, rule)


@given(VALUES, VALUES, st.sampled_from(["python", "strict", "unordered", "presence"]))
@MANY
def test_any_two_values_can_be_compared(
    a: object, b: object, kind: Literal["python", "strict", "unordered", "presence"]
) -> None:
    """Whatever a sample returns for whatever is expected, there is an answer."""
    assert matches(a, b, Rule(kind)) in (True, False)


@given(NEAR, NEAR, ORDERED)
@MANY
def test_without_floats_it_is_symmetric(a: object, b: object, rule: Rule) -> None:
    """Where no tolerance applies, output and expected can change places."""
    assert matches(a, b, rule) == matches(b, a, rule)


@given(NEAR, NEAR)
@MANY
def test_without_floats_it_is_python_equality(a: object, b: object) -> None:
    """On values without floats the python rule is ==."""
    assert matches(a, b, Rule()) == (a == b)


@given(VALUES, VALUES)
@MANY
def test_strict_implies_python(a: object, b: object) -> None:
    """What the strict rule accepts the python rule accepts too."""
    if matches(a, b, Rule("strict")):
        assert matches(a, b, Rule())


@given(NEAR, NEAR)
@MANY
def test_strict_tells_all_types_apart(a: object, b: object) -> None:
    """Without floats, strict equality is that of exact texts, but for the order of dicts."""
    if matches(a, b, Rule("strict")):
        assert sorted(exact(a)) == sorted(exact(b))


@given(st.floats(-1e6, 1e6), st.floats(-3e-6, 3e-6), st.sampled_from([0.0, 1e-6, 1e-3]))
@MANY
def test_the_tolerance_is_the_documented_formula(b: float, offset: float, atol: float) -> None:
    """A float is right if and only if |a - b| <= max(atol, rtol |b|)."""
    a = b + offset
    right = abs(a - b) <= max(atol, 1e-7 * abs(b))
    assert matches(a, b, Rule(atol=atol)) == right
    assert matches([a], [b], Rule(atol=atol)) == right
    assert matches({"k": (a,)}, {"k": (b,)}, Rule(atol=atol)) == right


@given(st.lists(st.one_of(st.integers(0, 3), st.just([])), max_size=5), st.randoms())
@MANY
def test_unordered_ignores_order(items: list[Any], rng: Any) -> None:
    """Any arrangement of the expected elements is right."""
    other = list(items)
    rng.shuffle(other)
    assert matches(other, items, Rule("unordered"))


@given(VALUES | NEAR, VALUES | NEAR, st.sampled_from(["python", "strict", "unordered", "presence"]))
@MANY
def test_a_verdict_from_bytes_is_the_values_verdict(
    a: object, b: object, kind: Literal["python", "strict", "unordered", "presence"]
) -> None:
    """What the first bytes of two answers decide is what the answers themselves do."""
    rule = Rule(kind)
    verdict = judge(Returned(wire.encode(a)), wire.encode(b), rule)
    assert (verdict == "pass") == matches(a, b, rule)
