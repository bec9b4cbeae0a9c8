"""Mining many packages: in parallel, one package in memory at a time a worker, resumable.

A package's rows are appended to a journal when the package is done; a killed run goes on with the
packages that are missing. The files are written at the end, in the order of the packages asked
for, so that the number of workers shows nowhere.
"""

from __future__ import annotations

import json
import multiprocessing
import multiprocessing.util
import re
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InfrastructureError, InputError
from evalplus_lite.llm import ModelSource
from evalplus_lite.mining.inlining.graph import Obstacle
from evalplus_lite.mining.mine import MiningSettings, PackageMine
from evalplus_lite.mining.running.proof import Sandboxes
from evalplus_lite.mining.selecting.funnel import Funnel
from evalplus_lite.mining.selecting.static import Reject
from evalplus_lite.mining.sources.archives import open_package
from evalplus_lite.mining.sources.packages import PackageSource, download
from evalplus_lite.sandbox import SandboxConfig
from evalplus_lite.store import Journal, write_jsonl, write_text


@dataclass(frozen=True, slots=True)
class Outputs:
    """The files of a run, beside each other: tasks, rejects, timings, funnel, and the journal."""

    tasks: Path

    def beside(self, kind: str) -> Path:
        """Return ``<tasks>.rejects.jsonl`` and the like."""
        stem = self.tasks.name.removesuffix(".gz").removesuffix(".jsonl")
        return self.tasks.with_name(f"{stem}.{kind}")


@dataclass(frozen=True, slots=True)
class PackageProgress:
    """One package is done (or was before): its name, its tasks, and how many are to come."""

    package: str
    tasks: int
    left: int
    resumed: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """All that a worker process needs to mine packages by itself."""

    settings: MiningSettings
    companions: tuple[Path, ...]
    config: SandboxConfig
    shelf: tuple[tuple[str, Path], ...] = ()
    """Archives at hand, by distribution name: those asked for and the companions."""
    source: Callable[[], ModelSource] | None = None

    def _companions(self, package: PackageSource, stack: ExitStack) -> list[PackageSource]:
        """Open the libraries a package requires, as far as they are at hand."""
        found = [stack.enter_context(open_package(p)) for p in self.companions if p.is_dir()]
        shelf = dict(self.shelf)
        pending = _required(package)
        seen = {package.name}
        while pending:
            name = pending.pop(0)
            if name in seen or name not in shelf:
                continue
            seen.add(name)
            library = stack.enter_context(open_package(shelf[name]))
            found.append(library)
            pending += _required(library)
        return found

    def package(self, name: str, sandboxes: Sandboxes) -> dict[str, Any]:
        """Return a package's rows; one that cannot be had or read gives a reject."""
        funnel = Funnel()
        row: dict[str, Any] = {"package": name, "tasks": [], "rejects": [], "seconds": {}}
        problem = ""
        try:
            with tempfile.TemporaryDirectory(prefix="package-") as folder, ExitStack() as stack:
                path = Path(name)
                if not is_path(name):
                    path = download(name, Path(folder))
                package = stack.enter_context(open_package(path))
                others = self._companions(package, stack)
                source = None if self.source is None else self.source()
                mine = PackageMine(package, self.settings, others, sandboxes, source, funnel)
                for result in mine.yields():
                    if result.task is not None:
                        row["tasks"].append(result.task.to_json())
                        row["seconds"][result.task.id] = result.seconds
                    elif result.reject is not None:
                        row["rejects"].append(result.reject.to_json())
        except (InputError, RecursionError, MemoryError) as error:
            funnel = Funnel()
            funnel.add("packages")
            funnel.reject("packages", "cannot be had or read")
            problem = str(error) if isinstance(error, InputError) else f"{name}: nests too deeply"
            reject = Reject(
                name, "*", "packages", "cannot be had or read", (Obstacle("", problem),)
            )
            row |= {"tasks": [], "rejects": [reject.to_json()], "seconds": {}}
        row |= {"mined": len(row["tasks"]), "funnel": funnel.to_json(), "problem": problem}
        return row


def is_path(name: str) -> bool:
    """Say whether a package is given by a path, not by its name on the index."""
    return "/" in name or name.endswith(_ARCHIVES) or Path(name).exists()


def shelf_of(paths: Sequence[Path]) -> dict[str, Path]:
    """Return distribution name -> archive for those paths whose names tell it."""
    found: dict[str, Path] = {}
    for path in paths:
        match = re.match(r"([A-Za-z0-9._]+?)-\d", path.name)
        if match and path.name.endswith(_ARCHIVES) and path.is_file():
            found.setdefault(_normal_name(match.group(1)), path)
    return found


def _normal_name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _required(package: PackageSource) -> list[str]:
    """Return the names of what a package requires always, extras left out."""
    names: list[str] = []
    for line in package.requires:
        match = re.match(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)", line)
        if match and "extra ==" not in line:
            names.append(_normal_name(match.group(1)))
    return names


