"""Messages between our own processes: a length, then plain data as marshal writes it.

Marshal is exact for all types of ``base.Row``, and fast. Both ends run this package's code:
``values.wire`` has already read an untrusted program's answers, which travel as bytes.
"""

from __future__ import annotations

import marshal
import socket
import struct
from collections import deque
from typing import Any

from evalplus_lite.execution.base import Row
from evalplus_lite.values import encoding
from evalplus_lite.values.kinds.registry import BY_NAME

# Rows of plain data between our own processes that also hold extended values.

_SPARE = 64
"""How much deeper a row may nest than the values in it."""


def dumps(row: Any) -> bytes:
    """Return a row as marshal writes it, with extended values as in wire form.

    ValueError if it holds anything but values.
    """
    try:
        return marshal.dumps(encoding.plain(row, -_SPARE), 2)
    except encoding.NotPlain as error:
        raise ValueError(f"{error} is not a plain value") from None


def revived(data: bytes, row: Any) -> Any:
    """Return a row that was read from ``data``, with extended values as they are on this side."""
    # Only the bytes show cheaply whether there is anything to revive; most rows have nothing.
    return _revived(row) if any(head in data for head in encoding.HEADS) else row


def _revived(value: Any) -> Any:
    kind = type(value)
    if kind is tuple and value and value[0] is encoding.MARK:
        return BY_NAME[value[1]].make(*map(_revived, value[2:]))
    if kind is dict:
        return {_revived(key): _revived(item) for key, item in value.items()}
    if kind in (list, tuple, set, frozenset):
        return kind(map(_revived, value))
    return value


HEAD = struct.Struct("<Q")
PART = 1 << 20
"""Bytes read at once."""


def body(message: Row) -> bytes:
    """Return the body of a message; ValueError, naming none, if it is not plain data."""
    return marshal.dumps(message)


def packed(message: Row) -> bytes:
    """Return the bytes of a message, its length first; ValueError as for ``body``."""
    data = body(message)
    return HEAD.pack(len(data)) + data


def unpacked(data: bytes | memoryview) -> Row:
    """Return the message of a body, made in this process or another of ours."""
    return marshal.loads(data)


def encoded(row: Row) -> bytes:
    """Return the bytes of an item or a row, which may hold values of any type that there is.

    ValueError, naming none, if it holds anything else.
    """
    # Nearly all rows are plain: looking for extended values first would cost twice.
    try:
        return marshal.dumps(row)
    except ValueError:
        return dumps(row)


def decoded(data: bytes) -> Row:
    """Return the row of bytes that ``encoded`` made, in this process or another of ours."""
    return revived(data, marshal.loads(data))


def split(data: bytes) -> tuple[list[Row], bytes]:
    """Return the messages that bytes begin with, and the bytes after them."""
    messages, place = [], 0
    while place + HEAD.size <= len(data):
        (size,) = HEAD.unpack_from(data, place)
        end = place + HEAD.size + size
        if end > len(data):
            break
        messages.append(unpacked(data[place + HEAD.size : end]))
        place = end
    return messages, data[place:]


class MessageReader:
    """Assembles messages from a socket."""

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel
        self._data = bytearray()

    def receive(self) -> Row:
        """Return the next message, waiting for it; EOFError if the other end has gone."""
        while (message := self._next()) is None:
            self._fill()
        return message[0]

    def available(self) -> tuple[list[Row], bool]:
        """Return the messages that are there, and whether the other end has gone; never waits."""
        # All that is there is read before any of it is handled: fewer calls of the system.
        going = True
        try:
            while going:
                self._fill(socket.MSG_DONTWAIT)
        except BlockingIOError:
            pass
        except (EOFError, OSError):
            going = False
        messages = []
        while (message := self._next()) is not None:
            messages.append(message[0])
        return messages, not going

    def _fill(self, flags: int = 0) -> None:
        part = self.channel.recv(PART, flags)
        if not part:
            raise EOFError
        self._data += part

    def _next(self) -> tuple[Row] | None:
        if len(self._data) < HEAD.size:
            return None
        (size,) = HEAD.unpack_from(self._data)
        end = HEAD.size + size
        if len(self._data) < end:
            return None
        # The view is released before the bytes are cut, as an exported buffer cannot be resized.
        with memoryview(self._data) as view:
            message = unpacked(view[HEAD.size : end])
        del self._data[:end]
        return (message,)


class MessageWriter:
    """Sends messages on a socket without waiting; bytes that do not fit are buffered."""

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel
        self._waiting: deque[memoryview] = deque()

    @property
    def is_behind(self) -> bool:
        """Whether bytes are buffered."""
        return bool(self._waiting)

    def send(self, data: bytes) -> None:
        """Send a packed message as soon as there is room; OSError if the other end has gone."""
        self._waiting.append(memoryview(data))
        self.flush()

    def flush(self) -> None:
        """Send as much of the buffer as the socket accepts. Raises OSError like ``send``."""
        while self._waiting:
            try:
                sent = self.channel.send(self._waiting[0], socket.MSG_DONTWAIT)
            except BlockingIOError:
                return
            # A socket may take a part: the rest goes first next time.
            rest = self._waiting.popleft()[sent:]
            if rest:
                self._waiting.appendleft(rest)
