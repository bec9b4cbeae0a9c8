"""Mining one package beside a sandbox: what a backend's places do."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.exe.inlining import Obstacle
from evalplus_lite.exe.inputs.known import PackageValues
from evalplus_lite.exe.inputs.runner import Runner
from evalplus_lite.exe.inputs.search import ROUNDS, find_cases
from evalplus_lite.exe.inputs.validators import (
    MAX_CASES,
    Executed,
    judge,
    literals_of,
)
from evalplus_lite.exe.running.observing import Observed, has_tests, observe
from evalplus_lite.exe.running.proof import Original, ProofResult, Sandboxes, prove, python_version
from evalplus_lite.exe.running.runs import RunResult, is_answer
from evalplus_lite.exe.selecting.static import (
    MAX_CODE,
    UNLICENSED,
    Funnel,
    MinedFunction,
    Reject,
    StaticMine,
    failed,
    is_banned_package,
)
from evalplus_lite.exe.sources import (
    PackageSource,
    archives_by_name,
    download,
    fetched,
    is_path,
    is_repository,
    open_package,
    required,
)
from evalplus_lite.exe.statistics.measures import variation
from evalplus_lite.exe.tasks.likeness import shape
from evalplus_lite.exe.tasks.mined import MinedTask, TaskCase
from evalplus_lite.exe.tasks.worth import MOST_OF_CLASS, difficulty_of, tags_of, triviality
from evalplus_lite.execution.base import Row, Work, WorkerContext
from evalplus_lite.models import Client, ModelSource


@dataclass(frozen=True, slots=True)
class MiningSettings:
    """How to mine; all of it decides the result, so it is the identity of a resumable run.

    ``any_licence``: packages under other than permissive licences too. ``rounds`` of input growth,
    ``cases`` a function at most. ``static_only``: nothing is run. ``model``: name of the language
    model that is asked for inputs. ``functions`` are run of a package at most, chosen by their
    names' hashes. ``with_deps``: what a package requires is downloaded, as far as it is not at hand
    and is pure wheels; by default of packages given by their names on the index. Programs have
    ``max_code`` characters at most. ``keep_all``: trivial tasks too, and all of a class.
    """

    seed: int = 0
    any_licence: bool = False
    cases: int = MAX_CASES
    rounds: int = ROUNDS
    static_only: bool = False
    model: str | None = None
    functions: int | None = None
    with_deps: bool | None = None
    max_code: int = MAX_CODE
    keep_all: bool = False


BEYOND = "beyond the functions of a package that are run"
"""Why functions are left out that ``MiningSettings.functions`` leaves no room for."""

NO_CASES = "no cases that meet the validators"
CROWDED = f"its class has {MOST_OF_CLASS} other tasks"
UNOBSERVED = "no tests were run"
"""What is told of a package whose tests were to be run."""


@dataclass(frozen=True, slots=True)
class Yield:
    """What one function gave: a task with its cases' CPU seconds, or a reject."""

    task: MinedTask | None = None
    seconds: tuple[float, ...] = ()
    reject: Reject | None = None


