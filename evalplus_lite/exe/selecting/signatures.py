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
from evalplus_lite.exe.tables import tables
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
_WORDS, _NAMES = (
    {name: str(kind) for kind, names in tables("types")[table].items() for name in names.split()}
    for table in ("words", "names")
)
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

    def types_of(items: Iterable[Value]) -> list[Type]:
        return [kind for item in items if (kind := type_of(item, depth + 1)) is not None]

    items = types_of(value)  # a dict's keys
    if len(items) < len(value):
        return None
    if isinstance(value, dict):
        values = types_of(value.values())
        return Type("dict", (either(items), either(values)) if values else (Type("str"), ITEM))
    if isinstance(value, tuple) and 0 < len(items) <= _LONGEST_TUPLE:
        return Type("tuple", tuple(items))
    return Type(name, (either(items) if items else ITEM,), variadic=name == "tuple")


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
                container, *items = map(Type, kinds)
                item = either(items) if items else ITEM
                return Inferred(replace(container, arguments=(item,)), "docstring")
            types = (_CONTAINERS.get(kind, Type(kind)) for kind in kinds)
            return Inferred(either(types), "docstring")
    return None


_CONTAINERS = {
    "list": Type("list", (ITEM,)), "set": Type("set", (ITEM,)),
    "tuple": Type("tuple", (ITEM,), variadic=True), "dict": Type("dict", (Type("str"), ITEM)),
}  # fmt: skip


MOST_MEMBERS = 50
"""Maximum number of an enumeration's members to draw from."""
ANY = Type("any")
Need: TypeAlias = Definition | External
"""A name that an entry point refers to, from the package or the standard library."""


@dataclass(frozen=True, slots=True)
class ConstructedType(Type):
    """A type whose values are constructed from plain values; its ``Type`` part is the plain type.

    ``template``: an expression for a value, with ``{}`` for the plain one. With ``fields``, the
    plain value is a tuple of one element per field, passed to the callable ``template`` by name.
    """

    template: str = "{}"
    fields: tuple[str, ...] = ()
    needs: tuple[Need, ...] = ()
    answer: Type = ANY
    """The type of the recorded answer when a function returns such a value."""


LIBRARY = {
    name: (template, read_type(" ".join(plain.split())))
    for name, (template, plain) in tables("types")["library"].items()
}
"""How values of standard library types are constructed. Paths are pure: no file is accessed."""


def library_type(dotted: str, bound: Callable[[str], Target]) -> ConstructedType:
    """Return how values of a type in ``LIBRARY`` are constructed.

    ``bound`` resolves a name in the module: where ``datetime`` is bound to the library's module,
    the class is written ``datetime.datetime``.
    """
    template, plain = LIBRARY[dotted]
    module, name = dotted.rpartition(".")[0], template.partition("(")[0].partition(".")[0]
    need = External(module, name)
    if bound(name) != need and not isinstance(bound(name), Obstacle):
        need, template = External(module), f"{module}.{template}"
    return ConstructedType(
        plain.kind,
        plain.arguments,
        plain.values,
        template=template,
        needs=(need,),
        answer=plain if plain.kind in ("date", "datetime") else ANY,
    )


def enum_type(owner: ast.ClassDef, where: Definition, resolver: Resolver) -> ConstructedType | None:
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
    return ConstructedType(
        "literal",
        values=tuple(names[:MOST_MEMBERS]),
        template=f"{where.name}[{{}}]",
        needs=(where,),
    )


def _is_enum(owner: ast.ClassDef, module: str, resolver: Resolver, depth: int = 0) -> bool:
    for base in owner.bases:
        first, _, rest = ast.unparse(base).partition(".")
        target = resolver.resolve(module, first)
        if isinstance(target, External):
            dotted = f"{target.dotted}.{rest}".strip(".")
            if dotted.startswith("enum.") and dotted.endswith(("Enum", "Flag")):
                return True
        elif isinstance(target, Definition) and not rest and depth < 5:
            parent = class_of(target, resolver)
            if parent is not None and _is_enum(parent, target.module, resolver, depth + 1):
                return True
    return False


