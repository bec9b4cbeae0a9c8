"""Values as the JSON trees that answers are written and compared as (the paper's appendix A.7).

Sets are sorted before they become lists, tuples and other iterables become lists, and numbers are
written one way (2.0 is 2).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from evalplus_lite.types import Value
from evalplus_lite.values.kinds.containers import DefaultDict


class UnaskableError(TypeError):
    """A value is of a type that no prediction can be compared with."""


def normal(value: Value) -> Any:
    """Return a plain value as the JSON tree that predictions are compared with."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, complex):
        return [number(value.real), number(value.imag)]
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, set | frozenset):
        return sorted((normal(item) for item in value), key=text)
    if isinstance(value, list | tuple):
        return [normal(item) for item in value]
    if isinstance(value, Mapping):
        return {key_text(key): normal(item) for key, item in value.items()}
    if isinstance(value, DefaultDict):
        return normal(value.items)
    raise UnaskableError(f"{type(value).__name__} is no plain value")


def text(tree: Any) -> str:
    """Return the one text of a normal tree."""
    return json.dumps(tree, sort_keys=True, separators=(",", ":"))


def number(value: float) -> Any:
    """Return a number as answers write it."""
    if isinstance(value, int):
        return value if abs(value).bit_length() < 10_000 else hex(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value.is_integer():
        return number(int(value))
    return value


def key_text(key: Value) -> str:
    """Return a dict key as JSON's only kind: a string keeps itself, all else its normal text."""
    return key if isinstance(key, str) else text(normal(key))


def is_told_apart(value: Value) -> bool:
    """Return whether no dict in a value has two keys that JSON writes alike: ``2`` and ``"2"``."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, DefaultDict):
            item = item.items
        if isinstance(item, Mapping):
            if len({key_text(key) for key in item}) < len(item):
                return False
            pending += item.values()
        elif isinstance(item, list | tuple):
            pending += item
    return True
