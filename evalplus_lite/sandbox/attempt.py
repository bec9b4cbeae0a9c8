"""One child process, from sending the program to its last answer or its end."""

from __future__ import annotations

import contextlib
import resource
import socket
import time
from dataclasses import dataclass, field
from typing import Protocol

from evalplus_lite.sandbox.frames import (
    FORGED,
    Expected,
    Forged,
    cause,
    own_word,
    raised,
    records,
    send_request,
)
from evalplus_lite.sandbox.guest import child
from evalplus_lite.sandbox.limits import Inputs, Limits, Program
from evalplus_lite.sandbox.timer import RaiseLimit, ResourceUsage, Timer
from evalplus_lite.sandbox.worker_handle import (
    START_SECONDS,
    Waiting,
    WorkerHandle,
    WorkerLost,
    receive_with_pid,
)
from evalplus_lite.types import Outcome, OutOfMemory, TimedOut, Unrepresentable

RECEIVE_BYTES = 1 << 18
# Seconds of silence after which unsent answers are examined, doubled each time.
FIRST_LOOK, LONGEST_LOOK = 0.003, 0.25


class Observer(Protocol):
    """Receives the outcome of each case, in order; returns False to end the program's run."""

    def equal(self, first: int, last: int) -> bool:
        """Cases ``first`` up to ``last`` (exclusive) answered with exactly the expected bytes."""
        raise AssertionError("nothing was expected")

    def outcome(self, case: int, outcome: Outcome) -> bool:
        """Case number ``case`` ended with ``outcome``."""
        ...


@dataclass(slots=True)
class RunState:
    """The state of a program's run: the next case, and whether the observer wants more."""

    next: int
    spent: ResourceUsage
    going: bool = True
    loaded: bool = False


