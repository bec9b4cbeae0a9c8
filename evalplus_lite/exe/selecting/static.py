"""The static half of mining: from an opened package to self-contained programs that look pure."""

from __future__ import annotations

import ast
import fnmatch
import sys
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InfrastructureError, InputError, LLMError
from evalplus_lite.exe.inlining import OF_THE_WHOLE, Block, Closure, ClosureBuilder, inline
from evalplus_lite.exe.reading.index import (
    Definition,
    Module,
    Obstacle,
    PackageIndex,
    Resolver,
    has_member,
)
from evalplus_lite.exe.selecting.signatures import (
    CONTAINERS,
    Entry,
    Inferred,
    Need,
    PackageAnnotations,
    Signature,
    entry_of,
    methods_of,
    returns_value,
)
from evalplus_lite.exe.sources import Origin, PackageSource, is_permissive
from evalplus_lite.exe.statistics.measures import static_statistics
from evalplus_lite.exe.tables import tables
from evalplus_lite.generate.domains.annotations import Type

STAGES = tuple(
    """packages functions top_level returning accepted static loads stable proved mined
    valid""".split()
)
"""Stages of mining, in order: packages read, functions seen, at top level, returning a value, with
accepted types, with a resolved and pure closure, loading on their own, giving the same answers in
every environment, equal to the original, turned into tasks, and passing every validator."""
OF_TESTS = ("tests run", "functions seen in tests")
"""Counters for packages' own tests."""


@dataclass(slots=True)
class Funnel:
    """Counts of survivors by stage, and of rejects by stage and reason."""

    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, stage: str, number: int = 1) -> None:
        """Count survivors of a stage."""
        self.counts[stage] += number

    def reject(self, stage: str, reason: str) -> None:
        """Count one rejected function."""
        self.reasons[stage, reason] += 1

    def keep(self, unmet: Sequence[str] | None, number: int = 1) -> None:
        """Count a task and the validators it fails; ``unmet`` is None if no validator was run."""
        self.add("mined", number)
        if unmet:
            self.reasons["valid", f"a task, but fails {', '.join(unmet)}"] += number
        elif unmet is not None:
            self.add("valid", number)

    def withdraw(self, facts: Mapping[str, Any], reason: str) -> None:
        """Move a task from the mined to the rejected; ``facts`` is its row."""
        self.keep(facts.get("validators", {}).get("failed"), -1)
        self.reject("mined", reason)

    def merge(self, other: Funnel) -> None:
        """Add another package's counts."""
        self.counts.update(other.counts)
        self.reasons.update(other.reasons)

    def to_json(self) -> dict[str, Any]:
        """Return the counts as JSON data."""
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
        """Read the output of ``to_json``."""
        reasons = {(r["stage"], r["reason"]): r["count"] for r in row["rejects"]}
        return cls(Counter({**row["counts"], **row["tests"]}), Counter(reasons))


def is_banned_package(name: str) -> bool:
    """Return whether a package matches a pattern in ``data/repositories.toml``."""
    patterns = tables("repositories")["patterns"]
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def impurities(closure: Closure) -> Iterator[Obstacle]:
    """Yield the reasons why a closure may be impure."""
    purity = tables("purity")
    for dotted in sorted(closure.externals):
        if (reason := judge_name(dotted)) is not None:
            yield Obstacle(reason, dotted)
    for name in sorted(closure.builtins):
        if reason := purity["builtins"].get(name) or purity["variables"].get(name):
            yield Obstacle(reason, name)
    for statement in closure.statements.values():
        uses = statement.uses
        for name in sorted(statement.binds & purity["variables"].keys()):
            yield Obstacle(purity["variables"][name], name)
        for attribute in sorted(uses.attributes & purity["attributes"].keys()):
            yield Obstacle(purity["attributes"][attribute], f".{attribute}")
        for call in uses.calls:
            is_constant = len(call.args) < 2 or isinstance(call.args[1], ast.Constant)
            if not is_constant and getattr(call.func, "id", "") != "hasattr":
                yield Obstacle("dynamic attribute", ast.unparse(call)[:80])
        for node in uses.imports:
            yield from _local_import(node)


def judge_name(dotted: str) -> str | None:
    """Return why a name of the standard library is impure; None if it is pure or not listed.

    The longest entry in ``data/purity.toml`` that is a prefix of the name decides. So a module that
    is used as a value (``import os``, then ``f(os)``) is judged by the module's own entry.
    """
    purity = tables("purity")
    parts = dotted.split(".")
    for end in range(len(parts), 0, -1):
        name = ".".join(parts[:end])
        if name in purity["pure"]:
            return None
        if name in purity["modules"]:
            return str(purity["modules"][name])
    return None


