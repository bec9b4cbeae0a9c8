"""One child process, from the program's text to its last answer or its end."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from evalplus_lite.sandbox import inside, wire
from evalplus_lite.sandbox.clocks import Watch
from evalplus_lite.sandbox.frames import FORGED, Expected, Forged, raised, records
from evalplus_lite.sandbox.limits import Inputs, Limits, Program
from evalplus_lite.sandbox.worker import (
    START_SECONDS,
    Ending,
    Waiting,
    Worker,
    WorkerLost,
    receive_with_pid,
)
from evalplus_lite.types import Crashed, Outcome, OutOfMemory, TimedOut, Unrepresentable

RECEIVE_BYTES = 1 << 18
FIRST_LOOK, LONGEST_LOOK = 0.003, 0.25
"""Seconds without a word after which the answers that wait are looked at, doubled each time."""


class Observer(Protocol):
    """Is told what happened on each case, in order; a False ends the program's run."""

    def equal(self, first: int, last: int) -> bool:
        """Cases ``first`` up to ``last`` (exclusive) answered with exactly the expected bytes."""
        ...

    def outcome(self, case: int, outcome: Outcome) -> bool:
        """Case number ``case`` ended with ``outcome``."""
        ...


More = Callable[[int], float]
"""Is asked where a program has used up its CPU seconds on a case, and returns how many it may use
there in all. The program stands still meanwhile."""