@dataclass(slots=True)
class PackageMine:
    """Mines one opened package; ``funnel`` is complete when ``yields`` has ended."""

    package: PackageSource
    settings: MiningSettings = field(default_factory=MiningSettings)
    companions: Sequence[PackageSource] = ()
    sandboxes: Sandboxes | None = None
    source: ModelSource | None = None
    tests: PackageSource | None = None
    """The source that holds the package's tests, if that is another."""
    funnel: Funnel = field(default_factory=Funnel)
    _values: PackageValues = field(default_factory=PackageValues)
    _used: Counter[Hashable] = field(default_factory=Counter)
    """Literals of the cases of earlier tasks, each with the number of these."""

    def few_of_a_class(self) -> Iterator[Yield]:
        """Yield every outcome; of a class the tasks whose runs do most, unless all are wanted."""
        results = list(self.yields())
        if self.settings.keep_all or self.settings.static_only:
            yield from results
            return
        ranks: dict[object, list[tuple[int, str]]] = {}
        for result in results:
            if (task := result.task) is not None and "class" in task.facts:
                name = (task.facts["module"], task.facts["class"])
                lines = task.facts.get("difficulty", {}).get("lines", 0)
                ranks.setdefault(name, []).append((-lines, task.id))
        left = {id for found in ranks.values() for _, id in sorted(found)[MOST_OF_CLASS:]}
        for result in results:
            task = result.task
            if task is None or task.id not in left:
                yield result
                continue
            self.funnel.add("mined", -1)
            if not task.facts.get("validators", {"failed": True})["failed"]:
                self.funnel.add("valid", -1)
            self.funnel.reject("mined", CROWDED)
            function = f"{task.facts['module']}.{task.facts['function']}"
            yield Yield(reject=Reject(self.package.name, function, "mined", CROWDED))

    def yields(self) -> Iterator[Yield]:
        """Yield every function's outcome in order of module and line, selection's rejects last."""
        refused = self._refused()
        if refused is not None:
            self.funnel.add("packages")
            self.funnel.reject("packages", refused)
            problem = Obstacle(refused, self.package.licence.expression)
            yield Yield(reject=Reject(self.package.name, "*", "packages", refused, (problem,)))
            return
        seen = self._observed()
        if seen.problem:
            problem = Obstacle(UNOBSERVED, seen.problem)
            yield Yield(reject=Reject(self.package.name, "*", "packages", UNOBSERVED, (problem,)))
        static = StaticMine(
            self.package,
            self.companions,
            any_licence=self.settings.any_licence,
            max_code=self.settings.max_code,
            observed=seen.of if seen.parameters else None,
            funnel=self.funnel,
        )
        sandboxes = self.sandboxes
        if self.settings.static_only or sandboxes is None:
            for function in static.functions():
                self.funnel.add("mined")
                yield Yield(task_of(function, (), {}))
        else:
            with Original(self.package, sandboxes.plain.config, self.companions) as original:
                for function, is_wanted in self._within(static.functions()):
                    if not is_wanted:
                        yield self._rejected(function, "loads", Obstacle(BEYOND, ""))
                        continue
                    before = self.funnel.counts.copy()
                    try:
                        yield self._proved(function, sandboxes, original)
                    except Exception as error:
                        problem = failed(error)
                        self.funnel.counts = before
                        yield self._rejected(function, "loads", problem)
        for reject in static.rejects:
            yield Yield(reject=reject)

    def _observed(self) -> Observed:
        """Return what the package's tests and examples show; keep the values of their calls."""
        if self.settings.static_only or self.sandboxes is None:
            return Observed()
        source, config = self.tests or self.package, self.sandboxes.plain.config
        found = observe(source, self.companions, config, readme=self.package.readme)
        self._values = PackageValues.of(source, found)
        counts = {"tests run": found.tests, "functions seen in tests": len(found.calls)}
        for stage, count in counts.items():
            if count:
                self.funnel.add(stage, count)
        return found

    def _within(self, found: Iterator[MinedFunction]) -> Iterator[tuple[MinedFunction, bool]]:
        """Yield functions, each with whether it is one of so many as are to be run."""
        most = self.settings.functions
        if most is None:
            yield from ((function, True) for function in found)
            return
        functions = list(found)
        ordered = sorted(functions, key=lambda each: hashlib.sha256(each.id.encode()).digest())
        chosen = {function.id for function in ordered[:most]}
        yield from ((function, function.id in chosen) for function in functions)

    def _rejected(self, function: MinedFunction, stage: str, problem: Obstacle) -> Yield:
        self.funnel.reject(stage, problem.reason)
        name = f"{function.module}.{function.name}"
        return Yield(reject=Reject(function.package, name, stage, problem.reason, (problem,)))

    def _refused(self) -> str | None:
        if is_banned_package(self.package.name):
            return "banned package"
        if not self.package.licence.permissive and not self.settings.any_licence:
            return UNLICENSED
        return None

    def _proved(
        self,
        function: MinedFunction,
        sandboxes: Sandboxes,
        original: Original,
    ) -> Yield:
        """Find inputs for a function, prove it equal to the original and make its task."""
        settings = self.settings
        runner = Runner(function, sandboxes)
        search = find_cases(
            function,
            runner,
            seed=settings.seed,
            rounds=settings.rounds,
            count=settings.cases,
            values=self._values,
            source=self.source,
            used=self._used,
        )
        if search.problem:
            return self._rejected(function, "loads", Obstacle(search.problem, ""))
        chosen, facts = search.chosen, search.facts
        # What took too long once is not run again: it is no case, and proves nothing.
        pool = [case for case in search.pool if is_answer(case.answer)] or search.pool[:3]
        base = RunResult(tuple(c.answer for c in pool), tuple(runner.touched), runner.failure)
        verdict = prove(function, [c.call for c in pool], base, sandboxes, original)
        self._count(verdict)
        if verdict.stage is not None and verdict.problem is not None:
            return self._rejected(function, verdict.stage, verdict.problem)
        facts |= {"compared": verdict.compared, "wording": verdict.wording}
        return self._task(function, chosen, facts, runner)

    def _count(self, verdict: ProofResult) -> None:
        stages = ("loads", "stable", "proved")
        reached = stages.index(verdict.stage) if verdict.stage else len(stages)
        for stage in stages[:reached]:
            self.funnel.add(stage)

    def _task(
        self,
        function: MinedFunction,
        chosen: list[Executed],
        facts: dict[str, Any],
        runner: Runner,
    ) -> Yield:
        failed = judge(chosen)
        if not chosen:
            return self._rejected(function, "mined", Obstacle(NO_CASES, ", ".join(failed)))
        facts["validators"] = {"failed": failed}
        counters = runner.measured([case.call for case in chosen])
        runs = [counted.steps if counted else {} for counted in counters]
        is_driven = bool(function.driver)
        trivial = triviality([case.answer for case in chosen], runs, is_driven=is_driven)
        if trivial and not self.settings.keep_all:
            return self._rejected(function, "mined", Obstacle(trivial, ""))
        self.funnel.add("mined")
        self.funnel.add("valid", not failed)
        timed = runner.timed([case.call for case in chosen])
        if difficulty := difficulty_of(runs, is_driven=is_driven):
            facts["difficulty"] = difficulty
        cases = tuple(
            TaskCase(case.call, replace(case.answer, cpu=0.0), steps)
            for case, steps in zip(chosen, runs, strict=True)
        )
        if all(counters):
            facts["read"] = any(counted.is_read for counted in counters if counted)
        facts["sources"] = [case.source for case in chosen]
        self._used.update({each for case in chosen for each in literals_of(case.call)})
        facts["variation"] = variation([case.runtime for case in cases if case.runtime])
        return Yield(task_of(function, cases, facts), timed)


