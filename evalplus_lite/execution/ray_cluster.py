"""A backend on Ray: items are sent in chunks to an actor on each node of a cluster.

An actor has the supervisors of its node (``RayNode``), which end with it, however it ends.
Shared data is sent to a node once, through Ray's object store; items and rows are sent as packed
bytes. The unanswered items of a lost actor are retried elsewhere, one by one, so that an item that
ends actors is found and does not affect others.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import platform
import queue
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import astuple
from typing import Any

from evalplus_lite.errors import (
    EvalPlusLiteError,
    InfrastructureError,
    InputError,
    SandboxUnavailable,
)
from evalplus_lite.execution.affinity_queue import MOST_KEYS
from evalplus_lite.execution.base import Call, Row
from evalplus_lite.execution.channel import body, decoded, encoded, unpacked
from evalplus_lite.execution.job import Job, TimedCall
from evalplus_lite.execution.processes import MOST_HELD, Processes
from evalplus_lite.execution.supervisor import DONE, FAILED, described, revived
from evalplus_lite.execution.worker_pool import TRIES, Workforce
from evalplus_lite.sandbox import TIERS, SandboxConfig
from evalplus_lite.version import __version__

# One node: the processes of a machine, which receive items in chunks.


STAGE_SECONDS = 120.0
"""Maximum seconds for which a chunk waits for shared data from earlier chunks."""
PARENT_SECONDS = 1.0
"""Seconds between an actor's checks for its raylet."""


def _end_with(parent: int) -> None:
    """End this process when its parent ends: an actor of ray 2.60 outlives a killed raylet, as
    would all its processes."""
    while os.getppid() == parent:
        time.sleep(PARENT_SECONDS)
    os._exit(1)


class RayNode:
    """The Ray actor of a node, with the supervisors of its machine; thread-safe.

    It ends with its raylet, and the supervisors with it.
    """

    def __init__(self, workers: int, config: Row, preload: Sequence[str]) -> None:
        self.pool = Processes(workers, SandboxConfig(*config), preload=preload).__enter__()
        self._calls: dict[int, Call] = {}
        self._segments = 0
        self._staged = threading.Condition()
        threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()

    def hello(self) -> Row:
        """Return the versions here, and the tier, or the reason why there is none."""
        facts = {"version": __version__, "python": platform.python_version(), "tier": None}
        try:
            # A node without a sandbox answers, too, so that the caller can report the node and
            # the reason.
            facts["tier"] = self.pool.tier
        except EvalPlusLiteError as error:
            facts["reason"] = str(error)
        return facts

    def run(self, calls: bytes, jobs: bytes, first: int, segments: Sequence[Any]) -> bytes:
        """Add segments of shared data, numbered from ``first``, and work on the items of a chunk.

        ``calls`` are by number, ``jobs`` the items of each. Known segments are skipped. It waits
        for missing earlier ones, because chunks may start in any order. Returns for each item its
        outcome, its row or error, and its seconds.
        """
        data = library().get(list(segments))
        with self._staged:
            if not self._staged.wait_for(lambda: self._segments >= first, STAGE_SECONDS):
                raise TimeoutError("staged rows did not arrive")
            for segment in data[self._segments - first :]:
                self.pool.append(segment)
                self._segments += 1
            self._staged.notify_all()
        for number, (maker, settings, packages) in unpacked(calls).items():
            self._calls.setdefault(number, Call(maker, settings, packages))
        # Start all items of a chunk at once; the node's own pool assigns them to supervisors.
        begun = [
            self.pool.begin(self._calls[number], decoded(item), key=key, then=encoded)
            for number, key, item in unpacked(jobs)
        ]
        return body([(*_outcome(each.future), each.seconds) for each in begun])


def _outcome(future: Future[bytes]) -> tuple[int, bytes]:
    try:
        return DONE, future.result()
    except Exception as error:
        return FAILED, encoded(described(error))


# The actors of a Ray cluster, one per node: starting them, sending chunks, receiving answers.

