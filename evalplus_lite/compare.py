"""Whether an output is right: the comparison rules, as pure functions on plain values.

``python`` (the default for published sets, so that numbers compare with the literature): Python
equality, NaN equal to itself; where the *expected* leaf is a float, |a - b| <= max(atol, rtol |b|),
leaf by leaf, in containers of the same shape; integers are exact. ``strict``: also the same type
at every leaf. ``unordered``: as sets of elements. ``presence``: only whether there is something,
which None and False say there is not.

The facts about evalplus 0.3.1 that these differ from are in docs/parity.md.
"""

from __future__ import annotations

import math
from typing import Any

from evalplus_lite.types import Rule, Value

NUMBERS = (int, float, complex)


def matches(output: Value, expected: Value, rule: Rule = Rule()) -> bool:  # noqa: B008 - frozen
    """Return whether ``output`` is right where ``expected`` is the reference's answer.

    Both are plain values (``sandbox.wire`` makes sure of it): nothing of a sample's runs here.
    """
    if rule.kind == "presence":
        return _is_present(output) == _is_present(expected)
    if rule.kind == "unordered":
        return _unordered(output, expected, rule)
    try:
        return _equal(output, expected, rule, rule.kind == "strict")
    except RecursionError:  # beyond any real test: the codec's depth is bounded
        return False


def _is_present(value: Value) -> bool:
    return value is not None and value is not False


def _equal(a: Any, b: Any, rule: Rule, strict: bool) -> bool:
    kind = type(b)
    if strict and type(a) is not kind:
        return False
    if kind is float or kind is complex:
        return isinstance(a, NUMBERS) and _close(a, b, rule)
    if kind is list or kind is tuple:
        if type(a) is not kind or len(a) != len(b):
            return False
        return all(_equal(x, y, rule, strict) for x, y in zip(a, b, strict=True))
    if kind is dict:
        return type(a) is dict and len(a) == len(b) and _same_dict(a, b, rule, strict)
    if kind is set or kind is frozenset:
        return isinstance(a, set | frozenset) and len(a) == len(b) and _same_set(a, b, strict)
    if isinstance(a, float | complex) and isinstance(b, int):
        return a == b  # exact: the expected leaf is an integer
    return bool(type(a) is kind or isinstance(a, int)) and bool(a == b)


def _close(a: Any, b: Any, rule: Rule) -> bool:
    if a == b:
        return True
    if isinstance(a, complex) or isinstance(b, complex):
        try:
            return _close_parts(complex(a), complex(b), rule)
        except OverflowError:  # an integer too long for a float
            return False
    if math.isnan(b):
        return isinstance(a, float) and math.isnan(a)
    try:
        difference = abs(a - b)
    except OverflowError:  # an integer too long for a float
        return False
    return bool(difference <= max(rule.atol, rule.rtol * abs(b))) and math.isfinite(b)


def _close_parts(a: complex, b: complex, rule: Rule) -> bool:
    return _close(a.real, b.real, rule) and _close(a.imag, b.imag, rule)


def _same_dict(a: dict[Any, Any], b: dict[Any, Any], rule: Rule, strict: bool) -> bool:
    missing = object()
    by_text: dict[str, Any] = {}
    for key, value in b.items():
        other = a.get(key, missing)
        if other is missing:  # NaN is no key of any dict by ==
            by_text = by_text or {_text(key): item for key, item in a.items()}
            other = by_text.get(_text(key), missing)
        if other is missing or not _equal(other, value, rule, strict):
            return False
    return not strict or _typed(a.keys()) == _typed(b.keys())


def _same_set(a: Any, b: Any, strict: bool) -> bool:
    if strict:
        return _typed(a) == _typed(b)
    return bool(a == b) or _typed(a) == _typed(b)  # NaN is no element of any set by ==


def _typed(items: Any) -> list[str]:
    return sorted(map(_text, items))


def _text(item: Any) -> str:
    """Return a text that only values of the same types at every leaf share."""
    kind = type(item)
    if kind is int:
        return f"int:{item:x}"  # repr refuses long integers
    if kind is tuple:
        return f"tuple:({','.join(map(_text, item))})"
    if kind is frozenset:
        return f"frozenset:({','.join(_typed(item))})"
    return f"{kind.__name__}:{item!r}"


def _unordered(a: Any, b: Any, rule: Rule) -> bool:
    containers = (list, tuple, set, frozenset)
    if not (isinstance(a, containers) and isinstance(b, containers)):
        return _equal(a, b, rule, False)
    try:
        # Only the expected elements are put in a table: a sample could choose its own to collide.
        wanted, met = set(b), set()
        for item in a:
            if item not in wanted:
                return False
            met.add(item)
        return len(met) == len(wanted)
    except TypeError:  # elements that cannot be hashed: as multisets, by the leaf rule
        rest = list(b)
        for item in a:
            for position, other in enumerate(rest):
                if _equal(item, other, rule, False):
                    del rest[position]
                    break
            else:
                return False
        return not rest
