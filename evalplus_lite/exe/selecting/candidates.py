"""Functions worth mining: top level, of known types that can be written as data."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from evalplus_lite.exe.reading.index import Module, PackageIndex
from evalplus_lite.exe.reading.names import arguments_of
from evalplus_lite.exe.selecting.annotations import PackageAnnotations, Refused, declared
from evalplus_lite.exe.selecting.built import Need
from evalplus_lite.exe.selecting.methods import Entry, entry_for, entry_of_function, methods_of
from evalplus_lite.exe.selecting.signatures import (
    Signature,
    gives_something,
    is_overload,
    is_told,
    read_signature,
)

_DEF = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+\w", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A function that passed selection."""

    module: str
    name: str
    line: int
    signature: Signature
    node: ast.FunctionDef
    owner: str = ""
    """The class, of a method."""
    driver: str = ""
    """The function that calls it with what it makes of plain values; ``name`` is its name."""
    needs: tuple[Need, ...] = ()
    """What the driver mentions, besides the function or class itself."""

    @property
    def subject(self) -> str:
        """The name of the function in its module, of a method the class's."""
        return self.owner or self.node.name


@dataclass(slots=True)
class Census:
    """How many functions a package has, and what selection refused."""

    functions: int = 0
    top_level: int = 0
    typed: int = 0
    accepted: int = 0
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    """(module, why)"""
    untyped: list[tuple[str, str, str]] = field(default_factory=list)
    """(module, function, reason) of those that are none for want of types or of a result."""

    refused: list[tuple[str, str, str, str]] = field(default_factory=list)
    """(module, function, reason, detail)"""

    def leave(
        self, module: Module, name: str, node: ast.FunctionDef | ast.AsyncFunctionDef
    ) -> None:
        """Note that nothing tells the types of a function, or that it gives nothing."""
        reason = "types unknown" if gives_something(node) else "returns None"
        self.untyped.append((module.name, name, reason))


def candidates(
    index: PackageIndex, reader: PackageAnnotations, census: Census
) -> Iterator[Candidate]:
    """Yield the package's candidates in order of module and line; fill in the census."""
    package = index.package
    for name in sorted(package.files):
        file = package.files[name]
        if file.is_test:
            continue
        try:
            text = package.text(file)
        except ValueError as error:
            census.unreadable.append((name, str(error)))
            continue
        found = len(_DEF.findall(text))
        census.functions += found
        if "->" not in text and reader.types != "known":
            # Without a return annotation there is nothing to find: counted, not parsed.
            census.top_level += sum(1 for m in _DEF.finditer(text) if m.group()[0] in "da")
            continue
        module = index.module(name)
        if module is None:
            census.unreadable.append((name, index.problem(name)))
            continue
        before = census.accepted
        yield from in_module(module, reader, census)
        if census.accepted == before:
            # Trees are large, and most modules are never needed again.
            index.forget(name)


def in_module(module: Module, reader: PackageAnnotations, census: Census) -> Iterator[Candidate]:
    """Yield a module's candidates in order of their lines; fill in the census."""
    for statement in module.statements:
        node = statement.node
        if isinstance(node, ast.ClassDef) and reader.types != "paper":
            yield from _in_class(module, node, reader, census)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            census.top_level += 1
            arguments = arguments_of(node.args)
            stub = declared(reader, module.name, "", node)
            is_bare = node.returns is None or any(a.annotation is None for a in arguments)
            if is_bare and (reader.types != "known" or not is_told(node, stub)):
                census.leave(module, node.name, node)
                continue
            census.typed += 1
            found = _candidate(module, node, reader)
            if isinstance(found, Refused) and reader.proposed is not None:
                plain = replace(reader, proposed=None, _classes={})
                if not is_bare or is_told(node, declared(plain, module.name, "", node)):
                    found = _candidate(module, node, plain)
            if isinstance(found, Refused):
                census.refused.append((module.name, node.name, found.reason, found.detail))
                continue
            if len(module.bindings[node.name]) > 1 and not _is_last(module, node):
                census.refused.append((module.name, node.name, "redefined later", ""))
                continue
            census.accepted += 1
            yield found


def _in_class(
    module: Module, owner: ast.ClassDef, reader: PackageAnnotations, census: Census
) -> Iterator[Candidate]:
    for method in methods_of(owner):
        arguments = arguments_of(method.args)[1:]
        stub = declared(reader, module.name, owner.name, method)
        is_bare = method.returns is None or any(a.annotation is None for a in arguments)
        if is_bare and (reader.types != "known" or not is_told(method, stub)):
            census.leave(module, f"{owner.name}.{method.name}", method)
            continue
        census.top_level += 1
        census.typed += 1
        found = entry_for(module.name, owner, method, reader)
        if isinstance(found, Refused) and reader.proposed is not None:
            plain = replace(reader, proposed=None, _classes={})
            if not is_bare or is_told(method, declared(plain, module.name, owner.name, method)):
                found = entry_for(module.name, owner, method, plain)
        if not isinstance(found, Refused) and len(module.bindings[owner.name]) > 1:
            found = Refused("redefined later", "")
        if isinstance(found, Refused):
            name = f"{owner.name}.{method.name}"
            census.refused.append((module.name, name, found.reason, found.detail))
            continue
        census.accepted += 1
        yield _wrapped(module, method, found, owner.name)


def _is_last(module: Module, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return module.bindings[node.name][-1].node is node


def _candidate(
    module: Module, node: ast.FunctionDef | ast.AsyncFunctionDef, reader: PackageAnnotations
) -> Candidate | Refused:
    if isinstance(node, ast.AsyncFunctionDef):
        return Refused("coroutine", node.name)
    if is_overload(node):
        return Refused("overload stub", node.name)
    signature = read_signature(module.name, node, reader)
    if isinstance(signature, Refused):
        return signature
    wrapped = entry_of_function(module.name, node, signature)
    if isinstance(wrapped, Entry):
        if wrapped.name in module.bindings:  # another function has this name in its id
            return Refused("name clash", wrapped.name)
        return _wrapped(module, node, wrapped)
    return Candidate(module.name, node.name, node.lineno, signature, node)


def _wrapped(module: Module, node: ast.FunctionDef, entry: Entry, owner: str = "") -> Candidate:
    return Candidate(
        module.name,
        entry.name,
        node.lineno,
        entry.signature,
        node,
        owner,
        entry.text,
        entry.needs,
    )
