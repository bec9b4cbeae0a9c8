"""The types that a task's arguments and results may have, read from a module's annotations.

The accepted names are the paper's (EXecution-Eval, appendix A.5), checked recursively; a wider set
is an option. Names are resolved through the module's imports, so ``t.List``, ``List`` and a module
level alias mean the same.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from evalplus_lite.exe.reading.resolve import (
    Builtin,
    Definition,
    External,
    ModuleRef,
    Resolver,
    Target,
    class_of,
)
from evalplus_lite.exe.reading.stubs import Stubs
from evalplus_lite.exe.selecting.built import (
    DATES,
    LIBRARY,
    Built,
    as_plain,
    narrowed,
    of_enum,
    of_library,
)
from evalplus_lite.exe.selecting.unannotated import Told
from evalplus_lite.generate.domains.annotations import AnnotationReader, Type, UnreadableError

TypeSet: TypeAlias = Literal["paper", "known"]
"""The paper's types of annotated functions; or more types, and where annotations are missing, what
else gives the type."""

PAPER_KINDS = frozenset(
    """int str float bool none list dict tuple set literal optional union sequence iterable
    frozenset mapping ellipsis""".split()
)
"""And dates, which are made of text."""
WIDE_KINDS = PAPER_KINDS | frozenset("any bytes iterator collection object".split())
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
class Declared:
    """The types of a function's parameters without annotations, and its result's if stubs say."""

    parameters: dict[str, Told]
    result: Type | Refused | None = None


@dataclass(frozen=True, slots=True)
class PackageAnnotations:
    """Reads annotations of one package."""

    resolver: Resolver
    types: TypeSet = "paper"
    fields: Callable[[Definition, ast.ClassDef, PackageAnnotations], Built | Refused] | None = None
    """What says how objects of a class are made of plain values."""
    program: Resolver | None = None
    """What resolves names of the code, where the annotations are a stub's."""
    stubs: Stubs | None = None
    """What declares functions that have no annotations."""
    observed: Callable[[str, str, str], Mapping[str, Told]] | None = None
    """What tests gave to the parameters of a module's class's (or "") function."""
    declarations: dict[tuple[object, ...], Declared] = field(default_factory=dict)
    """What was worked out so far, by module, class, line and parameters."""
    _classes: dict[Definition, Built | Refused] = field(default_factory=dict)

    def made_of(self, where: Definition, owner: ast.ClassDef) -> Built | Refused:
        """Return how objects of a class are made of plain values."""
        if where not in self._classes:
            # What an object needs one of its own kind for is made of nothing.
            self._classes[where] = Refused("type", f"{where.module}.{where.name}")
            found = of_enum(owner, where, self.resolver)
            if found is not None:
                self._classes[where] = found
            elif self.fields is not None:
                self._classes[where] = self.fields(where, owner, self)
        return self._classes[where]

    def read(self, node: ast.expr, module: str, *, result: bool = False) -> Type | Refused:
        """Return the type of an annotation, or why it is refused.

        ``result``: it is a return annotation, where None alone is refused.
        """
        kinds = PAPER_KINDS if self.types == "paper" else WIDE_KINDS
        if result and self.types != "paper" and _is_guard(node):
            return Type("bool")
        try:
            found = _ModuleReader(self, module, kinds, is_result=result).read(node)
        except UnreadableError as error:
            return Refused("type", str(error))
        if result and found.kind == "none":
            return Refused("returns None", "None")
        return as_plain(found) if result else found


class _ModuleReader(AnnotationReader):
    """Knows names by what a module binds them to."""

    def __init__(
        self, of: PackageAnnotations, module: str, kinds: frozenset[str], *, is_result: bool = False
    ) -> None:
        self.of, self.resolver, self.module, self.kinds = of, of.resolver, module, kinds
        self.is_result = is_result

    @property
    def is_wide(self) -> bool:
        """Whether more than the paper's types are read."""
        return "any" in self.kinds

    def accepted(self, found: Type, name: str) -> Type:
        if found.kind not in self.kinds:
            raise UnreadableError(name)
        return found

    def kind_of(self, name: str) -> str | None:
        target, rest = self._target(name)
        if isinstance(target, Builtin) and not rest and target.name in _BUILTIN:
            return target.name
        if not isinstance(target, External):
            # typing_extensions is third-party, but its Literal is typing's.
            return "literal" if name.rpartition(".")[2] == "Literal" else None
        dotted = ".".join([target.dotted, *rest])
        if dotted in (LIBRARY if self.is_wide else DATES):
            return None
        if self.is_wide:
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
            if last == "Self" and self.is_result and self.is_wide:
                return "any"
            if last not in _TYPING:
                raise UnreadableError(last)
            return _TYPING[last]
        raise UnreadableError(dotted)

    def alias(self, name: str, depth: int) -> Type:
        """Follow ``Name = list[int]`` at the top level of a module, or what makes an object."""
        target, rest = self._target(name)
        if isinstance(target, External):
            dotted = ".".join([target.dotted, *rest])
            if dotted in (LIBRARY if self.is_wide else DATES):
                bound = functools.partial((self.of.program or self.resolver).resolve, self.module)
                return of_library(dotted, bound)
        if isinstance(target, Definition) and not rest:
            if self.is_wide and (owner := class_of(target, self.resolver)) is not None:
                objects = self.of.made_of(target, owner)
                if isinstance(objects, Refused):
                    if self.is_result:  # whose public attributes are the answer
                        return Type("any")
                    raise UnreadableError(target.name)
                return objects
            parsed = self.resolver.index.module(target.module)
            bindings = parsed.bindings.get(target.name, []) if parsed else []
            if parsed and not bindings:
                bindings = parsed.typing.get(target.name, [])
            value: Any = getattr(bindings[0].node, "value", None) if len(bindings) == 1 else None
            if isinstance(value, ast.Subscript | ast.BinOp | ast.Name | ast.Attribute):
                return self._there(target).read(value, depth + 1)
            if isinstance(value, ast.Call) and self.is_wide:
                return self._there(target).made(value, depth)
        raise UnreadableError(name)

    def _target(self, name: str) -> tuple[Target, list[str]]:
        """Return what a dotted name stands for, and the parts of it that are left over."""
        first, *rest = name.split(".")
        target = self.resolver.resolve_annotation(self.module, first)
        while isinstance(target, ModuleRef) and rest:
            member = self.resolver.member(target.module, rest[0])
            if member is None:
                break
            target = member
            rest.pop(0)
        return target, rest

    def _there(self, target: Definition) -> _ModuleReader:
        return _ModuleReader(self.of, target.module, self.kinds, is_result=self.is_result)

    def _union(self, nodes: Sequence[ast.expr], depth: int) -> Type:
        """Return the members that inputs can be drawn of: an input is of any one of them."""
        if not self.is_wide:
            found = super()._union(nodes, depth)
            kept = narrowed(found.arguments)
            is_whole = found.kind != "union" or self.is_result or len(kept) == len(found.arguments)
            return found if is_whole else kept[0] if len(kept) == 1 else Type("union", kept)
        members: dict[Type, None] = {}
        unread: UnreadableError | None = None
        for node in nodes:
            try:
                member = self.read(node, depth + 1)
            except UnreadableError as error:
                unread = error
                continue
            members |= dict.fromkeys(member.arguments if member.kind == "union" else (member,))
        kept = narrowed(tuple(members))
        if unread is not None and all(each.kind == "none" for each in kept):
            raise unread
        if self.is_result and (unread is not None or len(kept) < len(members)):
            return Type("any")
        return kept[0] if len(kept) == 1 else Type("union", kept)

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
