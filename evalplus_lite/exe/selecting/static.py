"""The static half of mining: from an opened package to self-contained, pure-looking programs."""

from __future__ import annotations

import ast
import fnmatch
import functools
import tomllib
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InfrastructureError, InputError, LLMError
from evalplus_lite.exe.inlining import OF_THE_WHOLE, BlockOrigin, Closure, ClosureBuilder, inline
from evalplus_lite.exe.reading.index import (
    Definition,
    Module,
    Obstacle,
    PackageIndex,
    Resolver,
    has_member,
)
from evalplus_lite.exe.selecting.signatures import (
    MADE_WITH,
    Entry,
    Signature,
    entry_for,
    entry_of_function,
    fields_of,
    gives_something,
    is_overload,
    methods_of,
    read_signature,
)
from evalplus_lite.exe.selecting.types import Inferred, Need, PackageAnnotations
from evalplus_lite.exe.sources import Origin, PackageSource
from evalplus_lite.exe.statistics.measures import StaticStatistics, static_statistics
from evalplus_lite.generate.domains.annotations import Type

STAGES = (
    "packages",
    "functions",
    "top_level",
    "returning",
    "accepted",
    "static",
    "loads",
    "stable",
    "proved",
    "mined",
    "valid",
)
"""Each stage's survivors: functions seen, at top level, that return something, of accepted types,
with a resolved and pure closure, loading by itself, the same in every surrounding, equal to the
original, kept, and with cases that meet every validator."""
OF_TESTS = ("tests run", "functions seen in tests")
"""What is counted of the tests of packages."""


@dataclass(slots=True)
class Funnel:
    """Counts by stage, and rejects by stage and reason."""

    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, stage: str, number: int = 1) -> None:
        """Count survivors of a stage."""
        self.counts[stage] += number

    def reject(self, stage: str, reason: str) -> None:
        """Count one function that fell out."""
        self.reasons[stage, reason] += 1

    def withdraw(self, facts: Mapping[str, Any], reason: str) -> None:
        """Move a task, counted as mined, to the rejects; ``facts`` are those of its row."""
        self.add("mined", -1)
        failed = facts.get("validators", {}).get("failed")
        if failed:
            self.reasons["valid", unmet(failed)] -= 1
        elif failed is not None:
            self.add("valid", -1)
        self.reject("mined", reason)

    def merge(self, other: Funnel) -> None:
        """Add another package's counts."""
        self.counts.update(other.counts)
        self.reasons.update(other.reasons)

    def to_json(self) -> dict[str, Any]:
        """Return it for a file."""
        listed = sorted(self.reasons.items(), key=lambda item: (item[0][0], -item[1], item[0][1]))
        return {
            "counts": {stage: self.counts[stage] for stage in STAGES},
            "tests": {name: self.counts[name] for name in OF_TESTS if self.counts[name]},
            "rejects": [
                {"stage": stage, "reason": reason, "count": count}
                for (stage, reason), count in listed
                if count
            ],
        }

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Funnel:
        """Read what ``to_json`` wrote."""
        reasons = {(r["stage"], r["reason"]): r["count"] for r in row["rejects"]}
        return cls(Counter({**row["counts"], **row["tests"]}), Counter(reasons))


def unmet(validators: Sequence[str]) -> str:
    """Return what the funnel says of a task that fails validators."""
    return f"a task, but fails {', '.join(validators)}"


def is_banned_package(name: str) -> bool:
    """Return whether a package is on the list of near-duplicate repositories."""
    patterns = _data("repositories")["patterns"]
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def impurities(closure: Closure) -> list[Obstacle]:
    """Return every reason, in order of appearance, why a closure is not known to be pure."""
    found: dict[Obstacle, None] = {}
    for dotted in sorted(closure.externals):
        if (reason := judge_name(dotted)) is not None:
            found[Obstacle(reason, dotted)] = None
    tables = _data("purity")
    for name in sorted(closure.builtins):
        reason = tables["builtins"].get(name) or tables["variables"].get(name)
        if reason is not None:
            found[Obstacle(reason, name)] = None
    for statement in closure.statements.values():
        uses = statement.uses
        for name in sorted(statement.binds & tables["variables"].keys()):
            found[Obstacle(tables["variables"][name], name)] = None
        for attribute in sorted(uses.attributes & tables["attributes"].keys()):
            found[Obstacle(tables["attributes"][attribute], f".{attribute}")] = None
        for call in uses.calls:
            if (problem := _computed_attribute(call)) is not None:
                found[problem] = None
        for node in uses.imports:
            for problem in _local_import(node):
                found[problem] = None
    return list(found)


