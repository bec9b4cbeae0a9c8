"""Rows of plain data that go between our own processes, where they hold values beyond the plain."""

from __future__ import annotations

import marshal
from typing import Any

from evalplus_lite.values import encoding
from evalplus_lite.values.kinds.registry import BY_NAME

_SPARE = 64
"""How much deeper a row may nest than the values in it."""


def dumps(row: Any) -> bytes:
    """Return a row as marshal writes it, with extended values as in wire form.

    ValueError if it holds anything but values.
    """
    try:
        return marshal.dumps(encoding.plain(row, -_SPARE), 2)
    except encoding.NotPlain as error:
        raise ValueError(f"{error} is not a plain value") from None


def revived(data: bytes, row: Any) -> Any:
    """Return a row that was read from ``data``, with extended values as they are on this side."""
    return _revived(row) if any(head in data for head in encoding.HEADS) else row


def _revived(value: Any) -> Any:
    kind = type(value)
    if kind is tuple and value and value[0] is encoding.MARK:
        return BY_NAME[value[1]].make(*map(_revived, value[2:]))
    if kind is dict:
        return {_revived(key): _revived(item) for key, item in value.items()}
    if kind in (list, tuple, set, frozenset):
        return kind(map(_revived, value))
    return value
