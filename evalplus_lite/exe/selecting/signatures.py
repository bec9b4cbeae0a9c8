"""Signatures: what calls a function takes, in types that can be written as data."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from evalplus_lite.exe.reading.index import Definition, Obstacle, class_of
from evalplus_lite.exe.reading.names import Passing, parameters_of
from evalplus_lite.exe.selecting.types import (
    ANY,
    MadeType,
    Need,
    PackageAnnotations,
    TypeOrigin,
    inferred_types,
    made,
    mentioned,
    needs_of,
    of_enum,
    optional,
    plain,
    size_of,
)
from evalplus_lite.generate.domains.annotations import Type, read_type


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: how it is passed, its type, and its default as source text (or None)."""

    name: str
    kind: Passing
    type: Type
    default: str | None = None
    origin: TypeOrigin = "annotation"
    """What told the type."""

    @property
    def is_required(self) -> bool:
        """Whether a call must give it."""
        return self.default is None and self.kind in ("positional", "keyword")


@dataclass(frozen=True, slots=True)
class Signature:
    """A function's parameters in order and its result."""

    parameters: tuple[Parameter, ...]
    result: Type

    def to_json(self) -> dict[str, Any]:
        """Return it as the ``signature`` entry of a task row."""
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
        """Read what ``to_json`` wrote."""
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

    Optional parameters without an accepted type are left out, and later ones passed by name. Those
    whose values an entry point would have to make are left out, too, unless a required parameter
    needs an entry point anyway. ``owner``: the class of a method. ``is_wrapped``: an entry point,
    which makes the values that are not plain, calls it whatever its parameters are.
    """
    taken = parameters_of(node.args)
    if not taken and not is_wrapped:
        return Obstacle("no arguments", "")
    # What tests gave comes first, then what the function's own text shows.
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
            found = Obstacle("type", f"{argument.arg} after one that is left out")
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
    """Return whether a function says that it returns something, or does."""
    return node.returns is not None or any(
        isinstance(child, ast.Return | ast.Yield | ast.YieldFrom)
        and child.value is not None
        and getattr(child.value, "value", child) is not None
        for child in ast.walk(node)
    )


def is_overload(node: ast.FunctionDef) -> bool:
    """Return whether a function only declares one of several ways to call another."""
    return any(ast.unparse(d).rpartition(".")[2] == "overload" for d in node.decorator_list)


MADE_WITH = frozenset({"set", "frozenset", "tuple"})
"""Builtins that an entry point may call."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a task calls: a function itself, or one that makes its arguments of plain values.

    ``text`` is that of the second, empty for the first.
    """

    name: str
    text: str
    signature: Signature
    needs: tuple[Need, ...] = ()
    """What it mentions, besides what it calls."""
    built: tuple[Type, ...] = ()
    """The types of what it makes of its parameters."""


def built_needs(parameters: Iterable[Parameter]) -> tuple[Need, ...]:
    """Return what making the arguments mentions, each once."""
    return tuple(dict.fromkeys(need for p in parameters for need in needs_of(p.type)))


def given(parameter: Parameter, renamed: Mapping[str, str]) -> str:
    """Return the expression that makes an argument of the entry point's parameter."""
    return made(parameter.type, renamed.get(parameter.name, parameter.name))


def entry(name: str, parameters: Iterable[Parameter], call: str, signature: Signature) -> Entry:
    """Return the entry point of given parameters, required ones first."""
    ordered = sorted(parameters, key=lambda each: not each.is_required)
    listed = ", ".join(p.name + (f"={p.default}" if p.default else "") for p in ordered)
    text = f"def {name}({listed}):\n    return {call}\n"
    shown = tuple(replace(p, type=plain(p.type), kind="positional") for p in ordered)
    types = tuple(p.type for p in ordered)
    return Entry(name, text, Signature(shown, signature.result), built_needs(ordered), types)


def is_literal(default: str | None) -> bool:
    """Return whether a default can be written where the function's module is not."""
    try:
        ast.literal_eval(default or "")
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return False
    return True


def entry_of_function(node: ast.FunctionDef, signature: Signature) -> Entry:
    """Return the entry point of a function: itself, unless it wants other than plain values."""
    if not built_needs(signature.parameters):
        return Entry(node.name, "", signature)
    by_place = {each.arg for each in node.args.posonlyargs}
    kept = [
        p
        for p in signature.parameters
        if p.kind in ("positional", "keyword") and (p.is_required or is_literal(p.default))
    ]
    taken = {*map(mentioned, built_needs(kept)), *MADE_WITH, node.name}
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
"""Classes up which an ``__init__`` is looked for."""
MOST_PARTS = 40
"""Parts of an object given as an argument, and of what it is made of, in sum."""
MOST_FIELDS = 4
"""Things that an object given as an argument is made of, those apart that it must be given."""


def methods_of(node: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    """Yield a class's methods with a name of their own, the last of each name.

    What sets or deletes a property gives nothing, and stands for no other method of its name.
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
    """Return the entry point that calls a method; or why there is none."""
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
    mentions = map(mentioned, built_needs((*made.parameters, *taken.parameters)))
    if used & set(renamed.values()) or named & {owner.name, *mentions, *MADE_WITH}:
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
    """Return how an object of a class is made of a tuple of what its ``__init__`` is given."""
    found = made_of(where.module, owner, reader)
    if isinstance(found, Obstacle):
        return found
    required = [p for p in found.parameters if p.is_required]
    others = [p for p in found.parameters if not p.is_required]
    kept = [*required, *others[: max(0, MOST_FIELDS - len(required))]]
    if not kept:
        return Obstacle("class", "made of nothing")
    if sum(size_of(p.type) for p in kept) > MOST_PARTS:
        return Obstacle("class", "made of too much")
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
    """Return what a call by names may give a method; what only a place can give is refused."""
    shown = copy.copy(function)
    shown.args = copy.copy(function.args)
    if shown.args.posonlyargs:
        return Obstacle("type", "a parameter by place")
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
    """Return what an object of a class is made of."""
    bases = _bases_of(owner)
    is_dict = "TypedDict" in bases
    own = {each.name: each for each in reversed(owner.body) if isinstance(each, ast.FunctionDef)}
    if (owner.keywords and not is_dict) or own.keys() & {"__new__", "__post_init__"}:
        return Obstacle("class", "made in a way of its own")
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
    return Obstacle("class", "made as one that it inherits from")


def _bases_of(owner: ast.ClassDef) -> set[str]:
    """Return the last parts of the names of what a class inherits from."""
    return {ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in owner.bases}


def _of_fields(owner: ast.ClassDef) -> ast.FunctionDef:
    """Return the ``__init__`` that a dataclass's or named tuple's fields make."""
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
