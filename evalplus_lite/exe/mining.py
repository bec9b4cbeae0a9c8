"""Packages to execution tasks: what a worker does with one package, and the whole job."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import operator
import os
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from evalplus_lite.errors import InputError
from evalplus_lite.exe.inputs.known import Observed, PackageValues, has_tests, observe
from evalplus_lite.exe.inputs.search import ROUNDS, UNKNOWN, Runner, find_cases
from evalplus_lite.exe.inputs.validators import judge, literals_of
from evalplus_lite.exe.reading.index import Obstacle
from evalplus_lite.exe.running.proof import Original, Sandboxes, prove, python_version
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
)
from evalplus_lite.exe.sources import (
    PackageSource,
    archives_by_name,
    download,
    download_source,
    is_path,
    is_permissive,
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
    Seen,
    counted_cases,
    earlier_shapes,
    shape,
    tags_of,
    triviality,
)
from evalplus_lite.execution.base import Call, Row, Work, WorkerContext
from evalplus_lite.execution.job import Defect, Lost
from evalplus_lite.execution.processes import Processes
from evalplus_lite.jobs.datasets import run_facts
from evalplus_lite.jobs.session import Result, Session, keep_inputs, within
from evalplus_lite.jobs.shards import Shard, share_of
from evalplus_lite.models import Client, ModelSource
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.store import Journal, parse_json, read_jsonl, write_jsonl, write_text
from evalplus_lite.store.journal import finished


@dataclass(frozen=True, slots=True)
class MiningSettings:
    """The settings of mining; they determine the result, so they identify a resumable run.

    ``any_license``: keep packages whose license is not permissive. ``rounds``: rounds of input
    growth. ``static_only``: run nothing. ``model``: name of the model that writes inputs.
    ``functions``: maximum number of a package's functions to run, chosen by a hash of their names.
    ``with_deps``: download required packages (pure wheels); by default, only those of packages
    specified by name. ``max_code``: maximum characters of a program. ``keep_all``: keep trivial
    tasks, and all tasks of a class.
    """

    seed: int = 0
    any_license: bool = False
    rounds: int = ROUNDS
    static_only: bool = False
    model: str | None = None
    functions: int | None = None
    with_deps: bool | None = None
    max_code: int = MAX_CODE
    keep_all: bool = False


BEYOND = "beyond the functions of a package that are run"
"""Reason for rejecting functions beyond ``MiningSettings.functions``."""
NO_CASES = "no cases that meet the validators"
CROWDED = f"its class has {MOST_OF_CLASS} other tasks"
UNOBSERVED = "no tests were run"
Yield: TypeAlias = tuple[MinedTask, tuple[float, ...]] | Reject
"""The outcome for one function: a task with its cases' CPU seconds, or a reject."""


