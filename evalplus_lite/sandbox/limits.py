"""Limits and their presets, and programs and inputs in the form that the sandbox takes."""

from __future__ import annotations

import contextlib
import hashlib
import math
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evalplus_lite.errors import CodecError, InputError, one_of
from evalplus_lite.sandbox.streams import Streams
from evalplus_lite.store.cache import parse_size
from evalplus_lite.types import CALL, Harness, Task, Value
from evalplus_lite.values import wire


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on one program's run.

    ``cpu``: CPU seconds per case. ``load``: CPU seconds to load the program (its imports and module
    level). ``memory``: bytes in addition to the interpreter's own. ``output``: bytes of one batch
    of answers. Waiting (sleep, a lock) counts like CPU time, but at least ``wait`` seconds are
    allowed; queueing for a processor does not count, so load does not change verdicts. ``total``:
    seconds that all cases together may compute, including loading, and also that they may wait, or
    ``idle`` seconds for the latter if that is less.
    """

    cpu: float = 1.0
    load: float = 3.0
    memory: int = 1 << 30
    output: int = 16 << 20
    wait: float = 2.0
    total: float = math.inf
    idle: float = math.inf


@dataclass(frozen=True, slots=True)
class Preset:
    """The rule for a case's time limit, from the reference's time: max(floor, factor x time)."""

    floor: float
    factor: float = 4.0

    def limit(self, reference_seconds: float) -> float:
        """Return the CPU seconds for a case."""
        return max(self.floor, self.factor * reference_seconds)

    def total(self, cases: int, reference_seconds: float = 0.0) -> float:
        """Return the seconds for this many cases together.

        That is the limits of a few cases plus one for every ten cases, or ``factor`` times the
        reference's time if that is more.
        """
        floor = max(self.floor, LEAST_SHARE)
        return max(floor * (SHARES + cases / CASES_A_SHARE), self.factor * reference_seconds)


# All cases together may use twenty times a case's limit (but at least a second), plus that limit
# for every ten cases: two minutes for 1,000 cases, where evalplus allows one minute of wall time.
LEAST_SHARE, SHARES, CASES_A_SHARE = 1.0, 20, 10


# ``paper``: EvalPlus paper, section 3; ``evalplus``: its git version; ``default``: its 0.3.1.
PRESETS = {"default": Preset(1.0), "paper": Preset(0.2), "evalplus": Preset(4.0)}


LEAST_MEMORY = 16 << 20


def memory_bytes(value: object) -> int:
    """Parse a memory limit: an int (bytes), or a string such as ``"512MiB"`` or ``"1GiB"``.

    Raises InputError for anything else, and below 16 MiB, in which no program can load.
    """
    number = value
    if isinstance(value, str):
        with contextlib.suppress(InputError):  # replaced by the one below
            number = parse_size(value, named="memory")
    if isinstance(number, bool) or not isinstance(number, int) or number < LEAST_MEMORY:
        raise InputError(
            f"memory is {value!r}",
            remedy="give bytes (at least 16 MiB), or a string such as '1GiB'",
        )
    return number


def preset(name: str) -> Preset:
    """Return a preset by name; raise InputError, listing the names, for an unknown one."""
    try:
        return PRESETS[name]
    except (KeyError, TypeError):  # or an unhashable value
        raise InputError(
            f"no limits preset named {name!r}", remedy=one_of(str(name), PRESETS)
        ) from None


@dataclass(frozen=True, slots=True)
class Program:
    """A program's text, entry point, and invocation.

    With ``streams``, standard input and output are files in memory; ``pipes`` are the streams of a
    single run. A contract's ``check`` has ``classes``: the names of the classes that the task's
    reference declares. It only receives objects of these.
    """

    source: str
    entry_point: str
    harness: Harness = CALL
    streams: bool = False
    pipes: Streams | None = field(default=None, compare=False)
    classes: tuple[str, ...] | None = None

    @classmethod
    def of(cls, task: Task, source: str | None = None) -> Program:
        """Return a program for a task, by default its reference."""
        source = task.reference if source is None else source
        harness = replace(task.harness, whole="") if task.harness.whole else task.harness
        return cls(source, task.entry_point, harness, harness.has_streams)

    @property
    def row(self) -> dict[str, Any]:
        """The invocation as plain data for the sandbox."""
        row = self.harness.row
        return row if self.classes is None else {**row, "classes": list(self.classes)}

    def around(self, text: str, entry_point: str) -> Program:
        """Return a program whose function runs this program in another way."""
        return Program(text, entry_point, streams=self.streams)


@dataclass(frozen=True, slots=True)
class Inputs:
    """The cases on which a program is called, encoded once in wire form.

    ``private`` inputs are sent only to the process that needs them, and never to the worker from
    which other programs are forked. They are those of a ``check``, which contain expected values.
    """

    data: bytes
    count: int
    key: str
    private: bool = field(default=False)

    @classmethod
    def of(cls, cases: Iterable[Sequence[Value]], *, private: bool = False) -> Inputs:
        """Encode cases (lists of arguments); raise CodecError, naming the case, if invalid."""
        rows = [tuple(case) for case in cases]
        try:
            data = wire.encode(rows)
        except CodecError:
            for number, row in enumerate(rows):
                try:
                    wire.encode(row)
                except CodecError as error:
                    raise CodecError(f"case {number}: {error}") from None
            raise
        return cls(data, len(rows), hashlib.sha256(data).hexdigest(), private)

    @classmethod
    def joined(cls, cases: Sequence[Sequence[bytes]], *, private: bool = False) -> Inputs:
        """Join cases whose arguments are already in wire form, and checked by the caller."""
        head = struct.Struct("<cI")
        data = head.pack(b"[", len(cases)) + b"".join(
            head.pack(b"(", len(case)) + b"".join(case) for case in cases
        )
        return cls(data, len(cases), hashlib.sha256(data).hexdigest(), private)

    def __len__(self) -> int:
        return self.count
