"""Connections that cost little: idle ones and slow heads end, the oldest of them first."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from enum import Enum, auto
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from evalplus_lite.serving.server.settings import ServerSettings

HEAD_BYTES = 32 << 10
LEAST_READ = 64 << 10
"""Bytes of an answer that a client reads in ``send_seconds``, if it reads at all."""

LEAST_CHUNK, MOST_SMALL = 64, 1024
"""Bytes that a body's chunks have on average, and how many there may be that have less."""


class Awaited(Enum):
    """What a connection waits for."""

    HEAD = auto()
    """The rest of a request: of its head, or of a body that was refused."""
    ANSWER = auto()
    """The application, which has bounds of its own."""
    READER = auto()
    """A client that should read what was sent."""
    REQUEST = auto()
    """Another request, or none."""


class Connections:
    """Those that ask for nothing now; when there are too many, one of these is closed.

    The oldest that never asked for anything, else the one that has been idle longest.
    """

    def __init__(self, settings: ServerSettings, most: int) -> None:
        self.seconds = {
            Awaited.HEAD: settings.head_seconds,
            Awaited.READER: settings.send_seconds,
            Awaited.REQUEST: settings.keep_seconds,
        }
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
    """A connection that ends if what it waits for does not come in time."""

    room: Connections
    _awaited: Awaited | None = None
    _timer: asyncio.TimerHandle | None = None
    _unsent = 0
    _is_counted = False
    _bytes = 0
    _lines = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._is_counted = True
        self._await(Awaited.HEAD)
        self.room.opened(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """End all waiting."""
        super().connection_lost(exc)
        self._stop()
        if self._is_counted:
            self._is_counted = False
            self.room.closed(self)

    def data_received(self, data: bytes) -> None:
        """Take what has come, unless it is in pieces that cost more than what they hold."""
        if self._is_chunked():
            self._bytes += len(data)
            self._lines += data.count(b"\r\n")
            if self._lines // 2 > MOST_SMALL + self._bytes // LEAST_CHUNK:
                self.end()
                return
        super().data_received(data)
        self._look()

    def _is_chunked(self) -> bool:
        return any(name == b"transfer-encoding" for name, _ in self.headers or ())

    def on_response_complete(self) -> None:
        """Begin to wait for the client to read, or to ask."""
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        """Wait for the client to read."""
        super().pause_writing()
        self._look()

    def resume_writing(self) -> None:
        """Go on, as the client reads."""
        super().resume_writing()
        self._look()

    def timeout_keep_alive_handler(self) -> None:
        """Do nothing: how long a connection is kept is known here."""

    def end(self) -> None:
        """Close the connection at once, whatever was not sent."""
        self._stop()
        self.transport.abort()

    def _look(self) -> None:
        """Find out what is waited for now; a change of it is a new time limit."""
        if not self._is_counted:
            return
        wanted = self._now_awaited()
        if wanted is self._awaited:
            return
        self._await(wanted)
        if wanted in (Awaited.ANSWER, Awaited.READER):
            self.room.busy(self)
        elif self.cycle is not None:
            self.room.idle(self)

    def _now_awaited(self) -> Awaited:
        if self.transport.is_closing() or self.flow.write_paused:
            return Awaited.READER
        if self.cycle is not None and not self.cycle.response_complete:
            return Awaited.ANSWER
        if self.cycle is None or self.conn.their_state is not h11.IDLE:
            return Awaited.HEAD
        return Awaited.HEAD if self.conn.trailing_data[0] else Awaited.REQUEST

    def _await(self, wanted: Awaited) -> None:
        self._stop()
        self._awaited = wanted
        self._unsent = self.transport.get_write_buffer_size()
        seconds = self.room.seconds.get(wanted)
        if seconds is not None:
            self._timer = self.loop.call_later(seconds, self._over)

    def _over(self) -> None:
        """End, unless it is a large answer that is being read."""
        read = self._unsent - self.transport.get_write_buffer_size()
        if self._awaited is Awaited.READER and read >= LEAST_READ:
            self._await(Awaited.READER)
        else:
            self.end()

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
