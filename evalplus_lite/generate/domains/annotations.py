"""Type annotations of signatures, parsed from source and never evaluated."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from evalplus_lite.programs import parsing
from evalplus_lite.types import Value
from evalplus_lite.values.kinds.registry import KINDS as EXTENDED

DEEPEST = 12
"""Limit on nesting levels of an annotation."""
KINDS: dict[str, type] = {
    "none": type(None), "int": int, "float": float, "complex": complex, "bool": bool, "str": str,
    "bytes": bytes, "date": str, "datetime": str, "dict": dict, "mapping": dict, "tuple": tuple,
    "set": set, "frozenset": frozenset, "list": list, "sequence": list, "iterable": list,
    "collection": list, "iterator": list,
}  # fmt: skip
"""The Python type of values of each kind."""
KINDS |= {kind.inside[0]: kind.type for kind in EXTENDED if kind.annotations}
_ANYTHING: tuple[type, ...] = (bool, dict, float, int, list, type(None), str, tuple)
"""The types allowed by ``Any`` and ``object``."""
_MAPPINGS = ("dict", "mapping")


@dataclass(frozen=True, slots=True)
class Type:
    """A type as a tree: ``kind`` with arguments, or the ``values`` of a literal.

    A ``variadic`` ``tuple`` has any number of items of its one argument. A ``union`` has its
    members as arguments, with None as ``none``. Containers without arguments hold anything simple.
    """

    kind: str
    arguments: tuple[Type, ...] = ()
    values: tuple[Value, ...] = ()
    variadic: bool = False

    def __str__(self) -> str:
        """Return the annotation in current Python syntax."""
        if self.kind == "literal":
            return f"Literal[{', '.join(map(repr, self.values))}]"
        if self.kind == "union":
            return " | ".join(map(str, self.arguments))
        if self.kind == "none":
            return "None"
        name = {"any": "Any"}.get(self.kind, self.kind).rpartition(".")[2]
        if self.kind in ("sequence", "iterable", "mapping", "iterator", "collection"):
            name = self.kind.title()
        inner = [str(a) for a in self.arguments] + (["..."] if self.variadic else [])
        return f"{name}[{', '.join(inner)}]" if inner else name

    @property
    def kinds(self) -> tuple[type, ...]:
        """The exact types of its values; empty if unknown."""
        if self.kind == "union":
            return tuple(dict.fromkeys(kind for each in self.arguments for kind in each.kinds))
        if self.kind in ("any", "object"):
            return _ANYTHING
        return (KINDS[self.kind],) if self.kind in KINDS else ()

    @property
    def items(self) -> Type | None:
        """The type of its containers' elements, if it is the same for all positions."""
        if self.kind == "union":
            return next((each.items for each in self.arguments if each.items), None)
        is_alike = self.kind != "tuple" or self.variadic
        holds = is_alike and self.kind in KINDS and self.kind not in _MAPPINGS
        return self.arguments[0] if self.arguments and holds else None

    @property
    def entry(self) -> tuple[Type, Type] | None:
        """The types of its dicts' keys and values, if stated."""
        if self.kind == "union":
            return next((each.entry for each in self.arguments if each.entry), None)
        if self.kind not in _MAPPINGS or len(self.arguments) != 2:
            return None
        return self.arguments[0], self.arguments[1]


UNKNOWN = Type("unknown")


class UnreadableError(ValueError):
    """An annotation has no known type; the message names the unknown part."""


