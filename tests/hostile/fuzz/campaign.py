"""A campaign: texts by seed, fed to the readers' processes, watched and measured."""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Self

from .reader import TICK
from .readers import READERS

TESTS = Path(__file__).resolve().parents[2]
CPU_SECONDS = 1.0
"""What one text may cost its reader's process."""
MEMORY_BYTES = 100 << 20
"""By how much one text may make its reader's process larger for a while."""
KILL_SECONDS, KILL_BYTES, KILL_WAITING = 10.0, 1 << 30, 60.0
"""CPU time, memory and wall time beyond which a reader is killed: far more than is right."""


@dataclass(frozen=True)
class Trial:
    """One text for one reader; ``number`` and the seed draw it again."""

    reader: str
    seed: int
    number: int
    size: int

    def data(self) -> bytes:
        """Return the text."""
        random = Random(f"{self.seed}:{self.number}:{self.reader}")
        reader = READERS[self.reader]
        data = reader.document(random)(self.size)
        if self.reader == "archive" or len(data) <= reader.largest:
            return data
        end = reader.largest
        while data[end] & 0xC0 == 0x80:  # within a character
            end -= 1
        return data[:end]


@dataclass(frozen=True)
class Result:
    """What became of a text and what it cost: seconds of CPU, bytes of memory."""

    trial: Trial
    length: int
    cpu: float = 0.0
    helpers: float = 0.0
    grown: int = 0
    said: str = ""
    fault: str = ""


def trials(seed: int, count: int, *, only: str | None = None) -> Iterator[Trial]:
    """Yield the trials of a campaign: most texts small, one in a hundred as large as may be."""
    random = Random(seed)
    names = [only] if only else list(READERS)
    shares = [READERS[name].share for name in names]
    for number in range(count):
        name = random.choices(names, shares)[0]
        largest = READERS[name].largest
        chance = random.random()
        if chance < 0.01:
            size = largest
        elif chance < 0.15:
            size = int(math.exp(random.uniform(math.log(10_000), math.log(100_000))))
        else:
            size = int(math.exp(random.uniform(math.log(50), math.log(10_000))))
        yield Trial(name, seed, number, size)


class Process:
    """A reader's process: started when first needed, and again after it had to be killed."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        """Nothing is started yet."""
        return self

    def __exit__(self, *details: object) -> None:
        """End it, with all that it started."""
        self._end()

    def read(self, trial: Trial, data: bytes) -> Result:
        """Have a text read, and return the result: a killed or ended process is a fault."""
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        begun, before = time.monotonic(), _used(process.pid)[0]
        fault = ""
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(len(data).to_bytes(4, "little") + data)
            process.stdin.flush()
        while not select.select([process.stdout], [], [], 0.05)[0]:
            cpu, size = _used(process.pid)
            if cpu - before > KILL_SECONDS:
                fault = f"more than {KILL_SECONDS:g} s of CPU time"
            elif size > KILL_BYTES:
                fault = f"more than {KILL_BYTES >> 20} MiB after {cpu - before:.1f} s"
            elif time.monotonic() - begun > KILL_WAITING:
                fault = f"no answer within {KILL_WAITING:g} s"
            if fault:
                self._end()
                return Result(trial, len(data), cpu - before, grown=size, fault=fault)
        line = process.stdout.readline()
        if not line:
            self._end()
            return Result(trial, len(data), fault=f"the process ended: {process.returncode}")
        result = Result(trial, len(data), **json.loads(line))
        if result.grown > MEMORY_BYTES:
            self._end()  # what an allocator keeps would be no growth the next time
        return result

    def _start(self) -> subprocess.Popen[bytes]:
        paths = [str(TESTS), str(TESTS.parent), os.environ.get("PYTHONPATH", "")]
        process = subprocess.Popen(
            [sys.executable, "-m", "hostile.fuzz.reader", self._name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
            start_new_session=True,
        )
        self._process = process
        assert process.stdout is not None
        if process.stdout.readline() != b"ready\n":
            raise RuntimeError(f"the reader {self._name!r} did not start")
        return process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def run(chosen: Iterator[Trial]) -> Iterator[Result]:
    """Yield the results of trials, in their order."""
    with contextlib.ExitStack() as stack:
        processes: dict[str, Process] = {}
        for trial in chosen:
            if trial.reader not in processes:
                processes[trial.reader] = stack.enter_context(Process(trial.reader))
            yield processes[trial.reader].read(trial, trial.data())


def problem(result: Result, *, patience: float = 1.0) -> str:
    """Return what is wrong with a result, nothing where all is right.

    ``patience`` multiplies the seconds: a busy machine makes CPU time dearer, too.
    """
    if result.fault:
        return result.fault
    if result.cpu > patience * CPU_SECONDS:
        return "too slow"
    if result.trial.reader == "answer" and result.helpers > patience * 2 * CPU_SECONDS:
        return "its helper is too slow"
    if result.grown > MEMORY_BYTES:
        return "too large"
    return ""


def _used(pid: int) -> tuple[float, int]:
    """Return a process's CPU time, in seconds, and its memory, in bytes."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0, 0
    pages = int(fields[21])
    return (int(fields[11]) + int(fields[12])) / TICK, pages * os.sysconf("SC_PAGE_SIZE")
