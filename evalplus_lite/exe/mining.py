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
    """How to mine; all of it decides the result, so it is the identity of a resumable run.

    ``any_license``: also packages whose license is not permissive. ``rounds`` of input growth.
    ``static_only``: nothing is run. ``model``: name of the language
    model that is asked for inputs. ``functions`` are run of a package at most, chosen by their
    names' hashes. ``with_deps``: what a package requires is downloaded, as far as it is not at hand
    and is pure wheels; by default of packages given by their names on the index. Programs have
    ``max_code`` characters at most. ``keep_all``: trivial tasks too, and all of a class.
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
"""Why functions are left out that ``MiningSettings.functions`` leaves no room for."""

NO_CASES = "no cases that meet the validators"
CROWDED = f"its class has {MOST_OF_CLASS} other tasks"
UNOBSERVED = "no tests were run"
"""What is told of a package whose tests were to be run."""


Yield: TypeAlias = tuple[MinedTask, tuple[float, ...]] | Reject
"""What one function gave: a task with its cases' CPU seconds, or a reject."""


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
        if self.settings.keep_all or self.settings.static_only:
            yield from self.yields()
            return
        results = list(self.yields())
        ranks: dict[object, list[tuple[int, str]]] = defaultdict(list)
        for task in (each[0] for each in results if not isinstance(each, Reject)):
            if "class" in task.facts:
                lines = task.facts.get("difficulty", {}).get("lines", 0)
                ranks[task.facts["module"], task.facts["class"]].append((-lines, task.id))
        left = {id for found in ranks.values() for _, id in sorted(found)[MOST_OF_CLASS:]}
        for result in results:
            if not isinstance(result, Reject) and result[0].id in left:
                facts = result[0].facts
                self.funnel.withdraw(facts, CROWDED)
                function = f"{facts['module']}.{facts['function']}"
                result = Reject(self.package.name, function, "mined", CROWDED)
            yield result

    def yields(self) -> Iterator[Yield]:
        """Yield every function's outcome in order of module and line, selection's rejects last."""
        refused = ""
        if is_banned_package(self.package.name):
            refused = "banned package"
        elif not is_permissive(self.package.origin.licence) and not self.settings.any_license:
            refused = UNLICENSED
        if refused:
            self.funnel.add("packages")
            self.funnel.reject("packages", refused)
            yield rejected(self.package.name, refused, self.package.origin.licence)
            return
        sandboxes = None if self.settings.static_only else self.sandboxes
        seen = Observed()
        if sandboxes is not None:
            source = self.tests or self.package
            readme = self.package.readme
            seen = observe(source, self.companions, sandboxes.plain.config, readme=readme)
            self._values = PackageValues.of(source, seen)
            for name, count in zip(OF_TESTS, (seen.tests, len(seen.calls)), strict=True):
                self.funnel.add(name, count)
        if seen.problem:
            yield rejected(self.package.name, UNOBSERVED, seen.problem)
        static = StaticMine(
            self.package,
            self.companions,
            any_license=self.settings.any_license,
            max_code=self.settings.max_code,
            observed=seen.of if seen.parameters else None,
            funnel=self.funnel,
        )
        if sandboxes is None:
            for function in static.functions():
                self.funnel.add("mined")
                yield task_of(function, (), {}), ()
        else:
            with Original(self.package, sandboxes.plain.config, self.companions) as original:
                for found in self._within(static.functions()):
                    if isinstance(found, Reject):
                        yield found
                        continue
                    before = self.funnel.counts.copy()
                    try:
                        yield self._proved(found, sandboxes, original)
                    except Exception as error:
                        problem = failed(error)
                        self.funnel.counts = before
                        yield self._rejected(found, "loads", problem.reason, problem.detail)
        yield from static.rejects

    def _within(self, found: Iterator[MinedFunction]) -> Iterator[MinedFunction | Reject]:
        """Yield the functions that are to be run, and rejects of those that are too many."""
        if self.settings.functions is None:
            yield from found
            return
        functions = {function.id: function for function in found}

        def rank(id: str) -> tuple[bool, bytes]:
            """Known calls first, then chance."""
            is_unknown = not self._values.of_function(functions[id])
            return is_unknown, hashlib.sha256(id.encode()).digest()

        chosen = {*sorted(functions, key=rank)[: self.settings.functions]}
        for id, function in functions.items():
            yield function if id in chosen else self._rejected(function, "loads", BEYOND)

    def _rejected(
        self, function: MinedFunction, stage: str, reason: str, detail: str = ""
    ) -> Reject:
        self.funnel.reject(stage, reason)
        name = f"{function.module}.{function.name}"
        return Reject(self.package.name, name, stage, reason, (Obstacle(reason, detail),))

    def _proved(self, function: MinedFunction, sandboxes: Sandboxes, original: Original) -> Yield:
        """Find inputs for a function, prove it equal to the original and make its task."""
        runner = Runner(function, sandboxes)
        found = find_cases(
            function,
            runner,
            seed=self.settings.seed,
            rounds=self.settings.rounds,
            values=self._values,
            source=self.source,
            used=self._used,
        )
        if found is None:
            return self._rejected(function, "loads", UNKNOWN)
        tried, chosen, facts = found
        # What took too long once is not run again: it is no case, and proves nothing.
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
        cases, measured = counted_cases(answered, counters, is_driven=is_driven)
        facts |= measured
        facts["sources"] = [case.source for case in chosen]
        self._used.update({each for call in calls for each in literals_of(call)})
        facts["variation"] = variation([case.runtime for case in cases if case.runtime])
        return task_of(function, cases, facts), timed


