"""The types that a task's arguments and results may have, read from annotations.

The accepted names are the paper's (EXecution-Eval, appendix A.5), checked recursively; a wider set
is an option. Names are resolved through the module's imports, so ``t.List``, ``List`` and a module
level alias mean the same.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from evalplus_lite.mining.reading.resolve import Builtin, Definition, External, ModuleRef, Resolver
from evalplus_lite.types import Value

TypeSet: TypeAlias = Literal["paper", "wide"]

PAPER_KINDS = frozenset(
    """int str float bool none list dict tuple set date literal optional union sequence
    iterable frozenset mapping ellipsis""".split()
)
WIDE_KINDS = PAPER_KINDS | frozenset(
    ["any", "bytes", "iterator", "collection", "datetime", "object"]
)

_TYPING = {
    "List": "list",
    "Dict": "dict",
    "Tuple": "tuple",
    "Set": "set",
    "FrozenSet": "frozenset",
    "AbstractSet": "set",
    "Text": "str",
    "Literal": "literal",
    "Optional": "optional",
    "Union": "union",
    "Sequence": "sequence",
    "MutableSequence": "list",
    "Iterable": "iterable",
    "Mapping": "mapping",
    "MutableMapping": "dict",
    "Any": "any",
    "Iterator": "iterator",
    "Generator": "iterator",
    "Collection": "collection",
    "Container": "collection",
}
_BUILTIN = frozenset(
    ["int", "str", "float", "bool", "list", "dict", "tuple", "set", "frozenset", "bytes", "object"]
)
_TRANSPARENT = frozenset({"Annotated", "Final", "ClassVar", "Required", "NotRequired"})
_ABSTRACT = frozenset(
    """Sequence MutableSequence Iterable Mapping MutableMapping Iterator Generator Collection
    Container Set""".split()
)


@dataclass(frozen=True, slots=True)
class Type:
    """A type as a tree: ``kind`` with arguments, or the ``values`` of a literal.

    ``tuple`` with ``variadic`` holds any number of its one argument. A ``union`` has its members
    as arguments, None among them as ``none``. Containers without arguments hold anything simple.
    """

    kind: str
    arguments: tuple[Type, ...] = ()
    values: tuple[Value, ...] = ()
    variadic: bool = False

    def __str__(self) -> str:
        """Write it as today's Python would."""
        if self.kind == "literal":
            return f"Literal[{', '.join(map(repr, self.values))}]"
        if self.kind == "union":
            return " | ".join(map(str, self.arguments))
        if self.kind == "none":
            return "None"
        name = {"date": "date", "any": "Any"}.get(self.kind, self.kind)
        if self.kind in ("sequence", "iterable", "mapping", "iterator", "collection"):
            name = self.kind.title()
        inner = [str(a) for a in self.arguments] + (["..."] if self.variadic else [])
        return f"{name}[{', '.join(inner)}]" if inner else name


@dataclass(frozen=True, slots=True)
class Refused:
    """Why an annotation is not accepted; ``reason`` is one of the funnel's."""

    reason: str
    detail: str