def judge_name(dotted: str) -> str | None:
    """Return why a name of the standard library is impure; None where it is not.

    The longest entry that covers the name decides; a whole module of which parts are banned
    (``import os``, then passed on as a value) is judged by the module's own entry.
    """
    tables = _data("purity")
    parts = dotted.split(".")
    for end in range(len(parts), 0, -1):
        name = ".".join(parts[:end])
        if name in tables["pure"]:
            return None
        if name in tables["modules"]:
            return str(tables["modules"][name])
    return None


def _computed_attribute(call: ast.Call) -> Obstacle | None:
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    if name == "hasattr" or len(call.args) < 2:
        return None
    if isinstance(call.args[1], ast.Constant):
        return None
    return Obstacle("dynamic attribute", ast.unparse(call)[:80])


def _local_import(node: ast.Import | ast.ImportFrom) -> list[Obstacle]:
    """Judge an import inside a function: it stays as it is, so only pure libraries may stand."""
    import sys

    if isinstance(node, ast.ImportFrom):
        if node.level or not node.module:
            return [Obstacle("import in a function", ast.unparse(node)[:80])]
        names = [f"{node.module}.{alias.name}" for alias in node.names]
        missing = [a.name for a in node.names if not has_member(node.module, a.name)]
        if missing and node.module.partition(".")[0] in sys.stdlib_module_names:
            return [Obstacle("unresolved name", f"{node.module}.{missing[0]}")]
    else:
        names = [alias.name for alias in node.names]
    problems: list[Obstacle] = []
    for name in names:
        if name.partition(".")[0] not in sys.stdlib_module_names:
            problems.append(Obstacle("import in a function", ast.unparse(node)[:80]))
        elif (reason := judge_name(name)) is not None:
            problems.append(Obstacle(reason, name))
    return problems


@functools.cache
def _data(name: str) -> dict[str, Any]:
    data = resources.files("evalplus_lite.exe").joinpath(f"data/{name}.toml")
    return _flat(tomllib.loads(data.read_text(encoding="utf-8")))


def _flat(tables: dict[str, Any]) -> dict[str, Any]:
    """Undo TOML's nesting of dotted keys: ``urllib.request`` is one name here."""

    def walk(table: dict[str, Any], prefix: str) -> dict[str, str]:
        flat: dict[str, str] = {}
        for key, value in table.items():
            if isinstance(value, dict):
                flat.update(walk(value, f"{prefix}{key}."))
            else:
                flat[f"{prefix}{key}"] = value
        return flat

    return {
        key: walk(value, "") if isinstance(value, dict) else frozenset(value)
        for key, value in tables.items()
    }


MAX_CODE = 4096
"""Characters of a program, unless more are asked for."""


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
    built: tuple[Type, ...] = ()
    """The types of what the driver makes of its parameters."""

    @property
    def subject(self) -> str:
        """The name of the function in its module, of a method the class's."""
        return self.owner or self.node.name


@dataclass(slots=True)
class Census:
    """How many functions a package has, and what selection refused."""

    functions: int = 0
    top_level: int = 0
    returning: int = 0
    accepted: int = 0
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    """(module, why)"""
    inner: list[tuple[str, str, str]] = field(default_factory=list)
    """(module, function, reason) of those that are not at top level."""
    empty: list[tuple[str, str]] = field(default_factory=list)
    """(module, function) of those that return nothing."""
    refused: list[tuple[str, str, str, str]] = field(default_factory=list)
    """(module, function, reason, detail)"""


def candidates(
    index: PackageIndex, reader: PackageAnnotations, census: Census
) -> Iterator[Candidate]:
    """Yield the package's candidates in order of module and line; fill in the census."""
    package = index.package
    for name in sorted(package.files):
        if package.files[name].is_test:
            continue
        module = index.module(name)
        if module is None:
            census.unreadable.append((name, index.problem(name)))
            continue
        taken = {node.lineno for _, node in _functions(module)}
        inner = [(name, *each) for each in _inner(module.tree, taken)]
        census.functions += len(taken) + len(inner)
        census.inner += inner
        before = census.accepted
        yield from in_module(module, reader, census)
        if census.accepted == before:
            # Trees are large, and most modules are never needed again.
            index.forget(name)


