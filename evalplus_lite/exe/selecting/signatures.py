"""Function signatures, in types whose values can be written as data.

The accepted type names extend those of the paper (EXecution-Eval, appendix A.5) and are checked
recursively. Names are resolved through the module's imports, so ``t.List``, ``List`` and a
module-level alias mean the same. The inferred type of an unannotated parameter only decides which
inputs are drawn: running the function proves the answers.
"""

from __future__ import annotations

import ast
import copy
import functools
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from evalplus_lite.exe.reading.index import (
    Builtin,
    Definition,
    External,
    ModuleRef,
    Obstacle,
    Resolver,
    Target,
    class_of,
)
from evalplus_lite.exe.reading.names import Passing, parameters_of
from evalplus_lite.generate.domains.annotations import (
    AnnotationReader,
    Type,
    UnreadableError,
    read_type,
)
from evalplus_lite.generate.domains.constants import examples
from evalplus_lite.types import Value

TypeOrigin: TypeAlias = Literal["annotation", "observed", "example", "docstring", "default", "none"]
"""Where a type comes from; ``none``: unknown, so only values of known calls are passed."""

ITEM = Type("union", (Type("int"), Type("str")))
_WORDS = {
    "str": "str", "string": "str", "text": "str", "unicode": "str", "basestring": "str",
    "int": "int", "integer": "int", "float": "float", "number": "float", "numeric": "float",
    "bool": "bool", "boolean": "bool", "bytes": "bytes", "list": "list", "sequence": "list",
    "iterable": "list", "array_like": "list", "tuple": "tuple", "set": "set", "dict": "dict",
    "dictionary": "dict", "mapping": "dict", "iterator": "list",
}  # fmt: skip
_LONGEST_TUPLE = 6


@dataclass(frozen=True, slots=True)
class Inferred:
    """A parameter's inferred type and its origin."""

    type: Type
    origin: TypeOrigin


