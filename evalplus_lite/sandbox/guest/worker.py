"""What runs inside the sandbox, the worker: it forks a child for each program.

This file's *text* runs after that of ``inside``, in the same namespace.

Control messages (supervisor to worker): ``C`` configure, ``L`` load inputs, ``R`` run (carries the
child's socket), ``K`` kill the child, ``S`` stop it, ``G`` let it go on. Worker to
supervisor: ``H`` hello, ``X`` the child has ended.
"""

from __future__ import annotations

import ctypes
import gc
import marshal
import mmap
import os
import select
import signal
import socket
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the text of that module has run in this namespace
    from evalplus_lite.sandbox.guest.child import MESSAGE, PAGE_BYTES, Filter, bound, child, receive


def start(
    channel: socket.socket,
    job: dict[str, Any],
    settings: dict[str, Any],
    cases: Sequence[Sequence[Any]],
    control: socket.socket,
) -> int:
    """Fork a child for one program and return its pid to the worker."""
    pid = os.fork()
    if pid:
        return pid
    try:
        control.close()
        child(channel, job, settings, cases)
        os._exit(0)
    finally:
        os._exit(121)


class Worker:
    """Holds a task's inputs, forks a child a program, kills it when told, says how it ended."""

    def __init__(self, control: socket.socket, page: mmap.mmap) -> None:
        self.control, self.page, self.blank = control, page, bytes(PAGE_BYTES)
        self.cases: Sequence[Sequence[Any]] = ()
        self.settings: dict[str, Any] = {}
        self.untouched: int | None = None
        self.child: int | None = None
        self.alarm = -1

    def serve(self) -> None:
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        while True:
            for number, _ in poll.poll():
                if number == self.control.fileno():
                    self.obey(poll)
                elif self.child is not None:
                    self.bury(poll)

    def obey(self, poll: select.poll) -> None:
        data, handles, _, _ = socket.recv_fds(self.control, MESSAGE.size, 1)
        if not data:
            os._exit(0)
        data += receive(self.control, MESSAGE.size - len(data))
        kind, size = MESSAGE.unpack(data)
        body = receive(self.control, size) if size else b""
        if kind == b"L":
            self.cases = ()
            self.cases = marshal.loads(body)  # from the supervisor
            del body
            gc.freeze()
        elif kind == b"C":
            self.settings = marshal.loads(body)  # from the supervisor
            self.settings["prctl"] = ctypes.CDLL(None).prctl
            code = self.settings.pop("seccomp")
            self.settings["filter"] = Filter(code) if code else None
            for limit, value in self.settings["rlimits"].items():
                bound(limit, value)
            self.settings["worker"] = os.getpid()
            self.untouched = self.scratch_changed()
            self.settings["page"] = self.page
        elif kind == b"R":
            channel = socket.socket(fileno=handles[0])
            job = marshal.loads(body)  # from the supervisor
            self.page[:] = self.blank  # no word from one program to the next
            self.child = start(channel, job, self.settings, self.cases, self.control)
            channel.close()
            self.alarm = os.pidfd_open(self.child)
            poll.register(self.alarm, select.POLLIN)
        elif kind == b"K" and self.child is not None:
            os.kill(self.child, signal.SIGKILL)
        elif kind in (b"S", b"G") and self.child is not None:
            os.kill(self.child, signal.SIGSTOP if kind == b"S" else signal.SIGCONT)

    def scratch_changed(self) -> int | None:
        """Return when the scratch folder last changed: entries, mode, owner, times, attributes."""
        scratch = self.settings["scratch"]
        return os.stat(scratch).st_ctime_ns if scratch else None

    def bury(self, poll: select.poll) -> None:
        assert self.child is not None
        _, status, usage = os.wait4(self.child, 0)
        poll.unregister(self.alarm)
        os.close(self.alarm)
        self.child = None
        dirty = self.scratch_changed() != self.untouched
        seconds = usage.ru_utime + usage.ru_stime
        body = struct.pack("<idQ?", status, seconds, usage.ru_maxrss * 1024, dirty)
        self.control.sendall(MESSAGE.pack(b"X", len(body)) + body)


def main(control: socket.socket, page: int, preload: Sequence[str]) -> None:
    """Serve the supervisor until it goes away; ``page`` is the descriptor of the shared memory."""
    shared = mmap.mmap(page, PAGE_BYTES)
    os.close(page)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    for name in preload:
        try:
            __import__(name)
        except ImportError:
            pass
    null = os.open("/dev/null", os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.close(null)
    gc.collect()
    gc.freeze()
    control.sendall(MESSAGE.pack(b"H", 0))
    Worker(control, shared).serve()
