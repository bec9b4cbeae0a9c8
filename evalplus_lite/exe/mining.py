"""Packages to execution tasks."""

from __future__ import annotations

import collections
import functools
import itertools
import json
import os
import tempfile
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from evalplus_lite.errors import InputError
from evalplus_lite.exe.running.proof import Sandboxes
from evalplus_lite.exe.selecting.static import Funnel
from evalplus_lite.exe.sources import check_repository, is_path, is_repository, open_package
from evalplus_lite.exe.tasks.chains import chained_tasks
from evalplus_lite.exe.tasks.likeness import Earlier, Seen
from evalplus_lite.exe.tasks.mined import read_tasks
from evalplus_lite.exe.tasks.moments import moment_tasks
from evalplus_lite.exe.work import MiningSettings, lost_row
from evalplus_lite.execution.base import Backend, Call
from evalplus_lite.execution.job import Defect, Lost
from evalplus_lite.jobs.datasets import run_facts
from evalplus_lite.jobs.session import Result, Session, keep_inputs, within
from evalplus_lite.jobs.shards import Shard, share_of
from evalplus_lite.models import Client
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.store import Journal, Row, read_jsonl, write_jsonl, write_text
from evalplus_lite.store.journal import finished

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
        identity = {"mining": 2, **asdict(self.settings), "with": libraries}
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
        call = Call("evalplus_lite.exe.work:mining", settings)
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
    settings: MiningSettings = MiningSettings(),  # noqa: B008 - frozen
    companions: Sequence[Path] = (),
    client: Client | None = None,
    since: str | os.PathLike[str] | None = None,
    chained: int = 0,
    links: int = 2,
    questions: int = 0,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    shard: Shard | str | None = None,
    session: Session | None = None,
) -> MiningResult:
    """Turn typed, pure functions of real packages into execution tasks.

        result = mine(["./toys-1.0-py3-none-any.whl"], out="out/mined/tasks.jsonl")
        len(result.to_rows()), result.problems

    ``packages`` are names (downloaded by pip), wheels, source archives, folders, or repositories
    (``git+https://host/project@COMMIT``); none is installed or imported here. ``companions`` are
    libraries to inline from, ``client`` asks a model for inputs. ``chained`` is a number of
    tasks of ``links`` functions each to build too, ``questions`` a number of execution states to
    ask four questions about. Of programs that the tasks' file ``since`` has, none is written.

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
        if chained or questions:
            sandboxes = stack.enter_context(Sandboxes(Sandbox(opened.config)))
            mined = list(read_tasks(path)) if path.stat().st_size else []
            for kind, make, count in (
                ("chained.jsonl", functools.partial(chained_tasks, links=links), chained),
                ("questions.jsonl", moment_tasks, questions),
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
    if is_repository(name):
        check_repository(name)
        return
    path = Path(name)
    if is_path(name) and not os.path.exists(path):
        raise InputError("no such file or folder", path=path, remedy="check the path")
    if os.path.isdir(path) and next(path.rglob("*.py"), None) is None:
        raise InputError("holds no Python file", path=path, remedy="give a package's folder")