def task_of(
    function: MinedFunction, cases: tuple[TaskCase, ...], facts: dict[str, Any]
) -> MinedTask:
    """Return a mined function as a task row."""
    return MinedTask(
        id=function.id,
        code=function.code,
        entry_point=function.name,
        cases=cases,
        facts={
            "package": function.package,
            "version": function.version,
            "licence": function.licence,
            "origins": [origin.to_json() for origin in function.origins],
            "module": function.module,
            "function": function.name,
            **({"class": function.owner} if function.owner else {}),
            "line": function.line,
            "python": python_version(),
            "signature": function.signature.to_json(),
            "docstring": function.docstring,
            "blocks": [[b.module, b.name, b.line] for b in function.blocks],
            "static": function.statistics.to_json(),
            "tags": tags_of(
                function.code,
                iterations=[case.runtime.get("loop_iterations", 0) for case in cases],
            ),
            "shape": shape(function.code, function.name),
            **facts,
        },
    )


MOST_FETCHED = 30
"""Libraries that are fetched for one package, those that they require included."""
NOT_FETCHED = "not fetched"
OF_TESTS = ("test", "tests", "testing")
"""Extras that name what a package's tests import."""


def mining(place: WorkerContext, settings: Row) -> Work:
    """Of a package, named or by its path, the row that ``PackageWork.row`` makes.

    ``settings`` are those of mining, the paths of companions and of archives at hand, the options
    of the client of a model that writes inputs (or None), and the folder that paths are relative
    to.
    """
    options, companions, at_hand, client, root = settings
    if root != os.getcwd():
        at_hand = [os.path.join(root, path) for path in at_hand]
        companions = [os.path.join(root, path) for path in companions]
    source = None if client is None else Client(**client)
    found = archives_by_name([Path(path) for path in (*companions, *at_hand)])
    folders = [path for path in map(Path, companions) if path.is_dir()]
    work = PackageWork(MiningSettings(**options), folders, found, source)
    sandboxes = Sandboxes(place.sandbox)
    return lambda name: work.row(name, sandboxes, root)