@dataclass(slots=True)
class Attempt:
    """One process of a program, which ``go`` runs on the remaining cases of a run, up to ``last``.

    The parameters are those of ``Sandbox.watch``.
    """

    program: Program
    inputs: Inputs
    limits: Limits
    observer: Observer
    expected: Expected | None
    timed: bool
    raise_limit: RaiseLimit | None
    own_clock: bool
    state: RunState
    worker: WorkerHandle
    buffer: bytearray = field(default_factory=bytearray, init=False)
    last: int = field(init=False)
    sent: int = field(init=False)  # the first case of the next batch
    look: float = field(default=FIRST_LOOK, init=False)
    seen: Waiting | None = field(default=None, init=False)
    # Whether everything was read that had arrived at the timeout.
    is_drained: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.last, self.sent = len(self.inputs), self.state.next

    def go(self) -> tuple[Outcome | None, bool]:
        """Run; return why the process died, if it did, and whether it left files."""
        state = self.state
        state.loaded = False
        channel, theirs = socket.socketpair()
        with channel:
            channel.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            with theirs:  # closed here at once, so that the child's end closes the channel
                self.worker.run(self._job(), theirs)
            try:
                final = self._converse(channel)
            except EOFError:
                final = None
            except Forged:
                final = FORGED
            # Reading ends here. A child that has answered everything waits to be killed, as its
            # clock would disappear if it exited.
            self.worker.kill()
        ending = self.worker.ending()
        state.spent.add(ending)
        if state.loaded:
            waiting = self.worker.waiting()
            with contextlib.suppress(Forged):
                self._book_waiting(waiting.records, waiting.first, waiting.case)
            if not state.going or state.next >= self.last:
                return None, ending.dirty
        return final or cause(ending.status), ending.dirty

    def _job(self) -> dict[str, object]:
        # Inputs as objects take up to twelve times their bytes. That memory is not the program's,
        # so the limit on address space leaves room for them and for the interpreter.
        limits, room = self.limits, 12 * len(self.inputs.data)
        return {
            "first": self.state.next,
            "last": self.last,
            "timed": self.timed,
            "own_clock": self.own_clock,
            "rlimits": {
                resource.RLIMIT_AS: self.worker.base_bytes + room + limits.memory,
                resource.RLIMIT_NPROC: self.worker.processes,
            },
        }

    def _converse(self, channel: socket.socket) -> Outcome | None:
        """Send the program, then read answers until all are there or something ends the run.

        The child's pid comes from the kernel (SCM_CREDENTIALS), not from the child.
        """
        channel.settimeout(START_SECONDS)
        try:
            private = self.inputs.data if self.inputs.private else None
            send_request(channel, self.program, private)
            pid = receive_with_pid(channel, 1)
        except OSError as error:
            raise WorkerLost(f"a child did not start: {error}") from None
        channel.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
        timer = Timer(pid, self.worker, self.limits, self.state.spent, self.raise_limit)
        try:
            return self._read(channel, timer)
        finally:
            timer.end()

    def _read(self, channel: socket.socket, timer: Timer) -> Outcome | None:
        state = self.state
        while state.going and state.next < self.last:
            late = self._fill(channel, timer, child.HEADER.size)
            if late is not None or not state.going:
                return late
            kind, first, count, size = child.HEADER.unpack(self._take(child.HEADER.size))
            if size > self.limits.output:
                return Unrepresentable(f"an answer of {size} bytes (the limit is "
                                       f"{self.limits.output})")  # fmt: skip
            late = self._fill(channel, timer, size)
            if late is not None or not state.going:
                return late
            ended = self._frame(kind, first, count, self._take(size), timer)
            if ended is not None:
                return ended
            late = timer.batch_came()
            if late is not None and state.going and state.next < self.last:
                return late
            self.look, self.seen, self.is_drained = FIRST_LOOK, None, False
        return None

    def _frame(
        self, kind: bytes, first: int, count: int, payload: bytes, timer: Timer
    ) -> Outcome | None:
        """Process one frame; return an outcome if it ends the run."""
        state = self.state
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
        due = b"T" if self.timed else b"C" if self.own_clock else b"B"
        if kind != due or first != self.sent or not state.next < end <= self.last:
            raise Forged
        self.sent = end
        # A batch is sent within two milliseconds, so only its last case can have been slow.
        word = None
        if self.own_clock:
            word, payload = own_word(payload)
        late = timer.late(end - 1, word)
        self._book(payload, first, count - (late is not None), whole=late is None)
        return late if state.going else None

    def _book(self, payload: bytes, first: int, count: int, *, whole: bool) -> None:
        """Pass new answers to the observer; may raise Forged."""
        state, expected, observer = self.state, self.expected, self.observer
        known = state.next
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

    def _book_waiting(self, payload: bytes, first: int, end: int) -> None:
        """Record the answers to cases ``first`` to ``end`` that the child has not sent.

        The last answer is always sent, never left on the page: a process that dies or runs out of
        time has not answered everything, whatever the page claims.
        """
        end = min(end, self.last - 1)
        if self.state.going and first <= self.state.next < end:
            self._book(payload, first, end - first, whole=False)

    def _peek(self) -> None:
        """Check whether an unsent answer already ends the run.

        The child may send its batch and begin the next one while the page is read, so one reading
        can pair the number of the old batch with the records of the new one. A processor may also
        see another's writes out of order for a moment. Records count only if two readings agree.
        """
        seen, waiting = self.seen, self.worker.waiting()
        self.seen = waiting
        if seen is None or seen.first != waiting.first:
            return
        with contextlib.suppress(Forged):
            listed = records(seen.records, seen.first, seen.case - seen.first, timed=self.timed)
            size = sum(record.size for record in listed)
            if seen.records[:size] == waiting.records[:size]:
                self._book_waiting(seen.records, seen.first, seen.case)

    def _fill(self, channel: socket.socket, timer: Timer, size: int) -> TimedOut | None:
        """Read until the buffer holds ``size`` bytes or a known answer ends the run.

        Returns TimedOut if the current limit is reached first; raises EOFError if the channel ends.
        """
        state = self.state
        while len(self.buffer) < size:
            case = self.worker.progress(state.next, self.last) if state.loaded else None
            pause = timer.pause(case)
            if isinstance(pause, TimedOut):
                # Data already in the socket arrived in time, however late it is read. Read once
                # more, without waiting, before the case is declared too slow.
                if self.is_drained:
                    return pause
                self.is_drained, pause = True, 0.0
            before = time.monotonic()
            channel.settimeout(min(pause, self.look))
            try:
                part = channel.recv(RECEIVE_BYTES)
            except (TimeoutError, BlockingIOError):
                # The process is gone, but the end of its channel has not been seen.
                if timer.watch.is_long_gone:
                    raise EOFError from None
                self.look = min(2 * self.look, LONGEST_LOOK)
                if state.loaded:
                    self._peek()
                    if not state.going:
                        return None
                continue
            except OSError:
                raise EOFError from None
            finally:
                timer.waited += time.monotonic() - before
            if not part:
                raise EOFError
            self.buffer += part
        return None

    def _take(self, size: int) -> bytes:
        if size == len(self.buffer):  # always so for large ones, which avoids a second copy
            data, self.buffer = bytes(self.buffer), bytearray()
            return data
        with memoryview(self.buffer) as view:
            data = bytes(view[:size])
        del self.buffer[:size]
        return data
