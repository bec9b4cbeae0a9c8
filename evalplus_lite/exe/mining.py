"""Packages to execution tasks."""

from __future__ import annotations

import collections
import functools
import os
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from evalplus_lite.errors import InputError
from evalplus_lite.exe.campaign import Campaign, Outputs, PackageProgress
from evalplus_lite.exe.running.proof import Sandboxes
from evalplus_lite.exe.selecting.funnel import Funnel
from evalplus_lite.exe.settings import MiningSettings
from evalplus_lite.exe.sources.archives import open_package
from evalplus_lite.exe.sources.repositories import check_repository, is_repository
from evalplus_lite.exe.tasks.chains import chained_tasks
from evalplus_lite.exe.tasks.likeness import Earlier
from evalplus_lite.exe.tasks.mined import read_tasks
from evalplus_lite.exe.tasks.moments import moment_tasks, state_tasks
from evalplus_lite.exe.work import is_path
from evalplus_lite.jobs.datasets import run_facts
from evalplus_lite.jobs.session import Result, Session, keep_inputs, within
from evalplus_lite.jobs.shards import Shard, share_of
from evalplus_lite.models import Client
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.store import read_jsonl, write_jsonl


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
    refresh: str | os.PathLike[str] | None = None,
    since: str | os.PathLike[str] | None = None,
    chained: int = 0,
    links: int = 2,
    states: int = 0,
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
    libraries to inline from, ``client`` asks a model for inputs. ``chained`` (of ``links``
    functions each) and ``states`` are numbers of tasks of these kinds to build besides,
    ``questions`` of moments of runs to ask four things of. ``refresh`` is a file of mined tasks
    whose functions get new inputs: of ``packages``, or without any of the versions that it names.
    Of programs that the tasks' file ``since`` has, none is written.

    With ``out``, a file, the tasks are written there, rejects, timings and the funnel beside it;
    the same call goes on after a kill, unless ``force`` drops what is there. With ``shard``,
    such as ``"2/4"``, only a part of the packages is mined, for ``merge``.

    A package that cannot be had or read is in ``result.problems``. Raises InputError if a path
    leads to nothing.
    """
    _check_asked(settings, client)
    earlier = None if refresh is None else Earlier(Path(refresh))
    before = None if since is None else Earlier(Path(since))
    if earlier is not None:
        settings = replace(settings, refreshed=earlier.digest)
        packages = packages or earlier.packages()
    if before is not None:
        collections.deque(before.shapes(), maxlen=0)  # a mistake in it is told before any work
    for name in packages:
        _check_package(name)
    earlier_files = {"earlier tasks of refresh": refresh, "earlier tasks of since": since}
    for name, file in earlier_files.items():
        keep_inputs({"output": out}, {name: file})
    for library in companions:
        _check_companion(library)
    problems: dict[str, str] = {}
    refused: dict[str, str] = {}
    with within(session) as opened, ExitStack() as stack:
        opened.stage("mine", len(packages))

        def report(progress: PackageProgress) -> None:
            if progress.problem:
                problems[progress.package] = progress.problem
                opened.note(f"{progress.package}: {progress.problem}")
            if progress.refused:
                refused[progress.package] = progress.refused
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
            refresh=earlier,
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
        if chained or states or questions:
            sandboxes = stack.enter_context(Sandboxes(Sandbox(opened.config)))
            mined = list(read_tasks(path)) if path.stat().st_size else []
            for kind, make, count in (
                ("chained.jsonl", functools.partial(chained_tasks, links=links), chained),
                ("states.jsonl", state_tasks, states),
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


def _check_asked(settings: MiningSettings, client: Client | None) -> None:
    """Raise InputError if missing types are to be found to no end, or asked of nobody."""
    for option, is_given in (("--observe", settings.observe), ("--stubs", settings.stubs)):
        if is_given and settings.types != "known":
            raise InputError(
                f"{option} and --types {settings.types}, which leaves out what has no annotations",
                remedy="leave one of them out",
            )
    if settings.asked_for == "inputs":
        return
    if client is None:
        raise InputError(
            f"--ask-for {settings.asked_for} needs a model",
            remedy="name one with --model, and its server with --base-url",
        )
    if settings.types != "known":
        raise InputError(
            f"--ask-for {settings.asked_for} and --types {settings.types}: functions without "
            "annotations are left out",
            remedy="leave --types out",
        )


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