class AnnotationReader:
    """Reads annotations of one package."""

    def __init__(self, resolver: Resolver, *, types: TypeSet = "paper") -> None:
        self.resolver = resolver
        self.kinds = PAPER_KINDS if types == "paper" else WIDE_KINDS

    def read(self, node: ast.expr, module: str, *, result: bool = False) -> Type | Refused:
        """Return the type of an annotation, or why it is refused.

        ``result``: it is a return annotation, where None alone is refused (checklist 7).
        """
        found = self._read(node, module, 0)
        if result and isinstance(found, Type) and found.kind == "none":
            return Refused("returns None", "None")
        return found

    def _read(self, node: ast.expr, module: str, depth: int) -> Type | Refused:
        if depth > 12:
            return Refused("type", "nested too deep")
        if isinstance(node, ast.Constant):
            return self._constant(node, module, depth)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self._several("union", [node.left, node.right], module, depth)
        if isinstance(node, ast.Tuple):
            return self._several("tuple", node.elts, module, depth)
        if isinstance(node, ast.Name | ast.Attribute):
            return self._name(node, module, depth)
        if isinstance(node, ast.Subscript):
            return self._subscript(node, module, depth)
        return Refused("type", ast.unparse(node)[:60])

    def _constant(self, node: ast.Constant, module: str, depth: int) -> Type | Refused:
        value = node.value
        if value is None:
            return Type("none")
        if isinstance(value, bool):
            return Type("literal", values=(value,))
        if isinstance(value, str):
            try:
                inner = ast.parse(value.strip(), mode="eval").body
            except SyntaxError:
                return Refused("type", repr(value)[:60])
            return self._read(inner, module, depth + 1)
        return Refused("type", repr(value)[:60])

    def _name(self, node: ast.Name | ast.Attribute, module: str, depth: int) -> Type | Refused:
        text = ast.unparse(node)
        kind = self._kind(text.split("."), module)
        if isinstance(kind, Type | Refused):
            return kind
        if kind is None:
            return self._alias(text, module, depth)
        if kind in ("literal", "optional", "union", "transparent"):
            return Refused("type", f"bare {text}")
        return self._accept(Type(kind), text)

    def _kind(self, path: list[str], module: str) -> str | Type | Refused | None:
        """Return the kind a dotted name stands for; None where it may be an alias."""
        target = self.resolver.resolve_annotation(module, path[0])
        rest = path[1:]
        while isinstance(target, ModuleRef) and rest:
            target = self.resolver.member(target.module, rest.pop(0)) or target
        if isinstance(target, Builtin) and not rest and target.name in _BUILTIN:
            return target.name
        if not isinstance(target, External):
            return None
        dotted = ".".join([target.dotted, *rest])
        owner, _, last = dotted.rpartition(".")
        if owner in ("typing", "typing_extensions") or (
            owner == "collections.abc" and last in _ABSTRACT
        ):
            if last in _TRANSPARENT:
                return "transparent"
            if owner == "collections.abc" and last == "Set":
                return "set"
            return _TYPING.get(last) or Refused("type", last)
        if dotted in ("datetime.date", "datetime.datetime"):
            return last
        return Refused("type", dotted)

    def _alias(self, text: str, module: str, depth: int) -> Type | Refused:
        """Follow ``Name = list[int]`` at the top level of a module."""
        target = self.resolver.resolve_annotation(module, text) if "." not in text else None
        if isinstance(target, Definition):
            parsed = self.resolver.index.module(target.module)
            bindings = parsed.bindings.get(target.name, []) if parsed else []
            if parsed and not bindings:
                bindings = parsed.typing.get(target.name, [])
            value: Any = getattr(bindings[0].node, "value", None) if len(bindings) == 1 else None
            if isinstance(value, ast.Subscript | ast.BinOp | ast.Name | ast.Attribute):
                return self._read(value, target.module, depth + 1)
        return Refused("type", text)

    def _subscript(self, node: ast.Subscript, module: str, depth: int) -> Type | Refused:
        if not isinstance(node.value, ast.Name | ast.Attribute):
            return Refused("type", ast.unparse(node)[:60])
        text = ast.unparse(node.value)
        kind = self._kind(text.split("."), module)
        if isinstance(kind, Type | Refused):
            return kind
        if kind is None:
            # typing_extensions is third-party, but its Literal is typing's.
            kind = _TYPING.get(text.rpartition(".")[2]) if text.endswith("Literal") else None
            if kind is None:
                return Refused("type", text)
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if kind == "literal":
            return self._literal(inner)
        if kind == "transparent":
            return self._read(inner[0], module, depth + 1)
        if kind == "optional":
            return self._several("union", [*inner, ast.Constant(None)], module, depth)
        if kind == "tuple" and len(inner) == 2 and _is_ellipsis(inner[1]):
            item = self._read(inner[0], module, depth + 1)
            if isinstance(item, Refused):
                return item
            return self._accept(Type("tuple", (item,), variadic=True), text)
        if kind == "iterator":
            inner = inner[:1]
        return self._several(kind, inner, module, depth)

    def _literal(self, nodes: list[ast.expr]) -> Type | Refused:
        values: list[Value] = []
        for node in nodes:
            try:
                values.append(ast.literal_eval(node))
            except ValueError:
                return Refused("type", f"Literal[{ast.unparse(node)}]")
        return Type("literal", values=tuple(values))

    def _several(self, kind: str, nodes: list[ast.expr], module: str, depth: int) -> Type | Refused:
        found: list[Type] = []
        for node in nodes:
            item = self._read(node, module, depth + 1)
            if isinstance(item, Refused):
                return item
            members = item.arguments if kind == "union" and item.kind == "union" else (item,)
            found.extend(m for m in members if m not in found or kind != "union")
        if kind == "union" and len(found) == 1:
            return found[0]
        return self._accept(Type(kind, tuple(found)), kind)

    def _accept(self, found: Type, text: str) -> Type | Refused:
        return found if found.kind in self.kinds else Refused("type", text.rpartition(".")[2])


def read_type(text: str) -> Type:
    """Return the type that ``str(type)`` wrote; ValueError where it is none of ours."""
    return _written(ast.parse(text, mode="eval").body)


def _written(node: ast.expr) -> Type:
    if isinstance(node, ast.Constant) and node.value is None:
        return Type("none")
    if isinstance(node, ast.Name):
        return Type(node.id.lower())
    if isinstance(node, ast.BinOp):
        found = [_written(node.left), _written(node.right)]
        members = [m for f in found for m in (f.arguments if f.kind == "union" else (f,))]
        return Type("union", tuple(members))
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if node.value.id == "Literal":
            return Type("literal", values=tuple(ast.literal_eval(item) for item in inner))
        variadic = _is_ellipsis(inner[-1])
        kinds = tuple(_written(item) for item in (inner[:-1] if variadic else inner))
        return Type(node.value.id.lower(), kinds, variadic=variadic)
    raise ValueError(f"{ast.unparse(node)} is no type")


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...
