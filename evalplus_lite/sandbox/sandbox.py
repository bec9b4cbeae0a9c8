"""Running a program on cases: one forked process, watched from outside.

The supervisor trusts nothing that a child says except that it is a value it chose: it counts the
answers, takes them in order only, bounds their size, and measures time on clocks of the kernel.
"""

from __future__ import annotations

import os
import signal
import socket
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Protocol

from evalplus_lite.errors import CodecError
from evalplus_lite.sandbox import inside, wire
from evalplus_lite.sandbox.limits import Inputs, Limits, Program, SandboxConfig
from evalplus_lite.sandbox.worker import (
    START_SECONDS,
    Ending,
    Worker,
    WorkerLost,
    cpu_clock,
    queueing,
    receive_with_pid,
)
from evalplus_lite.types import (
    Crashed,
    Outcome,
    OutOfMemory,
    Raised,
    Returned,
    TimedOut,
    Unrepresentable,
)

CLOCK_SLACK = 0.01
"""CPU seconds by which a batch may exceed its last case's limit: two milliseconds of earlier
cases (``inside.FLUSH_SECONDS``) and the reporting itself."""
RECEIVE_BYTES = 1 << 18
MAX_TRIES = 3


class Observer(Protocol):
    """Is told what happened on each case, in order; a False ends the program's run."""

    def equal(self, first: int, last: int) -> bool:
        """Cases ``first`` up to ``last`` (exclusive) answered with exactly the expected bytes."""
        ...

    def outcome(self, case: int, outcome: Outcome) -> bool:
        """Case number ``case`` ended with ``outcome``."""
        ...


@dataclass(frozen=True, slots=True)
class Expected:
    """Wire forms to compare with by bytes: joined as a child would send them, with offsets."""

    stream: bytes
    offsets: tuple[int, ...]

    @classmethod
    def of(cls, values: Sequence[bytes]) -> Expected:
        """Prepare the expected answers of a suite's cases."""
        offsets, parts, at = [0], [], 0
        for value in values:
            parts += (inside.RECORD.pack(b"V", len(value)), value)
            at += inside.RECORD.size + len(value)
            offsets.append(at)
        return cls(b"".join(parts), tuple(offsets))


@dataclass(frozen=True, slots=True)
class Run:
    """What happened on each case (None: not run), and the CPU seconds of it all."""

    outcomes: tuple[Outcome | None, ...]
    cpu: float = 0.0
    load_failed: bool = False


@dataclass(slots=True)
class _Collector:
    """Keeps every outcome; asks ``judge``, where there is one, whether to go on."""

    outcomes: list[Outcome | None]
    judge: Callable[[int, Outcome], bool] | None = None

    def equal(self, first: int, last: int) -> bool:
        raise AssertionError("nothing was expected")

    def outcome(self, case: int, outcome: Outcome) -> bool:
        self.outcomes[case] = outcome
        return self.judge is None or self.judge(case, outcome)


@dataclass(slots=True)
class _Progress:
    """Where one child's run stands."""

    next: int
    going: bool = True
    loaded: bool = False
    cpu: float = 0.0
    spent: float = field(default=0.0)


