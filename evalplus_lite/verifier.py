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
from typing import Any, Literal, overload

from evalplus_lite.errors import (
    EvalPlusLiteError,
    EvidenceWarning,
    InputError,
    SandboxUnavailable,
    UnusableTask,
)
from evalplus_lite.execution.base import Row
from evalplus_lite.execution.processes import DEFAULT, LOOKAHEAD
from evalplus_lite.jobs.judging import Settings
from evalplus_lite.jobs.verification import ProgramJudge
from evalplus_lite.sandbox import Tier, preset
from evalplus_lite.sandbox.limits import memory_bytes
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.loading import Rows, dataset_of
from evalplus_lite.types import Failure, Task, Verdict

OnFailure = Literal["return", "raise"]
Items = Iterable[tuple[str, str]]
_FENCED = "a program with ``` does not load: give Verifier chat=True for raw answers"


class Verifier:
    """Judges programs for the tasks of a dataset; safe for many threads.

        with Verifier("tasks.jsonl") as verifier:
            verdict = verifier.verify("Own/0", "def f(x): return x + x")
            reward = 1.0 if verdict.passed else 0.0

    ``dataset`` is a name, a path, a ``Dataset``, a list of ``Task``s, or a list of rows (dicts) as
    task files hold them. ``limits`` is a preset's name, ``memory`` the bytes that a program may add
    (or a text: ``"512MiB"``), ``total`` the seconds that all cases of a program together may
    compute, and wait (default: by the preset), ``workers`` the number of sandboxes (default: one a
    processor). ``packages`` are importable by programs in addition to numpy. With ``chat`` programs
    are raw answers, from which the code is extracted first. ``sandbox`` names a tier. InputError
    names an option that cannot be used.

    Sandboxes start with the first program, which raises SandboxUnavailable if the machine holds
    none. They end with ``close``, at the end of ``with``, or when the Verifier is garbage.

    Unit tests that a program could pass without knowing the task are left out (``weak``) unless
    ``weak_tests`` is True.

    ``store`` is a folder where verdicts are kept for later runs (at most 256 MiB), by the task's
    content, the program's text, all limits, the sandbox, the machine and the version: a training
    loop that meets a program again has its verdict at once. Any number of processes may share one.
    A store that is damaged, full or locked costs time, never a verdict.

    Without plus cases ``Verdict.plus`` is None; ``Verdict.passed`` always means that a program
    passed every case. A task without a usable case never passes a program: its ``verify`` raises
    UnusableTask. An ``EvidenceWarning`` reports such tasks and data sets, suites with blind spots,
    and raw answers without ``chat``.

    A process forked while a Verifier is open may use it, too: with sandboxes of its own.
    """

    def __init__(
        self,
        dataset: str | os.PathLike[str] | Dataset | Rows,
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
        self.dataset = dataset_of(dataset)
        settings = Settings(preset(limits), memory_bytes(memory), total, weak_tests=weak_tests)
        self._judge = ProgramJudge(
            [self.dataset],
            settings,
            workers=workers,
            sandbox=sandbox,
            packages=packages,
            cache=cache,
            store=store,
            backend=backend,
        )
        options = {"verdict": True, "chat": chat, "details": details}
        self._options = tuple(name for name, is_set in options.items() if is_set)
        self._warned: set[str] = set()
        for bad in self.dataset.unusable:
            _warn(f"task {bad.task_id} of {self.dataset.name} cannot be used: {bad.detail}")
        if self.tasks and not self.dataset.has_plus:
            _warn(f"{self.dataset.name} has no plus cases: Verdict.plus is None, see .passed")

    def __enter__(self) -> Verifier:
        self._judge.reopen()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all sandboxes; programs being judged are finished first."""
        self._judge.close()

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The tasks by id."""
        return self._judge.tasks[self.dataset.name]

    def verify(self, task_id: str, program: str) -> Verdict:
        """Return the verdict on one program; blocks the calling thread only.

        Raises InputError for an unknown task or a program that is not a str, UnusableTask for a
        task without a usable case, InfrastructureError if the machine failed three times: neither
        concerns the program.
        """
        return self.submit(task_id, program).result()

    @overload
    def verify_many(self, items: Items, *, on_failure: Literal["raise"]) -> Iterator[Verdict]: ...

    @overload
    def verify_many(
        self, items: Items, *, on_failure: OnFailure = "return"
    ) -> Iterator[Verdict | EvalPlusLiteError]: ...

    def verify_many(
        self, items: Items, *, on_failure: OnFailure = "return"
    ) -> Iterator[Verdict | EvalPlusLiteError]:
        """Yield the verdicts on (task id, program) pairs, in their order, run in parallel.

        Items are taken on demand, some ahead, so there may be any number of them. Errors of
        ``verify`` on an item are yielded in place of its verdict; with ``on_failure="raise"`` they
        are raised there. SandboxUnavailable is always raised.
        """
        _check(items, on_failure)
        return self._verify_many(items, on_failure)

    def _verify_many(
        self, items: Items, on_failure: OnFailure
    ) -> Iterator[Verdict | EvalPlusLiteError]:
        with contextlib.closing(self._futures(items)) as futures:
            for future in futures:
                yield _result(future, on_failure)

    def _futures(self, items: Items) -> Generator[Future[Verdict], None, None]:
        """Yield a future for each item, in their order, some time after it was submitted."""
        self._judge.open()
        waiting: deque[Future[Verdict]] = deque()
        try:
            for item in items:
                waiting.append(self._begin(item))
                if len(waiting) >= LOOKAHEAD * self._judge.backend.workers:
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
            self._judge.open()  # which is a mistake in no item
            failed: Future[Verdict] = Future()
            failed.set_exception(error)
            return failed

    async def averify(self, task_id: str, program: str) -> Verdict:
        """Return the verdict on one program without blocking the event loop."""
        await asyncio.to_thread(self._judge.open)
        return await asyncio.wrap_future(self.submit(task_id, program))

    @overload
    async def averify_many(
        self, items: Items, *, on_failure: Literal["raise"]
    ) -> list[Verdict]: ...

    @overload
    async def averify_many(
        self, items: Items, *, on_failure: OnFailure = "return"
    ) -> list[Verdict | EvalPlusLiteError]: ...

    async def averify_many(
        self, items: Items, *, on_failure: OnFailure = "return"
    ) -> list[Verdict] | list[Verdict | EvalPlusLiteError]:
        """Return what ``verify_many`` yields as a list, without blocking the event loop."""
        _check(items, on_failure)
        await asyncio.to_thread(self._judge.open)
        results: list[Verdict | EvalPlusLiteError] = []
        with contextlib.closing(self._futures(items)) as futures:
            for future in futures:
                done, _ = await asyncio.wait([asyncio.wrap_future(future)])
                done.pop().exception()  # heard: asyncio would complain of one that nobody asks for
                results.append(_result(future, on_failure))
        return results

    def submit(self, task_id: str, program: str) -> Future[Verdict]:
        """Have a program judged; return a future of its verdict."""
        task, name = self._judge.task(_text(task_id, "the task's id"))
        source = self._judge.source(task, name)
        program = _text(program, f"the program for {task_id}")

        def verdict(answer: Row) -> Verdict:
            _, row = answer
            self._warn_once(task_id, [f"task {task_id}: {n}" for n in row.get("notes", ())])
            base, plus, failure, *rest = row["verdict"]
            is_unread = failure is not None and "SyntaxError" in failure[2]
            if is_unread and "```" in program and "chat" not in self._options:
                self._warn_once("```", [_FENCED])
            return Verdict(base, plus, None if failure is None else Failure(*failure), *rest)

        return self._judge.submit(source, program, self._options, key=task_id, then=verdict)

    def explain(self, task_id: str, verdict: Verdict) -> dict[str, Any] | None:
        """Return the deciding case, as tagged JSON: input, expected and actual; None for a pass."""
        task, name = self._judge.task(_text(task_id, "the task's id"))
        if not isinstance(verdict, Verdict):
            raise InputError(f"expected a Verdict, got a {type(verdict).__name__}")
        if verdict.failure is None:
            return None
        source, failure = self._judge.source(task, name), astuple(verdict.failure)
        answer = self._judge.submit(source, failure, key=task_id, then=tuple[float, Row])
        case: dict[str, Any] = answer.result()[1]
        return case

    def _warn_once(self, about: str, texts: Iterable[str]) -> None:
        if about not in self._warned:
            self._warned.add(about)
            for text in texts:
                _warn(text)


def _warn(text: str) -> None:
    warnings.warn(text, EvidenceWarning, stacklevel=3)


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{name} is a {type(value).__name__}, not a str")
    return value


def _check(items: object, on_failure: object) -> None:
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise InputError(
            f"expected (task id, program) pairs, got a {type(items).__name__}",
            remedy="give a list of them",
        )
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