CHUNK_SECONDS, MOST_ITEMS = 0.5, 128
"""Target seconds of a chunk on its node, and its maximum items per worker."""
LOOKAHEAD = 4 * MOST_ITEMS
"""Items taken ahead per worker: enough for each node's chunk, the next ones, and some spare."""
CHUNKS_AHEAD = 3
"""Chunks per node, so that it never waits for the next one."""
LONG_SECONDS = CHUNKS_AHEAD * CHUNK_SECONDS
"""Longer items keep one worker busy until its node receives the next chunk."""
HELD = 1 << 19
"""Maximum bytes per worker of items and rows that wait for an older item: while one takes half a
minute, the others continue with later items."""
MOST_BYTES = 8 << 20
"""Maximum bytes of a chunk's items, not counting the last one."""
PLACED_SECONDS = 20.0
"""Maximum seconds that an actor waits for all of a node's processors before asking for half."""


def library() -> Any:
    """Import ray; raise InputError if it is not installed."""
    try:
        import ray
        import ray.util.scheduling_strategies
    except ImportError:
        raise InputError(
            "the backend ray needs a library that is not installed",
            remedy='pip install "evalplus-lite[ray]"',
        ) from None
    return ray


class Member:
    """An actor on a node, its chunks, and its speed.

    ``heard`` is called, from any thread, with (member, None, facts) after the start, with (member,
    chunk, answer) for each chunk, and with an exception as last argument if the actor is lost.
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
        self._poll(None, self.actor.hello.remote())

    def shrink(self) -> None:
        """Ask for half of the processors if all are not available."""
        waits = self.tier is None and time.monotonic() - self._asked > PLACED_SECONDS
        if waits and self.workers > 1:
            # Set the new actor before killing the old one, so that the old one's error is
            # ignored.
            actor, self.actor = self.actor, None
            self.workers //= 2
            self._start()
            _kill(actor)

    @property
    def jobs(self) -> list[Job]:
        """The unanswered items, in order."""
        return [job for chunk, _ in self.chunks.values() for job in chunk]

    @property
    def room(self) -> float:
        """Seconds of work that it accepts now, ahead of time; 0 during an item's last try."""
        if self.tier is None or any(chunk[0].tries >= TRIES for chunk, _ in self.chunks.values()):
            return 0.0
        if sum(len(chunk) for chunk, _ in self.chunks.values()) < self.workers:
            return CHUNK_SECONDS * self.workers
        ahead = CHUNKS_AHEAD * CHUNK_SECONDS * self.workers
        return min(CHUNK_SECONDS * self.workers, ahead - sum(s for _, s in self.chunks.values()))

    def send(self, number: int, chunk: list[Job], seconds: float, segments: Sequence[Any]) -> None:
        """Send a chunk with its expected seconds of work, and what the actor still lacks for it."""
        known: dict[int, TimedCall] = {job.call.number: job.call for job in chunk}
        calls = {
            number: (each.call.maker, each.call.settings, each.call.packages)
            for number, each in known.items()
            if number not in self._calls
        }
        jobs = [(job.call.number, _plain(job.key), job.payload) for job in chunk]
        # Before sending, so that an immediate failure finds the chunk.
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
        self._poll(number, answer)

    def answered(self, number: int, answer: bytes) -> list[tuple[Job, tuple[int, bytes, float]]]:
        """Return the items of an answered chunk with their outcomes and seconds."""
        chunk, _ = self.chunks.pop(number)
        # An answer proves that the actor has these calls; a lost chunk proves nothing.
        self._calls.update(job.call.number for job in chunk)
        return list(zip(chunk, unpacked(answer), strict=True))

    def end(self) -> None:
        """End the actor and all its processes."""
        _kill(self.actor)

    def _poll(self, number: int | None, answer: Any) -> None:
        actor = self.actor

        def tell(future: Any) -> None:
            if self.actor is not actor:
                return  # it was replaced by a smaller one
            error = future.exception()
            self._heard((self, number, future.result() if error is None else error))

        answer.future().add_done_callback(tell)


def _plain(key: Any) -> Any:
    """Return a key as plain data; None for a key that cannot be sent."""
    try:
        body(key)
    except ValueError:
        return None
    return key


def _kill(actor: Any) -> None:
    with contextlib.suppress(Exception):  # it is gone, or the cluster is
        library().kill(actor)


# Scheduling for the members of a Ray cluster, like a worker pool on one machine.