class PackageWork:
    """Mines packages one by one; archives at hand are what they may import, by name."""

    def __init__(
        self,
        settings: MiningSettings,
        folders: list[Path],
        archives: dict[str, Path],
        source: ModelSource | None,
    ) -> None:
        self.settings, self.source = settings, source
        self.folders, self.archives = folders, archives

    def row(self, name: str, sandboxes: Sandboxes, root: str = "") -> dict[str, Any]:
        """Return a package's tasks, rejects, times and funnel as a journal's row."""
        funnel = Funnel()
        row: dict[str, Any] = {"package": name, "tasks": [], "rejects": [], "seconds": {}}
        problem = ""
        try:
            with tempfile.TemporaryDirectory(prefix="package-") as folder, ExitStack() as stack:
                package = self._opened(name, Path(folder), stack, root)
                row["sha256"] = package.origin.sha256
                required = Path(folder, "required")
                others = [*self._companions(name, package, stack, required, row["rejects"])]
                held = self.archives.get(package.name)
                tests = None
                if held is not None and not has_tests(package):  # its source archive, as --with
                    source = stack.enter_context(open_package(held))
                    tests = source if source.version == package.version else None
                mine = PackageMine(
                    package,
                    self.settings,
                    others,
                    sandboxes,
                    self.source,
                    tests,
                    funnel,
                )
                for result in mine.few_of_a_class():
                    if result.task is not None:
                        row["tasks"].append(result.task.to_json())
                        row["seconds"][result.task.id] = result.seconds
                    elif result.reject is not None:
                        row["rejects"].append(result.reject.to_json())
        except (InputError, RecursionError, MemoryError) as error:
            problem = str(error) if isinstance(error, InputError) else "nests too deeply"
            return lost_row(name, problem.removeprefix(f"{name}: "))
        return row | {"mined": len(row["tasks"]), "funnel": funnel.to_json(), "problem": problem}

    def _opened(self, name: str, folder: Path, stack: ExitStack, root: str) -> PackageSource:
        if is_repository(name):
            archive, commit = fetched(name, folder)
            package = stack.enter_context(open_package(archive))
            package.origin = commit.of(package.origin)
            return package
        local = Path(name) if root in ("", os.getcwd()) else Path(root, name)
        path = local
        if not is_path(name) and not local.exists():
            try:  # the wheel that is the same on every machine, where there is one
                path = download(name, folder, is_pure=True)
            except InputError:
                path = download(name, folder)
        return stack.enter_context(open_package(path))

    def _companions(
        self, name: str, package: PackageSource, stack: ExitStack, folder: Path, rejects: list[Row]
    ) -> Iterator[PackageSource]:
        """Open the libraries a package requires, as far as they are at hand.

        What is required and is not is fetched into ``folder``, if that is wanted.
        """
        for own in self.folders:
            yield stack.enter_context(open_package(own))
        is_fetched = self.settings.with_deps
        if is_fetched is None:
            is_fetched = not is_path(name) and not is_repository(name)
        pending = required(package, OF_TESTS if has_tests(package) else ())
        seen = {package.name}
        count = 0
        while pending:
            library, wanted = pending.pop(0)
            if library in seen:
                continue
            seen.add(library)
            path = self.archives.get(library)
            if path is None and is_fetched and wanted is not None:
                count += 1
                try:
                    if count > MOST_FETCHED:
                        raise InputError(f"{wanted} is one of more than {MOST_FETCHED}")
                    path = download(wanted, folder, is_pure=True)
                    open_package(path).__exit__()
                except InputError as error:
                    rejects.append(not_fetched(package, error))
            if path is not None:
                opened = stack.enter_context(open_package(path))
                pending += required(opened)
                yield opened


def not_fetched(package: PackageSource, error: InputError) -> Row:
    """Return the reject that says why something beside a package could not be had."""
    problem = Obstacle(NOT_FETCHED, str(error))
    return Reject(package.name, "*", "packages", NOT_FETCHED, (problem,)).to_json()


def lost_row(name: str, problem: str) -> dict[str, Any]:
    """Return the row of a package that could not be had or read, or not be mined to its end."""
    funnel = Funnel()
    funnel.add("packages")
    funnel.reject("packages", "cannot be had or read")
    reject = Reject(name, "*", "packages", "cannot be had or read", (Obstacle("", problem),))
    return {
        "package": name,
        "tasks": [],
        "rejects": [reject.to_json()],
        "seconds": {},
        "mined": 0,
        "sha256": "",
        "funnel": funnel.to_json(),
        "problem": problem,
    }