class Sandbox:
    """A place to run untrusted programs; a context manager, for one thread at a time.

    Raises SandboxUnavailable on entry where the machine holds no tier that the config allows.
    """

    def __init__(self, config: SandboxConfig = SandboxConfig()) -> None:  # noqa: B008 - frozen
        self.config = config
        self._worker: Worker | None = None

    def __enter__(self) -> Sandbox:
        self._ready()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the worker and everything inside."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def _ready(self) -> Worker:
        if self._worker is None:
            from evalplus_lite.sandbox.probe import choose_tier

            self._worker = Worker(self.config, choose_tier(self.config))
        return self._worker

    def run(
        self,
        program: Program,
        inputs: Inputs,
        limits: Limits = Limits(),  # noqa: B008 - frozen
        *,
        judge: Callable[[int, Outcome], bool] | None = None,
        timed: bool = False,
    ) -> Run:
        """Call the program on every case and return what happened.

        ``judge(case, outcome)`` may return False to end early. Where the process dies in a case
        (time, memory, crash), a new one goes on with the next. With ``timed``, ``Returned.cpu``
        holds each case's own CPU seconds, as the child measured them: for trusted programs.
        """
        collector = _Collector([None] * len(inputs), judge)
        cpu, loaded = self.watch(program, inputs, limits, collector, timed=timed)
        return Run(tuple(collector.outcomes), cpu, not loaded)

    def watch(
        self,
        program: Program,
        inputs: Inputs,
        limits: Limits,
        observer: Observer,
        *,
        expected: Expected | None = None,
        timed: bool = False,
    ) -> tuple[float, bool]:
        """Run the program, telling ``observer`` of each case; return CPU seconds and loadedness.

        With ``expected``, answers of exactly these bytes are reported through
        ``observer.equal``, many at once, and never taken apart.
        """
        state, cpu = _Progress(0), 0.0
        while state.going and state.next < len(inputs):
            state = self._persist(program, inputs, limits, observer, state.next, expected, timed)
            cpu += state.cpu
            if not state.loaded:
                return cpu, False
        return cpu, True

    def _persist(
        self,
        program: Program,
        inputs: Inputs,
        limits: Limits,
        observer: Observer,
        first: int,
        expected: Expected | None,
        timed: bool,
    ) -> _Progress:
        """One child's run; a lost worker, which is not the program's doing, is tried again."""
        for attempt in range(MAX_TRIES):
            state = _Progress(first)
            try:
                worker = self._ready()
                worker.load(inputs)
                return _Attempt(worker, program, inputs, limits, observer, expected, timed).go(
                    state, self._retire
                )
            except WorkerLost:
                self.close()
                first = state.next
                if attempt == MAX_TRIES - 1:
                    raise
        raise AssertionError("unreachable")

    def _retire(self) -> None:
        """Replace a worker whose scratch folder holds what a program left there."""
        self.close()