def inferred_types(node: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, Inferred]:
    """Return the inferred type of each parameter without an annotation."""
    missing = {a.arg: d for a, _, d in parameters_of(node.args) if a.annotation is None}
    docstring = ast.get_docstring(node) or "" if missing else ""
    shown: dict[str, list[Value]] = defaultdict(list)
    if f"{node.name}(" in docstring:  # example calls in the docstring
        names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
        text = f"def {node.name}({', '.join(names)}): pass\n{docstring}"
        for call in examples(text, node.name):
            for name, value in zip(names, call, strict=False):
                shown[name].append(value)
    defaults: dict[str, list[Value]] = defaultdict(list)
    for name, default in missing.items():
        with suppress(ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            defaults[name] += [] if default is None else [ast.literal_eval(default)]
    return {
        name: _by_values(shown[name], "example")
        or _documented(docstring, name)
        or _by_values(defaults[name], "default")
        or Inferred(Type("any"), "none")
        for name in missing
    }


def _by_values(values: Iterable[Value], origin: TypeOrigin) -> Inferred | None:
    types = dict.fromkeys(filter(None, map(type_of, values)))
    if not types or set(types) == {Type("none")}:
        return None
    return Inferred(either(types), origin)


def either(types: Iterable[Type]) -> Type:
    """Return the union of types, or the type itself if there is only one."""
    members = tuple(dict.fromkeys(types))
    return members[0] if len(members) == 1 else Type("union", members)


def type_of(value: Value, depth: int = 0) -> Type | None:
    """Return a literal's type; None if no input can be such a value."""
    if value is None:
        return Type("none")
    if isinstance(value, dict) and any(str(key)[:1] == "$" for key in value):
        return None  # an encoded object, such as a date
    name = type(value).__name__
    if name in ("bool", "int", "float", "str", "bytes"):
        return Type(name)
    if depth > 3 or name not in ("list", "tuple", "set", "frozenset", "dict"):
        return None
    inner = [*value.keys()] if isinstance(value, dict) else [*value]
    told = [type_of(each, depth + 1) for each in inner]
    if None in told:
        return None
    known = [each for each in told if each is not None]
    if isinstance(value, dict):
        held = [t for t in (type_of(each, depth + 1) for each in value.values()) if t is not None]
        return Type(
            "dict", (either(known), either(held)) if known and held else (Type("str"), ITEM)
        )
    if isinstance(value, tuple) and 0 < len(known) <= _LONGEST_TUPLE:
        return Type("tuple", tuple(known))
    item = either(known) if known else ITEM
    return Type(name, (item,), variadic=name == "tuple")


def _documented(docstring: str, name: str) -> Inferred | None:
    """Return the type that a docstring in Sphinx, NumPy or Google style states."""
    if name not in docstring:
        return None
    escaped = re.escape(name)
    for pattern in (
        rf":type\s+{escaped}:\s*(?P<type>[^\n]+)",
        rf":param\s+(?P<type>[\w ,\[\]]+?)\s+{escaped}\s*:",
        rf"^\s*\*{{0,2}}{escaped}\s*:\s*(?P<type>[^\n]+)$",
        rf"^\s*{escaped}\s*\((?P<type>[^)\n]+)\)\s*:",
    ):
        match = re.search(pattern, docstring, re.MULTILINE)
        if match is None:
            continue
        words = re.findall(r"[A-Za-z_]+", match["type"][:80].lower())
        kinds = dict.fromkeys(_WORDS[word] for word in words[:8] if word in _WORDS)
        if kinds and words[0] in _WORDS:
            # "list of str" is one type; "str or int" is two.
            if next(iter(kinds)) in ("list", "set") and "of" in words:
                held = [Type(kind) for kind in list(kinds)[1:]]
                first = Type(next(iter(kinds)), (either(held) if held else ITEM,))
                return Inferred(first, "docstring")
            return Inferred(either(_HELD.get(kind, Type(kind)) for kind in kinds), "docstring")
    return None


_HELD = {
    "list": Type("list", (ITEM,)), "set": Type("set", (ITEM,)),
    "tuple": Type("tuple", (ITEM,), variadic=True), "dict": Type("dict", (Type("str"), ITEM)),
}  # fmt: skip


MOST_MEMBERS = 50
"""Maximum number of an enumeration's members to draw from."""
ANY = Type("any")
Need: TypeAlias = Definition | External
"""A name that an entry point refers to, from the package or the standard library."""


@dataclass(frozen=True, slots=True)
class MadeType(Type):
    """A type whose values are constructed from plain values; its ``Type`` part is the plain type.

    ``template``: an expression for a value, with ``{}`` for the plain one. With ``fields``, the
    plain value is a tuple of one element per field, passed to the callable ``template`` by name.
    """

    template: str = "{}"
    fields: tuple[str, ...] = ()
    needs: tuple[Need, ...] = ()
    answer: Type = ANY
    """The type of the recorded answer when a function returns such a value."""


_SECONDS = (
    0, 1, -1, 30, 59, 60, 61, 90, 3599, 3600, 3661, 7200, 43200, 86399, 86400, 90061, 172800,
    604800, 2678400, 31536000, -3600, -86400, 0.5, 1.25, -0.001,
)  # fmt: skip
_TIMES = (
    "00:00:00", "00:00:01", "00:30:00", "01:02:03", "05:59:59", "09:05:07", "11:59:59", "12:00:00",
    "12:30:00", "13:00:00", "18:45:30.250000", "23:59:59", "23:59:59.999999",
)  # fmt: skip
_DECIMALS = (
    "0", "1", "-1", "2", "10", "100", "0.1", "-0.5", "0.25", "3.14159", "99.99", "-12.345", "1.50",
    "1E+3", "1E-7", "123456.789", "0.005", "2.675", "1000000", "9999999999.99",
)  # fmt: skip
_DENOMINATORS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 25, 64, 97, 100, 360, 1000, 1_000_003)
LIBRARY = {
    **{f"pathlib.{name}": ("PurePosixPath({})", Type("str"))
       for name in ("Path", "PurePath", "PosixPath", "PurePosixPath")},
    "pathlib.PureWindowsPath": ("PureWindowsPath({})", Type("str")),
    "datetime.timedelta": ("timedelta(seconds={})", Type("literal", values=_SECONDS)),
    "datetime.time": ("time.fromisoformat({})", Type("literal", values=_TIMES)),
    "datetime.date": ("date.fromisoformat({})", Type("date")),
    "datetime.datetime": ("datetime.fromisoformat({})", Type("datetime")),
    "decimal.Decimal": ("Decimal({})", Type("literal", values=_DECIMALS)),
    "fractions.Fraction": (
        "Fraction(*{})", Type("tuple", (Type("int"), Type("literal", values=_DENOMINATORS)))
    ),
}  # fmt: skip
"""How values of standard library types are constructed. Paths are pure: no file is accessed."""
DATES = frozenset({"datetime.date", "datetime.datetime"})
"""Types whose values are answered as the text that they are constructed from."""


