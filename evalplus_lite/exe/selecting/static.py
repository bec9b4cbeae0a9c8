"""The static half of mining: from an opened package to self-contained, pure-looking programs."""

from __future__ import annotations

import ast
import re
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InfrastructureError, InputError, LLMError
from evalplus_lite.exe.inlining.closure import OF_THE_WHOLE, BlockOrigin, ClosureBuilder, inline
from evalplus_lite.exe.inlining.graph import Obstacle
from evalplus_lite.exe.reading.index import Module, PackageIndex
from evalplus_lite.exe.reading.names import arguments_of
from evalplus_lite.exe.reading.resolve import Definition, Resolver
from evalplus_lite.exe.reading.stubs import Stubs
from evalplus_lite.exe.selecting.annotations import PackageAnnotations, Refused, TypeSet
from evalplus_lite.exe.selecting.built import Need
from evalplus_lite.exe.selecting.funnel import Funnel
from evalplus_lite.exe.selecting.methods import (
    MADE_WITH,
    Entry,
    entry_for,
    entry_of_function,
    fields_of,
    methods_of,
)
from evalplus_lite.exe.selecting.purity import impurities
from evalplus_lite.exe.selecting.signatures import (
    Signature,
    declared,
    gives_something,
    is_overload,
    is_told,
    read_signature,
)
from evalplus_lite.exe.selecting.unannotated import Told
from evalplus_lite.exe.sources.packages import Origin, PackageSource
from evalplus_lite.exe.statistics.static import StaticStatistics, static_statistics

MAX_CODE = 4096
"""Characters of a program, unless more are asked for."""

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
    for owner, node in _functions(module, reader):
        name = node.name if owner is None else f"{owner.name}.{node.name}"
        census.top_level += 1
        if not _is_typed(module, owner, node, reader):
            reason = "types unknown" if gives_something(node) else "returns None"
            census.untyped.append((module.name, name, reason))
            continue
        census.typed += 1
        found = _candidate(module, owner, node, reader)
        bindings = module.bindings[node.name if owner is None else owner.name]
        is_last = owner is None and bindings[-1].node is node
        if len(bindings) > 1 and not is_last and not isinstance(found, Refused):
            found = Refused("redefined later", "")
        if isinstance(found, Refused):
            census.refused.append((module.name, name, found.reason, found.detail))
        else:
            census.accepted += 1
            yield found


