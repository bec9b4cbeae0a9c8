"""A few typical values of a type, the simplest first: inputs for functions that have none."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from evalplus_lite.generate.domains.annotations import Type
from evalplus_lite.types import Value
from evalplus_lite.values.kinds.registry import KINDS

MOST = 12
"""Inputs of a function."""
DEEPEST = 4
_PLAIN: dict[str, tuple[Value, ...]] = {
    "none": (None,),
    "int": (0, 1, 7, -3),
    "float": (0.0, 1.5, -2.25, 10.0),
    "complex": (0j, 1 + 2j),
    "bool": (False, True),
    "str": ("", "a", "hello world", "B2 b"),
    "bytes": (b"", b"ab"),
}
_PLAIN |= {kind.inside[0]: kind.examples[:4] for kind in KINDS if kind.annotations}
_HOLDERS = {"list": list, "set": set, "frozenset": frozenset, "sequence": list, "iterable": list}


def inputs(types: Sequence[Type]) -> list[tuple[Value, ...]]:
    """Return at most ``MOST`` lists of arguments of these types; none if a type is not known.

    The first have each argument as simple as the others, the rest meet by turns.
    """
    columns = [values(each) for each in types]
    if not all(columns):
        return []
    rows = [tuple(column[at % len(column)] for column in columns) for at in range(4)]
    rows += itertools.islice(itertools.product(*columns), 4 * MOST)
    found: dict[str, tuple[Value, ...]] = {repr(row): row for row in rows}
    return list(found.values())[:MOST]


def values(stated: Type, depth: int = 0) -> list[Value]:
    """Return a few values of a type; none if it is not known."""
    if stated.kind == "literal":
        return list(stated.values)
    if stated.kind == "union":
        return [value for each in stated.arguments for value in values(each, depth)[:3]]
    if stated.kind in _PLAIN:
        return list(_PLAIN[stated.kind])
    if depth >= DEEPEST:
        return []
    if stated.kind == "tuple" and not stated.variadic and stated.arguments:
        columns = [values(each, depth + 1) for each in stated.arguments]
        if not all(columns):
            return []
        return [tuple(column[at % len(column)] for column in columns) for at in range(3)]
    if stated.kind in ("dict", "mapping"):
        keys, items = stated.entry or (Type("str"), Type("int"))
        pairs = list(zip(values(keys, depth + 1), values(items, depth + 1), strict=False))
        return [dict(pairs[:count]) for count in (0, 1, 3)] if pairs else []
    if stated.kind in _HOLDERS or stated.kind == "tuple":
        holder = _HOLDERS.get(stated.kind, tuple)
        inner = values(stated.arguments[0] if stated.arguments else Type("int"), depth + 1)
        try:
            return [holder(inner[:count]) for count in (0, 1, 3)] if inner else []
        except TypeError:  # a set of lists
            return []
    return []
