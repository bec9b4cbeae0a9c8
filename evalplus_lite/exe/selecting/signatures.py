"""Signatures: what calls a function takes, in types that can be written as data."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from evalplus_lite.exe.reading.names import arguments_of
from evalplus_lite.exe.selecting.annotations import Declared, PackageAnnotations, Refused
from evalplus_lite.exe.selecting.built import narrowed, needs_of, optional
from evalplus_lite.exe.selecting.unannotated import Origin, Told, types_told
from evalplus_lite.generate.domains.annotations import Type, read_type

NOTHING = Declared({})


def declared(
    known: PackageAnnotations, module: str, owner: str, node: ast.FunctionDef | ast.AsyncFunctionDef
) -> Declared:
    """Return the types of a function's parameters without annotations, worked out once.

    Stubs come first, then what tests gave, then what the function's own text shows.
    """
    key = (module, owner, node.lineno, *(each.arg for each in arguments_of(node.args)))
    if key not in known.declarations:
        told = types_told(node)
        found = _by_stubs(known, module, owner, node, told)
        seen = dict(known.observed(module, owner, node.name)) if known.observed else {}
        known.declarations[key] = replace(found, parameters=told | seen | found.parameters)
    return known.declarations[key]


def _by_stubs(
    known: PackageAnnotations,
    module: str,
    owner: str,
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    others: Mapping[str, Told],
) -> Declared:
    """Return what stubs tell of a function, of every overload that can be read."""
    stubs = known.stubs
    found = [] if stubs is None else stubs.declared(module, owner, node.name)
    if stubs is None or not found:
        return NOTHING
    reader = PackageAnnotations(stubs.resolver, types="known", program=known.resolver)
    read: dict[str, list[Type]] = {}
    for each in found:
        for name, annotation in _matched(node, each):
            kind = reader.read(annotation, module)
            read.setdefault(name, []).extend([kind] if isinstance(kind, Type) else [])
    results = [reader.read(e.returns, module, result=True) for e in found if e.returns is not None]
    result = results[0] if len(found) == 1 and results else None
    if node.name == "__init__":  # what it makes is the object
        result = None
    if isinstance(result, Refused) and result.reason != "returns None":
        result = Type("any")
    told = {name: Told(_either(kinds), "stub") for name, kinds in read.items()}
    if any(each.type is None for each in told.values()):
        # A stub may name what only stubs have, such as the keys of a plain dict: what else is known
        # of the parameter counts then.
        told = {
            name: each
            for name, each in told.items()
            if each.type is not None or others[name].type is None or others[name].origin == "none"
        }
    return Declared(told, result)


def _matched(
    node: ast.FunctionDef | ast.AsyncFunctionDef, stub: ast.FunctionDef
) -> list[tuple[str, ast.expr]]:
    """Return (parameter, annotation in the stub): by name, or by place where it has another."""
    named = {each.arg: each.annotation for each in arguments_of(stub.args)}
    by_place = [*stub.args.posonlyargs, *stub.args.args]
    if by_place and by_place[0].arg in ("self", "cls"):
        by_place = by_place[1:]
    found: list[tuple[str, ast.expr]] = []
    for at, own in enumerate([*node.args.posonlyargs, *node.args.args]):
        if own.arg not in named and at < len(by_place) and by_place[at].arg.startswith("__"):
            named[own.arg] = by_place[at].annotation
    for own in arguments_of(node.args):
        annotation = named.get(own.arg)
        if own.annotation is None and annotation is not None:
            found.append((own.arg, annotation))
    return found


def _either(kinds: list[Type]) -> Type | None:
    members = dict.fromkeys(
        member for kind in kinds for member in (kind.arguments if kind.kind == "union" else (kind,))
    )
    if not members:
        return None
    kept = narrowed(tuple(members))
    return kept[0] if len(kept) == 1 else Type("union", kept)


Passing: TypeAlias = Literal["positional", "keyword", "varargs", "varkw"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: how it is passed, its type, and its default as source text (or None)."""

    name: str
    kind: Passing
    type: Type
    default: str | None = None
    origin: Origin = "annotation"
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
) -> Signature | Refused:
    """Return a function's signature in accepted types, or why it has none.

    With other types than the paper's, a parameter that a call may leave out and that has no
    accepted type is left out of the signature; those after it are then given by their names. So is
    one of values that an entry point would have to make, if nothing else needs one.
    ``owner``: the class of a method. ``is_wrapped``: an entry point calls it, which makes the
    values that are no plain ones. So does one where a parameter that must be given is of such a
    type.
    """
    taken = listed(node.args)
    if not taken:
        return Refused("no arguments", "")
    stub = declared(reader, module, owner, node)
    result: Type | Refused = Type("any") if stub.result is None else stub.result
    if node.returns is not None:
        result = reader.read(node.returns, module, result=True)
    if isinstance(result, Refused):
        return result
    told = stub.parameters if reader.types == "known" else {}
    by_place = {argument.arg for argument in node.args.posonlyargs}
    parameters: list[Parameter] = []
    is_whole = True
    types = {a.arg: _parameter_type(a, told.get(a.arg), reader, module) for a, _, _ in taken}
    is_wrapped = is_wrapped or any(
        _is_built(types[a.arg]) and default is None and kind in ("positional", "keyword")
        for a, kind, default in taken
    )
    for argument, kind, default in taken:
        found = types[argument.arg]
        is_open = default is not None or kind in ("varargs", "varkw")
        is_made = is_open and _is_built(found)
        if is_made and not isinstance(found, Refused):
            is_none = isinstance(default, ast.Constant) and default.value is None
            found = optional(found) if is_wrapped and is_none else Refused("type", argument.arg)
        if not is_whole and (kind == "varargs" or argument.arg in by_place):
            found = Refused("type", f"{argument.arg} after one that is left out")
        if isinstance(found, Refused):
            if not is_open or (reader.types == "paper" and not is_made):
                return found
            is_whole = False
            continue
        text = None if default is None else ast.unparse(default)
        place = "keyword" if kind == "positional" and not is_whole else kind
        origin = told[argument.arg].origin if argument.annotation is None else "annotation"
        parameters.append(Parameter(argument.arg, place, found, text, origin))
    if not parameters:
        return Refused("no arguments", "of an accepted type")
    return Signature(tuple(parameters), result)