def needs_of(kind: Type) -> Iterator[Need]:
    """Yield the names that constructing a type's values refers to; none for plain types."""
    if isinstance(kind, ConstructedType):
        yield from kind.needs
    for each in kind.arguments:
        yield from needs_of(each)


def size_of(kind: Type) -> int:
    """Return the number of types in a type, itself included."""
    return 1 + sum(map(size_of, kind.arguments))


def plain_type(kind: Type) -> Type:
    """Return the type of the plain values that a type's values are constructed from."""
    return Type(kind.kind, tuple(map(plain_type, kind.arguments)), kind.values, kind.variadic)


def construction(kind: Type, source: str, depth: int = 0) -> str:
    """Return an expression that constructs a type's value from the plain value of ``source``."""
    if not any(needs_of(kind)):
        return source
    item = "each" if not depth else f"each{depth}"

    def inside(at: int, of: str) -> str:
        return construction(kind.arguments[at], of, depth + 1)

    if isinstance(kind, ConstructedType):
        if kind.fields:
            parts = [
                f"{name}={inside(at, f'{source}[{at}]')}" for at, name in enumerate(kind.fields)
            ]
            return f"{kind.template}({', '.join(parts)})"
        return kind.template.format(source)
    if kind.kind == "union":  # None, and one constructed type
        (other,) = (each for each in kind.arguments if each.kind != "none")
        return f"None if {source} is None else {construction(other, source, depth)}"
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


def answer_type(kind: Type) -> Type:
    """Return the type of the answer when a value of the given type is returned."""
    if isinstance(kind, ConstructedType):
        return kind.answer
    return replace(kind, arguments=tuple(map(answer_type, kind.arguments)))


_BUILTIN = frozenset("int str float bool list dict tuple set frozenset bytes object".split())


@dataclass(frozen=True, slots=True)
class PackageAnnotations:
    """A reader of one package's annotations."""

    resolver: Resolver
    observed: Mapping[tuple[str, str, str], Mapping[str, Inferred]] = field(default_factory=dict)
    """By module, class (or "") and function: the types of recorded arguments, by parameter."""
    _classes: dict[Definition, ConstructedType | Obstacle] = field(default_factory=dict)

    def constructed(self, where: Definition, owner: ast.ClassDef) -> ConstructedType | Obstacle:
        """Return how objects of a class are constructed from plain values."""
        if where not in self._classes:
            # A placeholder: an object that needs one of its own class cannot be constructed.
            self._classes[where] = Obstacle("type", f"{where.module}.{where.name}")
            member = enum_type(owner, where, self.resolver)
            self._classes[where] = member or object_type(where, owner, self)
        return self._classes[where]

    def read(self, node: ast.expr, module: str, *, result: bool = False) -> Type | Obstacle:
        """Return the type of an annotation, or why it is rejected.

        ``result`` marks a return annotation, where None alone is rejected.
        """
        base = ast.unparse(node.value) if isinstance(node, ast.Subscript) else ""
        if result and base.rpartition(".")[2] in ("TypeGuard", "TypeIs"):
            return Type("bool")
        try:
            kind = _ModuleReader(self, module, is_result=result).read(node)
        except UnreadableError as error:
            return Obstacle("type", str(error))
        if result and kind.kind == "none":
            return Obstacle("returns None", "None")
        return answer_type(kind) if result else kind


