"""One child process, from the program's text to its last answer or its end."""

from __future__ import annotations

import os
import signal
import socket
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from evalplus_lite.blobs import Blobs, Packed
from evalplus_lite.errors import CodecError
from evalplus_lite.sandbox import inside, wire
from evalplus_lite.sandbox.clocks import Watch
from evalplus_lite.sandbox.limits import Inputs, Limits, Program
from evalplus_lite.sandbox.worker import (
    START_SECONDS,
    Ending,
    Worker,
    WorkerLost,
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

RECEIVE_BYTES = 1 << 18
FORGED = Crashed(reason="the program wrote to the result channel")


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
    large: Mapping[int, Packed]
    """Cases whose answer is large: not in the stream, but compared by digest."""

    @classmethod
    def of(cls, values: Sequence[bytes]) -> Expected:
        """Prepare the expected answers of a suite's cases."""
        offsets, at = [0], 0
        parts: list[bytes] = []
        large: dict[int, Packed] = {}
        blobs = values if isinstance(values, Blobs) else Blobs(values)
        for case, value in enumerate(blobs.items()):
            if isinstance(value, Packed):
                large[case] = value
            else:
                parts += (inside.RECORD.pack(b"V", len(value)), value)
                at += inside.RECORD.size + len(value)
            offsets.append(at)
        return cls(b"".join(parts), tuple(offsets), large)

    def begins(self, payload: bytes, first: int, count: int, *, whole: bool) -> bool:
        """Return whether a batch holds just these answers (or, not ``whole``, begins with them)."""
        if any(case in self.large for case in range(first, first + count)):
            return False
        start, end = self.offsets[first], self.offsets[first + count]
        if whole and len(payload) != end - start:
            return False
        return payload[: end - start] == self.stream[start:end]

    def equals(self, case: int, data: bytes) -> bool:
        """Return whether ``data`` is exactly the expected answer to a case."""
        if case in self.large:
            return self.large[case].equals(data)
        start = self.offsets[case] + inside.RECORD.size
        return data == self.stream[start : self.offsets[case + 1]]


@dataclass(slots=True)
class Progress:
    """Where a program's run stands: the next case, and whether the observer wants more."""

    next: int
    going: bool = True
    loaded: bool = False
    cpu: float = 0.0


@dataclass(frozen=True, slots=True)
class Death:
    """A process that ended before its last answer: what of, and in which case by its own word."""

    outcome: Outcome
    case: int


class Attempt:
    """A program to run on cases ``first`` up to ``last`` (exclusive) in one process."""

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

    def go(self, state: Progress, last: int) -> tuple[Death | None, bool]:
        """Run; return how the process died, if it did, and whether it left files behind."""
        state.loaded = False
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
        state.cpu += ending.cpu
        if not state.going or state.next >= last:
            return None, ending.dirty
        case = self.worker.progress(state.next, last)
        return Death(final or _cause(ending), case), ending.dirty

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
                "RLIMIT_NPROC": self.worker.processes,
                "RLIMIT_SIGPENDING": 256,
                "RLIMIT_CORE": 0,
                "RLIMIT_MEMLOCK": 0,
                "RLIMIT_MSGQUEUE": 0,
            },
        }

    def _converse(self, channel: socket.socket, state: Progress, last: int) -> Outcome | None:
        """Send the program, then read answers until all are there or something ends the run."""
        request = _request(self.program, self.inputs.data if self.inputs.private else None)
        channel.settimeout(START_SECONDS)
        try:
            channel.sendall(request)
            pid = receive_with_pid(channel, 1)
        except OSError as error:
            raise WorkerLost(f"a child did not start: {error}") from None
        channel.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
        watch = Watch(pid)
        while state.going and state.next < last:
            late = self._fill(channel, watch, state, last, inside.HEADER.size)
            if late is not None:
                return late
            kind, first, count, size = inside.HEADER.unpack(self._take(inside.HEADER.size))
            if size > self.limits.output:
                return Unrepresentable(f"an answer of {size} bytes (the limit is "
                                       f"{self.limits.output})")  # fmt: skip
            late = self._fill(channel, watch, state, last, size)
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
        state: Progress,
        last: int,
        watch: Watch,
    ) -> Outcome | None:
        """Take one frame into account; return an outcome where it ends the run."""
        if not state.loaded:
            if kind == b"L":
                state.loaded = True
                return None
            if kind == b"E":
                return _raised(payload, self.limits.memory)
            if kind == b"M":
                return OutOfMemory(self.limits.memory)
            return FORGED
        wanted = b"T" if self.timed else b"B"
        if kind != wanted or first != state.next or not 0 < count <= last - first:
            return FORGED
        # A batch leaves when it is two milliseconds old: only its last case can have been slow.
        slowest = first + count - 1
        used = watch.used_since_reset(self.limits.of(slowest))
        if used is not None:
            kept = self._records(first, count - 1, payload, state, partial=True)
            return kept or TimedOut(used, self.limits.of(slowest))
        return self._records(first, count, payload, state, partial=False)

    def _records(
        self, first: int, count: int, payload: bytes, state: Progress, *, partial: bool
    ) -> Outcome | None:
        expected = self.expected
        if expected is not None and expected.begins(payload, first, count, whole=not partial):
            if count:
                state.next = first + count
                state.going = self.observer.equal(first, first + count)
            return None
        times: Sequence[float] = ()
        if self.timed and not partial:
            split = len(payload) - 8 * count
            if split < 0:
                return FORGED
            times = struct.unpack(f"<{count}d", payload[split:])
            payload = payload[:split]
        at = 0
        for offset in range(count):
            try:
                kind, size = inside.RECORD.unpack_from(payload, at)
            except struct.error:
                return FORGED
            at += inside.RECORD.size
            data = payload[at : at + size]
            at += size
            case = first + offset
            outcome = self._answer(kind, data, times[offset] if times else 0.0)
            if len(data) != size or outcome is None:
                return FORGED
            state.next = case + 1
            if expected is not None and kind == b"V" and expected.equals(case, data):
                state.going = self.observer.equal(case, case + 1)
            else:
                state.going = self.observer.outcome(case, outcome)
            if not state.going:
                return None
        if at != len(payload) and not partial:
            return FORGED
        return None

    def _answer(self, kind: bytes, data: bytes, cpu: float) -> Outcome | None:
        if kind == b"V":
            return Returned(data, cpu)
        if kind == b"E":
            return _raised(data, self.limits.memory, cpu)
        if kind == b"U":
            return Unrepresentable(data[:200].decode("utf-8", "replace"), cpu)
        if kind == b"M":
            return OutOfMemory(self.limits.memory)
        return None

    def _fill(
        self, channel: socket.socket, watch: Watch, state: Progress, last: int, size: int
    ) -> TimedOut | None:
        """Have ``size`` bytes in the buffer; TimedOut where the current limit passes first."""
        while len(self.buffer) < size:
            limit = self.limits.load
            if state.loaded:
                limit = self.limits.of(self.worker.progress(state.next, last))
            pause = watch.pause(limit, self.limits.wait)
            if pause is None:
                return TimedOut(watch.spent, limit)
            channel.settimeout(pause)
            try:
                part = channel.recv(RECEIVE_BYTES)
            except TimeoutError:
                if watch.is_long_gone:
                    raise EOFError from None
                continue
            except OSError:
                raise EOFError from None
            if not part:
                raise EOFError
            self.buffer += part
        return None

    def _take(self, size: int) -> bytes:
        if size == len(self.buffer):  # as always with large ones: no second copy
            data, self.buffer = bytes(self.buffer), bytearray()
            return data
        with memoryview(self.buffer) as view:
            data = bytes(view[:size])
        del self.buffer[:size]
        return data


def _cause(ending: Ending) -> Outcome:
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


def _request(program: Program, cases: bytes | None) -> bytes:
    """Return what a child reads first: a length, then a dict in wire form.

    Private cases are spliced in as they are: a dict in wire form is its keys and values in turn.
    """
    fields = {"source": program.source, "entry_point": program.entry_point}
    data = b"{" + b"".join(wire.encode(k) + wire.encode(v) for k, v in fields.items())
    data += wire.encode("cases") + (cases if cases is not None else wire.encode(None)) + b"0"
    return struct.pack("<I", len(data)) + data


def _raised(data: bytes, memory: int, cpu: float = 0.0) -> Outcome:
    try:
        kind, message, line = wire.decode(data, hash_limit=0)
    except (CodecError, ValueError, TypeError):
        return FORGED
    if type(kind) is not str or type(message) is not str or type(line) not in (int, type(None)):
        return FORGED
    if kind == "MemoryError":
        return OutOfMemory(memory)
    return Raised(kind[:200], message[:2000], line, cpu)
