"""A cluster whose nodes answer when a real one would, and run nothing: the driver's part is real.

Nodes live in one process beside this one (``python -m scripts.benchmarks.simulated TABLE``), which
takes chunks from a pipe and answers each when its programs would have ended. How long a program
takes, and what comes of it, was measured before, on real programs of the same task.
"""

from __future__ import annotations

import hashlib
import heapq
import itertools
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from evalplus_lite import __version__
from evalplus_lite.execution.base import Row
from evalplus_lite.execution.channel import HEAD, encoded, packed, unpacked
from evalplus_lite.execution.ray_cluster import Cluster, Member, RayCrew
from evalplus_lite.execution.supervisor import DONE
from evalplus_lite.execution.worker_pool import Workforce
from evalplus_lite.sandbox import SandboxConfig
from scripts.benchmarks.checkout import ROOT

READ = 1 << 20
NAMING_SECONDS = 3e-4
"""A worker takes about so long to compare a program with the others."""


class Nodes:
    """The driver's end of the pipe: chunks go in, futures of their answers come out."""

    def __init__(self, count: int, workers: int, table: Path) -> None:
        self.count, self.workers = count, workers
        self._process = subprocess.Popen(
            [sys.executable, "-m", "scripts.benchmarks.simulated", str(table), str(workers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            bufsize=0,
        )
        self._waiting: dict[int, Future[bytes]] = {}
        self._numbers = itertools.count()
        self.busy = 0.0
        self.fed = (0.0, 0.0)
        """When the last chunk was dealt, and the seconds that workers had worked until then."""
        threading.Thread(target=self._listen, daemon=True).start()

    def ask(self, node: int, jobs: bytes) -> Future[bytes]:
        """Give a node a chunk."""
        number = next(self._numbers)
        future = self._waiting[number] = Future[bytes]()
        message = memoryview(packed((node, number, jobs)))
        while message:
            message = message[os.write(self._process.stdin.fileno(), message) :]  # type: ignore[union-attr]
        return future

    def close(self) -> None:
        """End the process that the nodes live in."""
        self._process.kill()
        self._process.wait()

    def _listen(self) -> None:
        data = b""
        while part := os.read(self._process.stdout.fileno(), READ):  # type: ignore[union-attr]
            found, data = split(data + part)
            for number, seconds, fed, answer in found:
                self.busy += seconds
                self.fed = max(self.fed, fed)
                self._waiting.pop(number).set_result(answer)


class _Ask:
    """What ``Member`` calls as a method of an actor."""

    def __init__(self, nodes: Nodes, node: int) -> None:
        self.nodes, self.node = nodes, node

    def remote(self, calls: bytes, jobs: bytes, first: int, segments: Sequence[Any]) -> _Answer:
        return _Answer(self.nodes.ask(self.node, jobs))


class _Answer:
    def __init__(self, answer: Future[bytes]) -> None:
        self.answer = answer

    def future(self) -> Future[bytes]:
        return self.answer


class _Actor:
    def __init__(self, nodes: Nodes, node: int) -> None:
        self.run = _Ask(nodes, node)


class SimulatedMember(Member):
    """A node that is simulated."""

    def __init__(
        self, nodes: Nodes, id: str, name: str, processors: int, heard: Callable[[Any], None]
    ) -> None:
        self.nodes = nodes
        super().__init__(id, name, processors, (), (), heard=heard)

    def _start(self) -> None:
        self.actor = _Actor(self.nodes, int(self.id))
        self._asked = time.monotonic()
        self._heard((self, None, {"version": __version__, "tier": "namespaces"}))

    def end(self) -> None:
        """Nothing has to end."""


class SimulatedCrew(RayCrew):
    """The real crew, with simulated members; what is staged goes nowhere."""

    def __init__(self, nodes: Nodes, config: SandboxConfig, stage: int) -> None:
        self.nodes = nodes
        super().__init__(config, stage, (), None)

    def _joined(self) -> Iterator[tuple[str, str, int]]:
        for number in range(self.nodes.count):
            yield str(number), f"node {number}", self.nodes.workers

    def _member(self, id: str, name: str, processors: int) -> Member:
        return SimulatedMember(self.nodes, id, name, processors, self._events.put)

    def _ship(self) -> None:
        pass


class Simulated(Cluster):
    """The real backend on simulated nodes, so many with so many workers each."""

    def __init__(self, count: int, workers: int, table: Path) -> None:
        super().__init__()
        self.nodes = Nodes(count, workers, table)

    def _hired(self, stage: int) -> Workforce:
        self.workers = self.nodes.count * self.nodes.workers
        return SimulatedCrew(self.nodes, self.config, stage)

    def close(self, *, now: bool = False) -> None:
        """End the nodes, too."""
        super().close(now=now)
        self.nodes.close()


def split(data: bytes) -> tuple[list[Row], bytes]:
    """Return the complete messages at the start of the bytes, and the remaining bytes."""
    messages, place = [], 0
    while place + HEAD.size <= len(data):
        (size,) = HEAD.unpack_from(data, place)
        end = place + HEAD.size + size
        if end > len(data):
            break
        messages.append(unpacked(data[place + HEAD.size : end]))
        place = end
    return messages, data[place:]


def work(table: Path, workers: int) -> None:
    """Be the nodes: read chunks from standard input, answer each when it is due."""
    known: dict[str, Row] = unpacked(table.read_bytes())
    free: dict[int, list[float]] = {}
    due: list[tuple[float, int, bytes]] = []
    told: set[tuple[int, str]] = set()
    data, given = b"", 0.0
    while True:
        now = time.monotonic()
        while due and due[0][0] <= now:
            _send(heapq.heappop(due)[2])
        wait = max(0.0, due[0][0] - now) if due else None
        if not select.select([0], [], [], wait)[0]:
            continue
        part = os.read(0, READ)
        if not part:
            return
        found, data = split(data + part)
        for node, number, jobs in found:
            heap = free.setdefault(node, [0.0] * workers)
            now, end, busy, rows = time.monotonic(), 0.0, 0.0, list[Any]()
            for _, _, item in unpacked(jobs):
                seconds, row = _judged(known, node, unpacked(item), told)
                done = max(now, heap[0]) + seconds
                heapq.heapreplace(heap, done)
                end, busy = max(end, done), busy + seconds
                rows.append((DONE, encoded(row), seconds))
            given += busy
            ahead = sum(max(0.0, each - now) for heap in free.values() for each in heap)
            answer = packed((number, busy, (now, given - ahead), encoded(rows)))
            heapq.heappush(due, (end, number, answer))


def _judged(
    known: dict[str, Row], node: int, item: Row, told: set[tuple[int, str]]
) -> tuple[float, Row]:
    """Return how long an item takes, and what comes of it."""
    if isinstance(item, list):  # texts to name: these are all different
        return NAMING_SECONDS * len(item), [hashlib.md5(text.encode()).hexdigest() for text in item]
    _, task, groups = item
    evidence, seen = known[task]
    judged, seconds = [], 0.0
    for number, (_, members) in enumerate(groups):
        took, verdicts, *lines = seen[(members[0][0] + number) % len(seen)]
        seconds += took
        for index, *_ in members:
            judged.append((verdicts, *(line.replace("@", str(index), 1) for line in lines), ""))
    first = (node, task) not in told
    told.add((node, task))
    return seconds, (evidence if first else None, judged)


def _send(message: bytes) -> None:
    rest = memoryview(message)
    while rest:
        rest = rest[os.write(1, rest) :]


if __name__ == "__main__":
    work(Path(sys.argv[1]), int(sys.argv[2]))
