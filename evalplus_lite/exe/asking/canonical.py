"""When a predicted answer is the true one: the paper's rules (appendix A.7).

Both are written as ``running.spelling`` says, and compared as JSON. True is not 1.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from typing import Any

from evalplus_lite.exe.running.spelling import key_text, normal, number, text
from evalplus_lite.types import Value
from evalplus_lite.values.kinds.defaultdict import DefaultDict
from evalplus_lite.values.source import value_of

MOST_NESTED = 200
"""Members of a set that are compared in any order of their own; of larger ones in sorted order."""
LONGEST_KEY = 10_000
"""Characters of a predicted key that is read."""


def is_same(truth: Value, predicted: Any) -> bool:
    """Return whether a predicted JSON value is a true output.

    Where the truth has a set, at any depth, the prediction's list may stand in any order. A key
    that is no text may be written as JSON or as Python: ``[1, 2]``, ``[1,2]`` or ``(1, 2)``.
    """
    return text(normal(truth)) == text(_aligned(truth, _numbers(predicted)))


def _aligned(truth: Value, predicted: Any) -> Any:
    """Return a prediction with lists sorted where the truth has sets, and keys as it has them."""
    if isinstance(truth, DefaultDict):
        truth = truth.items
    if isinstance(truth, set | frozenset) and isinstance(predicted, list):
        return sorted(_members(truth, predicted), key=text)
    if isinstance(truth, list | tuple) and isinstance(predicted, list):
        if len(truth) == len(predicted):
            return [_aligned(t, p) for t, p in zip(truth, predicted, strict=True)]
    elif isinstance(truth, Mapping) and isinstance(predicted, dict):
        known = {key_text(key): item for key, item in truth.items()}
        others = {key_text(key): key for key in truth if not isinstance(key, str)}
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


def _respelled(written: str, keys: Mapping[str, Value]) -> str:
    """Return which of the keys, the texts of values, a predicted key spells; or the key itself."""
    if not keys or len(written) > LONGEST_KEY:
        return written
    for read in (json.loads, _literal, str):  # bytes are written as text
        try:
            found = normal(read(written))
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
        if text(found) in keys:
            return text(found)
        # In a key, too, a set's members stand in any order.
        nested = [known for known, key in keys.items() if isinstance(key, frozenset | tuple)]
        for known in nested if len(nested) <= MOST_NESTED else ():
            if text(_aligned(keys[known], found)) == known:
                return known
    return written


def _literal(written: str) -> Value:
    return value_of(ast.parse(written, mode="eval").body)


def _numbers(tree: Any) -> Any:
    """Write a prediction's numbers one way."""
    if isinstance(tree, list):
        return [_numbers(item) for item in tree]
    if isinstance(tree, dict):
        return {str(key): _numbers(item) for key, item in tree.items()}
    if isinstance(tree, int | float) and not isinstance(tree, bool):
        return number(tree)
    return tree
