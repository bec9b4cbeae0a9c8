"""Texts as a page shows them: values as Python writes them, and long ones cut."""

from __future__ import annotations

from typing import Any

from evalplus_lite.errors import CodecError
from evalplus_lite.types import Value
from evalplus_lite.values.codec import from_json
from evalplus_lite.values.excerpts import SHOWN_BYTES, decode_answer, shown
from evalplus_lite.values.source import literal

MOST_VALUE = 2_000
"""Characters of a value that are shown."""
MOST_PROGRAM = 20_000
"""Characters of a program that are shown."""
AROUND = 200
"""Characters alike that stay before the first difference of two long values."""


def value_text(tree: Any) -> str:
    """Return a value of a result row as Python writes it; what the row shortened stays so."""
    if type(tree) is dict and len(tree) == 1:
        ((key, text),) = tree.items()
        if key in ("$shortened", "$unreadable") and type(text) is str:
            return text if key == "$shortened" else f"a value that cannot be read ({text})"
    try:
        return _written(from_json(tree))
    except (CodecError, ValueError, RecursionError):
        return "a value that cannot be shown"


def arguments_text(tree: Any) -> str:
    """Return the input of a result row, a list of arguments, as they stand in a call."""
    if type(tree) is not list:
        return value_text(tree)
    return ", ".join(map(value_text, tree))


def answer_text(data: bytes) -> str:
    """Return an expected output in wire form as Python writes it; a very large one is named."""
    try:
        return _written(decode_answer(data)) if len(data) <= SHOWN_BYTES else shown(data)
    except (CodecError, ValueError, RecursionError):
        return "a value that cannot be shown"


def _written(value: Value) -> str:
    """Return a value as Python writes it, sets in one order whatever the hash seed."""
    return literal(value, quote=repr)


def cut(text: str, most: int = MOST_VALUE) -> str:
    """Return a text, its middle left out and counted if it is longer."""
    if len(text) <= most:
        return text
    head, tail = most * 2 // 3, most // 3
    return f"{text[:head]}{_gap(len(text) - head - tail)}{text[-tail:]}"


def cut_pair(one: str, other: str, most: int = MOST_VALUE) -> tuple[str, str]:
    """Return two texts, cut so that their first difference is seen."""
    if max(len(one), len(other)) <= most:
        return one, other
    alike = shared(one, other)
    if alike > AROUND:
        start = alike - AROUND
        one, other = (_gap(start) + text[start:] for text in (one, other))
    return _head(one, most), _head(other, most)


def shared(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return place
    return min(len(one), len(other))


def _head(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + _gap(len(text) - most)


def _gap(count: int) -> str:
    return f" …({count:,} characters)… "
