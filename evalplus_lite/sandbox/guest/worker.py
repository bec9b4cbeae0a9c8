"""The worker process inside the sandbox, which forks a child for each program.

This file's *text* runs after that of ``child``, in the same namespace.

Control messages (supervisor to worker): ``C`` configure, ``L`` load inputs, ``R`` run (carries the
child's socket), ``K`` kill the child, ``S`` stop it, ``G`` resume it. Worker to
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
    from evalplus_lite.values.encoding import arrived


kill, getpid = os.kill, os.getpid  # a program may replace the module's


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
    # _exit on every path, as no handler, buffer or ``finally`` of the worker may run in the child.
    try:
        control.close()  # else a program could pose as the worker to the supervisor
        child(channel, job, settings, cases)
        os._exit(0)
    except OSError:
        # The program closed its channel, so the supervisor will kill it. If it ends first, it ends
        # in the same way, so that the result is the same.
        kill(getpid(), signal.SIGKILL)
    finally:
        os._exit(121)


class Worker:
    """Keeps a task's inputs, forks a child for each program, kills it, and reports its end."""

    def __init__(self, control: socket.socket, page: mmap.mmap) -> None:
        self.control, self.page, self.zero_page = control, page, bytes(PAGE_BYTES)
        self.cases: Sequence[Sequence[Any]] = ()
        self.settings: dict[str, Any] = {}
        self.initial_change: int | None = None
        self.child: int | None = None
        self.alarm = -1

    def serve(self) -> None:
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        while True:
            for number, _ in poll.poll():
                if number == self.control.fileno():
                    self.handle_message(poll)
                elif self.child is not None:
                    self.reap(poll)

    def handle_message(self, poll: select.poll) -> None:
        data, handles, _, _ = socket.recv_fds(self.control, MESSAGE.size, 1)
        if not data:
            os._exit(0)
        data += receive(self.control, MESSAGE.size - len(data))
        kind, size = MESSAGE.unpack(data)
        body = receive(self.control, size) if size else b""
        if kind == b"L":
            self.cases = ()
            self.cases = arrived(body, marshal.loads(body))  # from the supervisor
            del body
            # Exclude them from garbage collection, as a collection in a child would write to every
            # object's header, and so copy the memory that all children share.
            gc.freeze()
        elif kind == b"C":
            self.settings = marshal.loads(body)  # from the supervisor
            self.settings["prctl"] = ctypes.CDLL(None).prctl
            code = self.settings.pop("seccomp")
            self.settings["filter"] = Filter(code) if code else None
            for limit, value in self.settings["rlimits"].items():
                bound(limit, value)
            self.settings["worker"] = os.getpid()
            self.initial_change = self.scratch_changed()
            self.settings["page"] = self.page
        elif kind == b"R":
            channel = socket.socket(fileno=handles[0])
            job = marshal.loads(body)  # from the supervisor
            # Clear the last program's data, as a program could read another's answers.
            self.page[:] = self.zero_page
            self.child = start(channel, job, self.settings, self.cases, self.control)
            channel.close()
            # Readable when the child has ended. Unlike a SIGCHLD handler, it interrupts nothing.
            self.alarm = os.pidfd_open(self.child)
            poll.register(self.alarm, select.POLLIN)
        elif kind == b"K" and self.child is not None:
            os.kill(self.child, signal.SIGKILL)
        elif kind in (b"S", b"G") and self.child is not None:
            os.kill(self.child, signal.SIGSTOP if kind == b"S" else signal.SIGCONT)

    def scratch_changed(self) -> int | None:
        """Return the time of the last change of the scratch folder or its metadata.

        That is its ctime, the only time that no call can set.
        """
        scratch = self.settings["scratch"]
        return os.stat(scratch).st_ctime_ns if scratch else None

    def reap(self, poll: select.poll) -> None:
        assert self.child is not None
        # wait4 reports the CPU time of all threads and the peak memory (KiB), which otherwise
        # disappear with the process.
        _, status, usage = os.wait4(self.child, 0)
        poll.unregister(self.alarm)
        os.close(self.alarm)
        self.child = None
        dirty = self.scratch_changed() != self.initial_change
        seconds = usage.ru_utime + usage.ru_stime
        body = struct.pack("<idQ?", status, seconds, usage.ru_maxrss << 10, dirty)
        self.control.sendall(MESSAGE.pack(b"X", len(body)) + body)


def main(control: socket.socket, page: int, preload: Sequence[str]) -> None:
    """Serve the supervisor until it ends; ``page`` is the descriptor of the shared memory."""
    shared = mmap.mmap(page, PAGE_BYTES)
    os.close(page)
    # Default actions, so not Python's SIGINT handler: signals from inside that PID 1 of a namespace
    # does not handle are discarded, and a program starts with the usual actions. SIGCHLD, because a
    # caller may ignore it, which is inherited, and then the kernel would reap our children.
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGCHLD"):
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
    gc.freeze()  # as above: imported modules are shared by all children
    control.sendall(MESSAGE.pack(b"H", 0))
    Worker(control, shared).serve()
