"""The sandbox: runs programs on cases, each in its own process, watched from outside.

The supervisor trusts nothing from a child: a value is only the child's choice. It counts the
answers, accepts them only in order, limits their size, and measures time by the kernel's clocks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from evalplus_lite.sandbox.attempt import Attempt, Observer, RunState
from evalplus_lite.sandbox.frames import Expected
from evalplus_lite.sandbox.isolation.config import SandboxConfig
from evalplus_lite.sandbox.limits import Inputs, Limits, Program
from evalplus_lite.sandbox.timer import RaiseLimit, ResourceUsage
from evalplus_lite.sandbox.worker_handle import WorkerHandle, WorkerLost
from evalplus_lite.types import Outcome

MAX_TRIES = 3


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """The outcome of each case (None: not run), and the total CPU seconds."""

    outcomes: tuple[Outcome | None, ...]
    cpu: float = 0.0
    load_failed: bool = False


@dataclass(slots=True)
class _Collector(Observer):
    """Collects outcomes, and calls ``on_outcome``, if any, to decide whether to continue."""

    outcomes: list[Outcome | None]
    on_outcome: Callable[[int, Outcome], bool] | None = None

    def outcome(self, case: int, outcome: Outcome) -> bool:
        self.outcomes[case] = outcome
        return self.on_outcome is None or self.on_outcome(case, outcome)


class Sandbox:
    """Runs untrusted programs; a context manager, for one thread at a time.

    Raises SandboxUnavailable on entry if no tier allowed by the config holds on this machine.
    """

    def __init__(self, config: SandboxConfig = SandboxConfig()) -> None:  # noqa: B008 - frozen
        self.config = config
        self._worker: WorkerHandle | None = None
        self._siblings: dict[SandboxConfig, Sandbox] = {}

    def sibling(
        self, *, hash_seed: int | None = None, packages: tuple[str, ...] | None = None
    ) -> Sandbox:
        """Return a sandbox with another hash seed or other packages, closed with this one."""
        config = replace(
            self.config,
            hash_seed=self.config.hash_seed if hash_seed is None else hash_seed,
            packages=self.config.packages if packages is None else packages,
        )
        return self if config == self.config else self._other(config)

    def beside(self) -> Sandbox:
        """Return an equal sandbox that may run concurrently with this one; closed with it."""
        return self._other(self.config)

    def _other(self, config: SandboxConfig) -> Sandbox:
        return self._siblings.setdefault(config, Sandbox(config))

    def __enter__(self) -> Sandbox:
        self.start()
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    def close(self) -> None:
        """End the worker and everything inside; the next run starts a new one."""
        for sibling in self._siblings.values():
            sibling.close()
        self._drop_worker()

    def _drop_worker(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def start(self) -> WorkerHandle:
        """Start the worker unless it is running; raise SandboxUnavailable if no tier holds."""
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
        on_outcome: Callable[[int, Outcome], bool] | None = None,
        timed: bool = False,
        raise_limit: RaiseLimit | None = None,
        own_clock: bool = False,
    ) -> ProgramRun:
        """Call the program on every case, and return the outcomes.

        ``on_outcome(case, outcome)`` may return False to end early. If the process dies in a case
        (time, memory, crash), a new one continues with the next. With ``timed``, which is for
        trusted programs, ``Returned.cpu`` has each case's CPU seconds as measured by the child.
        """
        collector = _Collector([None] * len(inputs), on_outcome)
        spent, loaded = self.watch(
            program,
            inputs,
            limits,
            collector,
            timed=timed,
            raise_limit=raise_limit,
            own_clock=own_clock,
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
        raise_limit: RaiseLimit | None = None,
        own_clock: bool = False,
        first: int = 0,
    ) -> tuple[ResourceUsage, bool]:
        """Run the program and report each case to ``observer``.

        Returns the used time and memory, and whether the program loaded.

        With ``expected``, answers with exactly these bytes are reported through
        ``observer.equal``, many at once, and never parsed. When a case's CPU seconds are used up,
        ``raise_limit`` returns how many it may use in total; it may run programs itself, in a
        sandbox ``beside`` this one. With ``own_clock``, for programs that gain nothing by lying,
        the program measures the time of its answers, which is exact even if they are read late.
        Cases before ``first`` are skipped.
        """
        state = RunState(first, ResourceUsage(limits.total))
        attempt = partial(
            Attempt,
            program,
            inputs,
            limits,
            observer,
            expected,
            timed,
            raise_limit,
            own_clock,
            state,
        )
        while state.going and state.next < len(inputs):
            death = self._attempt(attempt, inputs)
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

    def _attempt(
        self, attempt: Callable[[WorkerHandle], Attempt], inputs: Inputs
    ) -> Outcome | None:
        """Run one child; retry if the worker is lost, which is not the program's fault."""
        for left in reversed(range(MAX_TRIES)):
            try:
                worker = self.start()
                worker.load(inputs)
                death, dirty = attempt(worker).go()
            except WorkerLost:
                self._drop_worker()
                if not left:
                    raise
                continue
            except BaseException:  # from the observer or ``raise_limit``; a child may be running
                self._drop_worker()
                raise
            if dirty:  # end the worker to remove files in the scratch folder
                self._drop_worker()
            return death
        raise AssertionError("unreachable")
