"""A fair queue: each client gets its share of the workers, whatever the others send.

Clients take turns by the seconds that their programs used (start-time fair queueing), not by the
number of programs. Work beyond the bound is rejected at once: a growing queue helps nobody.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from evalplus_lite.execution.base import Row

AHEAD_SECONDS, MOST_AHEAD = 0.2, 8
"""A worker is sent programs for about AHEAD_SECONDS, at most MOST_AHEAD of them, beyond its current
one; a new client's program may have to wait for these."""
FIRST_SECONDS = 0.2
"""Estimated cost of a client's program before any has been judged."""
WEIGHT = 0.2
"""Weight of the last program in the moving average of costs."""
LEAST_SECONDS = 1e-4
MOST_CLIENTS = 1024
"""Maximum number of idle clients to remember."""
LONGEST_WAIT = 60
"""Maximum seconds for which a rejected client is asked to wait."""


class Busy(Exception):
    """The queue is full; retry after ``seconds``."""

    def __init__(self, seconds: int) -> None:
        super().__init__("too many programs are waiting")
        self.seconds = seconds


Begin: TypeAlias = Callable[[], Future[tuple[float, Row]]]
"""Starts work on an item; the future returns the seconds it took and its row."""


@dataclass(eq=False, slots=True)
class Unit:
    """A waiting item and its future."""

    begin: Begin
    client: str
    future: asyncio.Future[Row]
    charged: float = 0.0
    work: Future[tuple[float, Row]] | None = None


@dataclass(slots=True)
class _Client:
    """A client's waiting items, and the virtual time up to which it has used its share."""

    share: float
    waiting: deque[Unit] = field(default_factory=deque)
    begun: int = 0
    seconds: float = FIRST_SECONDS
    """Moving average of its programs' costs."""


def _ahead(seconds: float) -> int:
    """Return how many programs of this cost a worker may hold."""
    return 1 + min(MOST_AHEAD, math.ceil(AHEAD_SECONDS / seconds))


class FairQueue:
    """Distributes items of many clients to ``workers``; use it from one event loop only."""

    def __init__(self, workers: int, most: int) -> None:
        self.workers, self.most = workers, most
        self.waiting = self.begun = 0
        self.seconds = FIRST_SECONDS
        self._now = 0.0
        self._clients: dict[str, _Client] = {}

    @property
    def depth(self) -> int:
        """How many items all workers together may hold."""
        return self.workers * _ahead(self.seconds)

    def require_room(self, client: str, count: int) -> None:
        """Raise Busy if the queue has no room for ``count`` more items of a client.

        A client may have no more items waiting than places are free, so others still find room.
        """
        known = self._clients.get(client)
        own = 0 if known is None else len(known.waiting)
        if own + count > self.most - self.waiting:
            wait = math.ceil(self.waiting * self.seconds / self.workers)
            raise Busy(min(max(wait, 1), LONGEST_WAIT))

    def add(self, client: str, begin: Begin) -> asyncio.Future[Row]:
        """Queue an item; the future returns its row. Cancelling the future drops the item."""
        loop = asyncio.get_running_loop()
        unit = Unit(begin, client, loop.create_future())
        known = self._clients.get(client)
        if known is None:
            known = self._clients[client] = _Client(self._now)
        elif not known.waiting and not known.begun:
            known.share = max(known.share, self._now)
        known.waiting.append(unit)
        self.waiting += 1
        unit.future.add_done_callback(lambda _: self._left(unit))
        self._pump()
        return unit.future

    def _left(self, unit: Unit) -> None:
        """Drop a cancelled item if it has not started."""
        if not unit.future.cancelled():
            return
        if unit.work is not None:
            unit.work.cancel()
            return
        client = self._clients.get(unit.client)
        if client is not None and unit in client.waiting:
            client.waiting.remove(unit)
            self.waiting -= 1
            self._forget(unit.client)

    def _pump(self) -> None:
        while self.waiting and self.begun < self.depth:
            ready = [
                client
                for client in self._clients.values()
                if client.waiting and client.begun < self.workers * _ahead(client.seconds)
            ]
            if not ready:
                return
            client = min(ready, key=lambda client: client.share)
            unit = client.waiting.popleft()
            self.waiting -= 1
            self._now = max(self._now, client.share)
            unit.charged = client.seconds
            client.share += unit.charged
            client.begun += 1
            self.begun += 1
            try:
                unit.work = unit.begin()
            except Exception as error:
                unit.work = Future()
                unit.work.set_exception(error)
            unit.work.add_done_callback(partial(self._done, unit))

    def _done(self, unit: Unit, work: Future[tuple[float, Row]]) -> None:
        """Handle the end of work, from any thread."""
        loop = unit.future.get_loop()
        if not loop.is_closed():
            loop.call_soon_threadsafe(self._over, unit, work)

    def _over(self, unit: Unit, work: Future[tuple[float, Row]]) -> None:
        client, is_awaited = self._clients[unit.client], not unit.future.done()
        client.begun -= 1
        self.begun -= 1
        if work.cancelled():
            unit.future.cancel()
        elif (error := work.exception()) is not None:
            if is_awaited:
                unit.future.set_exception(error)
        else:
            seconds, row = work.result()
            if is_awaited:
                unit.future.set_result(row)
            client.share += seconds - unit.charged
            seconds = max(seconds, LEAST_SECONDS)
            client.seconds += WEIGHT * (seconds - client.seconds)
            self.seconds += WEIGHT * (seconds - self.seconds)
        self._forget(unit.client)
        self._pump()

    def _forget(self, name: str) -> None:
        """Forget idle clients, but keep those that used more than their share for a while."""
        client = self._clients[name]
        if not client.waiting and not client.begun and client.share <= self._now:
            del self._clients[name]
        if not (self.waiting or self.begun):
            self._clients.clear()
        elif len(self._clients) > MOST_CLIENTS:
            idle = [k for k, each in self._clients.items() if not each.waiting and not each.begun]
            for each in idle:
                del self._clients[each]