class AnnotationReader:
    """A parser of annotations; subclasses define the meaning of names."""

    def kind_of(self, name: str) -> str | None:
        """Return the kind that a dotted name means; None if it may be an alias.

        Further kinds are ``literal``, ``optional``, ``union``, and ``transparent`` for wrappers of
        a type. May raise UnreadableError.
        """
        raise NotImplementedError

    def alias(self, name: str, depth: int) -> Type:
        """Return the type that an alias means; raise UnreadableError if it is not a type."""
        raise UnreadableError(name)

    def part(self, node: ast.expr, depth: int) -> Type:
        """Return the type within a container."""
        return self.read(node, depth)

    def read(self, node: ast.expr | None, depth: int = 0) -> Type:
        """Return the type of an annotation; raise UnreadableError for anything else."""
        # Annotations come from packages and prompts that are not trusted.
        if depth > DEEPEST:
            raise UnreadableError("nested too deep")
        match node:
            case ast.Constant(value=None):
                return Type("none")
            case ast.Constant(value=bool(value)):
                return Type("literal", values=(value,))
            # A forward reference: the text is an annotation itself.
            case ast.Constant(value=str(text)):
                try:
                    inner = parsing.parse(text.strip(), mode="eval").body
                except (SyntaxError, ValueError, RecursionError, MemoryError):
                    raise UnreadableError(repr(text)[:60]) from None
                return self.read(inner, depth + 1)
            case ast.BinOp(op=ast.BitOr()):
                return self._union(_operands(node), depth)
            case ast.Tuple(elts=elements):
                return self._holding("tuple", elements, depth)
            case ast.Name() | ast.Attribute():
                return self._named(ast.unparse(node), depth)
            case ast.Subscript(value=ast.Name() | ast.Attribute()):
                return self._subscript(node, depth)
        raise UnreadableError("" if node is None else ast.unparse(node)[:60])

    def _named(self, name: str, depth: int) -> Type:
        kind = self.kind_of(name)
        if kind is None:
            return self.alias(name, depth)
        if kind in ("literal", "optional", "union", "transparent"):
            raise UnreadableError(f"bare {name}")
        return Type(kind)

    def _subscript(self, node: ast.Subscript, depth: int) -> Type:
        name = ast.unparse(node.value)
        kind = self.kind_of(name)
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        match kind:
            case None:
                raise UnreadableError(name)
            case "literal":
                return _literal(inner)
            case "transparent":
                return self.read(inner[0], depth + 1)
            case "optional":
                return self._union([*inner, ast.Constant(None)], depth)
            case "union":
                return self._union(inner, depth)
            case "tuple" if len(inner) == 2 and _is_ellipsis(inner[1]):
                item = self.part(inner[0], depth + 1)
                return Type("tuple", (item,), variadic=True)
            case "iterator":  # a generator has further arguments
                inner = inner[:1]
        return self._holding(kind, inner, depth)

    def _holding(self, kind: str, nodes: Sequence[ast.expr], depth: int) -> Type:
        found = tuple(self.part(node, depth + 1) for node in nodes)
        return Type(kind, found)

    def _union(self, nodes: Sequence[ast.expr], depth: int) -> Type:
        found: dict[Type, None] = {}
        for node in nodes:
            member = self.read(node, depth + 1)
            # Nested unions are flattened, and duplicate members are dropped.
            found |= dict.fromkeys(member.arguments if member.kind == "union" else (member,))
        members = tuple(found)
        return members[0] if len(members) == 1 else Type("union", members)


def _operands(node: ast.expr) -> list[ast.expr]:
    """Return the members of ``a | b | c``, which nests to the left."""
    found: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        found.append(node.right)
        node = node.left
    return [node, *reversed(found)]


def _literal(nodes: Sequence[ast.expr]) -> Type:
    values: list[Value] = []
    for node in nodes:
        try:
            value = ast.literal_eval(node)
            if isinstance(value, float) and not math.isfinite(value):
                raise ValueError  # 1e999 has no literal that reads back
            values.append(value)
        except ValueError:
            raise UnreadableError(f"Literal[{ast.unparse(node)}]") from None
    return Type("literal", values=tuple(values))


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


class _WrittenReader(AnnotationReader):
    """A parser of the output of ``str(type)``."""

    def kind_of(self, name: str) -> str | None:
        return name.lower()


def read_type(text: str) -> Type:
    """Parse the output of ``str(type)``; ValueError for any other text."""
    try:
        return _WrittenReader().read(ast.parse(text, mode="eval").body)
    except SyntaxError as error:
        raise UnreadableError(str(error)) from None


class _PromptReader(AnnotationReader):
    """A parser that knows names by their last part; an unknown name has an unknown type."""

    def kind_of(self, name: str) -> str | None:
        return _NAMES.get(name.rpartition(".")[2])

    def part(self, node: ast.expr | None, depth: int) -> Type:
        try:
            return self.read(node, depth)
        except UnreadableError:
            return UNKNOWN


_NAMES = {
    name: kind
    for kind, names in {
        "int": "int", "float": "float", "complex": "complex", "bool": "bool", "str": "str",
        "bytes": "bytes", "none": "None", "any": "Any object", "optional": "Optional",
        "union": "Union", "list": "list List Sequence Iterable Collection",
        "tuple": "tuple Tuple", "set": "set Set", "frozenset": "frozenset FrozenSet",
        "dict": "dict Dict Mapping",
    }.items()
    for name in names.split()
} | {name: kind.inside[0] for kind in EXTENDED for name in kind.annotations}  # fmt: skip


def hints(prompt: str, entry_point: str) -> tuple[Type, ...]:
    """Return the types of the positional parameters in the prompt's signature, in order.

    For a method (``Solution.twoSum``), ``self`` is skipped. Empty if the prompt has no signature
    that can be parsed.
    """
    name = re.escape(entry_point.rpartition(".")[2])
    match = re.search(rf"^[ \t]*(?:async\s+)?def\s+{name}\s*\(", prompt, re.M)
    if match is None:
        return ()
    head = prompt[match.start() :].lstrip()
    # Prompts are not always valid Python, so only the head is parsed: up to the first colon at the
    # end of a line that completes a function. Defaults or annotations may have earlier colons.
    for end in (colon.end() for colon in re.finditer(r":[ \t]*(?:\n|#|$)", head[:4000])):
        try:
            (function,) = parsing.parse(head[:end].rstrip("#\n \t") + " pass").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            stated = [*function.args.posonlyargs, *function.args.args]
            if "." in entry_point and stated and stated[0].arg in ("self", "cls"):
                del stated[0]
            return tuple(_PromptReader().part(each.annotation, 0) for each in stated)
    return ()