class _Attempt:
    """One child process: from the program's text to the last answer or the process's end."""

    def __init__(
        self,
        worker: Worker,
        program: Program,
        inputs: Inputs,
        limits: Limits,
        observer: Observer,
        expected: Expected | None,
        timed: bool,
    ) -> None:
        self.worker, self.program, self.inputs, self.limits = worker, program, inputs, limits
        self.observer, self.expected, self.timed = observer, expected, timed
        self.buffer = bytearray()

    def go(self, state: _Progress, retire: Callable[[], None]) -> _Progress:
        last = len(self.inputs)
        channel, theirs = socket.socketpair()
        with channel:
            channel.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            with theirs:
                self.worker.run(self._job(state.next, last), theirs)
            try:
                final = self._converse(channel, state, last)
            except EOFError:
                final = None
            # Complete or not, nothing more is read; a child never ends by its own good will.
            self.worker.kill()
        ending = self.worker.ending()
        state.cpu = ending.cpu
        if ending.dirty:
            retire()
        if state.going and state.next < last:
            outcome = final or self._death(ending)
            self._conclude(state, outcome, last)
        return state

    def _conclude(self, state: _Progress, outcome: Outcome, last: int) -> None:
        """Book what ended the process: on every case if it never loaded, else on the current."""
        if state.loaded:
            state.going = self.observer.outcome(state.next, outcome)
            state.next += 1
            return
        while state.next < last:
            state.going = self.observer.outcome(state.next, outcome)
            state.next += 1
            if not state.going:
                return

    def _job(self, first: int, last: int) -> dict[str, object]:
        limits = self.limits
        return {
            "first": first,
            "last": last,
            "timed": self.timed,
            "rlimits": {
                "RLIMIT_AS": self.worker.base_bytes + 12 * len(self.inputs.data) + limits.memory,
                "RLIMIT_FSIZE": 16 << 20,
                "RLIMIT_NOFILE": 64,
                "RLIMIT_NPROC": 64,
                "RLIMIT_CORE": 0,
                "RLIMIT_MEMLOCK": 0,
                "RLIMIT_MSGQUEUE": 0,
            },
        }

    def _converse(self, channel: socket.socket, state: _Progress, last: int) -> Outcome | None:
        """Send the program, then read answers until all are there or something ends the run."""
        request = _request(self.program, self.inputs.data if self.inputs.private else None)
        channel.settimeout(START_SECONDS)
        try:
            channel.sendall(request)
            pid = receive_with_pid(channel, 1)
        except OSError as error:
            raise WorkerLost(f"a child did not start: {error}") from None
        channel.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
        watch = _Watch(pid)
        while state.going and state.next < last:
            limit = self.limits.of(state.next) if state.loaded else self.limits.load
            late = self._fill(channel, watch, limit, inside.HEADER.size)
            if late is not None:
                return late
            kind, first, count, size = inside.HEADER.unpack(self._take(inside.HEADER.size))
            if size > self.limits.output:
                return Unrepresentable(f"an answer of {size} bytes (the limit is "
                                       f"{self.limits.output})")  # fmt: skip
            late = self._fill(channel, watch, limit, size)
            if late is not None:
                return late
            ended = self._frame(kind, first, count, self._take(size), state, last, watch)
            if ended is not None:
                return ended
            watch.reset()
        return None

    def _frame(
        self,
        kind: bytes,
        first: int,
        count: int,
        payload: bytes,
        state: _Progress,
        last: int,
        watch: _Watch,
    ) -> Outcome | None:
        """Take one frame into account; return an outcome where it ends the run."""
        if not state.loaded:
            if kind == b"L":
                state.loaded = True
                return None
            if kind == b"E":
                return _raised(payload)
            if kind == b"M":
                return OutOfMemory(self.limits.memory)
            return Crashed(reason="the program wrote to the result channel")
        wanted = b"T" if self.timed else b"B"
        if kind != wanted or first != state.next or not 0 < count <= last - first:
            return Crashed(reason="the program wrote to the result channel")
        # A batch leaves when it is two milliseconds old: only its last case can have been slow.
        slowest = first + count - 1
        used = watch.used_since_reset(self.limits.of(slowest))
        if used is not None:
            kept = self._records(first, count - 1, payload, state, partial=True)
            return kept or TimedOut(used, self.limits.of(slowest))
        return self._records(first, count, payload, state, partial=False)

    def _records(
        self, first: int, count: int, payload: bytes, state: _Progress, *, partial: bool
    ) -> Outcome | None:
        expected = self.expected
        if expected is not None:
            start, end = expected.offsets[first], expected.offsets[first + count]
            if payload[: end - start] == expected.stream[start:end] and (
                partial or len(payload) == end - start
            ):
                if count:
                    state.next = first + count
                    state.going = self.observer.equal(first, first + count)
                return None
        times: Sequence[float] = ()
        if self.timed and not partial:
            split = len(payload) - 8 * count
            if split < 0:
                return Crashed(reason="the program wrote to the result channel")
            times = struct.unpack(f"<{count}d", payload[split:])
            payload = payload[:split]
        at = 0
        for offset in range(count):
            try:
                kind, size = inside.RECORD.unpack_from(payload, at)
            except struct.error:
                return Crashed(reason="the program wrote to the result channel")
            at += inside.RECORD.size
            data = payload[at : at + size]
            at += size
            case = first + offset
            outcome = self._answer(kind, data, times[offset] if times else 0.0)
            if len(data) != size or outcome is None:
                return Crashed(reason="the program wrote to the result channel")
            state.next = case + 1
            if (
                expected is not None
                and kind == b"V"
                and data == expected.stream[expected.offsets[case] + inside.RECORD.size
                                            : expected.offsets[case + 1]]
            ):  # fmt: skip
                state.going = self.observer.equal(case, case + 1)
            else:
                state.going = self.observer.outcome(case, outcome)
            if not state.going:
                return None
        if at != len(payload) and not partial:
            return Crashed(reason="the program wrote to the result channel")
        return None

    def _answer(self, kind: bytes, data: bytes, cpu: float) -> Outcome | None:
        if kind == b"V":
            return Returned(data, cpu)
        if kind == b"E":
            return _raised(data, cpu)
        if kind == b"U":
            return Unrepresentable(data[:200].decode("utf-8", "replace"), cpu)
        if kind == b"M":
            return OutOfMemory(self.limits.memory)
        return None

    def _fill(
        self, channel: socket.socket, watch: _Watch, limit: float, size: int
    ) -> TimedOut | None:
        """Have ``size`` bytes in the buffer; TimedOut where the limit passes first."""
        while len(self.buffer) < size:
            pause = watch.pause(limit, self.limits.wait)
            if pause is None:
                return TimedOut(watch.spent, limit)
            channel.settimeout(pause)
            try:
                part = channel.recv(RECEIVE_BYTES)
            except TimeoutError:
                continue
            except OSError:
                raise EOFError from None
            if not part:
                raise EOFError
            self.buffer += part
        return None

    def _take(self, size: int) -> bytes:
        data = bytes(self.buffer[:size])
        del self.buffer[:size]
        return data

    def _death(self, ending: Ending) -> Outcome:
        """What a process that ended before its last answer died of."""
        if os.WIFSIGNALED(ending.status):
            number = os.WTERMSIG(ending.status)
            try:
                name = signal.Signals(number).name
            except ValueError:
                name = f"signal {number}"
            return Crashed(signal=number, reason=name)
        code = os.waitstatus_to_exitcode(ending.status)
        return Crashed(exit_code=code, reason=f"exit status {code} before the last answer")