@dataclass(slots=True)
class PackageMine:
    """Mining of one opened package; ``funnel`` is complete after ``yields`` ends."""

    package: PackageSource
    settings: MiningSettings = field(default_factory=MiningSettings)
    companions: Sequence[PackageSource] = ()
    sandboxes: Sandboxes | None = None
    source: ModelSource | None = None
    tests: PackageSource | None = None
    """The package's source archive, if that has the tests."""
    funnel: Funnel = field(default_factory=Funnel)
    _values: PackageValues = field(default_factory=PackageValues)
    _used: Counter[Hashable] = field(default_factory=Counter)
    """Literals in the cases of earlier tasks, with the number of tasks."""

    def few_of_a_class(self) -> Iterator[Yield]:
        """Yield every outcome; of each class, keep only the tasks whose runs execute most lines."""
        if self.settings.keep_all or self.settings.static_only:
            yield from self.yields()
            return
        results = list(self.yields())
        classes: dict[object, list[tuple[int, str]]] = defaultdict(list)
        for task in (each[0] for each in results if not isinstance(each, Reject)):
            if "class" in task.facts:
                lines = task.facts.get("difficulty", {}).get("lines", 0)
                classes[task.facts["module"], task.facts["class"]].append((-lines, task.id))
        dropped = {id for ranks in classes.values() for _, id in sorted(ranks)[MOST_OF_CLASS:]}
        for result in results:
            if not isinstance(result, Reject) and result[0].id in dropped:
                facts = result[0].facts
                self.funnel.withdraw(facts, CROWDED)
                function = f"{facts['module']}.{facts['function']}"
                result = Reject(self.package.name, function, "mined", CROWDED)
            yield result

    def yields(self) -> Iterator[Yield]:
        """Yield every function's outcome in order of module and line, selection's rejects last."""
        name, licence = self.package.name, self.package.origin.licence
        is_banned = is_banned_package(name)
        if is_banned or not (self.settings.any_license or is_permissive(licence)):
            refused = "banned package" if is_banned else UNLICENSED
            self.funnel.add("packages")
            self.funnel.reject("packages", refused)
            yield rejected(name, refused, licence)
            return
        sandboxes = None if self.settings.static_only else self.sandboxes
        observed = Observed()
        if sandboxes is not None:
            source = self.tests or self.package
            config = sandboxes.plain.config
            observed = observe(source, self.companions, config, readme=self.package.readme)
            self._values = PackageValues.of(source, observed)
            for counter, count in zip(OF_TESTS, (observed.tests, len(observed.calls)), strict=True):
                self.funnel.add(counter, count)
        if observed.problem:
            yield rejected(name, UNOBSERVED, observed.problem)
        static = StaticMine(
            self.package,
            self.companions,
            any_license=self.settings.any_license,
            max_code=self.settings.max_code,
            observed=observed.parameters,
            funnel=self.funnel,
        )
        if sandboxes is None:
            for function in static.functions():
                self.funnel.add("mined")
                yield task_of(function, (), {}), ()
        else:
            with Original(self.package, sandboxes.plain.config, self.companions) as original:
                functions: Iterable[MinedFunction] = static.functions()
                beyond: set[str] = set()
                if self.settings.functions is not None:
                    functions = {function.id: function for function in functions}.values()
                    # Functions with known calls first, then by a hash.
                    ranked = sorted(functions, key=self._rank)[self.settings.functions :]
                    beyond = {function.id for function in ranked}
                for function in functions:
                    if function.id in beyond:
                        yield self._rejected(function, "loads", BEYOND)
                        continue
                    before = self.funnel.counts.copy()
                    try:
                        yield self._proved(function, sandboxes, original)
                    except Exception as error:
                        problem = failed(error)
                        self.funnel.counts = before
                        yield self._rejected(function, "loads", problem.reason, problem.detail)
        yield from static.rejects

    def _rank(self, function: MinedFunction) -> tuple[bool, bytes]:
        is_unknown = not self._values.of_function(function)
        return is_unknown, hashlib.sha256(function.id.encode()).digest()

    def _rejected(
        self, function: MinedFunction, stage: str, reason: str, detail: str = ""
    ) -> Reject:
        self.funnel.reject(stage, reason)
        name = f"{function.module}.{function.name}"
        return Reject(self.package.name, name, stage, reason, (Obstacle(reason, detail),))

    def _proved(self, function: MinedFunction, sandboxes: Sandboxes, original: Original) -> Yield:
        """Find inputs for a function, prove it equal to the original and make its task."""
        runner = Runner(function, sandboxes)
        cases = find_cases(
            function,
            runner,
            seed=self.settings.seed,
            rounds=self.settings.rounds,
            values=self._values,
            source=self.source,
            used=self._used,
        )
        if cases is None:
            return self._rejected(function, "loads", UNKNOWN)
        tried, chosen, facts = cases
        # Slow calls are not run again: they cannot be cases, and prove nothing.
        pool = [case for case in tried if is_answer(case.answer)] or tried[:3]
        base = RunResult(tuple(c.answer for c in pool), tuple(runner.touched), runner.failure)
        verdict = prove(function, [c.call for c in pool], base, sandboxes, original)
        for stage in ("loads", "stable", "proved"):
            if stage == verdict.stage:
                return self._rejected(function, stage, verdict.reason, verdict.detail)
            self.funnel.add(stage)
        facts |= {"compared": verdict.compared, "wording": verdict.wording}
        unmet = judge(chosen)
        if not chosen:
            return self._rejected(function, "mined", NO_CASES, ", ".join(unmet))
        facts["validators"] = {"failed": unmet}
        calls = [case.call for case in chosen]
        counters = runner.measured(calls)
        runs = [counted.steps if counted else {} for counted in counters]
        is_driven = bool(function.driver)
        answered = [(case.call, case.answer) for case in chosen]
        trivial = triviality(answered, runs, is_driven=is_driven)
        if trivial and not self.settings.keep_all:
            return self._rejected(function, "mined", trivial)
        self.funnel.keep(unmet)
        timed = runner.timed(calls)
        counted, measured = counted_cases(answered, counters, is_driven=is_driven)
        facts |= measured
        facts["sources"] = [case.source for case in chosen]
        self._used.update({each for call in calls for each in literals_of(call)})
        facts["variation"] = variation([case.runtime for case in counted if case.runtime])
        return task_of(function, counted, facts), timed


