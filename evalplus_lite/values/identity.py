"""Identity of plain values: what counts as the same input."""

from __future__ import annotations

import marshal

from evalplus_lite.types import Value

# The last format that writes neither references nor interning: equal values of equal types give
# equal bytes. Floats are binary (so -0.0 is not 0.0); sets are sorted; dicts are not.
_FORMAT = 2


def key(value: Value) -> bytes:
    """Return bytes that two plain values share exactly if they are the same input.

    The same input: equal, and of the same type at every leaf (``1``, ``True`` and ``1.0`` differ).
    The order of a set's elements or a dict's keys does not matter. Only good within one process.
    """
    data = marshal.dumps(value, _FORMAT)
    if b"{" in data:  # perhaps a dict: the only container that is written in insertion order
        return marshal.dumps(_ordered(value), _FORMAT)
    return data


def _ordered(value: Value) -> Value:
    """Return the value with each dict as its sorted items, marked by a tag no plain value has."""
    kind = type(value)
    if kind is dict:
        items = [(key(name), _ordered(item)) for name, item in value.items()]
        return (Ellipsis, sorted(items, key=lambda item: item[0]))
    if kind is list or kind is tuple:
        return kind(map(_ordered, value))
    return value
