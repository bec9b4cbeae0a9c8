"""The static half of mining: from an opened package to self-contained, pure-looking programs."""

from __future__ import annotations

import ast
import fnmatch
import functools
import sys
import tomllib
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
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
    MADE_WITH,
    Entry,
    Inferred,
    Need,
    PackageAnnotations,
    Signature,
    entry_for,
    entry_of_function,
    gives_something,
    is_overload,
    methods_of,
    read_signature,
)
from evalplus_lite.exe.sources import Origin, PackageSource, is_permissive
from evalplus_lite.exe.statistics.measures import static_statistics
from evalplus_lite.generate.domains.annotations import Type

STAGES = tuple(
    """packages functions top_level returning accepted static loads stable proved mined
    valid""".split()
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

    def keep(self, unmet: Sequence[str] | None, number: int = 1) -> None:
        """Count a task, and the validators that it fails; None where they were not asked."""
        self.add("mined", number)
        if unmet:
            self.reasons["valid", f"a task, but fails {', '.join(unmet)}"] += number
        elif unmet is not None:
            self.add("valid", number)

    def withdraw(self, facts: Mapping[str, Any], reason: str) -> None:
        """Move a task, counted as mined, to the rejects; ``facts`` are those of its row."""
        self.keep(facts.get("validators", {}).get("failed"), -1)
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


def is_banned_package(name: str) -> bool:
    """Return whether a package is on the list of near-duplicate repositories."""
    patterns = _data("repositories")["patterns"]
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def impurities(closure: Closure) -> Iterator[Obstacle]:
    """Yield the reasons, in order of appearance, why a closure is not known to be pure."""
    tables = _data("purity")
    for dotted in sorted(closure.externals):
        if (reason := judge_name(dotted)) is not None:
            yield Obstacle(reason, dotted)
    for name in sorted(closure.builtins):
        if reason := tables["builtins"].get(name) or tables["variables"].get(name):
            yield Obstacle(reason, name)
    for statement in closure.statements.values():
        uses = statement.uses
        for name in sorted(statement.binds & tables["variables"].keys()):
            yield Obstacle(tables["variables"][name], name)
        for attribute in sorted(uses.attributes & tables["attributes"].keys()):
            yield Obstacle(tables["attributes"][attribute], f".{attribute}")
        for call in uses.calls:
            is_constant = len(call.args) < 2 or isinstance(call.args[1], ast.Constant)
            if not is_constant and getattr(call.func, "id", "") != "hasattr":
                yield Obstacle("dynamic attribute", ast.unparse(call)[:80])
        for node in uses.imports:
            yield from _local_import(node)


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


def _local_import(node: ast.Import | ast.ImportFrom) -> Iterator[Obstacle]:
    """Judge an import inside a function: it stays as it is, so only pure libraries may stand."""
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


@functools.cache
def _data(name: str) -> dict[str, Any]:
    data = resources.files("evalplus_lite.exe").joinpath(f"data/{name}.toml")
    tables = tomllib.loads(data.read_text(encoding="utf-8"))
    return {
        key: dict(_flat(value)) if isinstance(value, dict) else frozenset(value)
        for key, value in tables.items()
    }


def _flat(table: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Undo TOML's nesting of dotted keys: ``urllib.request`` is one name here."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


MAX_CODE = 4096
"""Characters of a program, unless more are asked for."""


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


def _entry(
    module: Module,
    owner: ast.ClassDef | None,
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    reader: PackageAnnotations,
) -> Entry | Obstacle:
    """Return how a function or method is called; or why it is left out."""
    if owner is not None and isinstance(node, ast.FunctionDef):
        return entry_for(module.name, owner, node, reader)
    if isinstance(node, ast.AsyncFunctionDef):
        return Obstacle("coroutine", node.name)
    if is_overload(node):
        return Obstacle("overload stub", node.name)
    signature = read_signature(module.name, node, reader)
    if isinstance(signature, Obstacle):
        return signature
    found = entry_of_function(node, signature)
    if found.text and found.name in module.bindings:  # another function has this name in its id
        return Obstacle("name clash", found.name)
    return found


UNLICENSED = "licence not permissive"
"""Why code is left out, of a package or of a library that it would bring along."""
LONGEST_FAULT = 200
FAULT = "our own code failed"
"""Why a function is left out that there was an error on which is ours: it costs no other one."""


@dataclass(frozen=True, slots=True)
class MinedFunction:
    """One function as a program of its own, with all that is known without running it."""

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
    statistics: dict[str, Any]
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
        return self.needs[0].name

    @property
    def id(self) -> str:
        """``package/module.name``: unique within one version of a package."""
        return f"{self.origins[0].package}/{self.module}.{self.name}"


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
        row = {name: getattr(self, name) for name in ("package", "function", "stage", "reason")}
        return {**row, "details": list(map(str, self.problems))}


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
    any_license: bool = False
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
        reader = PackageAnnotations(Resolver(index), self.observed)
        late: dict[str, list[tuple[str, str, Obstacle]]] = {
            stage: [] for stage in ("accepted", "top_level", "returning", "functions")
        }
        for name in sorted(self.package.files):
            if self.package.files[name].is_test:
                continue
            module = index.module(name)
            if module is None:
                problem = Obstacle("module cannot be read", index.problems.get(name, ""))
                late["functions"].append((name, "*", problem))
                continue
            listed = [*_functions(module)]
            lines = {node.lineno for _, node in listed}
            inner = [(name, own, Obstacle(why, "")) for own, why in _inner(module.tree, lines)]
            late["top_level"] += inner
            self.funnel.add("functions", len(lines) + len(inner))
            is_used = False
            for owner, node in listed:
                own = node.name if owner is None else f"{owner.name}.{node.name}"
                self.funnel.add("top_level")
                if not gives_something(node):
                    late["returning"].append((name, own, Obstacle("returns None", "")))
                    continue
                self.funnel.add("returning")
                entry = _entry(module, owner, node, reader)
                bindings = module.bindings[node.name if owner is None else owner.name]
                is_last = owner is None and bindings[-1].node is node
                if len(bindings) > 1 and not is_last and not isinstance(entry, Obstacle):
                    entry = Obstacle("redefined later", "")
                if isinstance(entry, Obstacle):
                    label = f"type {entry.detail}" if entry.reason == "type" else entry.reason
                    late["accepted"].append((name, own, Obstacle(label, entry.detail)))
                    continue
                is_used = True
                self.funnel.add("accepted")
                try:
                    found = self._mined(name, owner, node, entry, reader.resolver)
                except Exception as error:
                    found = [failed(error)]
                if isinstance(found, MinedFunction):
                    self.funnel.add("static")
                    yield found
                else:
                    self._reject(name, entry.name, "static", found)
            if not is_used:
                # Trees are large, and most modules are never needed again.
                index.forget(name)
        self.funnel.add("packages")
        for stage, rejects in late.items():
            for name, own, problem in rejects:
                self._reject(name, own, stage, [problem])

    def _reject(self, module: str, name: str, stage: str, problems: list[Obstacle]) -> None:
        reason = problems[0].reason
        self.funnel.reject(stage, reason)
        function = f"{module}.{name}"
        self.rejects.append(Reject(self.package.name, function, stage, reason, tuple(problems)))

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
            if clashes := sorted(bound & {entry.name, *MADE_WITH}):
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