def rejected(package: str, reason: str, detail: str, problem: str | None = None) -> Reject:
    """Return why a whole package is left out, or what one goes without."""
    found = Obstacle(reason if problem is None else problem, detail)
    return Reject(package, "*", "packages", reason, (found,))


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
    root = "" if root == os.getcwd() else root
    libraries = [Path(root, path) for path in companions]
    work = PackageWork(
        MiningSettings(**options),
        Sandboxes(place.sandbox),
        folders=[path for path in libraries if path.is_dir()],
        archives=archives_by_name([*libraries, *(Path(root, path) for path in at_hand)]),
        pins=pinned(at_hand),
        source=None if client is None else Client(**client),
        root=root,
    )
    return work.row


@dataclass(frozen=True, slots=True)
class PackageWork:
    """Mines packages one by one.

    Archives at hand are what they may import, by name, and so are versions that are pinned.
    """

    settings: MiningSettings
    sandboxes: Sandboxes
    folders: Sequence[Path] = ()
    archives: Mapping[str, Path] = field(default_factory=dict)
    pins: Mapping[str, str] = field(default_factory=dict)
    source: ModelSource | None = None
    root: str = ""
    """The folder that paths are relative to; empty for this process's."""

    def row(self, name: str) -> dict[str, Any]:
        """Return a package's tasks, rejects, times and funnel as a journal's row."""
        funnel, row = Funnel(), empty_row(name)
        try:
            with tempfile.TemporaryDirectory(prefix="package-") as folder, ExitStack() as stack:
                package = stack.enter_context(open_package(self._located(name, Path(folder))))
                row["sha256"] = package.origin.sha256
                tests = self._tests(name, package, Path(folder, "source"), stack)
                required = Path(folder, "required")
                extras = TEST_EXTRAS if has_tests(tests or package) else ()
                others = [*self._companions(name, package, extras, stack, required, row["rejects"])]
                mine = PackageMine(
                    package, self.settings, others, self.sandboxes, self.source, tests, funnel
                )
                for result in mine.few_of_a_class():
                    if isinstance(result, Reject):
                        row["rejects"].append(result.to_json())
                    else:
                        row["tasks"].append(result[0].to_json())
                        row["seconds"][result[0].id] = result[1]
        except (InputError, RecursionError, MemoryError) as error:
            problem = str(error) if isinstance(error, InputError) else "nests too deeply"
            return lost_row(name, problem.removeprefix(f"{name}: "))
        # The funnel counts those that nothing is taken of; rejects also name what one goes without.
        refused = (reason for stage, reason in funnel.reasons if stage == "packages")
        return row | {"refused": next(refused, ""), "funnel": funnel.to_json()}

    def _located(self, name: str, folder: Path) -> Path:
        local = Path(self.root, name)
        if is_path(name) or local.exists():
            return local
        try:  # the wheel that is the same on every machine, where there is one
            return download(name, folder, is_pure=True)
        except InputError:
            return download(name, folder)

    def _tests(
        self, name: str, package: PackageSource, folder: Path, stack: ExitStack
    ) -> PackageSource | None:
        """Return the source archive of a wheel without tests: at hand, or fetched by its name."""
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
        """Open the libraries a package requires, as far as they are at hand.

        What is required and is not is fetched into ``folder``, if that is wanted.
        """
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
            path = self.archives.get(library)
            wanted = self.pins.get(library, wanted if is_fetched else None)
            if path is None and wanted is not None:
                fetched += 1
                try:
                    if fetched > MOST_FETCHED:
                        raise InputError(f"{wanted} is one of more than {MOST_FETCHED}")
                    path = download(wanted, folder, is_pure=True)
                    open_package(path).__exit__()
                except InputError as error:
                    rejects.append(rejected(package.name, NOT_FETCHED, str(error)).to_json())
            if path is not None:
                opened = stack.enter_context(open_package(path))
                pending += required(opened)
                yield opened


LOST = "cannot be had or read"


