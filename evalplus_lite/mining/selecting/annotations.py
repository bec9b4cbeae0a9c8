"""The types that a task's arguments and results may have, read from a module's annotations.

The accepted names are the paper's (EXecution-Eval, appendix A.5), checked recursively; a wider set
is an option. Names are resolved through the module's imports, so ``t.List``, ``List`` and a module
level alias mean the same.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from evalplus_lite.generate.domains.annotations import (
    AnnotationReader,
    Type,
    UnreadableError,
)
from evalplus_lite.mining.reading.resolve import Builtin, Definition, External, ModuleRef, Resolver

TypeSet: TypeAlias = Literal["paper", "wide", "known"]
"""The paper's types; more of them; and where annotations are missing, what else tells the type."""

PAPER_KINDS = frozenset(
    """int str float bool none list dict tuple set date literal optional union sequence iterable
    frozenset mapping ellipsis""".split()
)
WIDE_KINDS = PAPER_KINDS | frozenset("any bytes iterator collection datetime object".split())
_STANDING = {
    "numbers.Number": "float", "numbers.Real": "float", "numbers.Integral": "int",
    "typing.SupportsInt": "int", "typing.SupportsIndex": "int", "typing.SupportsFloat": "float",
    "typing.AnyStr": "str", "typing.LiteralString": "str", "typing.Hashable": "object",
    "collections.abc.Hashable": "object", "typing.Sized": "collection",
    "collections.abc.Sized": "collection", "collections.abc.Buffer": "bytes",
    "typing.ByteString": "bytes", "collections.abc.ByteString": "bytes",
    "os.PathLike": "str", "_typeshed.StrPath": "str", "_typeshed.StrOrBytesPath": "str",
    "_typeshed.ReadableBuffer": "bytes", "_typeshed.Incomplete": "any",
}  # fmt: skip
"""What is drawn for further names of the wide set; none of these has arguments."""
_GUARDS = frozenset({"TypeGuard", "TypeIs"})

_TYPING = {
    "List": "list", "Dict": "dict", "Tuple": "tuple", "Set": "set", "FrozenSet": "frozenset",
    "AbstractSet": "set", "Text": "str", "Literal": "literal", "Optional": "optional",
    "Union": "union", "Sequence": "sequence", "MutableSequence": "list", "Iterable": "iterable",
    "Mapping": "mapping", "MutableMapping": "dict", "Any": "any", "Iterator": "iterator",
    "Generator": "iterator", "Collection": "collection", "Container": "collection",
}  # fmt: skip
_BUILTIN = frozenset("int str float bool list dict tuple set frozenset bytes object".split())
_TRANSPARENT = frozenset({"Annotated", "Final", "ClassVar", "Required", "NotRequired"})
_ABSTRACT = frozenset(
    """Sequence MutableSequence Iterable Mapping MutableMapping Iterator Generator Collection
    Container Set""".split()
)


@dataclass(frozen=True, slots=True)
class Refused:
    """Why an annotation is not accepted; ``reason`` is one of the funnel's."""

    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class PackageAnnotations:
    """Reads annotations of one package."""

    resolver: Resolver
    types: TypeSet = "paper"

    def read(self, node: ast.expr, module: str, *, result: bool = False) -> Type | Refused:
        """Return the type of an annotation, or why it is refused.

        ``result``: it is a return annotation, where None alone is refused (checklist 7).
        """
        kinds = PAPER_KINDS if self.types == "paper" else WIDE_KINDS
        if result and self.types != "paper" and _is_guard(node):
            return Type("bool")
        try:
            found = _ModuleReader(self.resolver, module, kinds).read(node)
        except UnreadableError as error:
            return Refused("type", str(error))
        if result and found.kind == "none":
            return Refused("returns None", "None")
        return found


class _ModuleReader(AnnotationReader):
    """Knows names by what a module binds them to."""

    def __init__(self, resolver: Resolver, module: str, kinds: frozenset[str]) -> None:
        self.resolver, self.module, self.kinds = resolver, module, kinds

    def accepted(self, found: Type, name: str) -> Type:
        if found.kind not in self.kinds:
            raise UnreadableError(name)
        return found

    def kind_of(self, name: str) -> str | None:
        first, *rest = name.split(".")
        target = self.resolver.resolve_annotation(self.module, first)
        while isinstance(target, ModuleRef) and rest:
            target = self.resolver.member(target.module, rest.pop(0)) or target
        if isinstance(target, Builtin) and not rest and target.name in _BUILTIN:
            return target.name
        if not isinstance(target, External):
            # typing_extensions is third-party, but its Literal is typing's.
            return "literal" if name.rpartition(".")[2] == "Literal" else None
        dotted = ".".join([target.dotted, *rest])
        if "any" in self.kinds:
            standing = _STANDING.get(dotted.replace("typing_extensions.", "typing."))
            if standing:
                return standing
        owner, _, last = dotted.rpartition(".")
        if owner in ("typing", "typing_extensions") or (
            owner == "collections.abc" and last in _ABSTRACT
        ):
            if last in _TRANSPARENT:
                return "transparent"
            if owner == "collections.abc" and last == "Set":
                return "set"
            if last not in _TYPING:
                raise UnreadableError(last)
            return _TYPING[last]
        if dotted in ("datetime.date", "datetime.datetime"):
            return last
        raise UnreadableError(dotted)

    def alias(self, name: str, depth: int) -> Type:
        """Follow ``Name = list[int]`` at the top level of a module."""
        target = None if "." in name else self.resolver.resolve_annotation(self.module, name)
        if isinstance(target, Definition):
            parsed = self.resolver.index.module(target.module)
            bindings = parsed.bindings.get(target.name, []) if parsed else []
            if parsed and not bindings:
                bindings = parsed.typing.get(target.name, [])
            value: Any = getattr(bindings[0].node, "value", None) if len(bindings) == 1 else None
            if isinstance(value, ast.Subscript | ast.BinOp | ast.Name | ast.Attribute):
                return _ModuleReader(self.resolver, target.module, self.kinds).read(
                    value, depth + 1
                )
            if isinstance(value, ast.Call) and "any" in self.kinds:
                return _ModuleReader(self.resolver, target.module, self.kinds).made(value, depth)
        raise UnreadableError(name)

    def made(self, call: ast.Call, depth: int) -> Type:
        """Return the type that ``TypeVar("T", bound=int)`` or ``NewType("Id", str)`` stands for."""
        function = ast.unparse(call.func)
        first, _, rest = function.partition(".")
        target = self.resolver.resolve_annotation(self.module, first)
        if not isinstance(target, External):
            raise UnreadableError(function)
        dotted = ".".join([target.dotted, rest] if rest else [target.dotted])
        owner, _, last = dotted.rpartition(".")
        if owner not in ("typing", "typing_extensions"):
            raise UnreadableError(function)
        if last == "NewType" and len(call.args) == 2:
            return self.read(call.args[1], depth + 1)
        if last != "TypeVar":
            raise UnreadableError(last)
        bounds = [word.value for word in call.keywords if word.arg == "bound"]
        if bounds or call.args[1:]:
            return self._union(bounds or call.args[1:], depth + 1)
        return Type("any")


def _is_guard(node: ast.expr) -> bool:
    """Return whether a result is annotated as a check of a type, which is a truth value."""
    if not isinstance(node, ast.Subscript):
        return False
    return ast.unparse(node.value).rpartition(".")[2] in _GUARDS