def rejected(package: str, reason: str, detail: str) -> Reject:
    """Return why a whole package is left out, or what it lacks."""
    return Reject(package, "*", "packages", reason, (Obstacle(reason, detail),))


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
            "package": function.origins[0].package,
            "version": function.origins[0].version,
            "licence": function.licence,
            "origins": [origin.to_json() for origin in function.origins],
            "module": function.module,
            "function": function.name,
            **({"class": function.owner} if function.owner else {}),
            "line": function.line,
            "python": python_version(),
            "signature": function.signature.to_json(),
            "docstring": function.docstring,
            "blocks": [list(block) for block in function.blocks],
            "static": function.statistics,
            "tags": tags_of(
                function.code, iterations=[case.runtime.get("loop_iterations", 0) for case in cases]
            ),
            "shape": shape(function.code, function.name),
            **facts,
        },
    )


MOST_FETCHED = 30
"""Maximum number of libraries to download for one package."""
NOT_FETCHED = "not fetched"
TEST_EXTRAS = ("test", "tests", "testing")
"""Extras that list what a package's tests import."""


def mining(place: WorkerContext, settings: Any) -> Work:
    """Return ``PackageWork.row``, which mines the package with a name or path.

    ``settings``: the mining settings, the paths of companions and of all packages, the options of
    the model client (or None), and the folder that paths are relative to.
    """
    options, companions, packages, client, root = settings
    libraries = [Path(root, path) for path in companions]
    return PackageWork(
        MiningSettings(**options),
        Sandboxes(place.sandbox),
        folders=[path for path in libraries if path.is_dir()],
        archives=archives_by_name([*libraries, *(Path(root, path) for path in packages)]),
        pins=pinned(packages),
        source=None if client is None else Client(**client),
        root="" if root == os.getcwd() else root,
    ).row


