"""When a predicted answer is the true one: the paper's rules (appendix A.7).

Sets are sorted before they become lists, tuples and other iterables become lists, numbers are
written one way (2.0 is 2), and what is left is compared as JSON. True is not 1.
"""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Mapping
from typing import Any

from evalplus_lite.types import Value
from evalplus_lite.values.kinds.defaultdict import DefaultDict

MOST_NESTED = 200
"""Members of a set that are compared in any order of their own; of larger ones in sorted order."""
LONGEST_KEY = 10_000
"""Characters of a predicted key that is read."""


class UnaskableError(TypeError):
    """A value is of a type that no prediction can be compared with."""


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
    if isinstance(value, DefaultDict):
        return normal(value.items)
    raise UnaskableError(f"{type(value).__name__} is no plain value")


def is_same(truth: Value, predicted: Any) -> bool:
    """Return whether a predicted JSON value is a true output.

    Where the truth has a set, at any depth, the prediction's list may stand in any order. A key
    that is no text may be written as JSON or as Python: ``[1, 2]``, ``[1,2]`` or ``(1, 2)``.
    """
    return text(normal(truth)) == text(_aligned(truth, _numbers(predicted)))


def text(tree: Any) -> str:
    """Return the one text of a normal tree."""
    return json.dumps(tree, sort_keys=True, separators=(",", ":"))


def _aligned(truth: Value, predicted: Any) -> Any:
    """Return a prediction with lists sorted where the truth has sets, and keys as it has them."""
    if isinstance(truth, DefaultDict):
        truth = truth.items
    if isinstance(truth, set | frozenset) and isinstance(predicted, list):
        return sorted(_members(truth, predicted), key=_order)
    if isinstance(truth, list | tuple) and isinstance(predicted, list):
        if len(truth) == len(predicted):
            return [_aligned(t, p) for t, p in zip(truth, predicted, strict=True)]
    elif isinstance(truth, Mapping) and isinstance(predicted, dict):
        known = {_key(key): item for key, item in truth.items()}
        others = {_key(key) for key in truth if not isinstance(key, str)}
        found: dict[str, Any] = {}
        for written, item in predicted.items():
            key = written if written in known else _respelled(written, others)
            if key in found:  # two spellings of one key say two things
                return predicted
            found[key] = _aligned(known[key], item) if key in known else item
        return found
    return predicted


def _members(truth: frozenset[Value] | set[Value], predicted: list[Any]) -> list[Any]:
    """Return what is predicted of a set, each member written as the one that it may be."""
    nested = [each for each in truth if isinstance(each, frozenset | tuple)]
    if not nested or len(predicted) != len(truth) or len(nested) > MOST_NESTED:
        return predicted
    texts = [text(normal(each)) for each in nested]
    found = []
    for item in predicted:
        written = (_aligned(each, item) for each in nested)
        fitting = (
            tree for tree, wanted in zip(written, texts, strict=True) if text(tree) == wanted
        )
        found.append(next(fitting, item))
    return found


def _respelled(written: str, keys: set[str]) -> str:
    """Return which of the keys, the texts of values, a predicted key spells; or the key itself."""
    if not keys or len(written) > LONGEST_KEY:
        return written
    for read in (json.loads, ast.literal_eval, str):  # bytes are written as text
        try:
            found = _key_text(read(written))
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
        if found in keys:
            return found
    return written


def _key_text(value: Any) -> str:
    return text(normal(value))


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
    if value.is_integer():
        return _number(int(value))
    return value


def _key(key: Value) -> str:
    """Return a dict key as JSON's only kind: a string keeps itself, all else its normal text."""
    return key if isinstance(key, str) else text(normal(key))


def _order(tree: Any) -> str:
    return text(tree)
