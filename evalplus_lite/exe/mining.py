"""Packages to execution tasks: what a worker does with one package, and the whole job."""

from __future__ import annotations

import collections
import functools
import hashlib
import itertools
import json
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

from evalplus_lite.errors import InputError
from evalplus_lite.exe.inputs.known import Observed, PackageValues, has_tests, observe
from evalplus_lite.exe.inputs.search import ROUNDS, Runner, find_cases
from evalplus_lite.exe.inputs.validators import MAX_CASES, Executed, judge, literals_of
from evalplus_lite.exe.reading.index import Obstacle
from evalplus_lite.exe.running.proof import Original, ProofResult, Sandboxes, prove, python_version
from evalplus_lite.exe.running.runs import RunResult, is_answer
from evalplus_lite.exe.selecting.static import (
    MAX_CODE,
    OF_TESTS,
    UNLICENSED,
    Funnel,
    MinedFunction,
    Reject,
    StaticMine,
    failed,
    is_banned_package,
    unmet,
)
from evalplus_lite.exe.sources import (
    PackageSource,
    archives_by_name,
    download,
    download_source,
    is_path,
    open_package,
    pinned,
    required,
)
from evalplus_lite.exe.statistics.measures import variation
from evalplus_lite.exe.tasks.breakpoints import breakpoint_tasks
from evalplus_lite.exe.tasks.chains import chained_tasks
from evalplus_lite.exe.tasks.mined import MinedTask, TaskCase, read_tasks
from evalplus_lite.exe.tasks.worth import (
    MOST_OF_CLASS,
    Earlier,
    Seen,
    counted_cases,
    shape,
    tags_of,
    triviality,
)
from evalplus_lite.execution.base import Backend, Call, Work, WorkerContext
from evalplus_lite.execution.job import Defect, Lost
from evalplus_lite.jobs.datasets import run_facts
from evalplus_lite.jobs.session import Result, Session, keep_inputs, within
from evalplus_lite.jobs.shards import Shard, share_of
from evalplus_lite.models import Client, ModelSource
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.store import Journal, Row, parse_json, read_jsonl, write_jsonl, write_text
from evalplus_lite.store.journal import finished


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
            self.funnel.withdraw(task.facts, CROWDED)
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
        for name, count in zip(OF_TESTS, (found.tests, len(found.calls)), strict=True):
            self.funnel.add(name, count)
        return found

    def _within(self, found: Iterator[MinedFunction]) -> Iterator[tuple[MinedFunction, bool]]:
        """Yield functions, each with whether it is one of so many as are to be run."""
        most = self.settings.functions
        if most is None:
            yield from ((function, True) for function in found)
            return
        functions = list(found)
        ordered = sorted(functions, key=self._rank)
        chosen = {function.id for function in ordered[:most]}
        yield from ((function, function.id in chosen) for function in functions)

    def _rank(self, function: MinedFunction) -> tuple[bool, bytes]:
        """Return what decides whether a function is run: known calls first, then chance."""
        is_unknown = not self._values.of_function(function)
        return is_unknown, hashlib.sha256(function.id.encode()).digest()

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
        answered = [(case.call, case.answer) for case in chosen]
        trivial = triviality(answered, runs, is_driven=is_driven)
        if trivial and not self.settings.keep_all:
            return self._rejected(function, "mined", Obstacle(trivial, ""))
        self.funnel.add("mined")
        if failed:
            self.funnel.reject("valid", unmet(failed))
        else:
            self.funnel.add("valid")
        timed = runner.timed([case.call for case in chosen])
        cases, measured = counted_cases(answered, counters, is_driven=is_driven)
        facts |= measured
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
TEST_EXTRAS = ("test", "tests", "testing")
"""Extras that name what a package's tests import."""