@dataclass(frozen=True, slots=True)
class PackageWork:
    """Mining of packages one by one."""

    settings: MiningSettings
    sandboxes: Sandboxes
    folders: Sequence[Path] = ()
    archives: Mapping[str, Path] = field(default_factory=dict)
    """Archives of libraries, by distribution name."""
    pins: Mapping[str, str] = field(default_factory=dict)
    """Pinned versions (``idna==3.20``), by distribution name."""
    source: ModelSource | None = None
    root: str = ""
    """The folder that paths are relative to; empty for the current one."""

    def row(self, name: str) -> dict[str, Any]:
        """Return a package's tasks, rejects, times and funnel as a row of the journal."""
        funnel = Funnel()
        tasks: list[Any] = []
        rejects: list[Any] = []
        seconds: dict[str, Any] = {}
        try:
            with tempfile.TemporaryDirectory(prefix="package-") as folder, ExitStack() as stack:
                package = stack.enter_context(open_package(self._located(name, Path(folder))))
                tests = self._tests(name, package, Path(folder, "source"), stack)
                extras = TEST_EXTRAS if has_tests(tests or package) else ()
                libraries = Path(folder, "required")
                others = [*self._companions(name, package, extras, stack, libraries, rejects)]
                mine = PackageMine(
                    package, self.settings, others, self.sandboxes, self.source, tests, funnel
                )
                for result in mine.few_of_a_class():
                    if isinstance(result, Reject):
                        rejects.append(result.to_json())
                    else:
                        tasks.append(result[0].to_json())
                        seconds[result[0].id] = result[1]
        except (InputError, RecursionError, MemoryError) as error:
            problem = str(error) if isinstance(error, InputError) else "nests too deeply"
            return lost_row(name, problem.removeprefix(f"{name}: "))
        # Only refused packages are in the funnel; rejects also list what other packages lack.
        refused = (reason for stage, reason in funnel.reasons if stage == "packages")
        return {
            "package": name,
            "problem": "",
            "refused": next(refused, ""),
            "sha256": package.origin.sha256,
            "tasks": tasks,
            "rejects": rejects,
            "seconds": seconds,
            "funnel": funnel.to_json(),
        }

    def _located(self, name: str, folder: Path) -> Path:
        local = Path(self.root, name)
        if is_path(name) or local.exists():
            return local
        try:  # a wheel that is the same on every machine, if there is one
            return download(name, folder, is_pure=True)
        except InputError:
            return download(name, folder)

    def _tests(
        self, name: str, package: PackageSource, folder: Path, stack: ExitStack
    ) -> PackageSource | None:
        """Return the source archive of a wheel without tests: given, or downloaded by name."""
        if has_tests(package) or self.settings.static_only:
            return None
        version = package.origin.version
        held = self.archives.get(package.name)
        if held is None and not is_path(name):
            held = download_source(package.name, version, folder)
        if held is not None:
            with suppress(InputError):  # damaged: the wheel is enough
                source = stack.enter_context(open_package(held))
                return source if source.origin.version == version else None
        return None

    def _companions(
        self,
        name: str,
        package: PackageSource,
        extras: Sequence[str],
        stack: ExitStack,
        folder: Path,
        rejects: list[dict[str, Any]],
    ) -> Iterator[PackageSource]:
        """Open the given libraries that a package requires; download others into ``folder``."""
        for own in self.folders:
            yield stack.enter_context(open_package(own))
        with_deps = self.settings.with_deps
        is_fetched = not is_path(name) if with_deps is None else with_deps
        pending = required(package, extras)
        seen = {package.name}
        fetched = 0
        while pending:
            library, wanted = pending.pop(0)
            if library in seen:
                continue
            seen.add(library)
            wanted = self.pins.get(library, wanted if is_fetched else None)
            if library in self.archives:
                opened = open_package(self.archives[library])
            elif wanted is None:
                continue
            else:
                fetched += 1
                try:
                    if fetched > MOST_FETCHED:
                        raise InputError(f"{wanted} is one of more than {MOST_FETCHED}")
                    opened = open_package(download(wanted, folder, is_pure=True))
                except InputError as error:
                    rejects.append(rejected(package.name, NOT_FETCHED, str(error)).to_json())
                    continue
            pending += required(stack.enter_context(opened))
            yield opened


LOST = "cannot be had or read"


def lost_row(name: str, problem: str) -> dict[str, Any]:
    """Return the row of a package that could not be downloaded, read, or mined to its end."""
    funnel = Funnel(Counter(packages=1), Counter({("packages", LOST): 1}))
    reject = Reject(name, "*", "packages", LOST, (Obstacle("", problem),))
    return {"package": name, "problem": problem, "refused": "", "sha256": "", "tasks": [],
            "rejects": [reject.to_json()], "seconds": {}, "funnel": funnel.to_json()}  # fmt: skip


AHEAD = 4
"""Packages per worker that are submitted at a time."""


def beside(tasks: Path, kind: str) -> Path:
    """Return another file of a run, next to its tasks: ``<tasks>.rejects.jsonl``, say."""
    stem = tasks.name.removesuffix(".gz").removesuffix(".jsonl")
    return tasks.with_name(f"{stem}.{kind}")