@dataclass(slots=True)
class Progress:
    """Where a program's run stands: the next case, and whether the observer wants more."""

    next: int
    going: bool = True
    loaded: bool = False
    cpu: float = 0.0


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
        more: More | None = None,
        own_clock: bool = False,
    ) -> None:
        self.worker, self.program, self.inputs, self.limits = worker, program, inputs, limits
        self.observer, self.expected, self.timed = observer, expected, timed
        self.more, self.own_clock = more, own_clock
        self.kind = b"T" if timed else b"C" if own_clock else b"B"
        self.granted: tuple[int, float] | None = None
        """The case that more was asked for since the last batch, and its limit now. A program says
        itself where it is: it is asked about one claim a batch, and about the case that came."""
        self.buffer = bytearray()
        self.sent = 0
        """The case that the next batch begins with."""
        self.look = FIRST_LOOK
        self.seen: Waiting | None = None

    def go(self, state: Progress, last: int) -> tuple[Outcome | None, bool]:
        """Run; return what the process died of, if it did, and whether it left files behind."""
        state.loaded = False
        self.sent = state.next
        channel, theirs = socket.socketpair()
        with channel:
            channel.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            with theirs:
                self.worker.run(self._job(state.next, last), theirs)
            try:
                final = self._converse(channel, state, last)
            except EOFError:
                final = None
            except Forged:
                final = FORGED
            # Complete or not, nothing more is read; a child never ends by its own good will.
            self.worker.kill()
        ending = self.worker.ending()
        state.cpu += ending.cpu
        if not state.loaded:
            return final or _cause(ending), ending.dirty
        waiting = self.worker.waiting()
        with contextlib.suppress(Forged):
            self._book_waiting(waiting.records, waiting.first, waiting.case, state, last)
        if not state.going or state.next >= last:
            return None, ending.dirty
        return final or _cause(ending), ending.dirty

    def _job(self, first: int, last: int) -> dict[str, object]:
        limits, room = self.limits, 12 * len(self.inputs.data)
        return {
            "first": first,
            "last": last,
            "timed": self.timed,
            "own_clock": self.own_clock,
            "rlimits": {
                resource.RLIMIT_AS: self.worker.base_bytes + room + limits.memory,
                resource.RLIMIT_NPROC: self.worker.processes,
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
            if late is not None or not state.going:
                return late
            kind, first, count, size = inside.HEADER.unpack(self._take(inside.HEADER.size))
            if size > self.limits.output:
                return Unrepresentable(f"an answer of {size} bytes (the limit is "
                                       f"{self.limits.output})")  # fmt: skip
            late = self._fill(channel, watch, state, last, size)
            if late is not None or not state.going:
                return late
            ended = self._frame(kind, first, count, self._take(size), state, last, watch)
            if ended is not None:
                return ended
            watch.reset()
            self.granted = None
            self.look, self.seen = FIRST_LOOK, None
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
                return raised(payload, self.limits.memory)
            if kind == b"M":
                return OutOfMemory(self.limits.memory)
            raise Forged
        end = first + count
        if kind != self.kind or first != self.sent or not state.next < end <= last:
            raise Forged
        self.sent = end
        # A batch leaves within two milliseconds: only its last case can have been slow.
        used = watch.used_since_reset(self.limits.cpu)
        if self.own_clock:
            used, payload = self._own_word(payload)
        if used is not None and used > (limit := self._granted(end - 1, watch)):
            self._book(payload, first, count - 1, state, whole=False)
            return TimedOut(used, limit) if state.going else None
        self._book(payload, first, count, state, whole=True)
        return None

    def _own_word(self, payload: bytes) -> tuple[float | None, bytes]:
        """Return the CPU seconds that a batch took by its own word, if above the limit."""
        size = inside.CLOCK.size
        if len(payload) < size:
            raise Forged
        (used,) = inside.CLOCK.unpack(payload[-size:])
        return (used if used > self.limits.cpu else None), payload[:-size]

    def _book(
        self, payload: bytes, first: int, count: int, state: Progress, *, whole: bool
    ) -> None:
        """Tell the observer of the answers that it does not know yet; raises Forged."""
        expected, observer, known = self.expected, self.observer, state.next
        if expected is not None and expected.begins(payload, first, count, whole=whole):
            if first + count > known:
                state.next = first + count
                state.going = observer.equal(known, state.next)
            return
        size = 0
        for record in records(payload, first, count, timed=self.timed):
            size += record.size
            if record.case < known:
                continue
            case, outcome = record.case, record.outcome(self.limits.memory)
            state.next = case + 1
            if expected is not None and record.kind == b"V" and expected.equals(case, record.data):
                state.going = observer.equal(case, case + 1)
            else:
                state.going = observer.outcome(case, outcome)
            if not state.going:
                return
        if whole and size != len(payload):
            raise Forged

    def _book_waiting(
        self, payload: bytes, first: int, end: int, state: Progress, last: int
    ) -> None:
        """Tell of the answers that the child has not sent: of cases ``first`` up to ``end``.

        The last answer is always sent, never left on the page: a process that dies, or whose time
        is up, has not answered all, whatever it claims there.
        """
        end = min(end, last - 1)
        if state.going and first <= state.next < end:
            self._book(payload, first, end - first, state, whole=False)

    def _peek(self, state: Progress, last: int) -> None:
        """See whether an answer that waits for a slow case behind it ends the run already.

        Only answers that were there at the look before count: a processor may show another's
        writes out of order for a moment.
        """
        seen, waiting = self.seen, self.worker.waiting()
        self.seen = waiting
        if seen is not None and seen.first == waiting.first:
            with contextlib.suppress(Forged):
                self._book_waiting(waiting.records, seen.first, seen.case, state, last)

    def _fill(
        self, channel: socket.socket, watch: Watch, state: Progress, last: int, size: int
    ) -> TimedOut | None:
        """Have ``size`` bytes in the buffer, unless what is known ends the run.

        TimedOut where the current limit passes first.
        """
        while len(self.buffer) < size:
            limit = self.limits.load
            if state.loaded:
                limit = self.limits.cpu if self.granted is None else self.granted[1]
            pause = watch.pause(limit, self.limits.wait)
            if pause is None:
                if state.loaded and self.granted is None and not watch.is_idle:
                    case = self.worker.progress(state.next, last)
                    if self._granted(case, watch) > limit:
                        continue
                return TimedOut(watch.spent, limit)
            channel.settimeout(min(pause, self.look))
            try:
                part = channel.recv(RECEIVE_BYTES)
            except TimeoutError:
                if watch.is_long_gone:
                    raise EOFError from None
                self.look = min(2 * self.look, LONGEST_LOOK)
                if state.loaded:
                    self._peek(state, last)
                    if not state.going:
                        return None
                continue
            except OSError:
                raise EOFError from None
            if not part:
                raise EOFError
            self.buffer += part
        return None

    def _granted(self, case: int, watch: Watch) -> float:
        """Return the CPU seconds that a case may use now that the usual ones are used up."""
        if self.granted is None or self.granted[0] != case:
            limit = self.limits.cpu
            if self.more is not None:
                self.worker.stop()  # it loses nothing, and does not disturb what is measured
                stopped = time.monotonic()
                limit = max(limit, self.more(case))
                self.worker.go_on()
                watch.skip(time.monotonic() - stopped)
            self.granted = case, limit
        return self.granted[1]

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
