"""Messages between our own processes: a length, followed by plain data in marshal's format.

Marshal is fast, and exact for all types of ``base.Row``. It is safe because both ends run this
package's code: answers of untrusted programs are sent as bytes, which ``values.wire`` has checked.
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
"""Additional nesting of a row, compared with the values in it."""


def encoded(row: Row) -> bytes:
    """Return the bytes of an item or a row, which may have values of any supported type.

    Extended values are in wire form. Raises ValueError if it has anything but values.
    """
    # Nearly all rows are plain, so looking for extended values first would double the cost.
    try:
        return marshal.dumps(row)
    except ValueError:
        pass
    try:
        return marshal.dumps(encoding.plain(row, -_SPARE), 2)
    except encoding.NotPlain as error:
        raise ValueError(f"{error} is not a plain value") from None


def decoded(data: bytes) -> Row:
    """Return the row in the bytes from ``encoded``, in one of our own processes."""
    row = marshal.loads(data)
    # The bytes show cheaply whether there are any extended values; most rows have none.
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


# Messages between our own processes.


HEAD = struct.Struct("<Q")
PART = 1 << 20
"""Bytes read at once."""


def body(message: Row) -> bytes:
    """Return the body of a message; raise ValueError if it is not plain data."""
    return marshal.dumps(message)


def packed(message: Row) -> bytes:
    """Return the bytes of a message, length first; raise ValueError as ``body`` does."""
    data = body(message)
    return HEAD.pack(len(data)) + data


def unpacked(data: bytes | memoryview) -> Row:
    """Return the message in a body from one of our own processes."""
    return marshal.loads(data)


class MessageReader:
    """Assembles messages from a socket."""

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel
        self._data = bytearray()

    def receive(self) -> Row:
        """Wait for the next message; raise EOFError if the other end is closed."""
        while (message := self._next()) is None:
            self._fill()
        return message[0]

    def available(self) -> tuple[list[Row], bool]:
        """Return the available messages, and whether the other end is closed; never wait."""
        # Read all available data before handling any of it, for fewer system calls.
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
        # Release the view before cutting the bytes, as an exported buffer cannot be resized.
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
        """Send a packed message, or buffer it; raise OSError if the other end is closed."""
        self._waiting.append(memoryview(data))
        self.flush()

    def flush(self) -> None:
        """Send as much of the buffer as the socket accepts; raise OSError as ``send`` does."""
        while self._waiting:
            try:
                sent = self.channel.send(self._waiting[0], socket.MSG_DONTWAIT)
            except BlockingIOError:
                return
            # A socket may accept a part; the rest is sent first next time.
            rest = self._waiting.popleft()[sent:]
            if rest:
                self._waiting.appendleft(rest)