class _ModuleReader(AnnotationReader):
    """A reader that resolves names in a module."""

    def __init__(self, of: PackageAnnotations, module: str, *, is_result: bool = False) -> None:
        self.of, self.resolver, self.module = of, of.resolver, module
        self.is_result = is_result

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
        if dotted == "typing.Self" and self.is_result:
            return "any"
        if dotted not in _NAMES:
            raise UnreadableError(dotted.removeprefix("typing."))
        return _NAMES[dotted]

    def alias(self, name: str, depth: int) -> Type:
        """Resolve a module-level alias such as ``Name = list[int]``, or a class to construct."""
        target, rest = self._target(name)
        if isinstance(target, External):
            dotted = ".".join([target.dotted, *rest])
            if dotted in LIBRARY:
                bound = functools.partial(self.resolver.resolve, self.module)
                return library_type(dotted, bound)
        if isinstance(target, Definition) and not rest:
            if (owner := class_of(target, self.resolver)) is not None:
                objects = self.of.constructed(target, owner)
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
                return self._there(target).type_variable(value, depth)
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

    def type_variable(self, call: ast.Call, depth: int) -> Type:
        """Return the type that ``TypeVar("T", bound=int)`` or ``NewType("Id", str)`` stands for."""
        function = ast.unparse(call.func)
        first, _, rest = function.partition(".")
        target = self.resolver.resolve_annotation(self.module, first)
        dotted = f"{target.dotted}.{rest}".strip(".") if isinstance(target, External) else ""
        if dotted == "typing.NewType" and len(call.args) == 2:
            return self.read(call.args[1], depth + 1)
        if dotted != "typing.TypeVar":
            is_typing = dotted.startswith("typing.")
            raise UnreadableError(dotted.removeprefix("typing.") if is_typing else function)
        bounds = [word.value for word in call.keywords if word.arg == "bound"] or call.args[1:]
        return self._union(bounds, depth + 1) if bounds else Type("any")


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
    listed = parameters_of(node.args)
    if not listed and not is_wrapped:
        return Obstacle("no arguments", "")
    # Types of recorded calls, by tests or examples, take precedence over those in the source.
    inferred = inferred_types(node)
    inferred |= reader.observed.get((module, owner, node.name), {})
    result: Type | Obstacle = Type("any")
    if node.returns is not None:
        result = reader.read(node.returns, module, result=True)
    if isinstance(result, Obstacle):
        return result
    types = {
        a.arg: inferred[a.arg].type if a.annotation is None else reader.read(a.annotation, module)
        for a, _, _ in listed
    }
    needs_entry = is_wrapped or any(
        _is_constructed(types[a.arg]) and default is None and kind in ("positional", "keyword")
        for a, kind, default in listed
    )
    parameters: list[Parameter] = []
    is_whole = True
    for argument, kind, default in listed:
        read = types[argument.arg]
        is_optional = default is not None or kind in ("varargs", "varkw")
        if is_optional and not isinstance(read, Obstacle) and _is_constructed(read):
            is_none = isinstance(default, ast.Constant) and default.value is None
            read = optional(read) if needs_entry and is_none else Obstacle("type", argument.arg)
        if not is_whole and (kind == "varargs" or argument in node.args.posonlyargs):
            read = Obstacle("type", f"{argument.arg} after a parameter left out")
        if isinstance(read, Obstacle):
            if not is_optional:
                return read
            is_whole = False
            continue
        text = None if default is None else ast.unparse(default)
        passing = "keyword" if kind == "positional" and not is_whole else kind
        parameter = Parameter(argument.arg, passing, read, text)
        if argument.annotation is None:
            parameter = replace(parameter, origin=inferred[argument.arg].origin)
        parameters.append(parameter)
    if not parameters and not is_wrapped:
        return Obstacle("no arguments", "of an accepted type")
    return Signature(tuple(parameters), result if parameters or not listed else Type("any"))


def _is_constructed(kind: Type | Obstacle) -> bool:
    return isinstance(kind, Type) and any(needs_of(kind))