def package_rows(
    call: Call,
    items: Iterable[tuple[str, Row]],
    backend: Processes,
    lost: Callable[[str, str], dict[str, Any]] = lost_row,
) -> Iterator[dict[str, Any]]:
    """Yield packages' rows as they complete, so that a slow package delays no other.

    Each item is a package's name and the argument of the call. ``lost`` makes the row of a package
    whose work failed, from its name and the problem.
    """
    left = iter(items)
    waiting: dict[Future[dict[str, Any]], str] = {}
    try:
        while True:
            for name, item in itertools.islice(left, AHEAD * backend.workers - len(waiting)):
                waiting[backend.submit(call, item, then=dict)] = name
            if not waiting:
                return
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                name = waiting.pop(future)
                try:
                    yield future.result()
                except (Lost, Defect) as error:
                    yield lost(name, str(error))
    finally:
        for future in waiting:
            future.cancel()


def _written(
    journal: Path, packages: Sequence[str], tasks: Path, since: Mapping[str, str]
) -> Funnel:
    """Write tasks, rejects, timings and funnel from the journal, streaming; return the funnel."""
    with journal.open("rb") as file:
        starts = [0, *itertools.accumulate(map(len, file))]
    lines = {row.data.get("package"): row.line for row in read_jsonl(journal)}

    def rows() -> Iterator[dict[str, Any]]:
        # One package at a time, in the order of ``packages``.
        with journal.open("rb") as file:
            for name in dict.fromkeys(packages):
                if line := lines.get(name):
                    file.seek(starts[line - 1])
                    yield parse_json(file.readline().decode(), path=journal, line=line)

    seen = Seen(earlier=since)
    write_jsonl(tasks, (task for row in rows() for task in seen.new(row["tasks"])))
    rejects = (reject for row in rows() for reject in row["rejects"])
    write_jsonl(
        beside(tasks, "rejects.jsonl"),
        itertools.chain(rejects, (reject.to_json() for reject in seen.rejects)),
    )
    times = (
        {"task_id": task, "seconds": seconds}
        for row in rows()
        for task, seconds in row["seconds"].items()
    )
    write_jsonl(beside(tasks, "times.jsonl"), times)
    funnel = Funnel()
    for package in rows():
        funnel.merge(Funnel.from_json(package["funnel"]))
    funnel.merge(seen.funnel)
    write_text(beside(tasks, "funnel.json"), json.dumps(funnel.to_json(), indent=2) + "\n")
    return funnel


def _content(package: str, mined: str) -> str:
    """Return the current hash of a path's contents; for a name, the hash when it was mined."""
    if not is_path(package):
        return mined
    try:
        with open_package(Path(package)) as opened:
            return opened.origin.sha256
    except InputError:  # mining the package reports it
        return ""