def mining(place: WorkerContext, settings: Any) -> Work:
    """Of a package, named or by its path, the row that ``PackageWork.row`` makes.

    ``settings`` are those of mining, the paths of companions and of archives at hand, the options
    of the client of a model that writes inputs (or None), and the folder that paths are relative
    to.
    """
    options, companions, at_hand, client, root = settings
    if root != os.getcwd():
        at_hand = [os.path.join(root, path) if is_path(path) else path for path in at_hand]
        companions = [os.path.join(root, path) for path in companions]
    source = None if client is None else Client(**client)
    found = archives_by_name([Path(path) for path in (*companions, *at_hand)])
    folders = [path for path in map(Path, companions) if path.is_dir()]
    pins = pinned(name for name in at_hand if not is_path(name))
    work = PackageWork(MiningSettings(**options), folders, found, source, pins)
    sandboxes = Sandboxes(place.sandbox)
    return lambda name: work.row(name, sandboxes, root)


class PackageWork:
    """Mines packages one by one.

    Archives at hand are what they may import, by name, and so are versions that are pinned.
    """

    def __init__(
        self,
        settings: MiningSettings,
        folders: list[Path],
        archives: dict[str, Path],
        source: ModelSource | None,
        pins: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.settings, self.source = settings, source
        self.folders, self.archives, self.pins = folders, archives, pins

    def row(self, name: str, sandboxes: Sandboxes, root: str = "") -> dict[str, Any]:
        """Return a package's tasks, rejects, times and funnel as a journal's row."""
        funnel = Funnel()
        row: dict[str, Any] = {"package": name, "tasks": [], "rejects": [], "seconds": {}}
        problem = ""
        try:
            with tempfile.TemporaryDirectory(prefix="package-") as folder, ExitStack() as stack:
                package = self._opened(name, Path(folder), stack, root)
                row["sha256"] = package.origin.sha256
                tests = self._tests(name, package, Path(folder, "source"), stack)
                required = Path(folder, "required")
                extras = TEST_EXTRAS if has_tests(tests or package) else ()
                others = [*self._companions(name, package, extras, stack, required, row["rejects"])]
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
        local = Path(name) if root in ("", os.getcwd()) else Path(root, name)
        path = local
        if not is_path(name) and not local.exists():
            try:  # the wheel that is the same on every machine, where there is one
                path = download(name, folder, is_pure=True)
            except InputError:
                path = download(name, folder)
        return stack.enter_context(open_package(path))

    def _tests(
        self, name: str, package: PackageSource, folder: Path, stack: ExitStack
    ) -> PackageSource | None:
        """Return the source archive of a wheel without tests: at hand, or fetched by its name."""
        if has_tests(package) or self.settings.static_only:
            return None
        held = self.archives.get(package.name)
        if held is None and not is_path(name):
            held = download_source(package.name, package.version, folder)
        if held is None:
            return None
        try:
            source = stack.enter_context(open_package(held))
        except InputError:  # damaged: the wheel is enough
            return None
        return source if source.version == package.version else None

    def _companions(
        self,
        name: str,
        package: PackageSource,
        extras: Sequence[str],
        stack: ExitStack,
        folder: Path,
        rejects: list[dict[str, Any]],
    ) -> Iterator[PackageSource]:
        """Open the libraries a package requires, as far as they are at hand.

        What is required and is not is fetched into ``folder``, if that is wanted.
        """
        for own in self.folders:
            yield stack.enter_context(open_package(own))
        is_fetched = self.settings.with_deps
        if is_fetched is None:
            is_fetched = not is_path(name)
        pending = required(package, extras)
        seen = {package.name}
        count = 0
        while pending:
            library, wanted = pending.pop(0)
            if library in seen:
                continue
            seen.add(library)
            path = self.archives.get(library)
            wanted = self.pins.get(library, wanted if is_fetched else None)
            if path is None and wanted is not None:
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


def not_fetched(package: PackageSource, error: InputError) -> dict[str, Any]:
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


AHEAD = 4
"""Packages that are begun or wait to be, a worker."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """The files of a run, beside each other: tasks, rejects, timings, funnel, and the journal."""

    tasks: Path

    def beside(self, kind: str) -> Path:
        """Return ``<tasks>.rejects.jsonl`` and the like."""
        stem = self.tasks.name.removesuffix(".gz").removesuffix(".jsonl")
        return self.tasks.with_name(f"{stem}.{kind}")


@dataclass(slots=True)
class Campaign:
    """A run over packages: names on the index, archives or folders."""

    packages: Sequence[str]
    out: Outputs
    backend: Backend
    settings: MiningSettings = field(default_factory=MiningSettings)
    companions: Sequence[Path] = ()
    client: Client | None = None
    """Of the model that writes inputs, if one does."""
    report: Callable[[str, str, str], None] = lambda package, problem, refused: None
    """Told of each package that is done, why it could not be read, and why nothing is taken."""
    force: bool = False
    """Whether what an earlier run left is dropped."""
    since: Earlier | None = None
    """Tasks that are left out of what is written, as programs of the same shape are."""
    only: Container[str] | None = None
    """Packages to mine; the journal alone is written then, for others to put together."""

    def run(self) -> Funnel:
        """Mine what is missing, write every file, return the funnel of all packages.

        A package that cannot be had or read is counted, with its reason, and does not end the run.
        """
        if not self.packages:
            raise InputError("no package was given", remedy="name one, or give a wheel or folder")
        path = self.out.beside("journal.jsonl")
        libraries = sorted(path.name for path in self.companions)
        identity = {"mining": 3, **asdict(self.settings), "with": libraries}
        names = list(dict.fromkeys(self.packages))
        if self.only is not None:
            names = [name for name in names if name in self.only]
        with Journal(path, identity=identity, force=self.force, batch=1) as journal:
            # What could not be had may be there by now; a file or folder may have changed.
            rows = {row[0]: row for row in finished(journal, _progress)}
            done = {
                package: refused
                for package, problem, content, refused in rows.values()
                if not problem and content == _content(package, content)
            }
            for name in names:
                if name in done:
                    self.report(name, "", done[name])
            for row in self._rows([name for name in names if name not in done]):
                journal.append(row)
                self.report(row["package"], row["problem"], _refused(row))
        return self._write(path) if self.only is None else Funnel()

    def _rows(self, names: list[str]) -> Iterator[dict[str, Any]]:
        """Yield packages' rows as they come: one that takes an hour holds up no other's."""
        settings = (
            asdict(self.settings),
            [str(path) for path in self.companions],
            list(self.packages),
            None if self.client is None else self.client.options,
            os.getcwd(),  # what paths are relative to: a worker may have been started elsewhere
        )
        call = Call("evalplus_lite.exe.mining:mining", settings)
        left = iter(names)
        waiting: dict[Future[dict[str, Any]], str] = {}
        try:
            while True:
                for name in itertools.islice(left, AHEAD * self.backend.workers - len(waiting)):
                    waiting[self.backend.submit(call, name, then=dict)] = name
                if not waiting:
                    return
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    name = waiting.pop(future)
                    try:
                        row = future.result()
                    except (Lost, Defect) as error:
                        row = lost_row(name, str(error))
                    yield row
        finally:
            for future in waiting:
                future.cancel()

    def _write(self, journal: Path) -> Funnel:
        """Write tasks, rejects, timings and funnel from the journal, streaming."""
        order = {name: number for number, name in enumerate(dict.fromkeys(self.packages))}
        starts, places = [0], dict[int, int]()
        with journal.open("rb") as file:
            starts += itertools.accumulate(map(len, file))
        for row in read_jsonl(journal):
            if row.data.get("package") in order:
                places[order[row.data["package"]]] = row.line
        funnel = Funnel()

        def rows() -> Iterator[dict[str, Any]]:
            # One package's rows at a time, in the order asked for, wherever they stand.
            with journal.open("rb") as file:
                for number in sorted(places):
                    file.seek(starts[places[number] - 1])
                    yield parse_json(file.readline().decode(), path=journal, line=places[number])

        seen = Seen()
        if self.since is not None:
            seen.earlier = dict(self.since.shapes())
        write_jsonl(self.out.tasks, (task for row in rows() for task in seen.new(row["tasks"])))
        rejects = (reject for row in rows() for reject in row["rejects"])
        write_jsonl(self.out.beside("rejects.jsonl"), itertools.chain(rejects, seen.rejects()))
        write_jsonl(
            self.out.beside("times.jsonl"),
            (
                {"task_id": task, "seconds": seconds}
                for row in rows()
                for task, seconds in row["seconds"].items()
            ),
        )
        for package in rows():
            funnel.merge(Funnel.from_json(package["funnel"]))
        seen.count_in(funnel)
        text = json.dumps(funnel.to_json(), indent=2)
        write_text(self.out.beside("funnel.json"), text + "\n")
        return funnel


def _progress(row: Row) -> tuple[str, str, str, str]:
    data = row.data
    return data["package"], data["problem"], data["sha256"], _refused(data)


def _refused(row: dict[str, Any]) -> str:
    """Return why a whole package was not taken, empty if it was."""
    # The funnel counts those that nothing is taken of; rejects also name what one goes without.
    found = [each["reason"] for each in row["funnel"]["rejects"] if each["stage"] == "packages"]
    return "" if row["problem"] or not found else str(found[0])


def _content(package: str, mined: str) -> str:
    """Return the hash of what a path leads to now; of a name what was ``mined``."""
    if not is_path(package):
        return mined
    try:
        with open_package(Path(package)) as found:
            return found.origin.sha256
    except InputError:  # which mining it will tell
        return ""


@dataclass(frozen=True, slots=True)
class MiningResult(Result):
    """The execution tasks of packages, and the funnel: what was rejected at which stage, and why.

    ``path`` is the tasks' file (JSONL), None if they are in ``tasks``. ``problems`` says of
    packages that could not be had or read what was wrong, ``refused`` why nothing was taken of
    others (their licence).
    """

    kind: ClassVar[str] = "mining"

    funnel: Funnel
    path: Path | None
    problems: dict[str, str]
    refused: dict[str, str] = field(default_factory=dict)
    tasks: tuple[dict[str, Any], ...] = ()

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row a task, as in the file."""
        return list(self.tasks) if self.path is None else _rows(self.path)


def mine(
    packages: Sequence[str],
    *,
    settings: MiningSettings = MiningSettings(),
    companions: Sequence[Path] = (),
    client: Client | None = None,
    since: str | os.PathLike[str] | None = None,
    chained: int = 0,
    links: int = 2,
    breakpoints: int = 0,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    shard: Shard | str | None = None,
    session: Session | None = None,
) -> MiningResult:
    """Turn typed, pure functions of real packages into execution tasks.

        result = mine(["./toys-1.0-py3-none-any.whl"], out="out/mined/tasks.jsonl")
        len(result.to_rows()), result.problems

    ``packages`` are names (downloaded by pip), wheels, source archives or folders; none is
    installed or imported here. ``companions`` are libraries to inline from, ``client`` asks a model
    for inputs. ``chained`` is a number of tasks of up to ``links`` functions to build too,
    ``breakpoints`` a number of places in runs to ask about. Of programs that the tasks' file
    ``since`` has, none is written.

    With ``out``, a file, the tasks are written there, rejects, timings and the funnel beside it;
    the same call goes on after a kill, unless ``force`` drops what is there. With ``shard``,
    such as ``"2/4"``, only a part of the packages is mined, for ``merge``.

    A package that cannot be had or read is in ``result.problems``. Raises InputError if a path
    leads to nothing.
    """
    before = None if since is None else Earlier(Path(since))
    if before is not None:
        collections.deque(before.shapes(), maxlen=0)  # a mistake in it is told before any work
    for name in packages:
        _check_package(name)
    keep_inputs({"output": out}, {"earlier tasks of since": since})
    for library in companions:
        _check_companion(library)
    problems: dict[str, str] = {}
    refused: dict[str, str] = {}
    with within(session) as opened, ExitStack() as stack:
        opened.stage("mine", len(packages))

        def report(package: str, problem: str, why: str) -> None:
            if problem:
                problems[package] = problem
                opened.note(f"{package}: {problem}")
            if why:
                refused[package] = why
            opened.advance()

        if out is None:
            path = Path(stack.enter_context(tempfile.TemporaryDirectory()), "tasks.jsonl")
        else:
            path = Path(out)
        name = Outputs(path).beside("journal.jsonl").name
        share = share_of(shard, out, kind="mine", journal=name, kept="beside")
        if share is not None:
            facts = {**asdict(settings), "with": packages_digests(companions)}
            share.plan(packages_costs(packages), facts=facts, key="package", force=force)
            path = share.out
        outputs = Outputs(path)
        campaign = Campaign(
            packages,
            outputs,
            opened.pool(),
            settings,
            companions=companions,
            client=client,
            since=before,
            report=report,
            force=force,
            only=share.items if share is not None and share.is_part else None,
        )
        funnel = campaign.run()
        if share is not None and share.is_part:
            shared = {**share.end(), "problems": problems, "refused": refused}
            return MiningResult(shared, funnel, path, problems, refused)
        extra: dict[str, int] = {}
        if chained or breakpoints:
            sandboxes = stack.enter_context(Sandboxes(Sandbox(opened.config)))
            mined = list(read_tasks(path)) if path.stat().st_size else []
            for kind, make, count in (
                ("chained.jsonl", functools.partial(chained_tasks, links=links), chained),
                ("breakpoints.jsonl", breakpoint_tasks, breakpoints),
            ):
                if count:
                    made = list(make(mined, sandboxes, count=count, seed=settings.seed))
                    other = outputs.beside(kind)
                    write_jsonl(other, (task.to_json() for task in made))
                    extra[str(other)] = len(made)
        run = run_facts(seed=settings.seed)
        summary = {"run": run, **funnel.to_json(), "tasks": str(path), "extra": extra}
        summary |= {"problems": problems, "refused": refused}
        if out is not None:
            return MiningResult(summary, funnel, path, problems, refused)
        return MiningResult(summary, funnel, None, problems, refused, tuple(_rows(path)))


def _check_companion(path: Path) -> None:
    """Raise InputError if a library cannot be read, before any work is done."""
    if not path.exists():
        raise InputError("no such file or folder", path=path, remedy="check the path")
    open_package(path).__exit__()


def _rows(path: Path) -> list[dict[str, Any]]:
    return [row.data for row in read_jsonl(path)] if path.stat().st_size else []


def packages_costs(packages: Iterable[str]) -> dict[str, int]:
    """Return what each package is likely to cost: its bytes where it is a file, or its modules'."""
    found = {}
    for name in packages:
        path = Path(name)
        parts = path.rglob("*.py") if os.path.isdir(path) else [path]
        parts = [part for part in parts if os.path.isfile(part)]
        found[name] = 1 + sum(part.stat().st_size for part in parts)
    return found


def packages_digests(paths: Iterable[Path]) -> list[list[str]]:
    """Return the names of libraries with the size of what they hold."""
    return [[path.name, str(packages_costs([str(path)])[str(path)])] for path in paths]


def _check_package(name: str) -> None:
    """Raise InputError if a name is a path that leads to nothing, before any work is done."""
    path = Path(name)
    if is_path(name) and not os.path.exists(path):
        raise InputError("no such file or folder", path=path, remedy="check the path")
    if os.path.isdir(path) and next(path.rglob("*.py"), None) is None:
        raise InputError("holds no Python file", path=path, remedy="give a package's folder")