def _local_import(node: ast.Import | ast.ImportFrom) -> Iterator[Obstacle]:
    """Yield the problems of an import inside a function: only pure standard library is allowed."""
    names = [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        missing = [name for name in names if not has_member(module, name)]
        names = [f"{module}.{name}" for name in names]
        if missing and module.partition(".")[0] in sys.stdlib_module_names:
            yield Obstacle("unresolved name", f"{module}.{missing[0]}")
            return
    for name in names:
        if name.partition(".")[0] not in sys.stdlib_module_names:
            yield Obstacle("import in a function", ast.unparse(node)[:80])
        elif (reason := judge_name(name)) is not None:
            yield Obstacle(reason, name)


MAX_CODE = 4096
"""Default maximum length of a program, in characters."""


def _inner(tree: ast.Module, taken: set[int]) -> Iterator[tuple[str, str]]:
    """Yield name and reason of each function in a module that ``_functions`` skips."""
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


UNLICENSED = "license not permissive"
"""Reason for rejecting code of a package, or of a library that would be inlined with it."""
LONGEST_FAULT = 200
FAULT = "our own code failed"
"""Reason for rejecting a function on which evalplus_lite failed; mining continues."""


@dataclass(frozen=True, slots=True)
class MinedFunction:
    """One function as a self-contained program, with everything known without running it."""

    module: str
    name: str
    line: int
    signature: Signature
    docstring: str
    implementation: str
    """The function's own source."""
    code: str
    blocks: tuple[Block, ...]
    origins: tuple[Origin, ...]
    """The packages whose code the program contains, the function's own first."""
    statistics: dict[str, Any]
    owner: str = ""
    """The class of a method; empty for a function."""
    driver: str = ""
    """Source of the entry point that constructs the arguments and calls it; the program's end."""
    needs: tuple[Need, ...] = ()
    """Names that the driver refers to, the function or class itself first."""
    built: tuple[Type, ...] = ()
    """The types of the values that the driver constructs from its parameters."""

    @property
    def licence(self) -> str:
        """The licenses of all code in the program, joined by ``AND``."""
        first, *others = (origin.licence for origin in self.origins)
        return " AND ".join([first, *sorted({*others} - {first})])

    @property
    def subject(self) -> str:
        """The mined function, with its class; a generated entry point calls it."""
        if not self.driver:
            return self.name
        if self.owner:
            return f"{self.owner}.{self.name.removeprefix(f'{self.owner}_')}"
        return self.needs[0].name

    @property
    def id(self) -> str:
        """``package/module.name``: unique within one version of a package."""
        return f"{self.origins[0].package}/{self.module}.{self.name}"


@dataclass(frozen=True, slots=True)
class Reject:
    """A rejected function: the stage, the first reason, and all problems."""

    package: str
    function: str
    stage: str
    reason: str
    problems: tuple[Obstacle, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return a row of the rejects file."""
        row = {name: getattr(self, name) for name in ("package", "function", "stage", "reason")}
        return {**row, "details": list(map(str, self.problems))}


def failed(error: Exception) -> Obstacle:
    """Describe an error in evalplus_lite for a reject; re-raise expected errors and MemoryError."""
    if isinstance(error, InputError | LLMError | InfrastructureError | MemoryError):
        raise error
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(last.filename).name}:{last.lineno}"
    text = " ".join(str(error).split())[:LONGEST_FAULT]
    return Obstacle(FAULT, f"{type(error).__name__} at {place}: {text}")


@dataclass(slots=True)
class StaticMine:
    """Static mining of one package; counts and rejects are complete after ``functions`` ends."""

    package: PackageSource
    companions: Sequence[PackageSource] = ()
    any_license: bool = False
    max_code: int = MAX_CODE
    observed: Mapping[tuple[str, str, str], Mapping[str, Inferred]] = field(default_factory=dict)
    """See ``PackageAnnotations``."""
    funnel: Funnel = field(default_factory=Funnel)
    rejects: list[Reject] = field(default_factory=list)
    _hopeless: dict[Definition, list[Obstacle]] = field(default_factory=dict)
    """Definitions that cannot be inlined, and why; whatever needs them is rejected too."""

    def functions(self) -> Iterator[MinedFunction]:
        """Yield the functions that can be mined, in order of module and line; iterate once only."""
        index = PackageIndex(self.package, self.companions)
        reader = PackageAnnotations(Resolver(index), self.observed)
        for name in sorted(self.package.files):
            if self.package.files[name].is_test:
                continue
            module = index.module(name)
            if module is None:
                problem = Obstacle("module cannot be read", index.problems.get(name, ""))
                self._reject(name, "*", "functions", problem)
                continue
            listed = [*_functions(module)]
            lines = {node.lineno for _, node in listed}
            inner = [*_inner(module.tree, lines)]
            for own, why in inner:
                self._reject(name, own, "top_level", Obstacle(why, ""))
            self.funnel.add("functions", len(lines) + len(inner))
            is_used = False
            for owner, node in listed:
                own = node.name if owner is None else f"{owner.name}.{node.name}"
                self.funnel.add("top_level")
                if not returns_value(node):
                    self._reject(name, own, "returning", Obstacle("returns None", ""))
                    continue
                self.funnel.add("returning")
                entry = entry_of(module.name, owner, node, reader)
                is_wrapped = isinstance(entry, Entry) and bool(entry.text)
                if owner is None and is_wrapped and f"call_{node.name}" in module.bindings:
                    entry = Obstacle("name clash", f"call_{node.name}")  # another function's id
                bindings = module.bindings[node.name if owner is None else owner.name]
                is_last = owner is None and bindings[-1].node is node
                if len(bindings) > 1 and not is_last and not isinstance(entry, Obstacle):
                    entry = Obstacle("redefined later", "")
                if isinstance(entry, Obstacle):
                    label = f"type {entry.detail}" if entry.reason == "type" else entry.reason
                    self._reject(name, own, "accepted", Obstacle(label, entry.detail))
                    continue
                is_used = True
                self.funnel.add("accepted")
                try:
                    function = self._mined(name, owner, node, entry, reader.resolver)
                except Exception as error:
                    function = [failed(error)]
                if isinstance(function, MinedFunction):
                    self.funnel.add("static")
                    yield function
                else:
                    self._reject(name, entry.name, "static", *function)
            if not is_used:
                # Trees are large, and most modules are not needed again.
                index.forget(name)
        self.funnel.add("packages")
        order = ("static", "accepted", "top_level", "returning", "functions")
        self.rejects.sort(key=lambda reject: order.index(reject.stage))

    def _reject(self, module: str, name: str, stage: str, *problems: Obstacle) -> None:
        reason = problems[0].reason
        self.funnel.reject(stage, reason)
        self.rejects.append(Reject(self.package.name, f"{module}.{name}", stage, reason, problems))

    def _mined(
        self,
        module: str,
        owner: ast.ClassDef | None,
        node: ast.FunctionDef | ast.AsyncFunctionDef,
        entry: Entry,
        resolver: Resolver,
    ) -> MinedFunction | list[Obstacle]:
        subject = Definition(module, node.name if owner is None else owner.name)
        closure = ClosureBuilder(resolver, self._hopeless, self.max_code).build(
            subject, entry.needs, entry.text
        )
        if entry.text:
            bound = {name for each in closure.statements.values() for name in each.binds}
            if clashes := sorted(bound & {entry.name, *CONTAINERS}):
                return [Obstacle("name clash", clashes[0])]
        problems = [*dict.fromkeys(impurities(closure)), *closure.problems]
        if problems:
            is_alone = not entry.needs and owner is None
            if is_alone and any(each.reason not in OF_THE_WHOLE for each in problems):
                self._hopeless.setdefault(subject, problems)
            return problems
        code, blocks = inline(closure)
        packages = [resolver.index.origin(name) for name, _, _ in blocks]
        sources = {each.name: each for each in packages if each.name != self.package.name}
        foreign = [sources[name] for name in sorted(sources)]
        if not self.any_license and (
            refused := [x.origin for x in foreign if not is_permissive(x.origin.licence)]
        ):
            return [Obstacle(UNLICENSED, f"{x.package}: {x.licence}") for x in refused]
        if entry.text:
            code = f"{code}\n\n{entry.text}"
        if len(code) > self.max_code:
            return [Obstacle("program too long", f"{len(code)} characters")]
        try:
            statistics = static_statistics(code, entry.name)
        except (SyntaxError, RecursionError) as error:
            return [Obstacle("inlined code does not parse", str(error))]
        return MinedFunction(
            module=module,
            name=entry.name,
            line=node.lineno,
            signature=entry.signature,
            docstring=ast.get_docstring(node) or "",
            implementation=closure.statements[closure.entry].text,
            code=code,
            blocks=blocks,
            origins=tuple(each.origin for each in (self.package, *foreign)),
            statistics=statistics,
            owner="" if owner is None else owner.name,
            driver=entry.text,
            needs=(subject, *entry.needs),
            built=entry.built,
        )