_process: dict[SandboxConfig, Sandboxes] = {}
"""This worker process's own sandboxes, kept from package to package."""


def _work(job: Job, name: str) -> dict[str, Any]:
    if job.config not in _process:
        sandboxes = Sandboxes(job.config)
        _process[job.config] = sandboxes
        # Without the object itself: on Python 3.13 it takes no weak references.
        multiprocessing.util.Finalize(None, sandboxes.__exit__, exitpriority=10)
    return job.package(name, _process[job.config])


@dataclass(slots=True)
class Campaign:
    """A run over packages: names on the index, archives or folders."""

    packages: Sequence[str]
    out: Outputs
    settings: MiningSettings = field(default_factory=MiningSettings)
    companions: Sequence[Path] = ()
    workers: int = 1
    config: SandboxConfig = field(default_factory=lambda: SandboxConfig(packages=()))
    source: Callable[[], ModelSource] | None = None
    report: Callable[[PackageProgress], None] = lambda progress: None
    force: bool = False
    """Whether what an earlier run left is dropped."""

    def run(self) -> Funnel:
        """Mine what is missing, write every file, return the funnel of all packages.

        A package that cannot be had or read is counted, with its reason, and does not end the run.
        """
        if not self.packages:
            raise InputError("no package was given", remedy="name one, or give a wheel or folder")
        path = self.out.beside("journal.jsonl")
        libraries = sorted(path.name for path in self.companions)
        identity = {"mining": 1, **asdict(self.settings), "with": libraries}
        with Journal(path, identity=identity, force=self.force, batch=1) as journal:
            # What could not be had may be there by now.
            done: dict[str, int] = {}
            for row in journal.rows():
                with journal.reading(row):
                    if not row.data["problem"]:
                        done[row.data["package"]] = int(row.data["mined"])
            todo = [name for name in dict.fromkeys(self.packages) if name not in done]
            left = len(todo)
            for name in dict.fromkeys(self.packages):
                if name in done:
                    self.report(PackageProgress(name, done[name], left, resumed=True))
            for result in self._each(todo):
                left -= 1
                journal.append(result)
                self.report(
                    PackageProgress(
                        result["package"], result["mined"], left, problem=result["problem"]
                    )
                )
        return self._write(path)

    def _each(self, todo: list[str]) -> Iterator[dict[str, Any]]:
        """Yield packages' rows in order as they are done, few taken ahead."""
        at_hand = shelf_of([*self.companions, *(Path(name) for name in self.packages)])
        job = Job(
            self.settings,
            tuple(self.companions),
            self.config,
            tuple(at_hand.items()),
            self.source,
        )
        if self.workers == 1 or len(todo) < 2:
            with Sandboxes(self.config) as sandboxes:
                for name in todo:
                    yield job.package(name, sandboxes)
            return
        # Processes, not threads: the work is Python's own, and CPython 3.11 cannot parse in two
        # threads at once (its issue 106905).
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(self.workers, mp_context=context) as pool:
            waiting: deque[Future[dict[str, Any]]] = deque()
            try:
                for name in todo:
                    waiting.append(pool.submit(_work, job, name))
                    if len(waiting) > 2 * self.workers:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            except BrokenProcessPool as error:
                raise InfrastructureError(f"a mining process died: {error}") from None
            finally:
                for future in waiting:
                    future.cancel()

    def _write(self, journal: Path) -> Funnel:
        """Write tasks, rejects, timings and funnel from the journal, streaming."""
        from evalplus_lite.store import read_jsonl

        order = {name: number for number, name in enumerate(dict.fromkeys(self.packages))}
        places: dict[int, int] = {}
        for row in read_jsonl(journal):
            if row.data.get("package") in order:
                places[order[row.data["package"]]] = row.line
        funnel = Funnel()

        def rows() -> Iterator[dict[str, Any]]:
            # One package's rows at a time, in the order asked for: few files need a second pass.
            wanted = [places[number] for number in sorted(places)]
            while wanted:
                before = len(wanted)
                for row in read_jsonl(journal):
                    if wanted and row.line == wanted[0]:
                        wanted.pop(0)
                        yield row.data
                if len(wanted) == before:
                    return

        seen: set[str] = set()

        def unique() -> Iterator[dict[str, Any]]:
            for row in rows():
                for task in row["tasks"]:
                    if task["task_id"] not in seen:
                        seen.add(task["task_id"])
                        yield task

        write_jsonl(self.out.tasks, unique())
        write_jsonl(
            self.out.beside("rejects.jsonl"),
            (reject for row in rows() for reject in row["rejects"]),
        )
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
        text = json.dumps(funnel.to_json(), indent=2)
        write_text(self.out.beside("funnel.json"), text + "\n")
        return funnel


_ARCHIVES = (".whl", ".tar.gz", ".tgz", ".zip", ".tar.bz2", ".tar.xz")
