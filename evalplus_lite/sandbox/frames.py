"""Parser for a child's answers, with bytewise comparison to the expected ones.

A child may write anything. Malformed data raises Forged; well-formed data is a value that the child
chose.
"""

from __future__ import annotations

import os
import signal
import socket
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from evalplus_lite.errors import CodecError
from evalplus_lite.sandbox.guest import child
from evalplus_lite.sandbox.limits import Program
from evalplus_lite.store.opening import Blobs, Packed
from evalplus_lite.types import Crashed, Outcome, OutOfMemory, Raised, Returned, Unrepresentable
from evalplus_lite.values import wire

FORGED = Crashed(reason="the program wrote to the result channel")


class Forged(Exception):
    """A frame that our own code in a child would never write."""


@dataclass(frozen=True, slots=True)
class Expected:
    """Expected answers in wire form, joined as a child would send them, with offsets."""

    stream: bytes
    offsets: tuple[int, ...]
    large: Mapping[int, Packed]
    """Cases with large answers, which are not in the stream but compared by digest."""

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
                parts += (child.RECORD.pack(b"V", len(value)), value)
                at += child.RECORD.size + len(value)
            offsets.append(at)
        return cls(b"".join(parts), tuple(offsets), large)

    def times(self, count: int) -> Expected:
        """Return these answers repeated ``count`` times."""
        cases, size = len(self.offsets) - 1, len(self.stream)
        offsets = [size * n + at for n in range(count) for at in self.offsets[:-1]]
        large = {cases * n + case: data for n in range(count) for case, data in self.large.items()}
        return Expected(self.stream * count, (*offsets, size * count), large)

    def begins(self, payload: bytes, first: int, count: int, *, whole: bool) -> bool:
        """Return whether a batch equals these answers or, if not ``whole``, begins with them."""
        if self.large and any(case in self.large for case in range(first, first + count)):
            return False
        start, end = self.offsets[first], self.offsets[first + count]
        if whole:
            return len(payload) == end - start and self.stream.startswith(payload, start)
        return payload[: end - start] == self.stream[start:end]

    def equals(self, case: int, data: bytes) -> bool:
        """Return whether ``data`` is exactly the expected answer to a case."""
        if case in self.large:
            return self.large[case].equals(data)
        start = self.offsets[case] + child.RECORD.size
        return data == self.stream[start : self.offsets[case + 1]]


class Record(NamedTuple):
    """A child's report on one case: kind, data, CPU seconds if timed, and its ``size`` in bytes."""

    case: int
    kind: bytes
    data: bytes
    cpu: float
    size: int

    def outcome(self, memory: int) -> Outcome:
        """Return the outcome of a record; ``memory`` is the limit in bytes. May raise Forged."""
        if self.kind == b"V":
            return Returned(self.data, self.cpu)
        if self.kind == b"E":
            return raised(self.data, memory, self.cpu)
        if self.kind == b"U":
            return Unrepresentable(self.data[:200].decode("utf-8", "replace"), self.cpu)
        if self.kind == b"M":
            return OutOfMemory(memory)
        raise Forged


def records(payload: bytes, first: int, count: int, *, timed: bool) -> Iterator[Record]:
    """Yield the records of ``count`` cases from ``first`` on; raise Forged if any is missing.

    Bytes after the last record are ignored.
    """
    at = 0
    for case in range(first, first + count):
        try:
            kind, length = child.RECORD.unpack_from(payload, at)
            start = at + child.RECORD.size
            end = start + length
            cpu = child.CLOCK.unpack_from(payload, end)[0] if timed else 0.0
        except struct.error:
            raise Forged from None
        if end > len(payload):
            raise Forged
        size = end + (child.CLOCK.size if timed else 0) - at
        yield Record(case, kind, payload[start:end], cpu, size)
        at += size


def raised(data: bytes, memory: int, cpu: float = 0.0) -> Outcome:
    """Return the exception that a child described; raise Forged if the description is invalid."""
    # A wrong program raises the same on most cases, so cache short messages.
    return (_known if len(data) < 512 and not cpu else _raised)(data, memory, cpu)


def _raised(data: bytes, memory: int, cpu: float) -> Outcome:
    try:
        kind, message, line = wire.decode(data, hash_limit=0)
    except (CodecError, ValueError, TypeError):
        raise Forged from None
    if type(kind) is not str or type(message) is not str or type(line) not in (int, type(None)):
        raise Forged
    if kind == "MemoryError":
        return OutOfMemory(memory)
    return Raised(kind[:200], message[:2000], line, cpu)


_known = lru_cache(maxsize=4096)(_raised)


def own_word(payload: bytes) -> tuple[float, bytes]:
    """Split off the CPU seconds that the child reports at the end of a batch; may raise Forged."""
    size = child.CLOCK.size
    if len(payload) < size:
        raise Forged
    (used,) = child.CLOCK.unpack(payload[-size:])
    return used, payload[:-size]


def cause(status: int) -> Outcome:
    """Return why a process ended before its last answer."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        try:
            name = signal.Signals(number).name
        except ValueError:
            name = f"signal {number}"
        return Crashed(signal=number, reason=name)
    code = os.waitstatus_to_exitcode(status)
    return Crashed(exit_code=code, reason=f"exit status {code} before the last answer")


def send_request(channel: socket.socket, program: Program, cases: bytes | None) -> None:
    """Send a child its request, and the program's own streams, if any.

    A request is a length, then a dict in wire form. Private cases are spliced in unchanged, since
    such a dict is a sequence of keys and values.
    """
    fields = {
        "source": program.source,
        "entry_point": program.entry_point,
        "harness": program.row,
        "streams": program.streams,
        "handles": program.pipes is not None,
    }
    data = b"{" + b"".join(wire.encode(k) + wire.encode(v) for k, v in fields.items())
    data += wire.encode("cases") + (cases if cases is not None else wire.encode(None)) + b"0"
    channel.sendall(struct.pack("<I", len(data)) + data)
    if program.pipes is not None:
        program.pipes.hand_over(channel)