def of_library(dotted: str, bound: Callable[[str], Target]) -> MadeType:
    """Return how values of a type in ``LIBRARY`` are constructed.

    ``bound`` resolves a name in the module: where ``datetime`` is bound to the library's module,
    the class is written ``datetime.datetime``.
    """
    template, plain = LIBRARY[dotted]
    module, name = dotted.rpartition(".")[0], template.partition("(")[0].partition(".")[0]
    need = External(module, name)
    if bound(name) != need and not isinstance(bound(name), Obstacle):
        need, template = External(module), f"{module}.{template}"
    return MadeType(
        plain.kind,
        plain.arguments,
        plain.values,
        template=template,
        needs=(need,),
        answer=plain if dotted in DATES else ANY,
    )


def of_enum(owner: ast.ClassDef, where: Definition, resolver: Resolver) -> MadeType | None:
    """Return how an enumeration's members are looked up by name; None for other classes."""
    if not _is_enum(owner, where.module, resolver):
        return None
    names = [
        target.id
        for each in owner.body
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Name) and not target.id.startswith("_")
    ]
    if not names:
        return None
    names = names[:MOST_MEMBERS]
    return MadeType("literal", values=tuple(names), template=f"{where.name}[{{}}]", needs=(where,))


def _is_enum(owner: ast.ClassDef, module: str, resolver: Resolver, depth: int = 0) -> bool:
    for base in owner.bases:
        first, _, rest = ast.unparse(base).partition(".")
        target = resolver.resolve(module, first)
        if isinstance(target, External):
            dotted = f"{target.dotted}.{rest}".strip(".")
            if dotted.startswith("enum.") and dotted.endswith(("Enum", "Flag")):
                return True
        elif isinstance(target, Definition) and not rest and depth < 5:
            found = class_of(target, resolver)
            if found is not None and _is_enum(found, target.module, resolver, depth + 1):
                return True
    return False


def needs_of(kind: Type) -> Iterator[Need]:
    """Yield the names that constructing a type's values refers to; none for plain types."""
    if isinstance(kind, MadeType):
        yield from kind.needs
    for each in kind.arguments:
        yield from needs_of(each)


def size_of(kind: Type) -> int:
    """Return the number of types in a type, itself included."""
    return 1 + sum(map(size_of, kind.arguments))


def plain(kind: Type) -> Type:
    """Return the type of the plain values that a type's values are constructed from."""
    return Type(kind.kind, tuple(map(plain, kind.arguments)), kind.values, kind.variadic)


