"""Every plain value comes back from its text exactly, and no text makes the reader stumble."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from support.values import VALUES, exact

from evalplus_lite.errors import CodecError
from evalplus_lite.values.codec import dumps, from_json, loads, to_json

TREES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5)
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(max_size=3), inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                "$tuple $set $frozenset $bytes $complex $float $int $dict $other".split()
            ),
            inner,
            max_size=2,
        ),
    ),
    max_leaves=10,
)


@given(VALUES)
@settings(max_examples=100)
def test_every_value_comes_back_exactly(value: object) -> None:
    """loads undoes dumps: equal, of the same types, in the same order, zero's sign included."""
    assert exact(loads(dumps(value))) == exact(value)


@given(VALUES)
@settings(max_examples=50)
def test_the_text_is_plain_ascii_json(value: object) -> None:
    """The text is one line of ASCII that any JSON reader takes, and its tree decodes as well."""
    text = dumps(value)
    assert text.isascii()
    assert "\n" not in text
    tree = json.loads(text, parse_constant=lambda name: pytest_fail(name))
    assert exact(from_json(tree)) == exact(value)
    assert tree == to_json(value)


@given(st.sets(VALUES.filter(lambda value: not unhashable(value)), max_size=6))
@settings(max_examples=50)
def test_equal_sets_have_equal_text(items: set[object]) -> None:
    """A set's text does not depend on the order in which it happens to be kept."""
    ordered = sorted(items, key=exact)
    assert dumps(set(ordered)) == dumps({*ordered[::-1]})


@given(TREES)
@settings(max_examples=100)
def test_any_json_is_a_value_or_a_clear_error(tree: object) -> None:
    """Whatever JSON stands in a file, it decodes to a plain value or raises CodecError."""
    try:
        value = from_json(tree)
    except CodecError:
        return
    assert exact(from_json(to_json(value))) == exact(value)


@given(st.one_of(st.text(max_size=30), st.binary(max_size=30)))
@settings(max_examples=100)
def test_any_text_is_a_value_or_a_clear_error(text: str | bytes) -> None:
    """Whatever text is given, it decodes or raises CodecError."""
    try:
        value = loads(text)
    except CodecError:
        return
    assert exact(loads(dumps(value))) == exact(value)


def unhashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return True
    return False


def pytest_fail(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")
