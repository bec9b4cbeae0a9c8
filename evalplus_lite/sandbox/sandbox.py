"""The sandbox: programs run on cases, each in its own process, watched from outside.

The supervisor trusts nothing from a child except that a value is the child's choice. It counts the
answers, takes them in order only, bounds their size, and measures time on clocks of the kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from evalplus_lite.sandbox.attempt import Attempt, Observer, RunState
from evalplus_lite.sandbox.frames import Expected
from evalplus_lite.sandbox.isolation.config import SandboxConfig
from evalplus_lite.sandbox.limits import Inputs, Limits, Program
from evalplus_lite.sandbox.timer import More, ResourceUsage
from evalplus_lite.sandbox.worker_handle import WorkerHandle, WorkerLost
from evalplus_lite.types import Outcome

MAX_TRIES = 3


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """The outcome of each case (None: not run), and the CPU seconds of all."""

    outcomes: tuple[Outcome | None, ...]
    cpu: float = 0.0
    load_failed: bool = False


@dataclass(slots=True)
class _Collector:
    """Keeps every outcome; asks ``judge``, if any, whether to continue."""

    outcomes: list[Outcome | None]
    judge: Callable[[int, Outcome], bool] | None = None

    def equal(self, first: int, last: int) -> bool:
        raise AssertionError("nothing was expected")

    def outcome(self, case: int, outcome: Outcome) -> bool:
        self.outcomes[case] = outcome
        return self.judge is None or self.judge(case, outcome)


class _Given(NamedTuple):
    """The arguments of an Attempt that stay the same from one attempt to the next."""

    program: Program
    inputs: Inputs
    limits: Limits
    observer: Observer
    expected: Expected | None
    timed: bool
    more: More | None
    own_clock: bool


class Sandbox:
    """A place to run untrusted programs; a context manager, for one thread at a time.

    Raises SandboxUnavailable on entry where the machine holds no tier that the config allows.
    """

    def __init__(self, config: SandboxConfig = SandboxConfig()) -> None:  # noqa: B008 - frozen
        self.config = config
        self._worker: WorkerHandle | None = None
        self._siblings: dict[SandboxConfig, Sandbox] = {}

    def sibling(
        self, *, hash_seed: int | None = None, packages: tuple[str, ...] | None = None
    ) -> Sandbox:
        """Return a sandbox with another hash seed or other packages; it is closed with this one."""
        config = replace(
            self.config,
            hash_seed=self.config.hash_seed if hash_seed is None else hash_seed,
            packages=self.config.packages if packages is None else packages,
        )
        return self if config == self.config else self._other(config)

    def beside(self) -> Sandbox:
        """Return a sandbox like this one, which may run while this one does; closed with it."""
        return self._other(self.config)

    def _other(self, config: SandboxConfig) -> Sandbox:
        return self._siblings.setdefault(config, Sandbox(config))

    def __enter__(self) -> Sandbox:
        self.start()
        return self

    def start(self) -> None:
        """Start the worker now, not with the first run; SandboxUnavailable if no tier holds."""
        self._ready()

    def __exit__(self, *details: object) -> None:
        self.close()

    def close(self) -> None:
        """End the worker and everything inside; the next run starts another."""
        for sibling in self._siblings.values():
            sibling.close()
        self._drop_worker()

    def _drop_worker(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def _ready(self) -> WorkerHandle:
        if self._worker is None:
            # The probe itself runs in a sandbox.
            from evalplus_lite.sandbox.probe import choose_tier

            self._worker = WorkerHandle(self.config, choose_tier(self.config))
        return self._worker

    def run(
        self,
        program: Program,
        inputs: Inputs,
        limits: Limits = Limits(),  # noqa: B008 - frozen
        *,
        judge: Callable[[int, Outcome], bool] | None = None,
        timed: bool = False,
        more: More | None = None,
        own_clock: bool = False,
    ) -> ProgramRun:
        """Call the program on every case and return the outcomes.

        ``judge(case, outcome)`` may return False to end early. If the process dies in a case (time,
        memory, crash), a new one continues with the next. With ``timed``, ``Returned.cpu`` holds
        each case's own CPU seconds, as the child measured them: for trusted programs.
        """
        collector = _Collector([None] * len(inputs), judge)
        spent, loaded = self.watch(
            program, inputs, limits, collector, timed=timed, more=more, own_clock=own_clock
        )
        return ProgramRun(tuple(collector.outcomes), spent.cpu, not loaded)

    def watch(
        self,
        program: Program,
        inputs: Inputs,
        limits: Limits,
        observer: Observer,
        *,
        expected: Expected | None = None,
        timed: bool = False,
        more: More | None = None,
        own_clock: bool = False,
        first: int = 0,
    ) -> tuple[ResourceUsage, bool]:
        """Run the program and report each case to ``observer``.

        Returns the time and memory used, and whether the program loaded.

        With ``expected``, answers of exactly these bytes are reported through ``observer.equal``,
        many at once, and never parsed. When a case's CPU seconds are used up, ``more`` returns how
        many it may use in all; it may run programs itself, in a sandbox ``beside`` this one. With
        ``own_clock`` the program itself measures the time of answers that came, which is exact
        however late they are read: for programs that gain nothing by lying. Cases before ``first``
        are skipped.
        """
        job = _Given(program, inputs, limits, observer, expected, timed, more, own_clock)
        state = RunState(first, ResourceUsage(limits.total))
        while state.going and state.next < len(inputs):
            death = self._attempt(job, state, len(inputs))
            if death is None:
                break
            if not state.loaded or state.spent.is_exhausted:
                while state.going and state.next < len(inputs):
                    self._book(state, observer, death)
                return state.spent, state.loaded
            self._book(state, observer, death)
        return state.spent, True

    @staticmethod
    def _book(state: RunState, observer: Observer, death: Outcome) -> None:
        state.going = observer.outcome(state.next, death)
        state.next += 1

    def _attempt(self, job: _Given, state: RunState, last: int) -> Outcome | None:
        """Run one child; retry if the worker is lost, which is not the program's fault."""
        for left in reversed(range(MAX_TRIES)):
            try:
                worker = self._ready()
                worker.load(job.inputs)
                death, dirty = Attempt(worker, *job).go(state, last)
            except WorkerLost:
                self._drop_worker()
                if not left:
                    raise
                continue
            except BaseException:  # the observer's or ``more``'s: a child may still be running
                self._drop_worker()
                raise
            if dirty:  # files in the scratch folder disappear with the worker
                self._drop_worker()
            return death
        raise AssertionError("unreachable")