def made(kind: Type, source: str, depth: int = 0) -> str:
    """Return an expression that constructs a type's value from the plain value of ``source``."""
    if not any(needs_of(kind)):
        return source
    item = "each" if not depth else f"each{depth}"

    def inside(at: int, of: str) -> str:
        return made(kind.arguments[at], of, depth + 1)

    if isinstance(kind, MadeType):
        if kind.fields:
            parts = [
                f"{name}={inside(at, f'{source}[{at}]')}" for at, name in enumerate(kind.fields)
            ]
            return f"{kind.template}({', '.join(parts)})"
        return kind.template.format(source)
    if kind.kind == "union":  # None, and one constructed type
        (other,) = (each for each in kind.arguments if each.kind != "none")
        return f"None if {source} is None else {made(other, source, depth)}"
    if kind.kind in ("dict", "mapping"):
        return f"{{{inside(0, 'key')}: {inside(1, item)} for key, {item} in {source}.items()}}"
    if kind.kind == "tuple" and not kind.variadic:
        parts = [inside(at, f"{source}[{at}]") for at in range(len(kind.arguments))]
        return f"({', '.join(parts)},)"
    body = f"{inside(0, item)} for {item} in {source}"
    if kind.kind in ("set", "frozenset", "tuple"):
        return f"{kind.kind}({body})"
    return f"[{body}]"


def narrowed(members: tuple[Type, ...]) -> tuple[Type, ...]:
    """Return a union's members to draw from: plain types; else None and one constructed type."""
    simple = tuple(each for each in members if not any(needs_of(each)))
    if any(each.kind != "none" for each in simple):
        return simple
    others = [each for each in members if each not in simple]
    return (*simple, *others[:1])


def optional(kind: Type) -> Type:
    """Return the union of a type and None."""
    members = kind.arguments if kind.kind == "union" else (kind,)
    if Type("none") in members:
        return kind
    return Type("union", (Type("none"), *members))


def as_plain(kind: Type) -> Type:
    """Return the type of the answer when a value of the given type is returned."""
    if isinstance(kind, MadeType):
        return kind.answer
    return replace(kind, arguments=tuple(map(as_plain, kind.arguments)))


KINDS = frozenset(
    """int str float bool none list dict tuple set literal optional union sequence iterable
    frozenset mapping ellipsis any bytes iterator collection object""".split()
)
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
"""Kinds drawn for further type names; none of these names takes arguments."""
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
class PackageAnnotations:
    """A reader of one package's annotations."""

    resolver: Resolver
    observed: Callable[[str, str, str], Mapping[str, Inferred]] | None = None
    """Types that tests passed, by parameter, for a module, a class (or "") and a function."""
    _classes: dict[Definition, MadeType | Obstacle] = field(default_factory=dict)

    def made_of(self, where: Definition, owner: ast.ClassDef) -> MadeType | Obstacle:
        """Return how objects of a class are constructed from plain values."""
        if where not in self._classes:
            # A placeholder: an object that needs one of its own class cannot be constructed.
            self._classes[where] = Obstacle("type", f"{where.module}.{where.name}")
            member = of_enum(owner, where, self.resolver)
            self._classes[where] = member or fields_of(where, owner, self)
        return self._classes[where]

    def read(self, node: ast.expr, module: str, *, result: bool = False) -> Type | Obstacle:
        """Return the type of an annotation, or why it is rejected.

        ``result`` marks a return annotation, where None alone is rejected.
        """
        base = ast.unparse(node.value) if isinstance(node, ast.Subscript) else ""
        if result and base.rpartition(".")[2] in _GUARDS:
            return Type("bool")  # a type guard
        try:
            found = _ModuleReader(self, module, is_result=result).read(node)
        except UnreadableError as error:
            return Obstacle("type", str(error))
        if result and found.kind == "none":
            return Obstacle("returns None", "None")
        return as_plain(found) if result else found