@dataclass(frozen=True, slots=True)
class MiningResult(Result):
    """The execution tasks of packages, and the funnel: what was rejected at which stage, and why.

    ``path``: the tasks' file (JSONL); None if they are in ``tasks``. Packages with the reason:
    ``problems`` could not be downloaded or read, ``refused`` were skipped for their license.
    """

    kind: ClassVar[str] = "mining"

    funnel: Funnel
    path: Path | None
    problems: dict[str, str]
    refused: dict[str, str] = field(default_factory=dict)
    tasks: tuple[dict[str, Any], ...] = ()

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each task, as in the file."""
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
    installed or imported here. ``companions``: libraries whose code may be inlined. ``client``: a
    model that writes inputs. ``chained``: number of tasks to build of up to ``links`` functions.
    ``breakpoints``: number of program states to ask about. ``since``: a tasks' file whose programs
    are skipped.

    With ``out``, a file, the tasks are written there, and rejects, timings and funnel next to it;
    the same call resumes after a kill, unless ``force`` starts over. With ``shard``, such as
    ``"2/4"``, only a part of the packages is mined, for ``merge``.

    Raises InputError if a path does not exist; other problems of packages are in the result.
    """
    # Arguments are checked before any work.
    before = {} if since is None else dict(earlier_shapes(Path(since)))
    if not packages:
        raise InputError("no package was given", remedy="name one, or give a wheel or folder")
    for name in packages:
        _check_package(name)
    keep_inputs({"output": out}, {"earlier tasks of since": since})
    for library in companions:
        open_package(library).__exit__()
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

        folder = stack.enter_context(tempfile.TemporaryDirectory()) if out is None else ""
        path = Path(folder, out or "tasks.jsonl")
        journal_name = beside(path, "journal.jsonl").name
        share = share_of(shard, out, kind="mine", journal=journal_name, kept="beside")
        names = list(dict.fromkeys(packages))
        if share is not None:
            facts = {"with": [[path.name, str(cost_of(path))] for path in companions]}
            share.plan(
                {name: cost_of(Path(name)) for name in packages},
                facts=asdict(settings) | facts,
                key="package",
                force=force,
            )
            path = share.out
            names = [name for name in names if name in share.items or not share.is_part]
        options = None if client is None else client.options
        # Workers may have been started in another folder than the one that paths are relative to.
        work = asdict(settings), [*map(str, companions)], list(packages), options, os.getcwd()
        call = Call("evalplus_lite.exe.mining:mining", work)
        libraries = sorted(path.name for path in companions)
        identity = {"mining": 6, **asdict(settings), "with": libraries}
        place = beside(path, "journal.jsonl")
        with Journal(place, identity=identity, force=force, batch=1) as journal:
            # Retry packages that failed, and those whose file or folder has changed.
            fields = operator.itemgetter("package", "problem", "sha256", "refused")
            rows = {row[0]: row for row in finished(journal, lambda row: fields(row.data))}
            done = {
                package: why
                for package, problem, content, why in rows.values()
                if not problem and content == _content(package, content)
            }
            for name in filter(done.__contains__, names):
                report(name, "", done[name])
            left = ((name, name) for name in names if name not in done)
            for row in package_rows(call, left, opened.pool()):
                journal.append(row)
                report(row["package"], row["problem"], row["refused"])
        if share is not None and share.is_part:  # ``merge`` needs only the journal
            shared = {**share.end(), "problems": problems, "refused": refused}
            return MiningResult(shared, Funnel(), path, problems, refused)
        funnel = _written(place, packages, path, before)
        extra: dict[str, int] = {}
        if chained or breakpoints:
            sandboxes = stack.enter_context(Sandboxes(Sandbox(opened.config)))
            mined = list(read_tasks(path)) if path.stat().st_size else []
            for kind, build, count in (
                ("chained.jsonl", functools.partial(chained_tasks, links=links), chained),
                ("breakpoints.jsonl", breakpoint_tasks, breakpoints),
            ):
                if count:
                    tasks = list(build(mined, sandboxes, count=count, seed=settings.seed))
                    file = beside(path, kind)
                    write_jsonl(file, (task.to_json() for task in tasks))
                    extra[str(file)] = len(tasks)
        summary = {"run": run_facts(seed=settings.seed), **funnel.to_json(), "tasks": str(path)}
        summary |= {"extra": extra, "problems": problems, "refused": refused}
        if out is None:
            return MiningResult(summary, funnel, None, problems, refused, tuple(_rows(path)))
        return MiningResult(summary, funnel, path, problems, refused)


def _rows(path: Path) -> list[dict[str, Any]]:
    return [row.data for row in read_jsonl(path)] if path.stat().st_size else []


def cost_of(path: Path) -> int:
    """Estimate the cost of a package: the bytes of its file or modules."""
    parts = path.rglob("*.py") if os.path.isdir(path) else [path]
    return 1 + sum(part.stat().st_size for part in parts if os.path.isfile(part))


def _check_package(name: str) -> None:
    """Raise InputError if a name is a path that does not exist or has no modules."""
    path = Path(name)
    if is_path(name) and not os.path.exists(path):
        raise InputError("no such file or folder", path=path, remedy="check the path")
    if os.path.isdir(path) and next(path.rglob("*.py"), None) is None:
        raise InputError("holds no Python file", path=path, remedy="give a package's folder")
