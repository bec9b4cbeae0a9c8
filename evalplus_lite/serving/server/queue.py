"""Work that waits, by client: each has its share of the workers, whatever the others send.

Clients take turns by the seconds that their programs took (start-time fair queueing), not by their
number. What is over the bound is refused at once: a queue that grows helps nobody.
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
"""A worker is sent programs for about so long, and so many, beyond the one it works on: behind so
many of another client's a program may stand that comes later."""
FIRST_SECONDS = 0.2
"""What a client's program is taken to cost before any has been judged."""
WEIGHT = 0.2
"""Of the last program in the average of what they cost."""
LEAST_SECONDS = 1e-4
MOST_CLIENTS = 1024
"""Clients that are remembered while they have nothing here."""
LONGEST_WAIT = 60
"""Seconds after which a client that was refused may well ask again."""


class Busy(Exception):
    """The queue is full; ``seconds`` is when to ask again."""

    def __init__(self, seconds: int) -> None:
        super().__init__("too many programs are waiting")
        self.seconds = seconds


Begin: TypeAlias = Callable[[], Future[tuple[float, Row]]]
"""Begins to work on an item; the future gives the seconds that it took, and its row."""


@dataclass(eq=False, slots=True)
class Unit:
    """Work that waits, and the future that somebody awaits."""

    begin: Begin
    client: str
    future: asyncio.Future[Row]
    charged: float = 0.0
    work: Future[tuple[float, Row]] | None = None


@dataclass(slots=True)
class _Client:
    """What a client has waiting, and the time until which it has had its share."""

    share: float
    waiting: deque[Unit] = field(default_factory=deque)
    begun: int = 0
    seconds: float = FIRST_SECONDS
    """What its programs cost lately, on average."""


def _ahead(seconds: float) -> int:
    """Return how many programs that cost so much a worker may hold."""
    return 1 + min(MOST_AHEAD, math.ceil(AHEAD_SECONDS / seconds))


class FairQueue:
    """Deals items of many clients to ``workers``; to be used from one event loop alone."""

    def __init__(self, workers: int, most: int) -> None:
        self.workers, self.most = workers, most
        self.waiting = self.begun = 0
        self.seconds = FIRST_SECONDS
        self._now = 0.0
        self._clients: dict[str, _Client] = {}

    @property
    def depth(self) -> int:
        """How many items the workers may hold together."""
        return self.workers * _ahead(self.seconds)

    def require_room(self, client: str, count: int) -> None:
        """Raise Busy if so many more items of a client cannot wait.

        It may have no more waiting than places are left: so there are some for whoever comes next.
        """
        known = self._clients.get(client)
        own = 0 if known is None else len(known.waiting)
        if own + count > self.most - self.waiting:
            wait = math.ceil(self.waiting * self.seconds / self.workers)
            raise Busy(min(max(wait, 1), LONGEST_WAIT))

    def add(self, client: str, begin: Begin) -> asyncio.Future[Row]:
        """Have an item wait for its turn; the future gives its row. Cancelled, it is left out."""
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
        """Leave out what nobody awaits any more, if it has not begun."""
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
        """Hear of the end of work, in whatever thread."""
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
        """Forget clients that have nothing here; those that had more than their share, later."""
        client = self._clients[name]
        if not client.waiting and not client.begun and client.share <= self._now:
            del self._clients[name]
        if not (self.waiting or self.begun):
            self._clients.clear()
        elif len(self._clients) > MOST_CLIENTS:
            idle = [k for k, each in self._clients.items() if not each.waiting and not each.begun]
            for each in idle:
                del self._clients[each]