class _ModuleReader(AnnotationReader):
    """A reader that resolves names in a module."""

    def __init__(self, of: PackageAnnotations, module: str, *, is_result: bool = False) -> None:
        self.of, self.resolver, self.module = of, of.resolver, module
        self.is_result = is_result

    def accepted(self, found: Type, name: str) -> Type:
        if found.kind not in KINDS:
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
        if dotted in LIBRARY:
            return None
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
            if last == "Self" and self.is_result:
                return "any"
            if last not in _TYPING:
                raise UnreadableError(last)
            return _TYPING[last]
        raise UnreadableError(dotted)

    def alias(self, name: str, depth: int) -> Type:
        """Resolve a module-level alias such as ``Name = list[int]``, or a class to construct."""
        target, rest = self._target(name)
        if isinstance(target, External):
            dotted = ".".join([target.dotted, *rest])
            if dotted in LIBRARY:
                bound = functools.partial(self.resolver.resolve, self.module)
                return of_library(dotted, bound)
        if isinstance(target, Definition) and not rest:
            if (owner := class_of(target, self.resolver)) is not None:
                objects = self.of.made_of(target, owner)
                if isinstance(objects, Obstacle):
                    if self.is_result:  # its public attributes are the answer
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
            if isinstance(value, ast.Call):
                return self._there(target).made(value, depth)
        raise UnreadableError(name)

    def _target(self, name: str) -> tuple[Target, list[str]]:
        """Resolve a dotted name; return its target and the unresolved parts."""
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
        return _ModuleReader(self.of, target.module, is_result=self.is_result)

    def _union(self, nodes: Sequence[ast.expr], depth: int) -> Type:
        """Return the union of the members that inputs can be drawn from."""
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


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: how it is passed, its type, and its default as source text (or None)."""

    name: str
    kind: Passing
    type: Type
    default: str | None = None
    origin: TypeOrigin = "annotation"
    """Where the type comes from."""

    @property
    def is_required(self) -> bool:
        """Whether every call must pass it."""
        return self.default is None and self.kind in ("positional", "keyword")


@dataclass(frozen=True, slots=True)
class Signature:
    """A function's parameters in order and its result."""

    parameters: tuple[Parameter, ...]
    result: Type

    def to_json(self) -> dict[str, Any]:
        """Return the ``signature`` field of a task row."""
        return {
            "parameters": [
                {"name": p.name, "kind": p.kind, "type": str(p.type), "default": p.default}
                | ({} if p.origin == "annotation" else {"origin": p.origin})
                for p in self.parameters
            ],
            "result": str(self.result),
        }

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Signature:
        """Read the output of ``to_json``."""
        parameters = tuple(
            Parameter(
                p["name"],
                p["kind"],
                read_type(p["type"]),
                p["default"],
                p.get("origin", "annotation"),
            )
            for p in row["parameters"]
        )
        return cls(parameters, read_type(row["result"]))


def read_signature(
    module: str,
    node: ast.FunctionDef,
    reader: PackageAnnotations,
    *,
    owner: str = "",
    is_wrapped: bool = False,
) -> Signature | Obstacle:
    """Return a function's signature in accepted types, or why it has none.

    Optional parameters without an accepted type are left out, and later ones are passed by name.
    Optional parameters whose values would need an entry point to construct them are left out too,
    unless a required parameter needs one anyway. ``owner``: the class of a method. ``is_wrapped``:
    an entry point calls the function in any case, and constructs values that are not plain.
    """
    taken = parameters_of(node.args)
    if not taken and not is_wrapped:
        return Obstacle("no arguments", "")
    # Types observed in tests take precedence over types inferred from the source.
    told = inferred_types(node)
    if reader.observed is not None:
        told |= reader.observed(module, owner, node.name)
    result: Type | Obstacle = Type("any")
    if node.returns is not None:
        result = reader.read(node.returns, module, result=True)
    if isinstance(result, Obstacle):
        return result
    by_place = {argument.arg for argument in node.args.posonlyargs}
    parameters: list[Parameter] = []
    is_whole = True
    types: dict[str, Type | Obstacle] = {
        a.arg: reader.read(a.annotation, module) if a.annotation is not None else told[a.arg].type
        for a, _, _ in taken
    }
    needs_entry = is_wrapped or any(
        _is_built(types[a.arg]) and default is None and kind in ("positional", "keyword")
        for a, kind, default in taken
    )
    for argument, kind, default in taken:
        found = types[argument.arg]
        is_open = default is not None or kind in ("varargs", "varkw")
        is_made = is_open and _is_built(found)
        if is_made and not isinstance(found, Obstacle):
            is_none = isinstance(default, ast.Constant) and default.value is None
            found = optional(found) if needs_entry and is_none else Obstacle("type", argument.arg)
        if not is_whole and (kind == "varargs" or argument.arg in by_place):
            found = Obstacle("type", f"{argument.arg} after a parameter left out")
        if isinstance(found, Obstacle):
            if not is_open:
                return found
            is_whole = False
            continue
        text = None if default is None else ast.unparse(default)
        place = "keyword" if kind == "positional" and not is_whole else kind
        origin = told[argument.arg].origin if argument.annotation is None else "annotation"
        parameters.append(Parameter(argument.arg, place, found, text, origin))
    if not parameters and not is_wrapped:
        return Obstacle("no arguments", "of an accepted type")
    if not parameters and taken:
        result = Type("any")
    return Signature(tuple(parameters), result)


