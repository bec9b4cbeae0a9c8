"""Connections that cost little: idle ones and slow heads end, the oldest of them first."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
"""How long a connection may take to say what it asks for."""
HEAD_BYTES = 32 << 10


class Connections:
    """Those that ask for nothing now; when there are too many, one of these is closed.

    The oldest that never asked for anything, else the one that has been idle longest.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.count = 0
        self._new: OrderedDict[Any, None] = OrderedDict()
        self._idle: OrderedDict[Any, None] = OrderedDict()

    def protocol(self) -> type[H11Protocol]:
        """Return the class of connections that are counted here."""
        connections = self

        class Bound(_Connection):
            room = connections

        return Bound

    def opened(self, connection: Any) -> None:
        """Count a connection, which asks for nothing yet."""
        self.count += 1
        self._new[connection] = None
        if self.count > self.most:
            waiting = self._new if len(self._new) > 1 else self._idle or self._new
            waiting.popitem(last=False)[0].end()  # it is lost a moment later, and not chosen again

    def idle(self, connection: Any) -> None:
        """Note that a connection asks for nothing any more."""
        self._idle[connection] = None

    def busy(self, connection: Any) -> None:
        """Note that a connection asks for something."""
        self._new.pop(connection, None)
        self._idle.pop(connection, None)

    def closed(self, connection: Any) -> None:
        """Forget a connection."""
        self.count -= 1
        self.busy(connection)


class _Connection(H11Protocol):
    """A connection that ends if the head of its request does not come in time."""

    room: Connections
    _deadline: asyncio.TimerHandle | None = None
    _was_opened = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._was_opened = True
        self._wait()
        self.room.opened(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """End all waiting."""
        super().connection_lost(exc)
        self._stop()
        if self._was_opened:
            self._was_opened = False
            self.room.closed(self)

    def handle_events(self) -> None:
        """Take what has come; a whole head ends the waiting."""
        super().handle_events()
        if self.conn.their_state not in (h11.IDLE, h11.ERROR):
            self._stop()
            self.room.busy(self)

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        super().on_response_complete()
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self._stop()
            self._wait()
            self.room.idle(self)

    def end(self) -> None:
        """Close the connection, unless it is being answered."""
        if not self.transport.is_closing():
            self.transport.abort()

    def _wait(self) -> None:
        self._deadline = self.loop.call_later(HEAD_SECONDS, self.end)

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