def _functions(
    module: Module, reader: PackageAnnotations
) -> Iterator[tuple[ast.ClassDef | None, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield (None, function) and (class, method) of a module; the paper's types have no methods."""
    for statement in module.statements:
        node = statement.node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield None, node
        elif isinstance(node, ast.ClassDef) and reader.types != "paper":
            yield from ((node, method) for method in methods_of(node))


def _is_typed(
    module: Module,
    owner: ast.ClassDef | None,
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    reader: PackageAnnotations,
) -> bool:
    """Return whether a function is annotated, or its types are known from elsewhere."""
    arguments = arguments_of(node.args)[owner is not None :]
    if node.returns is not None and all(each.annotation is not None for each in arguments):
        return True
    return reader.types == "known" and is_told(
        node, declared(reader, module.name, owner.name if owner else "", node)
    )


def _candidate(
    module: Module,
    owner: ast.ClassDef | None,
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    reader: PackageAnnotations,
) -> Candidate | Refused:
    if owner is not None and isinstance(node, ast.FunctionDef):
        entry = entry_for(module.name, owner, node, reader)
        return entry if isinstance(entry, Refused) else _wrapped(module, node, entry, owner.name)
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


UNLICENSED = "licence not permissive"
"""Why code is left out, of a package or of a library that it would bring along."""
NOT_ASKED = "not asked for"
LONGEST_FAULT = 200
FAULT = "our own code failed"
"""Why a function is left out that there was an error on which is ours: it costs no other one."""


@dataclass(frozen=True, slots=True)
class MinedFunction:
    """One function as a program of its own, with all that is known without running it."""

    package: str
    version: str
    module: str
    name: str
    line: int
    signature: Signature
    docstring: str
    implementation: str
    """The function's own lines."""
    code: str
    blocks: tuple[BlockOrigin, ...]
    origins: tuple[Origin, ...]
    """The packages whose code went in, its own first."""
    statistics: StaticStatistics
    owner: str = ""
    """The class, of a method."""
    driver: str = ""
    """The entry point that makes other values of plain ones and calls it: the program's last."""
    needs: tuple[Need, ...] = ()
    """What the driver mentions, the function or class itself first."""

    @property
    def licence(self) -> str:
        """The licences of all code that went in."""
        first, *others = (origin.licence for origin in self.origins)
        return " AND ".join([first, *sorted({*others} - {first})])

    @property
    def subject(self) -> str:
        """The function that was mined, with its class: what the entry point made here calls."""
        if not self.driver:
            return self.name
        if self.owner:
            return f"{self.owner}.{self.name.removeprefix(f'{self.owner}_')}"
        return self.needs[0].name if isinstance(self.needs[0], Definition) else self.name

    @property
    def id(self) -> str:
        """``package/module.name``: unique within one version of a package."""
        return f"{self.package}/{self.module}.{self.name}"


@dataclass(frozen=True, slots=True)
class Reject:
    """A function that fell out: at which stage, for which reason first, and every problem."""

    package: str
    function: str
    stage: str
    reason: str
    problems: tuple[Obstacle, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return it as a row of the rejects file."""
        return {
            "package": self.package,
            "function": self.function,
            "stage": self.stage,
            "reason": self.reason,
            "details": list(map(str, self.problems)),
        }


def failed(error: Exception) -> Obstacle:
    """Return what a reject says of an error of ours; others than that are raised again."""
    if isinstance(error, InputError | LLMError | InfrastructureError | MemoryError):
        raise error
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(last.filename).name}:{last.lineno}"
    text = " ".join(str(error).split())[:LONGEST_FAULT]
    return Obstacle(FAULT, f"{type(error).__name__} at {place}: {text}")


@dataclass(slots=True)
class StaticMine:
    """One package's static yield; ``functions`` is consumed once, then the rest is complete."""

    package: PackageSource
    companions: Sequence[PackageSource] = ()
    types: TypeSet = "paper"
    comments: bool = True
    any_licence: bool = False
    max_code: int = MAX_CODE
    only: Collection[str] | None = None
    """Ids of functions that are asked for; all, if None."""
    observed: Callable[[str, str, str], Mapping[str, Told]] | None = None
    """What tests gave to the parameters of a module's class's (or "") function."""
    funnel: Funnel = field(default_factory=Funnel)
    rejects: list[Reject] = field(default_factory=list)
    _hopeless: dict[Definition, list[Obstacle]] = field(default_factory=dict)
    """What fell out, and why: whatever needs it falls out too."""

    def functions(self) -> Iterator[MinedFunction]:
        """Yield what can be mined, in order of module and line."""
        index = PackageIndex(self.package, self.companions)
        resolver = Resolver(index)
        stubs = Stubs(self.package, self.companions) if self.types == "known" else None
        reader = PackageAnnotations(
            resolver,
            types=self.types,
            fields=fields_of,
            stubs=stubs,
            observed=self.observed,
        )
        census = Census()
        for candidate in candidates(index, reader, census):
            found = self._found(candidate, resolver, index)
            if isinstance(found, MinedFunction):
                self.funnel.add("static")
                yield found
            else:
                self._reject(candidate.module, candidate.name, "static", found)
        self.funnel.add("packages")
        for stage in ("functions", "top_level", "typed", "accepted"):
            self.funnel.add(stage, getattr(census, stage))
        for module, name, reason, detail in census.refused:
            label = f"type {detail}" if reason == "type" else reason
            self._reject(module, name, "accepted", [Obstacle(label, detail)])
        for module, name, reason in census.untyped:
            self._reject(module, name, "typed", [Obstacle(reason, "")])
        for module, detail in census.unreadable:
            self._reject(module, "*", "functions", [Obstacle("module cannot be read", detail)])

    def _reject(self, module: str, name: str, stage: str, problems: list[Obstacle]) -> None:
        reason = problems[0].reason
        self.funnel.reject(stage, reason)
        self.rejects.append(
            Reject(self.package.name, f"{module}.{name}", stage, reason, tuple(problems))
        )

    def _found(
        self, candidate: Candidate, resolver: Resolver, index: PackageIndex
    ) -> MinedFunction | list[Obstacle]:
        id = f"{self.package.name}/{candidate.module}.{candidate.name}"
        if self.only is not None and id not in self.only:
            return [Obstacle(NOT_ASKED, "")]
        try:
            return self._mined(candidate, resolver, index)
        except Exception as error:
            return [failed(error)]

    def _mined(
        self, candidate: Candidate, resolver: Resolver, index: PackageIndex
    ) -> MinedFunction | list[Obstacle]:
        subject = Definition(candidate.module, candidate.subject)
        closure = ClosureBuilder(resolver, self._hopeless).build(
            subject, candidate.needs, candidate.driver
        )
        if candidate.driver:
            bound = {name for each in closure.statements.values() for name in each.binds}
            if clashes := sorted(bound & {candidate.name, *MADE_WITH}):
                return [Obstacle("name clash", clashes[0])]
        problems = [*impurities(closure), *closure.problems]
        if problems:
            is_alone = not candidate.needs and not candidate.owner
            if is_alone and any(each.reason not in OF_THE_WHOLE for each in problems):
                self._hopeless.setdefault(subject, problems)
            return problems
        inlined = inline(closure, entry_point=candidate.name, comments=self.comments)
        sources = {index.origin(block.module).name: index.origin(block.module) for block in
                   inlined.blocks}  # fmt: skip
        sources.pop(self.package.name, None)
        foreign = [sources[name] for name in sorted(sources)]
        if not self.any_licence and (refused := [x for x in foreign if not x.licence.permissive]):
            return [Obstacle(UNLICENSED, f"{x.name}: {x.licence.expression}") for x in refused]
        origins = [each.origin for each in (self.package, *foreign)]
        code = inlined.code
        if candidate.driver:
            code = f"{code}\n\n{candidate.driver}"
        if len(code) > self.max_code:
            return [Obstacle("program too long", f"{len(code)} characters")]
        try:
            statistics = static_statistics(code, candidate.name)
        except (SyntaxError, RecursionError) as error:
            return [Obstacle("inlined code does not parse", str(error))]
        return MinedFunction(
            package=self.package.name,
            version=self.package.version,
            module=candidate.module,
            name=candidate.name,
            line=candidate.line,
            signature=candidate.signature,
            docstring=ast.get_docstring(candidate.node) or "",
            implementation=closure.statements[closure.entry].text,
            code=code,
            blocks=inlined.blocks,
            origins=tuple(origins),
            statistics=statistics,
            owner=candidate.owner,
            driver=candidate.driver,
            needs=(subject, *candidate.needs),
        )