def _is_built(found: Type | Obstacle) -> bool:
    return isinstance(found, Type) and any(needs_of(found))


def gives_something(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a function has a return annotation, or returns or yields a value."""
    return node.returns is not None or any(
        isinstance(child, ast.Return | ast.Yield | ast.YieldFrom)
        and child.value is not None
        and getattr(child.value, "value", child) is not None
        for child in ast.walk(node)
    )


def is_overload(node: ast.FunctionDef) -> bool:
    """Return whether a function is an ``@overload`` stub."""
    return any(ast.unparse(d).rpartition(".")[2] == "overload" for d in node.decorator_list)


MADE_WITH = frozenset({"set", "frozenset", "tuple"})
"""Builtins that an entry point may call; the program must not rebind them."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a task calls: the function itself, or a wrapper that constructs its arguments.

    ``text`` is the source of the wrapper; empty if the function itself is called.
    """

    name: str
    text: str
    signature: Signature
    needs: tuple[Need, ...] = ()
    """Names that the wrapper refers to, besides the function that it calls."""
    built: tuple[Type, ...] = ()
    """The types of the values that it constructs from its parameters."""


def built_needs(parameters: Iterable[Parameter]) -> tuple[Need, ...]:
    """Return the names that constructing the arguments refers to, without duplicates."""
    return tuple(dict.fromkeys(need for p in parameters for need in needs_of(p.type)))


def given(parameter: Parameter, renamed: Mapping[str, str]) -> str:
    """Return the expression that constructs an argument from the entry point's parameter."""
    return made(parameter.type, renamed.get(parameter.name, parameter.name))


def entry(name: str, parameters: Iterable[Parameter], call: str, signature: Signature) -> Entry:
    """Return an entry point with these parameters, required ones first."""
    ordered = sorted(parameters, key=lambda each: not each.is_required)
    listed = ", ".join(p.name + (f"={p.default}" if p.default else "") for p in ordered)
    text = f"def {name}({listed}):\n    return {call}\n"
    shown = tuple(replace(p, type=plain(p.type), kind="positional") for p in ordered)
    types = tuple(p.type for p in ordered)
    return Entry(name, text, Signature(shown, signature.result), built_needs(ordered), types)


def is_literal(default: str | None) -> bool:
    """Return whether a default is a literal, so that it can be written outside its module."""
    try:
        ast.literal_eval(default or "")
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return False
    return True


def entry_of_function(node: ast.FunctionDef, signature: Signature) -> Entry:
    """Return the entry point of a function: itself, unless an argument must be constructed."""
    if not built_needs(signature.parameters):
        return Entry(node.name, "", signature)
    by_place = {each.arg for each in node.args.posonlyargs}
    kept = [
        p
        for p in signature.parameters
        if p.kind in ("positional", "keyword") and (p.is_required or is_literal(p.default))
    ]
    taken = {*(need.name for need in built_needs(kept)), *MADE_WITH, node.name}
    renamed = {p.name: f"{p.name}_given" for p in kept if p.name in taken}
    call = ", ".join(
        given(p, renamed) if p.name in by_place else f"{p.name}={given(p, renamed)}" for p in kept
    )
    parameters = [replace(p, name=renamed.get(p.name, p.name)) for p in kept]
    return entry(f"call_{node.name}", parameters, f"{node.name}({call})", signature)


_CALLED = {"staticmethod": "static", "classmethod": "class", "property": "property",
           "cached_property": "property"}  # fmt: skip
_HARMLESS = frozenset({"final", "override"})
_BASES = frozenset({"object", "ABC", "NamedTuple", "TypedDict", "Generic", "Protocol"})
_ANSWERS = {"TypedDict": Type("dict"), "NamedTuple": Type("tuple")}
MOST_PARENTS = 5
"""Maximum number of base classes to search for an ``__init__``."""
MOST_PARTS = 40
"""Maximum total size of an object's field types, as ``size_of`` counts them."""
MOST_FIELDS = 4
"""Maximum number of fields passed to construct an object; required ones are always passed."""


def methods_of(node: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    """Yield a class's methods, the last of each name, without special methods.

    Property setters and deleters return nothing; they do not replace the getter of the same name.
    """
    found = {
        each.name: each
        for each in node.body
        if isinstance(each, ast.FunctionDef)
        and not any(getattr(d, "attr", "") in ("setter", "deleter") for d in each.decorator_list)
    }
    for name, method in found.items():
        if not (name.startswith("__") and name.endswith("__")):
            yield method


def entry_for(
    module: str, owner: ast.ClassDef, method: ast.FunctionDef, reader: PackageAnnotations
) -> Entry | Obstacle:
    """Return the entry point that calls a method, or why there is none."""
    how = how_called(method)
    if how is None:
        return Obstacle("decorated method", method.name)
    where = Definition(module, owner.name)
    taken = _read(module, method, reader, owner=owner.name, is_bound=how != "static")
    if isinstance(taken, Obstacle):
        return taken
    is_made = how in ("method", "property")
    member = of_enum(owner, where, reader.resolver) if is_made else None
    made = made_of(module, owner, reader) if is_made else Signature((), Type("none"))
    if member is not None:
        made = Signature((Parameter("member", "positional", member),), Type("none"))
    if isinstance(made, Obstacle):
        return made
    used = {p.name for p in made.parameters}
    renamed = {p.name: f"{p.name}_given" if p.name in used else p.name for p in taken.parameters}
    named = used | set(renamed.values())
    needs = built_needs((*made.parameters, *taken.parameters))
    mentions = {owner.name, *(need.name for need in needs), *MADE_WITH}
    if used & set(renamed.values()) or named & mentions:
        return Obstacle("name clash", f"{owner.name}.{method.name}")
    inside = ", ".join(f"{p.name}={given(p, {})}" for p in made.parameters)
    outside = ", ".join(f"{p.name}={given(p, renamed)}" for p in taken.parameters)
    target = f"{owner.name}({inside})" if is_made else owner.name
    if member is not None:
        target = given(made.parameters[0], {})
    call = f"{target}.{method.name}" + (f"({outside})" if how != "property" else "")
    parameters = [*made.parameters, *(replace(p, name=renamed[p.name]) for p in taken.parameters)]
    if not parameters:
        return Obstacle("no arguments", "")
    return entry(f"{owner.name}_{method.name}", parameters, call, taken)


def fields_of(
    where: Definition, owner: ast.ClassDef, reader: PackageAnnotations
) -> MadeType | Obstacle:
    """Return how an object of a class is constructed from a tuple of ``__init__`` arguments."""
    found = made_of(where.module, owner, reader)
    if isinstance(found, Obstacle):
        return found
    required = [p for p in found.parameters if p.is_required]
    others = [p for p in found.parameters if not p.is_required]
    kept = [*required, *others[: max(0, MOST_FIELDS - len(required))]]
    if not kept:
        return Obstacle("class", "constructed without arguments")
    if sum(size_of(p.type) for p in kept) > MOST_PARTS:
        return Obstacle("class", "constructed from too many parts")
    return MadeType(
        "tuple",
        tuple(p.type for p in kept),
        template=where.name,
        fields=tuple(p.name for p in kept),
        needs=(where,),
        answer=next((_ANSWERS[base] for base in _ANSWERS if base in _bases_of(owner)), ANY),
    )


def how_called(method: ast.FunctionDef) -> str | None:
    """Return how a method is called: ``method``, ``static``, ``class`` or ``property``, or None."""
    how = "method"
    for decorator in method.decorator_list:
        last = ast.unparse(decorator).rpartition(".")[2]
        if last in _CALLED:
            how = _CALLED[last]
        elif last not in _HARMLESS:
            return None
    return how


def _read(
    module: str,
    function: ast.FunctionDef,
    reader: PackageAnnotations,
    *,
    owner: str,
    is_bound: bool,
) -> Signature | Obstacle:
    """Return a function's signature for calls by keyword; reject positional-only parameters."""
    shown = copy.copy(function)
    shown.args = copy.copy(function.args)
    if shown.args.posonlyargs:
        return Obstacle("type", "a positional-only parameter")
    if is_bound:
        if not shown.args.args:
            return Obstacle("type", "a method without self")
        shown.args.args = shown.args.args[1:]
    found = read_signature(module, shown, reader, owner=owner, is_wrapped=True)
    if isinstance(found, Obstacle):
        return found
    kept = tuple(
        replace(p, kind="positional")
        for p in found.parameters
        if p.kind in ("positional", "keyword") and (p.is_required or is_literal(p.default))
    )
    if any(p.is_required and p.origin == "none" for p in kept):
        return Obstacle("type", "unknown")
    return Signature(kept, found.result)


def made_of(
    module: str, owner: ast.ClassDef, reader: PackageAnnotations, depth: int = 0
) -> Signature | Obstacle:
    """Return the signature of a class's constructor, or why objects cannot be constructed."""
    bases = _bases_of(owner)
    is_dict = "TypedDict" in bases
    own = {each.name: each for each in reversed(owner.body) if isinstance(each, ast.FunctionDef)}
    if (owner.keywords and not is_dict) or own.keys() & {"__new__", "__post_init__"}:
        return Obstacle("class", "custom construction")
    if "__init__" in own:
        bare = copy.copy(own["__init__"])
        bare.returns = None
        return _read(module, bare, reader, owner=owner.name, is_bound=True)
    decorators = {ast.unparse(d).partition("(")[0].rpartition(".")[2] for d in owner.decorator_list}
    if is_dict or "NamedTuple" in bases or (decorators == {"dataclass"} and bases <= _BASES):
        return _read(module, _of_fields(owner), reader, owner="", is_bound=False)
    if bases <= _BASES and not decorators:
        return Signature((), Type("none"))
    inherited = [base for base in owner.bases if ast.unparse(base) not in _BASES]
    if not decorators and len(inherited) == 1 and isinstance(inherited[0], ast.Name):
        target = reader.resolver.resolve(module, inherited[0].id)
        parent = class_of(target, reader.resolver) if isinstance(target, Definition) else None
        if isinstance(target, Definition) and parent is not None and depth < MOST_PARENTS:
            return made_of(target.module, parent, reader, depth + 1)
    return Obstacle("class", "constructor cannot be resolved")


def _bases_of(owner: ast.ClassDef) -> set[str]:
    """Return the names of a class's bases, without their modules."""
    return {ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in owner.bases}


def _of_fields(owner: ast.ClassDef) -> ast.FunctionDef:
    """Return the ``__init__`` that Python generates from a dataclass's or named tuple's fields."""
    fields = [
        each
        for each in owner.body
        if isinstance(each, ast.AnnAssign)
        and isinstance(each.target, ast.Name)
        and "ClassVar" not in ast.unparse(each.annotation)
    ]
    names = [ast.arg(ast.unparse(each.target), each.annotation) for each in fields]
    arguments = ast.arguments([], [], None, names, [each.value for each in fields], None, [])
    return ast.FunctionDef("__init__", arguments, [ast.Pass()], [], None, lineno=owner.lineno)
