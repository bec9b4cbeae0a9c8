"""Every kind of plain value, as Hypothesis strategies, and the sharpest equality on them."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import strategies as st

from evalplus_lite.types import Rule

SURROGATES = st.characters(categories=["Cs"])
TEXTS = st.text(st.one_of(st.characters(), SURROGATES), max_size=12)
BIG_INTEGERS = st.builds(
    lambda bits, low, sign: sign * ((1 << bits) + low),
    st.integers(12_000, 60_000),
    st.integers(0, 1 << 64),
    st.sampled_from([1, -1]),
)
"""Up to 18,000 digits: far beyond the 4,300 that Python prints."""
FLOATS = st.one_of(
    st.floats(), st.sampled_from([0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324, 1.7e308])
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    BIG_INTEGERS,
    FLOATS,
    st.complex_numbers(),
    st.builds(complex, FLOATS, FLOATS),
    st.binary(max_size=12),
    TEXTS,
    st.sampled_from(["$tuple", "$", "$x", ""]),
)
HASHABLE = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple), st.frozensets(inner, max_size=3)
    ),
    max_leaves=6,
)
VALUES = st.recursive(
    st.one_of(HASHABLE, st.sets(HASHABLE, max_size=4)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(HASHABLE, inner, max_size=4),
        st.dictionaries(TEXTS, inner, max_size=4),
    ),
    max_leaves=12,
)
"""Any plain value of moderate size."""


def exact(value: Any) -> str:
    """Return a text that two plain values share if and only if nothing tells them apart.

    Type, order of lists and dicts, the sign of zero and of parts of complex numbers all count; only
    the payload of a NaN does not.
    """
    kind = type(value)
    if kind is int:
        return hex(value)
    if kind is float:
        return f"float {'nan' if math.isnan(value) else value.hex()}"
    if kind is complex:
        return f"complex {exact(value.real)} {exact(value.imag)}"
    if kind in (list, tuple):
        return f"{kind.__name__}({', '.join(map(exact, value))})"
    if kind in (set, frozenset):
        return f"{kind.__name__}({', '.join(sorted(map(exact, value)))})"
    if kind is dict:
        return f"dict({', '.join(f'{exact(k)}: {exact(v)}' for k, v in value.items())})"
    assert kind in (type(None), bool, str, bytes), kind
    return ascii(value)


def nested(kind: type, depth: int) -> Any:
    """Return ``depth`` containers of a kind, each but the innermost holding one."""
    value = kind()
    for _ in range(depth - 1):
        value = {1: value} if kind is dict else kind([value])
    return value


def brief(value: Any) -> str:
    """Return a short name of a value for a test's id: the same in every process."""
    return value.kind if isinstance(value, Rule) else exact(value)[:30]