def returns_value(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a function has a return annotation, or returns or yields a value."""
    return node.returns is not None or any(
        isinstance(child, ast.Return | ast.Yield | ast.YieldFrom)
        and child.value is not None
        and getattr(child.value, "value", child) is not None
        for child in ast.walk(node)
    )


CONTAINERS = frozenset({"set", "frozenset", "tuple"})
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


def _construction_needs(parameters: Iterable[Parameter]) -> tuple[Need, ...]:
    """Return the names that constructing the arguments refers to, without duplicates."""
    return tuple(dict.fromkeys(need for p in parameters for need in needs_of(p.type)))


def _wrapper(name: str, parameters: Iterable[Parameter], call: str, result: Type) -> Entry:
    """Return an entry point with these parameters, required ones first."""
    ordered = sorted(parameters, key=lambda each: not each.is_required)
    listed = ", ".join(p.name + (f"={p.default}" if p.default else "") for p in ordered)
    shown = tuple(replace(p, type=plain_type(p.type), kind="positional") for p in ordered)
    return Entry(
        name,
        f"def {name}({listed}):\n    return {call}\n",
        Signature(shown, result),
        _construction_needs(ordered),
        tuple(p.type for p in ordered),
    )


def _passed(parameters: Iterable[Parameter]) -> list[Parameter]:
    """Return the parameters that a wrapper can pass on.

    A default must be a literal, so that it can be written outside its module.
    """
    passed = []
    for parameter in parameters:
        with suppress(ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            if not parameter.is_required:
                ast.literal_eval(parameter.default or "")
            if parameter.kind in ("positional", "keyword"):
                passed.append(parameter)
    return passed


def entry_of(
    module: str,
    owner: ast.ClassDef | None,
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    reader: PackageAnnotations,
) -> Entry | Obstacle:
    """Return the entry point of a function, or of a class's method, or why there is none."""
    if isinstance(node, ast.AsyncFunctionDef):
        return Obstacle("coroutine", node.name)
    if owner is not None:
        return _entry_of_method(module, owner, node, reader)
    if any(ast.unparse(d).rpartition(".")[2] == "overload" for d in node.decorator_list):
        return Obstacle("overload stub", node.name)
    signature = read_signature(module, node, reader)
    if isinstance(signature, Obstacle):
        return signature
    if not _construction_needs(signature.parameters):
        return Entry(node.name, "", signature)
    by_place = {each.arg for each in node.args.posonlyargs}
    passed = _passed(signature.parameters)
    used = {*(need.name for need in _construction_needs(passed)), *CONTAINERS, node.name}
    own = [replace(p, name=f"{p.name}_given" if p.name in used else p.name) for p in passed]
    call = ", ".join(
        ("" if p.name in by_place else f"{p.name}=") + construction(p.type, renamed.name)
        for p, renamed in zip(passed, own, strict=True)
    )
    return _wrapper(f"call_{node.name}", own, f"{node.name}({call})", signature.result)


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
    methods = {
        each.name: each
        for each in node.body
        if isinstance(each, ast.FunctionDef)
        and not any(getattr(d, "attr", "") in ("setter", "deleter") for d in each.decorator_list)
    }
    for name, method in methods.items():
        if not (name.startswith("__") and name.endswith("__")):
            yield method


def _entry_of_method(
    module: str, owner: ast.ClassDef, method: ast.FunctionDef, reader: PackageAnnotations
) -> Entry | Obstacle:
    how = how_called(method)
    if how is None:
        return Obstacle("decorated method", method.name)
    signature = _by_keyword(module, method, reader, owner=owner.name, is_bound=how != "static")
    if isinstance(signature, Obstacle):
        return signature
    target, parameters = owner.name, tuple[Parameter, ...]()
    if how in ("method", "property"):
        member = enum_type(owner, Definition(module, owner.name), reader.resolver)
        if member is not None:
            parameters = (Parameter("member", "positional", member),)
            target = construction(member, "member")
        else:
            constructor = constructor_of(module, owner, reader)
            if isinstance(constructor, Obstacle):
                return constructor
            parameters = constructor.parameters
            inside = ", ".join(f"{p.name}={construction(p.type, p.name)}" for p in parameters)
            target = f"{owner.name}({inside})"
    used = {p.name for p in parameters}
    passed = signature.parameters
    own = [replace(p, name=f"{p.name}_given" if p.name in used else p.name) for p in passed]
    names = {p.name for p in own}
    needs = _construction_needs((*parameters, *passed))
    mentions = {owner.name, *(need.name for need in needs), *CONTAINERS}
    if used & names or (used | names) & mentions:
        return Obstacle("name clash", f"{owner.name}.{method.name}")
    if not parameters and not own:
        return Obstacle("no arguments", "")
    call = f"{target}.{method.name}"
    if how != "property":
        pairs = zip(passed, own, strict=True)
        outside = ", ".join(f"{p.name}={construction(p.type, q.name)}" for p, q in pairs)
        call = f"{call}({outside})"
    return _wrapper(f"{owner.name}_{method.name}", (*parameters, *own), call, signature.result)


def object_type(
    where: Definition, owner: ast.ClassDef, reader: PackageAnnotations
) -> ConstructedType | Obstacle:
    """Return how an object of a class is constructed from a tuple of ``__init__`` arguments."""
    constructor = constructor_of(where.module, owner, reader)
    if isinstance(constructor, Obstacle):
        return constructor
    required = [p for p in constructor.parameters if p.is_required]
    others = [p for p in constructor.parameters if not p.is_required]
    fields = [*required, *others[: max(0, MOST_FIELDS - len(required))]]
    if not fields:
        return Obstacle("class", "constructed without arguments")
    if sum(size_of(p.type) for p in fields) > MOST_PARTS:
        return Obstacle("class", "constructed from too many parts")
    return ConstructedType(
        "tuple",
        tuple(p.type for p in fields),
        template=where.name,
        fields=tuple(p.name for p in fields),
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


def _by_keyword(
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
    if shown.name == "__init__":
        shown.returns = None
    if shown.args.posonlyargs:
        return Obstacle("type", "a positional-only parameter")
    if is_bound:
        if not shown.args.args:
            return Obstacle("type", "a method without self")
        shown.args.args = shown.args.args[1:]
    signature = read_signature(module, shown, reader, owner=owner, is_wrapped=True)
    if isinstance(signature, Obstacle):
        return signature
    passed = tuple(replace(p, kind="positional") for p in _passed(signature.parameters))
    if any(p.is_required and p.origin == "none" for p in passed):
        return Obstacle("type", "unknown")
    return Signature(passed, signature.result)


def constructor_of(
    module: str, owner: ast.ClassDef, reader: PackageAnnotations, depth: int = 0
) -> Signature | Obstacle:
    """Return the signature of a class's constructor, or why objects cannot be constructed."""
    bases = _bases_of(owner)
    is_dict = "TypedDict" in bases
    own = {each.name: each for each in reversed(owner.body) if isinstance(each, ast.FunctionDef)}
    if (owner.keywords and not is_dict) or own.keys() & {"__new__", "__post_init__"}:
        return Obstacle("class", "custom construction")
    if "__init__" in own:
        return _by_keyword(module, own["__init__"], reader, owner=owner.name, is_bound=True)
    decorators = {ast.unparse(d).partition("(")[0].rpartition(".")[2] for d in owner.decorator_list}
    if is_dict or "NamedTuple" in bases or (decorators == {"dataclass"} and bases <= _BASES):
        return _by_keyword(module, _of_fields(owner), reader, owner="", is_bound=False)
    if bases <= _BASES and not decorators:
        return Signature((), Type("none"))
    inherited = [base for base in owner.bases if ast.unparse(base) not in _BASES]
    if not decorators and len(inherited) == 1 and isinstance(inherited[0], ast.Name):
        target = reader.resolver.resolve(module, inherited[0].id)
        parent = class_of(target, reader.resolver) if isinstance(target, Definition) else None
        if isinstance(target, Definition) and parent is not None and depth < MOST_PARENTS:
            return constructor_of(target.module, parent, reader, depth + 1)
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