def in_module(module: Module, reader: PackageAnnotations, census: Census) -> Iterator[Candidate]:
    """Yield a module's candidates in order of their lines; fill in the census."""
    for owner, node in _functions(module):
        name = node.name if owner is None else f"{owner.name}.{node.name}"
        census.top_level += 1
        if not gives_something(node):
            census.empty.append((module.name, name))
            continue
        census.returning += 1
        found = _candidate(module, owner, node, reader)
        bindings = module.bindings[node.name if owner is None else owner.name]
        is_last = owner is None and bindings[-1].node is node
        if len(bindings) > 1 and not is_last and not isinstance(found, Obstacle):
            found = Obstacle("redefined later", "")
        if isinstance(found, Obstacle):
            census.refused.append((module.name, name, found.reason, found.detail))
        else:
            census.accepted += 1
            yield found


def _inner(tree: ast.Module, taken: set[int]) -> Iterator[tuple[str, str]]:
    """Yield the functions of a module that ``_functions`` does not: name, and why it does not."""
    pending: list[tuple[ast.AST, str, str]] = [(tree, "", "in a branch that is not taken")]
    while pending:
        node, prefix, reason = pending.pop()
        for child in ast.iter_child_nodes(node):
            name = f"{prefix}{getattr(child, 'name', '')}"
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                if child.lineno not in taken:
                    is_special = isinstance(node, ast.ClassDef) and child.name.startswith("__")
                    yield name, "special method" if is_special else reason
                pending.append((child, f"{name}.", "nested in a function"))
            elif isinstance(child, ast.ClassDef):
                pending.append((child, f"{name}.", "in a class that is not at top level"
                                if prefix else "coroutine, setter or replaced method"))  # fmt: skip
            else:
                pending.append((child, prefix, reason))


def _functions(
    module: Module,
) -> Iterator[tuple[ast.ClassDef | None, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield (None, function) and (class, method) of a module."""
    for statement in module.statements:
        node = statement.node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield None, node
        elif isinstance(node, ast.ClassDef):
            yield from ((node, method) for method in methods_of(node))


def _candidate(
    module: Module,
    owner: ast.ClassDef | None,
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    reader: PackageAnnotations,
) -> Candidate | Obstacle:
    if owner is not None and isinstance(node, ast.FunctionDef):
        entry = entry_for(module.name, owner, node, reader)
        return entry if isinstance(entry, Obstacle) else _wrapped(module, node, entry, owner.name)
    if isinstance(node, ast.AsyncFunctionDef):
        return Obstacle("coroutine", node.name)
    if is_overload(node):
        return Obstacle("overload stub", node.name)
    signature = read_signature(module.name, node, reader)
    if isinstance(signature, Obstacle):
        return signature
    wrapped = entry_of_function(module.name, node, signature)
    if isinstance(wrapped, Entry):
        if wrapped.name in module.bindings:  # another function has this name in its id
            return Obstacle("name clash", wrapped.name)
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
        entry.built,
    )


UNLICENSED = "licence not permissive"
"""Why code is left out, of a package or of a library that it would bring along."""
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
    built: tuple[Type, ...] = ()
    """The types of what the driver makes of its parameters."""

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
    any_licence: bool = False
    max_code: int = MAX_CODE
    observed: Callable[[str, str, str], Mapping[str, Inferred]] | None = None
    """What tests gave to the parameters of a module's class's (or "") function."""
    funnel: Funnel = field(default_factory=Funnel)
    rejects: list[Reject] = field(default_factory=list)
    _hopeless: dict[Definition, list[Obstacle]] = field(default_factory=dict)
    """What fell out, and why: whatever needs it falls out too."""

    def functions(self) -> Iterator[MinedFunction]:
        """Yield what can be mined, in order of module and line."""
        index = PackageIndex(self.package, self.companions)
        resolver = Resolver(index)
        reader = PackageAnnotations(
            resolver,
            fields=fields_of,
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
        for stage in ("functions", "top_level", "returning", "accepted"):
            self.funnel.add(stage, getattr(census, stage))
        for module, name, reason, detail in census.refused:
            label = f"type {detail}" if reason == "type" else reason
            self._reject(module, name, "accepted", [Obstacle(label, detail)])
        for module, name, reason in census.inner:
            self._reject(module, name, "top_level", [Obstacle(reason, "")])
        for module, name in census.empty:
            self._reject(module, name, "returning", [Obstacle("returns None", "")])
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
        try:
            return self._mined(candidate, resolver, index)
        except Exception as error:
            return [failed(error)]

    def _mined(
        self, candidate: Candidate, resolver: Resolver, index: PackageIndex
    ) -> MinedFunction | list[Obstacle]:
        subject = Definition(candidate.module, candidate.subject)
        closure = ClosureBuilder(resolver, self._hopeless, self.max_code).build(
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
        inlined = inline(closure, entry_point=candidate.name)
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
            built=candidate.built,
        )
