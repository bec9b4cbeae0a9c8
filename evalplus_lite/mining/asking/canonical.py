"""When a predicted answer is the true one: the paper's rules (appendix A.7).

Sets are sorted before they become lists, tuples and other iterables become lists, numbers are
written one way (2.0 is 2), and what is left is compared as JSON. True is not 1.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from evalplus_lite.types import Value


def normal(value: Value) -> Any:
    """Return a plain value as the JSON tree that predictions are compared with."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, complex):
        return [_number(value.real), _number(value.imag)]
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, set | frozenset):
        return sorted((normal(item) for item in value), key=_order)
    if isinstance(value, list | tuple):
        return [normal(item) for item in value]
    if isinstance(value, Mapping):
        return {_key(key): normal(item) for key, item in value.items()}
    raise TypeError(f"{type(value).__name__} is no plain value")


def is_same(truth: Value, predicted: Any) -> bool:
    """Return whether a predicted JSON value is a true output.

    For a set a prediction's list may stand in any order. Sets inside other values are compared in
    sorted order of both where they are of equal shape.
    """
    if isinstance(truth, set | frozenset):
        return isinstance(predicted, list) and text(sorted_deep(truth)) == text(
            sorted(_numbers(predicted), key=_order)
        )
    return text(normal(truth)) == text(_aligned(truth, _numbers(predicted)))


def sorted_deep(truth: Value) -> Any:
    """Return a set's normal form (sorted)."""
    return sorted((normal(item) for item in truth), key=_order)


def text(tree: Any) -> str:
    """Return the one text of a normal tree."""
    return json.dumps(tree, sort_keys=True, separators=(",", ":"))


def _aligned(truth: Value, predicted: Any) -> Any:
    """Sort a prediction's lists where the truth has sets."""
    if isinstance(truth, set | frozenset) and isinstance(predicted, list):
        return sorted(predicted, key=_order)
    if isinstance(truth, list | tuple) and isinstance(predicted, list):
        if len(truth) == len(predicted):
            return [_aligned(t, p) for t, p in zip(truth, predicted, strict=True)]
    elif isinstance(truth, Mapping) and isinstance(predicted, dict):
        known = {_key(key): item for key, item in truth.items()}
        return {k: _aligned(known[k], p) if k in known else p for k, p in predicted.items()}
    return predicted


def _numbers(tree: Any) -> Any:
    """Write a prediction's numbers one way."""
    if isinstance(tree, list):
        return [_numbers(item) for item in tree]
    if isinstance(tree, dict):
        return {str(key): _numbers(item) for key, item in tree.items()}
    if isinstance(tree, int | float) and not isinstance(tree, bool):
        return _number(tree)
    return tree


def _number(value: float) -> Any:
    if isinstance(value, int):
        return value if abs(value).bit_length() < 10_000 else hex(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value


def _key(key: Value) -> str:
    """Return a dict key as JSON's only kind: a string keeps itself, all else its normal text."""
    return key if isinstance(key, str) else text(normal(key))


def _order(tree: Any) -> str:
    return text(tree)
