"""Dealing to the members of a Ray cluster, and hearing them: what a crew is on one machine."""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import threading
import time
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import astuple
from typing import Any

from evalplus_lite import __version__
from evalplus_lite.errors import InfrastructureError, SandboxUnavailable
from evalplus_lite.execution import members
from evalplus_lite.execution.channel import decoded
from evalplus_lite.execution.crew import TRIES
from evalplus_lite.execution.dealing import MOST_KEYS, Dealer
from evalplus_lite.execution.job import Job, Lost
from evalplus_lite.execution.members import Member
from evalplus_lite.execution.node import DONE, failure
from evalplus_lite.sandbox import TIERS, SandboxConfig

MOST_SEGMENT = 64 << 20
"""Bytes of staged rows in one object."""
NODES_SECONDS = 1.0
"""How often nodes are looked for that have joined."""
WAIT_SECONDS = 60.0
"""How long items wait for a node that can work, before they fail."""
TIER_SECONDS = 30.0
"""How long nodes are waited for that have not told their tier, while others could work."""
STRENGTH: list[str] = [tier for tier in TIERS if tier != "auto"]
"""Tiers, the strongest first."""


class RayCrew:
    """Deals jobs to the members, an actor a node, and hears them; one thread does both."""

    def __init__(
        self,
        config: SandboxConfig,
        stage: int,
        preload: Sequence[str],
        require_tier: str | None,
    ) -> None:
        self.config, self.stage, self.preload = config, stage, preload
        self.require_tier = require_tier
        self.tier_known = threading.Event()
        self.lost = self.workers = 0
        self.pids: list[int] = []
        self._members: dict[str, Member] = {}
        self._refused: dict[str, str] = {}
        self._tiers: set[str] = set()
        self._times: dict[tuple[int, Hashable], float] = {}
        self._segments: list[Any] = []
        self._shipped = 0
        self._dealer: Dealer[Job] = Dealer()
        self._lock = threading.Lock()
        self._events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._is_asleep = self._closing = self._now = False
        self._looked = 0.0
        self._begun = self._shipping = self._alone_since = time.monotonic()
        self._numbers = itertools.count()
        self._thread = threading.Thread(target=self._run, name="cluster", daemon=True)
        self._thread.start()

    @property
    def tier(self) -> str:
        """The weakest tier of all that have been members."""
        if not self._tiers:
            raise SandboxUnavailable(self._why())
        return max(self._tiers, key=STRENGTH.index)

    def add(self, job: Job) -> bool:
        """Have an item worked on; False if this is closing."""
        with self._lock:
            if self._closing:
                return False
            self._dealer.add(job, job.key)
            wake, self._is_asleep = self._is_asleep, False
        if wake:
            self._events.put(None)
        return True

    def close(self, *, now: bool) -> None:
        """Cancel what has not begun, finish the rest or with ``now`` fail it; end all actors."""
        with self._lock:
            self._closing, self._now = True, self._now or now
            waiting = self._dealer.clear()
        for job in waiting:
            if not job.future.cancel():
                job.fail(InfrastructureError("the run was ended"))
        self._events.put(None)
        self._thread.join()

    def disown(self) -> None:
        """In a forked child: leave the actors to the parent. Ray itself works in none."""

    def _run(self) -> None:
        try:
            while not self._is_done():
                with self._lock:
                    self._is_asleep = True  # before dealing: what is added from here on rings
                self._look()
                self._deal()
                self._hear()
        except BaseException as error:  # none is expected; nobody may wait for ever
            self._fail_all(InfrastructureError(f"the cluster backend failed: {error!r}"))
        finally:
            with self._lock:
                self._closing = True
            self._fail_all(InfrastructureError("the run was ended"))
            self.tier_known.set()
            for member in self._members.values():
                member.end()

    def _is_done(self) -> bool:
        with self._lock:
            busy = self._dealer.count or any(each.jobs for each in self._members.values())
            return self._closing and (self._now or not busy)

    def _look(self) -> None:
        """Take in nodes that have joined; fail what waits if none can work for long."""
        now = time.monotonic()
        if now - self._looked < NODES_SECONDS:
            return
        self._looked = now
        for id, name, processors in self._joined():
            if id not in self._members and id not in self._refused:
                self._members[id] = self._member(id, name, processors)
        for member in self._members.values():
            member.shrink()
        if any(each.tier for each in self._members.values()):
            self._alone_since = now
            self._tell_tier()
        elif (self._refused and not self._members) or now - self._alone_since > WAIT_SECONDS:
            self.tier_known.set()
            self._fail_all(InfrastructureError(self._why()))

    def _joined(self) -> Iterable[tuple[str, str, int]]:
        return members.nodes()

    def _member(self, id: str, name: str, processors: int) -> Member:
        config = tuple(astuple(self.config))
        return Member(id, name, processors, config, self.preload, heard=self._events.put)

    def _tell_tier(self) -> None:
        """Say that the tier is known once every node has answered that is there from the start."""
        known = all(each.tier for each in self._members.values())
        if known or time.monotonic() - self._begun > TIER_SECONDS:
            self.tier_known.set()

    def _why(self) -> str:
        told = "; ".join(self._refused.values()) or "none has answered"
        return f"no node of the cluster can work: {told}"

    def _deal(self) -> None:
        """Send chunks to members that have room."""
        for member in list(self._members.values()):
            while (found := self._chunk(member)) is not None:
                if not self._has_shipped(found[0]):
                    return  # what is stored is let go as chunks are answered
                member.send(next(self._numbers), *found, self._segments)

    def _has_shipped(self, chunk: list[Job]) -> bool:
        """Ship what a chunk may need; if the store is full, have its items wait."""
        try:
            self._ship()
        except members.full() as error:
            with self._lock:
                for job in reversed(chunk):
                    self._dealer.put_back(job, job.key)
            if time.monotonic() - self._shipping > WAIT_SECONDS:
                self._fail_all(InfrastructureError(f"Ray's object store is full: {error}"))
            return False
        self._shipping = time.monotonic()
        return True

    def _chunk(self, member: Member) -> tuple[list[Job], float] | None:
        """Return what a member is sent next, with the seconds of work that it is likely to be.

        Of what waits a member gets its share at most, so that all end at about the same time. What
        takes long, or may, is cut where it can be; what is long all the same goes alone, so that
        nothing waits with it, and counts as what one worker has ahead. An item of a kind whose time
        is not known yet counts as a whole chunk of one worker.
        """
        with self._lock:
            room = member.room
            if not self._dealer.count or room <= 0:
                return None
            share = -(-self._dealer.count // (2 * self.workers))
            most = min(members.MOST_ITEMS, share) * member.workers
            chunk: list[Job] = []
            size, seconds = 0, 0.0
            while len(chunk) < most and size < members.MOST_BYTES and seconds < room:
                job = self._dealer.take(member)
                if job is None:
                    break
                if not job.begin():
                    continue
                is_last_try = job.tries >= TRIES  # it goes alone: only it can be what ends actors
                if (job.tries and chunk) or (is_last_try and member.chunks):
                    self._dealer.put_back(job, job.key)
                    break
                known = self._times.get((job.call.number, job.key))
                likely = members.CHUNK_SECONDS if known is None else known * job.size
                is_long = likely > members.LONG_SECONDS
                if job.size > 1 and not job.tries and (known is None or is_long):
                    for part in reversed(job.split()):
                        self._dealer.put_back(part, part.key)
                    continue
                if is_long and chunk:
                    self._dealer.put_back(job, job.key)
                    break
                chunk.append(job)
                size += len(job.payload)
                seconds += min(likely, members.LONG_SECONDS)
                if job.tries or is_long:
                    break
        return (chunk, seconds) if chunk else None

    def _ship(self) -> None:
        """Put what was staged since the last chunk into the object store: one segment for all."""
        size = os.fstat(self.stage).st_size
        while size > self._shipped:
            data = os.pread(self.stage, min(MOST_SEGMENT, size - self._shipped), self._shipped)
            self._segments.append(members.put(data))
            self._shipped += len(data)

    def _hear(self) -> None:
        """Wait for something to happen, and answer all that has."""
        with contextlib.suppress(queue.Empty):
            self._answer(self._events.get(timeout=NODES_SECONDS))
            while True:
                self._answer(self._events.get_nowait())

    def _answer(self, event: tuple[Member, int | None, Any] | None) -> None:
        if event is None or self._members.get(event[0].id) is not event[0]:
            return  # the member was given up before
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
                    job.fail(failure(kind, data))

    def _note(self, job: Job, seconds: float) -> None:
        """Remember how long parts of items of a job's call and key take, lately."""
        place, each = (job.call.number, job.key), seconds / max(1, job.size)
        known = self._times.pop(place, each)
        self._times[place] = known + 0.3 * (each - known)
        if len(self._times) > MOST_KEYS:
            del self._times[next(iter(self._times))]

    def _welcome(self, member: Member, facts: dict[str, Any]) -> None:
        """Take a member in, or leave its node out for what it says of itself."""
        tier, problem = facts["tier"], ""
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
        """Have what a member that has gone left undone done again."""
        self.lost += 1
        self.workers -= member.workers if member.tier else 0
        del self._members[member.id]
        member.end()
        lost: list[Job] = []
        with self._lock:
            self._dealer.forget(member)
            for job in reversed(member.jobs):
                job.tries += 1
                if job.tries > TRIES:
                    lost.append(job)
                else:
                    self._dealer.put_back(job, job.key)
        text = " ".join(str(error).split())[:200]
        for job in lost:
            job.fail(Lost(f"{TRIES + 1} actors ended while they worked on it: {text}"))

    def _fail_all(self, error: Exception) -> None:
        with self._lock:
            jobs = self._dealer.clear()
            for member in self._members.values():
                jobs += member.jobs
                member.chunks.clear()
        for job in jobs:
            job.fail(error)
