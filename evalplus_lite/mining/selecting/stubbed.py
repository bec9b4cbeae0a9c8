"""What stubs tell of parameters without an annotation."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from evalplus_lite.generate.domains.annotations import Type
from evalplus_lite.mining.reading.bindings import arguments_of
from evalplus_lite.mining.selecting.annotations import PackageAnnotations, Refused
from evalplus_lite.mining.selecting.built import narrowed
from evalplus_lite.mining.selecting.unannotated import Told, types_told


@dataclass(frozen=True, slots=True)
class Declared:
    """A function as stubs declare it: its parameters' types, and its result's if they say."""

    parameters: dict[str, Told]
    result: Type | Refused | None = None


NOTHING = Declared({})


def declared(
    known: PackageAnnotations, module: str, owner: str, node: ast.FunctionDef | ast.AsyncFunctionDef
) -> Declared:
    """Return what stubs tell of a function, and of other parameters what tests gave them.

    Of parameters of which nothing tells the type, what is proposed.
    """
    found = _by_stubs(known, module, owner, node)
    seen = dict(known.observed(module, owner, node.name)) if known.observed else {}
    told = seen | found.parameters
    if known.proposed is not None:
        told |= known.proposed(module, owner, node, known, told)
    return replace(found, parameters=told) if told else found


def _by_stubs(
    known: PackageAnnotations, module: str, owner: str, node: ast.FunctionDef | ast.AsyncFunctionDef
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
        others = types_told(node)
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