MOST_SEGMENT = 64 << 20
"""Maximum bytes of staged rows in one object."""
NODES_SECONDS = 1.0
"""Seconds between searches for new nodes."""
WAIT_SECONDS = 60.0
"""Maximum seconds that items wait for a usable node before they fail."""
TIER_SECONDS = 30.0
"""Maximum seconds to wait for nodes that have not reported their tier while others are ready."""
STRENGTH: list[str] = [tier for tier in TIERS if tier != "auto"]
"""Tiers, strongest first."""


class RayCrew(Workforce):
    """Sends jobs to the members, one actor per node, and reads their answers, in one thread."""

    def __init__(
        self,
        config: SandboxConfig,
        stage: int,
        preload: Sequence[str],
        require_tier: str | None,
    ) -> None:
        self.config, self.stage, self.preload = config, stage, preload
        self.require_tier = require_tier
        self.workers = 0
        self._members: dict[str, Member] = {}
        self._refused: dict[str, str] = {}
        self._tiers: set[str] = set()
        self._times: dict[tuple[int, Hashable], float] = {}
        self._segments: list[Any] = []
        self._shipped = 0
        self._events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._is_asleep = False
        self._looked = 0.0
        self._begun = self._shipping = self._alone_since = time.monotonic()
        self._numbers = itertools.count()
        super().__init__()

    @property
    def tier(self) -> str:
        """The weakest tier of all members so far."""
        if not self._tiers:
            raise SandboxUnavailable(self._why())
        # The largest index is the weakest, as results must not claim more than every node has.
        return max(self._tiers, key=STRENGTH.index)

    def _added(self) -> bool:
        wake, self._is_asleep = self._is_asleep, False
        return wake

    def _wake(self) -> None:
        self._events.put(None)

    def _step(self) -> None:
        with self._lock:
            self._is_asleep = True  # before dealing: items added later wake it
        # Order: nodes, then chunks for those with room, then answers, which make room for the next
        # round.
        self._look()
        self._deal()
        self._poll()

    def _sent(self, *, forget: bool = False) -> list[Job]:
        jobs = [job for member in self._members.values() for job in member.jobs]
        for member in self._members.values() if forget else ():
            member.chunks.clear()
        return jobs

    def _unexpected(self, error: BaseException) -> BaseException:
        return InfrastructureError(f"the cluster backend failed: {error!r}")

    def _end(self) -> None:
        for member in self._members.values():
            member.end()

    def _look(self) -> None:
        """Add new nodes; fail waiting items if no node has been usable for long."""
        now = time.monotonic()
        if now - self._looked < NODES_SECONDS:
            return
        self._looked = now
        for id, name, processors in self._joined():
            if id not in self._members and id not in self._refused:
                self._members[id] = self._member(id, name, processors)
        for member in self._members.values():
            member.shrink()
        # The time without a usable node counts from the last moment with one.
        if any(each.tier for each in self._members.values()):
            self._alone_since = now
            self._tell_tier()
        elif (self._refused and not self._members) or now - self._alone_since > WAIT_SECONDS:
            self.tier_known.set()
            self._fail_all(InfrastructureError(self._why()))

    def _joined(self) -> Iterator[tuple[str, str, int]]:
        """Yield id, name and processors of each live node of the cluster with processors."""
        for each in library().nodes():
            processors = int(each["Resources"].get("CPU", 0))
            if each["Alive"] and processors:
                yield each["NodeID"], each["NodeManagerHostname"], processors

    def _member(self, id: str, name: str, processors: int) -> Member:
        config = tuple(astuple(self.config))
        return Member(id, name, processors, config, self.preload, heard=self._events.put)

    def _tell_tier(self) -> None:
        """Set the tier as soon as every initial node has answered."""
        known = all(each.tier for each in self._members.values())
        if known or time.monotonic() - self._begun > TIER_SECONDS:
            self.tier_known.set()

    def _why(self) -> str:
        told = "; ".join(self._refused.values()) or "none has answered"
        return f"no node of the cluster can work: {told}"

    def _deal(self) -> None:
        for member in list(self._members.values()):
            while (chunk := self._chunk(member)) is not None:
                if not self._has_shipped(chunk[0]):
                    return  # answers to chunks release stored data
                member.send(next(self._numbers), *chunk, self._segments)

    def _has_shipped(self, chunk: list[Job]) -> bool:
        """Ship the data that a chunk may need; if the store is full, let its items wait."""
        try:
            self._ship()
        except library().exceptions.ObjectStoreFullError as error:
            with self._lock:
                for job in reversed(chunk):
                    self._queue.put_back(job, job.key)
            if time.monotonic() - self._shipping > WAIT_SECONDS:
                self._fail_all(InfrastructureError(f"Ray's object store is full: {error}"))
            return False
        self._shipping = time.monotonic()
        return True

    def _chunk(self, member: Member) -> tuple[list[Job], float] | None:
        """Return a member's next chunk, with its expected seconds of work.

        A member gets at most its share of the waiting items, so that all finish at about the same
        time. A long item is sent alone, so that no other waits behind it, and counts as all work
        ahead of one worker. An item of unknown duration counts as a whole chunk of one worker.
        """
        with self._lock:
            room = member.room
            if not self._queue.count or room <= 0:
                return None
            # Half of an even share; the rest is assigned later, when speeds are known.
            share = -(-self._queue.count // (2 * self.workers))
            most = min(MOST_ITEMS, share) * member.workers
            chunk: list[Job] = []
            size, seconds = 0, 0.0
            while len(chunk) < most and size < MOST_BYTES and seconds < room:
                job = self._queue.take(member)
                if job is None:
                    break
                if not job.begin():
                    continue
                # send it alone, so that only it can be the reason if the actor ends
                is_last_try = job.tries >= TRIES
                if (job.tries and chunk) or (is_last_try and member.chunks):
                    self._queue.put_back(job, job.key)
                    break
                likely = self._times.get((job.call.number, job.key), CHUNK_SECONDS)
                is_long = likely > LONG_SECONDS
                if is_long and chunk:
                    self._queue.put_back(job, job.key)
                    break
                chunk.append(job)
                size += len(job.payload)
                seconds += min(likely, LONG_SECONDS)
                if job.tries or is_long:
                    break
        return (chunk, seconds) if chunk else None

    def _ship(self) -> None:
        """Put new shared data into the object store, as one segment since the last chunk."""
        # Shared data is append-only, so a node needs everything since its last chunk.
        size = os.fstat(self.stage).st_size
        while size > self._shipped:
            data = os.pread(self.stage, min(MOST_SEGMENT, size - self._shipped), self._shipped)
            self._segments.append(library().put(data))
            self._shipped += len(data)

    def _poll(self) -> None:
        with contextlib.suppress(queue.Empty):
            self._answer(self._events.get(timeout=NODES_SECONDS))
            while True:
                self._answer(self._events.get_nowait())

    def _answer(self, event: tuple[Member, int | None, Any] | None) -> None:
        if event is None or self._members.get(event[0].id) is not event[0]:
            return  # the member was already lost
        member, number, answer = event
        if isinstance(answer, BaseException):
            self._lose(member, answer)
        elif number is None:
            self._welcome(member, answer)
        else:
            for job, (kind, data, seconds) in member.answered(number, answer):
                self._note(job, seconds)
                if kind == DONE:
                    job.finish(decoded(data), len(data))
                else:
                    job.fail(revived(decoded(data)))

    def _note(self, job: Job, seconds: float) -> None:
        """Update the recent durations of a job's call and key."""
        place = job.call.number, job.key
        known = self._times.pop(place, seconds)
        self._times[place] = known + 0.3 * (seconds - known)
        if len(self._times) > MOST_KEYS:
            del self._times[next(iter(self._times))]

    def _welcome(self, member: Member, facts: dict[str, Any]) -> None:
        """Add a member, or reject its node because of its facts."""
        tier, problem = facts["tier"], ""
        # Another version may judge differently.
        if facts["version"] != __version__:
            problem = f"it has version {facts['version']} of evalplus-lite, here is {__version__}"
        elif tier is None:
            problem = facts["reason"]
        elif self.require_tier and STRENGTH.index(tier) > STRENGTH.index(self.require_tier):
            problem = f"its sandboxes are of tier {tier}, {self.require_tier} is required"
        if problem:
            self._refused[member.id] = f"{member.name}: {problem}"
            del self._members[member.id]
            member.end()
        else:
            member.tier = tier
            self._tiers.add(tier)
            self.workers += member.workers
            self._tell_tier()

    def _lose(self, member: Member, error: BaseException) -> None:
        """Return a lost member's unfinished items to the queue."""
        self.lost += 1
        # Only welcomed members were counted.
        self.workers -= member.workers if member.tier else 0
        del self._members[member.id]
        member.end()
        text = " ".join(str(error).split())[:200]
        # It is unknown which item ended the actor, so it counts as a try for each.
        for job in member.jobs:
            job.tries += 1
        problem = f"actors ended while they worked on it: {text}"
        self._retry(member, member.jobs, TRIES + 1, problem)


class Cluster(Processes):
    """A backend on the nodes of a Ray cluster; a thread-safe context manager.

    ``address`` is Ray's (``ray://host:port``, ``host:port``); "" means the cluster of RAY_ADDRESS
    or on this machine or, without any, a new one that ends with this process. ``require_tier``
    excludes nodes with weaker sandboxes; ``tier`` is the weakest of the usable ones.
    """

    lookahead = LOOKAHEAD

    def __init__(
        self,
        address: str = "",
        config: SandboxConfig = SandboxConfig(),  # noqa: B008 - frozen
        *,
        require_tier: str | None = None,
        preload: Sequence[str] = (),
    ) -> None:
        self._there = 1
        super().__init__(1, config, preload=preload)
        self.address, self.require_tier = address, require_tier
        if require_tier is not None and require_tier not in STRENGTH:
            raise InputError(
                f"there is no tier {require_tier!r}",
                remedy=f"give one of {', '.join(STRENGTH)}",
            )

    def _hired(self, stage: int) -> Workforce:
        # Not in ``__init__``, so that a mistake in the options is reported without waiting.
        connect(self.address)
        self.workers = max(1, int(library().cluster_resources().get("CPU", 1)))
        return RayCrew(self.config, stage, self.preload, self.require_tier)

    @property
    def workers(self) -> int:
        """The processors of the cluster at the first access, or of the nodes at work."""
        crew = self._crew
        return max(self._there, crew.workers if isinstance(crew, RayCrew) else 0)

    @workers.setter
    def workers(self, count: int) -> None:
        self._there = count

    @property
    def most_held(self) -> int:
        """Maximum bytes of waiting items and rows, which grows with the number of workers."""
        return max(MOST_HELD, HELD * self.workers)

    @property
    def tier(self) -> str:
        """The weakest tier of the usable nodes; raises SandboxUnavailable if there are none."""
        crew = self._at_work()
        assert isinstance(crew, RayCrew)
        crew.tier_known.wait()
        return crew.tier


LOOPBACK = "127.0.0.2"
"""The address of a cluster on this machine only. The machine's own address may not answer, or
change, and Ray replaces 127.0.0.1 with it."""
CONNECT_SECONDS = 60.0
"""Maximum time for a cluster to start, or to answer."""


def connect(address: str) -> None:
    """Connect this process to a cluster, unless it is connected; raise InputError without one.

    Raises InfrastructureError if it does not answer or start within a minute, as Ray itself may try
    forever.
    """
    # By default, Ray would report usage over the network.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray = library()
    if ray.is_initialized():
        there = ray.get_runtime_context().gcs_address
        if address and not address.startswith("ray://") and address != there:
            raise InputError(
                f"this process is connected to the Ray cluster at {there}, not {address}",
                remedy="use one cluster a process",
            )
        return
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    errors: list[BaseException] = []
    over = threading.Event()

    def begin() -> None:
        try:
            try:
                # ``auto`` finds the cluster of RAY_ADDRESS or one running here. A new one is only
                # started if there is none.
                ray.init(address=address or "auto", **options)
            except ConnectionError:
                if address:
                    raise
                ray.init(include_dashboard=False, _node_ip_address=LOOPBACK, **options)
        except Exception as error:
            errors.append(error)
        finally:
            over.set()
            threading.Event().wait()  # the kernel ends this thread's children together with it

    # Ray waits in its own compiled code, so only another thread can implement the timeout.
    threading.Thread(target=begin, name="ray", daemon=True).start()
    where, remedy = address or "this machine", "start one (`ray start --head`), or give its address"
    if not over.wait(CONNECT_SECONDS):
        raise InfrastructureError(
            f"the Ray cluster at {where} did not answer in {CONNECT_SECONDS:.0f} s; {remedy}"
        )
    if errors:
        text = " ".join(str(errors[0]).split())[:200]
        raise InputError(f"no Ray cluster at {where}: {text}", remedy=remedy) from None
