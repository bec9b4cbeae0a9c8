"""Annotations: the types that a signature in a prompt states, read as text and never evaluated."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from evalplus_lite.programs import parsing

_NONE: type = type(None)


@dataclass(frozen=True, slots=True)
class Hint:
    """The types stated for one slot; no kinds at all if nothing usable is stated."""

    kinds: tuple[type, ...] = ()
    items: Hint | None = None
    keys: Hint | None = None
    values: Hint | None = None
    positions: tuple[Hint, ...] | None = None


ANYTHING = Hint((bool, dict, float, int, list, _NONE, str, tuple))
"""What ``Any`` and ``object`` state."""

_PLAIN: dict[str, type] = {
    "int": int, "float": float, "complex": complex, "bool": bool, "str": str, "bytes": bytes,
    "None": _NONE,
}  # fmt: skip
_CONTAINERS: dict[str, type] = {
    "list": list, "List": list, "Sequence": list, "Iterable": list, "Collection": list,
    "tuple": tuple, "Tuple": tuple, "set": set, "Set": set,
    "frozenset": frozenset, "FrozenSet": frozenset,
}  # fmt: skip
_MAPPINGS = ("dict", "Dict", "Mapping")
_NOTHING = Hint()


def hints(prompt: str, entry_point: str) -> tuple[Hint, ...]:
    """Return what the prompt's signature states for each positional parameter, in order.

    Empty where the prompt shows no signature that can be read.
    """
    match = re.search(rf"^[ \t]*(?:async\s+)?def\s+{re.escape(entry_point)}\s*\(", prompt, re.M)
    if match is None:
        return ()
    head = prompt[match.start() :].lstrip()
    for end in (colon.end() for colon in re.finditer(r":[ \t]*(?:\n|#|$)", head[:4000])):
        try:
            (function,) = parsing.parse(head[:end].rstrip("#\n \t") + " pass").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            stated = [*function.args.posonlyargs, *function.args.args]
            return tuple(_hint(each.annotation) for each in stated)
    return ()


def _hint(node: ast.expr | None) -> Hint:
    match node:
        case ast.Constant(value=None):
            return Hint((_NONE,))
        case ast.Constant(value=str(text)):
            try:
                return _hint(parsing.parse(text, mode="eval").body)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return _NOTHING
        case ast.Attribute(attr=name):
            return _hint(ast.Name(name))
        case ast.Name(id="Any" | "object"):
            return ANYTHING
        case ast.Name(id=name) if name in _PLAIN:
            return Hint((_PLAIN[name],))
        case ast.Name(id=name) if name in _CONTAINERS:
            return Hint((_CONTAINERS[name],))
        case ast.Name(id=name) if name in _MAPPINGS:
            return Hint((dict,))
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _union([_hint(left), _hint(right)])
        case ast.Subscript(value=container, slice=inner):
            return _subscript(container, inner)
    return _NOTHING


def _subscript(container: ast.expr, inner: ast.expr) -> Hint:
    name = getattr(container, "attr", getattr(container, "id", ""))
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if name == "Optional":
        return _union([_hint(inner), Hint((_NONE,))])
    if name == "Union":
        return _union([_hint(part) for part in parts])
    if name in _MAPPINGS and len(parts) == 2:
        return Hint((dict,), keys=_hint(parts[0]), values=_hint(parts[1]))
    kind = _CONTAINERS.get(name)
    if kind is None:
        return _NOTHING
    if kind is not tuple:
        return Hint((kind,), items=_hint(parts[0])) if len(parts) == 1 else Hint((kind,))
    if len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is Ellipsis:
        return Hint((tuple,), items=_hint(parts[0]))
    return Hint((tuple,), positions=tuple(map(_hint, parts)))


def _union(parts: Sequence[Hint]) -> Hint:
    if not all(part.kinds for part in parts):
        return _NOTHING
    kinds = {kind.__name__: kind for part in parts for kind in part.kinds}
    return Hint(
        tuple(kinds[name] for name in sorted(kinds)),
        items=next((part.items for part in parts if part.items), None),
        keys=next((part.keys for part in parts if part.keys), None),
        values=next((part.values for part in parts if part.values), None),
    )