class _Watch:
    """How long a child has been at its current case, by the kernel's clocks."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.spent = 0.0
        self.reset()

    def reset(self) -> None:
        """A batch has arrived: the next case begins now."""
        self.wall = time.monotonic()
        self.cpu = cpu_clock(self.pid)
        self.idle_from: _Clocks | None = None

    def used_since_reset(self, limit: float) -> float | None:
        """Return the CPU seconds since the last batch where they exceed ``limit``, else None."""
        if time.monotonic() - self.wall <= limit:
            return None  # one thread cannot use more than the time that passed
        now = cpu_clock(self.pid)
        if now is None or self.cpu is None or now - self.cpu <= limit + CLOCK_SLACK:
            return None
        return now - self.cpu

    def pause(self, limit: float, wait: float) -> float | None:
        """Return how long to wait for an answer before looking again; None: time is up."""
        passed = time.monotonic() - self.wall
        if passed < limit:
            return limit - passed + 0.001
        now = cpu_clock(self.pid)
        if now is None or self.cpu is None:
            return 0.05  # gone: the end of the channel is about to be seen
        used = now - self.cpu
        if used > limit + CLOCK_SLACK:
            self.spent = used
            return None
        # Less CPU than the limit in more time than that: it waits, or it queues for a processor.
        clocks = _Clocks(time.monotonic(), now, queueing(self.pid))
        if self.idle_from is None:
            self.idle_from = clocks
        elif clocks.idle_since(self.idle_from) > max(limit, wait):
            self.spent = passed
            return None
        return max(0.002, min(limit + CLOCK_SLACK - used, 0.25))


@dataclass(frozen=True, slots=True)
class _Clocks:
    """One reading: wall time, CPU time, and time spent queueing for a processor, in seconds."""

    wall: float
    cpu: float
    queued: float | None

    def idle_since(self, earlier: _Clocks) -> float:
        """Return the seconds in which the process neither ran nor queued to run."""
        passed = self.wall - earlier.wall - (self.cpu - earlier.cpu)
        if self.queued is None or earlier.queued is None:
            return passed / 10  # no scheduler statistics here: be generous instead
        return passed - (self.queued - earlier.queued)


def _request(program: Program, cases: bytes | None) -> bytes:
    """Return what a child reads first: a length, then a dict in wire form.

    Private cases are spliced in as they are: a dict in wire form is its keys and values in turn.
    """
    fields = {"source": program.source, "entry_point": program.entry_point}
    data = b"{" + b"".join(wire.encode(k) + wire.encode(v) for k, v in fields.items())
    data += wire.encode("cases") + (cases if cases is not None else wire.encode(None)) + b"0"
    return struct.pack("<I", len(data)) + data


def _raised(data: bytes, cpu: float = 0.0) -> Outcome:
    try:
        kind, message, line = wire.decode(data, hash_limit=0)
    except (CodecError, ValueError, TypeError):
        return Crashed(reason="the program wrote to the result channel")
    if type(kind) is not str or type(message) is not str or type(line) not in (int, type(None)):
        return Crashed(reason="the program wrote to the result channel")
    if kind == "MemoryError":
        return OutOfMemory(0)
    return Raised(kind[:200], message[:2000], line, cpu)
