"""Standard streams of one run: a fixed input, and outputs that are read during the run.

An output file would have to hold all output, and an unread pipe blocks its writer. So pipes are
read as they fill, and bytes over a limit are counted and discarded.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import threading

READ_BYTES = 1 << 16
LOOK_SECONDS = 0.1
"""Seconds between checks whether a silent program has ended."""


class Streams:
    """A program's input, and the first ``most`` bytes of each output.

    ``printed`` are the bytes of standard output and standard error, ``sizes`` their full lengths.
    They are for one run; a repeated run starts over.
    """

    def __init__(self, given: bytes, most: int) -> None:
        self.given, self.most = given, most
        self.printed = [bytearray(), bytearray()]
        self.sizes = [0, 0]
        self._reader: threading.Thread | None = None
        self._is_over = threading.Event()

    def hand_over(self, channel: socket.socket) -> None:
        """Send the program's ends through a socket; raise OSError if it is closed."""
        self.end()
        self.printed, self.sizes = [bytearray(), bytearray()], [0, 0]
        self._is_over.clear()
        theirs = [_file(self.given)]
        ours: list[int] = []
        try:
            for _ in self.printed:
                read, write = os.pipe2(os.O_CLOEXEC)
                ours.append(read)
                theirs.append(write)
            socket.send_fds(channel, [b"S"], theirs)
            self._reader = threading.Thread(target=self._read, args=(ours,), daemon=True)
            self._reader.start()
        except BaseException:
            for each in ours:
                os.close(each)
            raise
        finally:
            for each in theirs:  # else reading would never end
                os.close(each)

    def end(self) -> None:
        """Wait until all output of the program has been read."""
        self._is_over.set()
        if self._reader is not None:
            self._reader.join()
            self._reader = None

    def _read(self, handles: list[int]) -> None:
        poll = select.poll()
        for each in handles:
            os.set_blocking(each, False)
            poll.register(each, select.POLLIN)
        left = set(handles)
        while left:
            was_over = self._is_over.is_set()
            ready = poll.poll(LOOK_SECONDS * 1000)
            if not ready and was_over:  # any process that still has an end open is silent
                break
            for handle, _ in ready:
                part = b""
                with contextlib.suppress(OSError):
                    part = os.read(handle, READ_BYTES)
                if not part:
                    poll.unregister(handle)
                    left.discard(handle)
                self._keep(handles.index(handle), part)
        for each in handles:
            os.close(each)

    def _keep(self, place: int, part: bytes) -> None:
        kept = self.printed[place]
        kept += part[: self.most - len(kept)]
        self.sizes[place] += len(part)


def _file(data: bytes) -> int:
    """Return a file in memory with these bytes, positioned at its start."""
    handle = os.memfd_create("stdin", os.MFD_CLOEXEC)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(handle, rest) :]
        os.lseek(handle, 0, os.SEEK_SET)
    except BaseException:
        os.close(handle)
        raise
    return handle
