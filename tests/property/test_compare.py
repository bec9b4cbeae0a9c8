"""Laws of comparison, on any plain values."""

from __future__ import annotations

import itertools
import math
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.values import VALUES, exact

from evalplus_lite.grading.observer import judge
from evalplus_lite.types import Returned, Rule, RuleKind
from evalplus_lite.values import wire
from evalplus_lite.values.codec import dumps, loads
from evalplus_lite.values.equality import matches

MANY = settings(max_examples=60)
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


@given(NEAR, NEAR, ORDERED)
@MANY
def test_without_floats_it_is_symmetric(a: object, b: object, rule: Rule) -> None:
    """Where no tolerance applies, output and expected can change places."""
    assert matches(a, b, rule) == matches(b, a, rule)


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


@given(VALUES | NEAR, VALUES | NEAR, st.sampled_from(get_args(RuleKind)))
@MANY
def test_a_verdict_from_bytes_is_the_values_verdict(a: object, b: object, kind: RuleKind) -> None:
    """What the first bytes of two answers decide is what the answers themselves do: of any two."""
    rule = Rule(kind)
    verdict = judge(Returned(wire.encode(a)), wire.encode(b), rule)
    assert (verdict == "pass") == matches(a, b, rule)


NAN_KEYS = st.sampled_from(["nan", ("nan", 1), ("nan", "nan"), frozenset(["nan"]), 1, "a", (2,)])
"""Keys in which "nan" stands for a NaN of its own: dicts know it by identity."""


def with_nan(key: Any) -> Any:
    if key == "nan":
        return float("nan")
    if isinstance(key, tuple | frozenset):
        return type(key)(map(with_nan, key))
    return key


def matched(a: list[tuple[Any, Any]], b: list[tuple[Any, Any]], rule: Rule) -> bool:
    """Whether two lists of (key, value) agree one to one, tried in every way."""
    return len(a) == len(b) and any(
        all(k == other and matches(v, w, rule) for (k, v), (other, w) in zip(order, b, strict=True))
        for order in itertools.permutations(a)
    )


PAIRS = st.lists(
    st.tuples(NAN_KEYS, st.sampled_from([0, 1, 1.0, 1.0000008, 1.0000016])), max_size=5
)


def only_nan_twice(pairs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Return the pairs without repeated keys, but for keys that hold a NaN."""
    seen: set[Any] = set()
    return [
        (key, value)
        for key, value in pairs
        if "nan" in repr(key) or not (key in seen or seen.add(key))  # type: ignore[func-returns-value]
    ]


@given(PAIRS, PAIRS, st.randoms(), ORDERED)
@settings(max_examples=300)
def test_keys_of_nan_are_a_multiset(
    a: list[tuple[Any, Any]], b: list[tuple[Any, Any]], rng: Any, rule: Rule
) -> None:
    """Each NaN key needs a partner of its own, with a value that the rule calls equal."""
    a, b = only_nan_twice(a), only_nan_twice(b)
    shuffled = list(b)
    rng.shuffle(shuffled)
    made = [{with_nan(key): value for key, value in pairs} for pairs in (a, b, shuffled)]
    assert matches(made[0], made[1], rule) == matched(a, b, rule)
    assert matches(made[2], made[1], rule)
    keys = [[key for key, _ in pairs] for pairs in (a, b)]
    same = sorted(map(repr, keys[0])) == sorted(map(repr, keys[1]))
    sets = [{with_nan(key) for key in found} for found in keys]
    assert matches(sets[0], sets[1], rule) == same
    assert matches([sets[0]], [frozenset(sets[1])], Rule()) == same


@pytest.mark.parametrize("rule", [Rule(), Rule("strict"), Rule("unordered")])
def test_one_nan_key_does_not_stand_for_two(rule: Rule) -> None:
    """Two NaN keys of one value are not met by one of them and any other key."""
    expected = {math.nan: 0, float("nan"): 0}
    assert matches({float("nan"): 0, float("nan"): 0}, expected, rule)
    assert not matches({float("nan"): 0, 7: 99}, expected, rule)
    assert not matches({float("nan"): 0, 7: 0}, expected, rule)
    assert not matches({float("nan"): 0}, expected, rule)


NUMBERS = st.sampled_from(
    [0, 1, True, False, 1.0, -0.0, 0.0, 1 + 0j, 1j, 2**70, 2.0**70, "a", b"a"]
)
ELEMENTS = st.recursive(
    NUMBERS,
    lambda inner: st.lists(inner, max_size=2).map(tuple) | st.frozensets(inner, max_size=2),
    max_leaves=4,
)


@given(st.sets(ELEMENTS, max_size=4), st.sets(ELEMENTS, max_size=4))
@settings(max_examples=300)
def test_sets_without_nan_are_equal_as_in_python(a: set[Any], b: set[Any]) -> None:
    """Elements and keys of any types are the same if Python says so."""
    assert matches(a, b, Rule()) == (a == b)
    assert matches(list(a), list(b), Rule("unordered")) == (a == b)
    assert matches(dict.fromkeys(a, 1), dict.fromkeys(b, 1), Rule()) == (a == b)
    assert matches({1: a}, {1: b}, Rule()) == (a == b)


@given(st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=2), max_size=12), st.randoms())
@MANY
def test_unordered_rows_have_a_tolerance(rows: list[list[float]], rng: Any) -> None:
    """Rows of floats that are somewhat off are right in any order; one more off is not."""
    other = [[x + 4e-7 for x in row] for row in rows]
    rng.shuffle(other)
    assert matches(other, rows, Rule("unordered"))
    if other:
        other[0][0] += 3
        assert not matches(other, rows, Rule("unordered"))
