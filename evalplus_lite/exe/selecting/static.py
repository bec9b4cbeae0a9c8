"""The static half of mining: from an opened package to self-contained, pure-looking programs."""

from __future__ import annotations

import ast
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InfrastructureError, InputError, LLMError
from evalplus_lite.exe.inlining.closure import OF_THE_WHOLE, ClosureBuilder
from evalplus_lite.exe.inlining.graph import Obstacle
from evalplus_lite.exe.inlining.inline import Block, inline
from evalplus_lite.exe.reading.index import PackageIndex
from evalplus_lite.exe.reading.resolve import Definition, Resolver
from evalplus_lite.exe.reading.stubs import Stubs
from evalplus_lite.exe.selecting.annotations import PackageAnnotations, TypeSet
from evalplus_lite.exe.selecting.built import Need
from evalplus_lite.exe.selecting.candidates import Candidate, Census, candidates, in_module
from evalplus_lite.exe.selecting.funnel import Funnel
from evalplus_lite.exe.selecting.methods import MADE_WITH, fields_of
from evalplus_lite.exe.selecting.proposed import Ask, Proposals
from evalplus_lite.exe.selecting.purity import impurities
from evalplus_lite.exe.selecting.signatures import Signature
from evalplus_lite.exe.selecting.unannotated import Told
from evalplus_lite.exe.sources.packages import Origin, PackageSource
from evalplus_lite.exe.statistics.static import StaticStatistics, static_statistics

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
    blocks: tuple[Block, ...]
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
    only: Collection[str] | None = None
    """Ids of functions that are asked for; all, if None."""
    observed: Callable[[str, str, str], Mapping[str, Told]] | None = None
    """What tests gave to the parameters of a module's class's (or "") function."""
    ask: Ask | None = None
    """Who proposes types that nothing tells, if anybody is asked."""
    most_asked: int | None = None
    """Of how many functions at most."""
    funnel: Funnel = field(default_factory=Funnel)
    rejects: list[Reject] = field(default_factory=list)
    proposals: Proposals | None = None
    """What was asked about types, and answered; there once ``functions`` has begun."""
    _reader: PackageAnnotations | None = None
    _hopeless: dict[Definition, list[Obstacle]] = field(default_factory=dict)
    """What fell out, and why: whatever needs it falls out too."""

    def functions(self) -> Iterator[MinedFunction]:
        """Yield what can be mined, in order of module and line."""
        index = PackageIndex(self.package, self.companions)
        resolver = Resolver(index)
        stubs = Stubs(self.package, self.companions) if self.types == "known" else None
        if self.ask is not None:
            self.proposals = Proposals(
                self.ask, resolver, self._hopeless, self.only, self.most_asked
            )
        reader = PackageAnnotations(
            resolver,
            types=self.types,
            fields=fields_of,
            stubs=stubs,
            observed=self.observed,
            proposed=self.proposals,
        )
        census = Census()
        self._reader = reader
        for candidate in candidates(index, reader, census):
            found = self._found(candidate, resolver, index)
            if not isinstance(found, MinedFunction) and self._is_proposed(candidate):
                # Types that a model proposes bring what a program cannot hold: without them, then.
                found = self._reselected(candidate.module, candidate.line, None) or found
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

    def again(self, function: MinedFunction, trouble: str) -> MinedFunction | None:
        """Return a function with types proposed anew, now that the first did not do."""
        place = function.module, function.line
        if self.proposals is None or not self.proposals.again(place, trouble):
            return None
        return self._reselected(function.module, function.line, self.proposals)

    def otherwise(self, function: MinedFunction) -> MinedFunction | None:
        """Return a function of proposed types with those that it has if none are proposed."""
        return self._reselected(function.module, function.line, None)

    @staticmethod
    def _is_proposed(candidate: Candidate) -> bool:
        return any(each.origin == "model" for each in candidate.signature.parameters)

    def _reselected(self, name: str, line: int, proposed: Proposals | None) -> MinedFunction | None:
        if self._reader is None:
            return None
        resolver = self._reader.resolver
        module = resolver.index.module(name)
        reader = replace(self._reader, proposed=proposed, _classes={})
        for candidate in in_module(module, reader, Census()) if module is not None else ():
            if candidate.line == line:
                found = self._found(candidate, resolver, resolver.index)
                return found if isinstance(found, MinedFunction) else None
        return None

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
        closure = ClosureBuilder(resolver, self._hopeless).build(subject, candidate.needs)
        if candidate.driver:
            bound = {name for each in closure.statements.values() for name in each.binds}
            if clashes := sorted(bound & {candidate.name, *MADE_WITH}):
                return [Obstacle("name clash", clashes[0])]
        problems = [*impurities(closure), *closure.problems]
        if problems:
            if not candidate.needs and any(each.reason not in OF_THE_WHOLE for each in problems):
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
