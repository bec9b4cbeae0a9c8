"""``Verifier``: the library's face, for training loops, notebooks and scripts."""

from __future__ import annotations

import asyncio
import contextlib
import os
import warnings
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import astuple
from pathlib import Path
from typing import Any, Literal

from evalplus_lite.errors import (
    EvalPlusLiteError,
    EvidenceWarning,
    InputError,
    SandboxUnavailable,
    UnusableTask,
)
from evalplus_lite.execution.backends import DEFAULT, make_backend
from evalplus_lite.execution.base import Call, Row
from evalplus_lite.execution.processes import LOOKAHEAD
from evalplus_lite.jobs.expected import SuiteSource
from evalplus_lite.jobs.workers.settings import Settings
from evalplus_lite.jobs.workers.shared_data import SharedData
from evalplus_lite.sandbox import Tier, config_of, preset
from evalplus_lite.sandbox.limits import memory_bytes
from evalplus_lite.store import cache_folder
from evalplus_lite.tasks import Dataset, load_dataset
from evalplus_lite.types import Failure, Task, Verdict

WORK = "evalplus_lite.jobs.workers.verification"
OnFailure = Literal["return", "raise"]


class Verifier:
    """Judges programs for the tasks of a dataset; a context manager, safe for many threads.

        with Verifier("tasks.jsonl") as verifier:
            verdict = verifier.verify("Own/0", "def f(x): return x + x")
            reward = 1.0 if verdict.passed else 0.0

    ``dataset`` is a name, a path or a ``Dataset``. ``limits`` is a preset's name, ``memory`` the
    bytes that a program may add (or a text: ``"512MiB"``), ``total`` the seconds that all cases of
    a program together may compute, and wait (default: by the preset), ``workers`` the number of
    sandboxes (default: one a processor), ``packages`` are importable by programs in addition to
    numpy. With ``chat`` programs are raw answers, from which the code is extracted first.
    ``sandbox`` names a tier; SandboxUnavailable is raised on entry if no tier works here.
    InputError names an option that cannot be used.

    Unit tests that a program could pass without knowing the task are left out (``weak``) unless
    ``weak_tests`` is True.

    ``store`` is a folder where verdicts are kept for later runs (at most 256 MiB), by the task's
    content, the program's text, all limits, the sandbox, the machine and the version: a training
    loop that meets a program again has its verdict at once. Any number of processes may share one.
    A store that is damaged, full or locked costs time, never a verdict.

    Without plus cases ``Verdict.plus`` is None; ``Verdict.passed`` always means that a program
    passed every case. A task without a usable case never passes a program: its ``verify`` raises
    UnusableTask. An ``EvidenceWarning`` reports such tasks and data sets, and suites with blind
    spots.

    A process forked while a Verifier is open may use it, too: with sandboxes of its own.
    """

    def __init__(
        self,
        dataset: str | Path | Dataset,
        *,
        limits: str = "default",
        memory: int | str = 1 << 30,
        total: float | None = None,
        workers: int | None = None,
        packages: Sequence[str] = (),
        chat: bool = False,
        details: bool = False,
        sandbox: Tier = "auto",
        cache: Path | None = None,
        store: str | os.PathLike[str] | None = None,
        backend: str = DEFAULT,
        weak_tests: bool = False,
    ) -> None:
        self.dataset = dataset if isinstance(dataset, Dataset) else load_dataset(dataset)
        self._tasks: dict[str, Task] = {task.id: task for task in self.dataset.tasks}
        settings = Settings(
            preset(limits),
            memory_bytes(memory),
            total,
            details,
            self.dataset.has_plus,
            weak_tests=weak_tests,
        )
        source = SuiteSource(cache=cache or cache_folder())
        folder = None if store is None else os.path.abspath(store)
        self._call = Call(f"{WORK}:verifying", (source.settings, settings.to_row(), chat, folder))
        config = config_of(sandbox, packages)
        self._backend = make_backend(backend, workers, config, preload=[WORK])
        self._staging = SharedData(self._backend, self.dataset.suites)
        self._told: set[str] = set()
        self._unusable = {each.task_id: each for each in self.dataset.unusable}
        self._open = False
        for each in self.dataset.unusable:
            _warn(f"task {each.task_id} of {self.dataset.name} cannot be used: {each.detail}")
        if self._tasks and not self.dataset.has_plus:
            _warn(f"{self.dataset.name} has no plus cases: Verdict.plus is None, see .passed")

    def __enter__(self) -> Verifier:
        self._backend.__enter__()
        self._staging = SharedData(self._backend, self.dataset.suites)
        try:
            self._backend.tier  # noqa: B018 - raises if there is none
        except BaseException:
            self._backend.close(now=True)
            raise
        self._open = True
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all sandboxes; programs being judged are finished first."""
        self._open = False
        self._backend.close()

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The tasks by id."""
        return self._tasks

    def verify(self, task_id: str, program: str) -> Verdict:
        """Return the verdict on one program; blocks the calling thread only.

        Raises InputError for an unknown task or a program that is not a str, UnusableTask for a
        task without a usable case, InfrastructureError if the machine failed three times: neither
        concerns the program.
        """
        return self.submit(task_id, program).result()

    def verify_many(
        self, items: Iterable[tuple[str, str]], *, on_failure: OnFailure = "return"
    ) -> Iterator[Verdict | EvalPlusLiteError]:
        """Yield the verdicts on (task id, program) pairs, in their order, run in parallel.

        Items are taken on demand, some ahead, so there may be any number of them. Errors of
        ``verify`` on an item are yielded in place of its verdict; with ``on_failure="raise"`` they
        are raised there. SandboxUnavailable is always raised.
        """
        _check(on_failure)
        return self._verify_many(items, on_failure)

    def _verify_many(
        self, items: Iterable[tuple[str, str]], on_failure: OnFailure
    ) -> Iterator[Verdict | EvalPlusLiteError]:
        with contextlib.closing(self._futures(items)) as futures:
            for future in futures:
                yield _result(future, on_failure)

    def _futures(self, items: Iterable[tuple[str, str]]) -> Generator[Future[Verdict], None, None]:
        """Yield a future for each item, in their order, some time after it was submitted."""
        waiting: deque[Future[Verdict]] = deque()
        try:
            for item in items:
                waiting.append(self._begin(item))
                if len(waiting) >= LOOKAHEAD * self._backend.workers:
                    yield waiting.popleft()
            while waiting:
                yield waiting.popleft()
        finally:
            for future in waiting:
                future.cancel()

    def _begin(self, item: tuple[str, str]) -> Future[Verdict]:
        """Submit an item; a mistake in it is the future's error, so that it comes in its turn."""
        try:
            if not isinstance(item, tuple | list) or len(item) != 2:
                raise InputError(
                    f"an item is a {type(item).__name__}", remedy="give pairs: (task id, program)"
                )
            return self.submit(*item)
        except (InputError, UnusableTask) as error:
            if not self._open:
                raise
            failed: Future[Verdict] = Future()
            failed.set_exception(error)
            return failed

    async def averify(self, task_id: str, program: str) -> Verdict:
        """Return the verdict on one program without blocking the event loop."""
        return await asyncio.wrap_future(self.submit(task_id, program))

    async def averify_many(
        self, items: Iterable[tuple[str, str]], *, on_failure: OnFailure = "return"
    ) -> list[Verdict | EvalPlusLiteError]:
        """Return what ``verify_many`` yields as a list, without blocking the event loop."""
        _check(on_failure)
        found: list[Verdict | EvalPlusLiteError] = []
        with contextlib.closing(self._futures(items)) as futures:
            for future in futures:
                done, _ = await asyncio.wait([asyncio.wrap_future(future)])
                done.pop().exception()  # heard: asyncio would complain of one that nobody asks for
                found.append(_result(future, on_failure))
        return found

    def submit(self, task_id: str, program: str) -> Future[Verdict]:
        """Have a program judged; return a future of its verdict."""
        if not self._open:
            raise InputError(
                "the Verifier is not open", remedy="use it as `with Verifier(...) as verifier:`"
            )
        if not isinstance(task_id, str):
            raise InputError(f"the task's id is a {type(task_id).__name__}, no text")
        if (bad := self._unusable.get(task_id)) is not None:
            raise UnusableTask(bad.task_id, bad.cause, bad.detail)
        task = self._tasks.get(task_id)
        if task is None:
            raise InputError(
                f"no task {task_id!r} in {self.dataset.name}",
                remedy=f"the first is {next(iter(self._tasks), None)!r}",
            )
        if not isinstance(program, str):
            raise InputError(f"the program for {task_id} is a {type(program).__name__}, no text")
        item = (self._staging.ref(task), program)

        def verdict(row: Row) -> Verdict:
            self._tell(task_id, row[0])
            return _verdict_of(row[1])

        return self._backend.submit(self._call, item, key=task_id, then=verdict)

    def explain(self, task_id: str, verdict: Verdict) -> dict[str, Any] | None:
        """Return the case that decided a verdict: input, expected and actual output, as tagged
        JSON; None for a pass."""
        task = self._tasks.get(task_id)
        if task is None or verdict.failure is None:
            return None
        item = (self._staging.ref(task), astuple(verdict.failure))
        return self._backend.submit(self._call, item, key=task_id, then=dict[str, Any]).result()

    def _tell(self, task_id: str, notes: Iterable[str]) -> None:
        if task_id not in self._told:
            self._told.add(task_id)
            for text in notes:
                _warn(f"task {task_id}: {text}")


def _warn(text: str) -> None:
    warnings.warn(text, EvidenceWarning, stacklevel=3)


def _check(on_failure: object) -> None:
    if on_failure not in ("return", "raise"):
        raise InputError(f"on_failure is {on_failure!r}", remedy="give 'return' or 'raise'")


def _result(future: Future[Verdict], on_failure: OnFailure) -> Verdict | EvalPlusLiteError:
    try:
        return future.result()
    except SandboxUnavailable:
        raise
    except EvalPlusLiteError as error:
        if on_failure == "raise":
            raise
        return error


def _verdict_of(row: Row) -> Verdict:
    base, plus, failure, *rest = row
    return Verdict(base, plus, None if failure is None else Failure(*failure), *rest)