def empty_row(name: str) -> dict[str, Any]:
    """Return the row of a package of which nothing is known yet."""
    return {"package": name, "problem": "", "refused": "", "sha256": "", "tasks": [],
            "rejects": [], "seconds": {}}  # fmt: skip


def lost_row(name: str, problem: str) -> dict[str, Any]:
    """Return the row of a package that could not be had or read, or not be mined to its end."""
    funnel = Funnel(Counter(packages=1), Counter({("packages", LOST): 1}))
    rejects = [rejected(name, LOST, problem, "").to_json()]
    return empty_row(name) | {"problem": problem, "rejects": rejects, "funnel": funnel.to_json()}


AHEAD = 4
"""Packages that are begun or wait to be, a worker."""


def beside(tasks: Path, kind: str) -> Path:
    """Return a file of a run beside its tasks: ``<tasks>.rejects.jsonl`` and the like."""
    stem = tasks.name.removesuffix(".gz").removesuffix(".jsonl")
    return tasks.with_name(f"{stem}.{kind}")


def package_rows(
    call: Call,
    items: Iterable[tuple[str, Row]],
    backend: Processes,
    lost: Callable[[str, str], dict[str, Any]] = lost_row,
) -> Iterator[dict[str, Any]]:
    """Yield packages' rows as they come: one that takes an hour holds up no other's.

    Each item is a package's name and what the work is given; ``lost`` makes the row of one whose
    work did not end, from its name and what went wrong.
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
    order = {name: number for number, name in enumerate(dict.fromkeys(packages))}
    starts, places = [0], dict[int, int]()
    with journal.open("rb") as file:
        starts += itertools.accumulate(map(len, file))
    for row in read_jsonl(journal):
        if row.data.get("package") in order:
            places[order[row.data["package"]]] = row.line

    def rows() -> Iterator[dict[str, Any]]:
        # One package's rows at a time, in the order asked for, wherever they stand.
        with journal.open("rb") as file:
            for number in sorted(places):
                file.seek(starts[places[number] - 1])
                yield parse_json(file.readline().decode(), path=journal, line=places[number])

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
    # Before any work, so that a mistake in it is told.
    before = {} if since is None else dict(earlier_shapes(Path(since)))
    if not packages:
        raise InputError("no package was given", remedy="name one, or give a wheel or folder")
    for name in packages:
        _check_package(name)
    keep_inputs({"output": out}, {"earlier tasks of since": since})
    for library in companions:
        open_package(library).__exit__()  # so is a library that cannot be read
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
        given = (
            asdict(settings),
            [str(path) for path in companions],
            list(packages),
            None if client is None else client.options,
            os.getcwd(),  # what paths are relative to: a worker may have been started elsewhere
        )
        call = Call("evalplus_lite.exe.mining:mining", given)
        libraries = sorted(path.name for path in companions)
        identity = {"mining": 5, **asdict(settings), "with": libraries}
        place = beside(path, "journal.jsonl")
        with Journal(place, identity=identity, force=force, batch=1) as journal:
            # What could not be had may be there by now; a file or folder may have changed.
            wanted = operator.itemgetter("package", "problem", "sha256", "refused")
            rows = {row[0]: row for row in finished(journal, lambda row: wanted(row.data))}
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
        if share is not None and share.is_part:  # the journal alone, for others to put together
            shared = {**share.end(), "problems": problems, "refused": refused}
            return MiningResult(shared, Funnel(), path, problems, refused)
        funnel = _written(place, packages, path, before)
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
                    other = beside(path, kind)
                    write_jsonl(other, (task.to_json() for task in made))
                    extra[str(other)] = len(made)
        summary = {"run": run_facts(seed=settings.seed), **funnel.to_json(), "tasks": str(path)}
        summary |= {"extra": extra, "problems": problems, "refused": refused}
        tasks = () if out is not None else tuple(_rows(path))
        return MiningResult(
            summary, funnel, None if out is None else path, problems, refused, tasks
        )


def _rows(path: Path) -> list[dict[str, Any]]:
    return [row.data for row in read_jsonl(path)] if path.stat().st_size else []


def cost_of(path: Path) -> int:
    """Return what a package is likely to cost: its bytes where it is a file, or its modules'."""
    parts = path.rglob("*.py") if os.path.isdir(path) else [path]
    return 1 + sum(part.stat().st_size for part in parts if os.path.isfile(part))


def _check_package(name: str) -> None:
    """Raise InputError if a name is a path that leads to nothing, before any work is done."""
    path = Path(name)
    if is_path(name) and not os.path.exists(path):
        raise InputError("no such file or folder", path=path, remedy="check the path")
    if os.path.isdir(path) and next(path.rglob("*.py"), None) is None:
        raise InputError("holds no Python file", path=path, remedy="give a package's folder")
