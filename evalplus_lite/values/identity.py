"""Identity of plain values, which decides whether two inputs are the same."""

from __future__ import annotations

import marshal

from evalplus_lite.types import Value
from evalplus_lite.values import encoding
from evalplus_lite.values.kinds.registry import BY_NAME
from evalplus_lite.values.wire import DEPTH_IN_HAND

# The last format without references and interning, so that equal values of equal types give equal
# bytes. Floats are binary (so -0.0 is not 0.0); sets are sorted; dicts are not.
_FORMAT = 2


def key(value: Value) -> bytes:
    """Return bytes that two plain values share if and only if they are the same input.

    Inputs are the same if they are equal and of the same types at every leaf (``1``, ``True`` and
    ``1.0`` differ), in any order of a set's elements or a dict's keys. Only valid in one process.
    """
    try:
        data = marshal.dumps(value, _FORMAT)
    except ValueError:  # an extended type, for which all parts count
        value = encoding.plain(value, -DEPTH_IN_HAND)
        data = marshal.dumps(value, _FORMAT)
    if b"{" in data:  # perhaps a dict, the only container written in insertion order
        return marshal.dumps(_ordered(value), _FORMAT)
    return data


def _ordered(value: Value) -> Value:
    """Replace each dict in a value by its sorted items, marked by a tag no plain value has."""
    kind = type(value)
    if kind is dict:
        items = [(key(name), _ordered(item)) for name, item in value.items()]
        return (Ellipsis, sorted(items, key=lambda item: item[0]))
    if kind is tuple and _is_ordered(value):
        return (*value[:2], [(key(name), _ordered(item)) for name, item in value[2].items()])
    if kind is list or kind is tuple:
        return kind(map(_ordered, value))
    return value


def _is_ordered(value: tuple[Value, ...]) -> bool:
    """Return whether a tuple encodes a kind of dict whose order counts.

    Other tuples may begin with an ellipsis, too: arguments of a call whose first one is omitted.
    """
    if len(value) != 3 or value[0] is not ... or type(value[2]) is not dict:
        return False
    return type(value[1]) is str and value[1] in BY_NAME and BY_NAME[value[1]].is_ordered
