"""Methods as functions of plain values: a generated entry point makes the object and calls.

Static and class methods are called on their class. An object is made where the class says what it
is made of: its own ``__init__``, the fields of a dataclass or named tuple, or nothing at all.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import replace

from evalplus_lite.generate.domains.annotations import Type
from evalplus_lite.mining.selecting.annotations import PackageAnnotations, Refused
from evalplus_lite.mining.selecting.signatures import Signature, read_signature

_CALLED = {"staticmethod": "static", "classmethod": "class", "property": "property",
           "cached_property": "property"}  # fmt: skip
_HARMLESS = frozenset({"final", "override"})
_BASES = frozenset({"object", "ABC", "NamedTuple", "Generic", "Protocol"})


def methods_of(node: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    """Yield a class's methods with a name of their own, the last of each name."""
    found = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
    for name, method in found.items():
        if not (name.startswith("__") and name.endswith("__")):
            yield method


def entry_for(
    module: str, owner: ast.ClassDef, method: ast.FunctionDef, reader: PackageAnnotations
) -> tuple[str, str, Signature] | Refused:
    """Return a function's name, text and signature that calls a method; or why there is none."""
    how = _how_called(method)
    if how is None:
        return Refused("decorated method", method.name)
    taken = _read(module, method, reader, is_bound=how != "static")
    if isinstance(taken, Refused):
        return taken
    is_made = how in ("method", "property")
    made = _made_of(module, owner, reader) if is_made else Signature((), Type("none"))
    if isinstance(made, Refused):
        return made
    used = {p.name for p in made.parameters}
    renamed = {p.name: f"{p.name}_given" if p.name in used else p.name for p in taken.parameters}
    if used & set(renamed.values()) or owner.name in used | set(renamed.values()):
        return Refused("name clash", f"{owner.name}.{method.name}")
    inside = ", ".join(f"{p.name}={p.name}" for p in made.parameters)
    outside = ", ".join(f"{p.name}={renamed[p.name]}" for p in taken.parameters)
    target = f"{owner.name}({inside})" if is_made else owner.name
    call = f"{target}.{method.name}" + (f"({outside})" if how != "property" else "")
    parameters = [*made.parameters, *(replace(p, name=renamed[p.name]) for p in taken.parameters)]
    if not parameters:
        return Refused("no arguments", "")
    parameters.sort(key=lambda each: not each.is_required)
    name = f"{owner.name}_{method.name}"
    listed = ", ".join(p.name + (f"={p.default}" if p.default else "") for p in parameters)
    text = f"def {name}({listed}):\n    return {call}\n"
    return name, text, Signature(tuple(parameters), taken.result)


def _how_called(method: ast.FunctionDef) -> str | None:
    how = "method"
    for decorator in method.decorator_list:
        last = ast.unparse(decorator).rpartition(".")[2]
        if last in _CALLED:
            how = _CALLED[last]
        elif last not in _HARMLESS:
            return None
    return how


def _read(
    module: str, function: ast.FunctionDef, reader: PackageAnnotations, *, is_bound: bool
) -> Signature | Refused:
    """Return what a call by names may give a method; what only a place can give is refused."""
    shown = copy.copy(function)
    shown.args = copy.copy(function.args)
    if shown.args.posonlyargs:
        return Refused("type", "a parameter by place")
    if is_bound:
        if not shown.args.args:
            return Refused("type", "a method without self")
        shown.args.args = shown.args.args[1:]
    if not any((shown.args.args, shown.args.kwonlyargs, shown.args.vararg, shown.args.kwarg)):
        result = Type("any")
        if shown.returns is not None:
            read = reader.read(shown.returns, module, result=True)
            if isinstance(read, Refused):
                return read
            result = read
        return Signature((), result)
    found = read_signature(module, shown, reader)
    if isinstance(found, Refused):
        return Signature((), Type("any")) if found.detail == "of an accepted type" else found
    kept = tuple(
        replace(p, kind="positional")
        for p in found.parameters
        if p.kind in ("positional", "keyword") and (p.is_required or _is_literal(p.default))
    )
    if any(p.is_required and p.origin == "none" for p in kept):
        return Refused("type", "unknown")
    return Signature(kept, found.result)


def _made_of(module: str, owner: ast.ClassDef, reader: PackageAnnotations) -> Signature | Refused:
    """Return what an object of a class is made of."""
    bases = {ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in owner.bases}
    if owner.keywords or any(_is_own(owner, name) for name in ("__new__", "__post_init__")):
        return Refused("class", "made in a way of its own")
    for each in owner.body:
        if isinstance(each, ast.FunctionDef) and each.name == "__init__":
            bare = copy.copy(each)
            bare.returns = None
            return _read(module, bare, reader, is_bound=True)
    decorators = {ast.unparse(d).partition("(")[0].rpartition(".")[2] for d in owner.decorator_list}
    if "NamedTuple" in bases or (decorators == {"dataclass"} and bases <= _BASES):
        return _read(module, _of_fields(owner), reader, is_bound=False)
    if bases <= _BASES and not decorators:
        return Signature((), Type("none"))
    return Refused("class", "made as one that it inherits from")


def _is_own(owner: ast.ClassDef, name: str) -> bool:
    return any(isinstance(each, ast.FunctionDef) and each.name == name for each in owner.body)


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


def _is_literal(default: str | None) -> bool:
    try:
        ast.literal_eval(default or "")
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return False
    return True
