"""The actors of a Ray cluster, one a node: starting them, sending chunks, and hearing of them.

The only module that imports ray.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.execution.base import Row
from evalplus_lite.execution.channel import body, unpacked
from evalplus_lite.execution.crew import TRIES
from evalplus_lite.execution.job import Job, KnownCall
from evalplus_lite.execution.node import Node

CHUNK_SECONDS, MOST_ITEMS = 0.5, 128
"""A chunk is work for about so long on its node, and of so many items a worker at most."""
LOOKAHEAD = 4 * MOST_ITEMS
"""Items taken ahead, a worker: for each node a chunk, the next ones, and some for others."""
CHUNKS_AHEAD = 3
"""Chunks that a node has at a time: it never waits for the next one."""
LONG_SECONDS = CHUNKS_AHEAD * CHUNK_SECONDS
"""What takes longer keeps one worker busy until its node has been dealt to again."""
HELD = 1 << 19
"""Bytes of items and rows that may wait for an older item, a worker: while one takes half a minute
the others go on with what comes after it."""
MOST_BYTES = 8 << 20
"""Bytes of a chunk's items, beyond its last one."""
PARENT_SECONDS = 1.0
"""How often an actor looks whether its raylet is there."""
PLACED_SECONDS = 20.0
"""How long an actor of all of a node's processors may wait for them before it asks for half."""


def library() -> Any:
    """Return ray; InputError if it is not installed."""
    try:
        import ray
        import ray.util.scheduling_strategies
    except ImportError:
        raise InputError(
            "the backend ray needs a library that is not installed",
            remedy='pip install "evalplus-lite[ray]"',
        ) from None
    return ray


def nodes() -> Iterator[tuple[str, str, int]]:
    """Yield id, name and processors of each node of the cluster that is alive and has any."""
    for each in library().nodes():
        processors = int(each["Resources"].get("CPU", 0))
        if each["Alive"] and processors:
            yield each["NodeID"], each["NodeManagerHostname"], processors


def full() -> type[BaseException]:
    """Return the error of an object store that has no room."""
    error: type[BaseException] = library().exceptions.ObjectStoreFullError
    return error


def put(data: bytes) -> Any:
    """Put bytes into the object store; return their reference."""
    return library().put(data)


class Member:
    """An actor on a node, the chunks that it has, and how fast it is.

    ``heard`` is called, from any thread, with (member, None, facts) when it is at work, with
    (member, chunk, answer) for each chunk, and with an exception in the last place when it is lost.
    """

    def __init__(
        self,
        id: str,
        name: str,
        processors: int,
        config: Row,
        preload: Sequence[str],
        *,
        heard: Callable[[tuple[Member, int | None, Any]], None],
    ) -> None:
        self.id, self.name, self.workers = id, name, processors
        self.tier: str | None = None
        self.chunks: dict[int, tuple[list[Job], float]] = {}
        self._setup = (config, list(preload))
        self._heard = heard
        self._calls: set[int] = set()
        self._segments = 0
        self._start()

    def _start(self) -> None:
        strategies = library().util.scheduling_strategies
        options = {
            "num_cpus": self.workers,
            "max_concurrency": 2 * self.workers + CHUNKS_AHEAD + 1,
            "scheduling_strategy": strategies.NodeAffinitySchedulingStrategy(self.id, soft=False),
        }
        self.actor: Any = (
            library().remote(RayNode).options(**options).remote(self.workers, *self._setup)
        )
        self._asked = time.monotonic()
        self._hear(None, self.actor.hello.remote())

    def shrink(self) -> None:
        """Ask for half of the processors if nobody gives all of them."""
        waits = self.tier is None and time.monotonic() - self._asked > PLACED_SECONDS
        if waits and self.workers > 1:
            actor, self.actor = self.actor, None
            self.workers //= 2
            self._start()
            _kill(actor)

    @property
    def jobs(self) -> list[Job]:
        """The items that it has not answered, in their order."""
        return [job for chunk, _ in self.chunks.values() for job in chunk]

    @property
    def room(self) -> float:
        """Seconds of work that it takes now: none beside an item's last try, some ahead of need."""
        if self.tier is None or any(chunk[0].tries >= TRIES for chunk, _ in self.chunks.values()):
            return 0.0
        if sum(len(chunk) for chunk, _ in self.chunks.values()) < self.workers:
            return CHUNK_SECONDS * self.workers
        ahead = CHUNKS_AHEAD * CHUNK_SECONDS * self.workers
        return min(CHUNK_SECONDS * self.workers, ahead - sum(s for _, s in self.chunks.values()))

    def send(self, number: int, chunk: list[Job], seconds: float, segments: Sequence[Any]) -> None:
        """Send a chunk that is expected to be so many seconds of work, with what it needs of calls
        and staged rows unless that is known there.
        """
        known: dict[int, KnownCall] = {job.call.number: job.call for job in chunk}
        calls = {
            number: (each.call.maker, each.call.settings, each.call.packages)
            for number, each in known.items()
            if number not in self._calls
        }
        jobs = [(job.call.number, _plain(job.key), job.payload) for job in chunk]
        self.chunks[number] = chunk, seconds
        try:
            answer = self.actor.run.remote(
                body(calls),
                body(jobs),
                self._segments,
                segments[self._segments :],
            )
        except Exception as error:  # the store is full, or the cluster is gone
            self._heard((self, number, error))
            return
        self._segments = len(segments)
        self._hear(number, answer)

    def answered(self, number: int, answer: bytes) -> list[tuple[Job, tuple[int, bytes, float]]]:
        """Return the items of a chunk that was answered, each with what became of it, and the
        seconds that it took.
        """
        chunk, _ = self.chunks.pop(number)
        self._calls.update(job.call.number for job in chunk)
        return list(zip(chunk, unpacked(answer), strict=True))

    def end(self) -> None:
        """End the actor, and with it all that it started."""
        _kill(self.actor)

    def _hear(self, number: int | None, answer: Any) -> None:
        actor = self.actor

        def tell(future: Any) -> None:
            if self.actor is not actor:
                return  # it was replaced by a smaller one
            error = future.exception()
            self._heard((self, number, future.result() if error is None else error))

        answer.future().add_done_callback(tell)


def _plain(key: Any) -> Any:
    """Return a key as it can travel; what cannot counts as none."""
    try:
        body(key)
    except ValueError:
        return None
    return key


def _kill(actor: Any) -> None:
    with contextlib.suppress(Exception):  # it has gone, or the cluster has
        library().kill(actor)


def _end_with(parent: int) -> None:
    """End this process once its parent has: an actor of ray 2.60 outlives a raylet that is killed,
    and with it would all that it has started."""
    while os.getppid() == parent:
        time.sleep(PARENT_SECONDS)
    os._exit(1)


class RayNode(Node):
    """``Node`` as Ray's actor, which ends with the raylet that has started it."""

    def __init__(self, workers: int, config: Row, preload: Sequence[str]) -> None:
        super().__init__(workers, config, preload)
        threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()

    def run(self, calls: bytes, jobs: bytes, first: int, segments: Sequence[Any]) -> bytes:
        """Take segments of staged rows in, from number ``first``, and work on a chunk."""
        self.stage(first, library().get(list(segments)))
        return self.work(calls, jobs)