def listed(arguments: ast.arguments) -> list[tuple[ast.arg, Passing, ast.expr | None]]:
    """Return the parameters in order: how each is passed, and its default."""
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    defaults += arguments.defaults
    found: list[tuple[ast.arg, Passing, ast.expr | None]]
    found = [(a, "positional", d) for a, d in zip(positional, defaults, strict=True)]
    if arguments.vararg:
        found.append((arguments.vararg, "varargs", None))
    found += [
        (a, "keyword", d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]
    if arguments.kwarg:
        found.append((arguments.kwarg, "varkw", None))
    return found


def _parameter_type(
    argument: ast.arg, told: Told | None, reader: PackageAnnotations, module: str
) -> Type | Refused:
    if argument.annotation is not None:
        return reader.read(argument.annotation, module)
    if told is None or told.type is None:
        return Refused("type", "an object, by its use")
    return told.type


def _is_built(found: Type | Refused) -> bool:
    return isinstance(found, Type) and any(needs_of(found))


def is_told(node: ast.FunctionDef | ast.AsyncFunctionDef, stub: Declared) -> bool:
    """Return whether something tells the type of a parameter that a call must give.

    Only functions that return something count.
    """
    told = stub.parameters
    needed = [a for a, kind, default in listed(node.args) if default is None and kind != "varkw"]
    known = [a for a in needed if a.annotation is not None or told[a.arg].origin != "none"]
    return gives_something(node) and (bool(known) or not needed)


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
