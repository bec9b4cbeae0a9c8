"""The worker process inside the sandbox: it forks a child for each program.

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


kill, getpid = os.kill, os.getpid  # a program may put others in their place


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
    # _exit on every path: no handler, buffer or ``finally`` of the worker may run in the child.
    try:
        control.close()  # a program could speak to the supervisor in the worker's name
        child(channel, job, settings, cases)
        os._exit(0)
    except OSError:
        # Its channel is gone, as the program closed it: the supervisor sees that and kills it. It
        # ends in the same way where it is first, so that the same is said of it.
        kill(getpid(), signal.SIGKILL)
    finally:
        os._exit(121)


class Worker:
    """Holds a task's inputs, forks a child for each program, kills it, reports how it ended."""

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
            # Out of the collector's sight: a collection in a child would write to every object's
            # header, and so copy the memory that all children share.
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
            # Clear the last program's data, or one program could read another's answers.
            self.page[:] = self.zero_page
            self.child = start(channel, job, self.settings, self.cases, self.control)
            channel.close()
            # Readable once the child has ended. Unlike a SIGCHLD handler it interrupts nothing.
            self.alarm = os.pidfd_open(self.child)
            poll.register(self.alarm, select.POLLIN)
        elif kind == b"K" and self.child is not None:
            os.kill(self.child, signal.SIGKILL)
        elif kind in (b"S", b"G") and self.child is not None:
            os.kill(self.child, signal.SIGSTOP if kind == b"S" else signal.SIGCONT)

    def scratch_changed(self) -> int | None:
        """Return when the scratch folder last changed: entries, mode, owner, times, attributes.

        That is its ctime, the one time that no call can set.
        """
        scratch = self.settings["scratch"]
        return os.stat(scratch).st_ctime_ns if scratch else None

    def reap(self, poll: select.poll) -> None:
        assert self.child is not None
        # wait4 reports the CPU time of all its threads and its peak memory (KiB), both of which
        # disappear with the process otherwise.
        _, status, usage = os.wait4(self.child, 0)
        poll.unregister(self.alarm)
        os.close(self.alarm)
        self.child = None
        dirty = self.scratch_changed() != self.initial_change
        seconds = usage.ru_utime + usage.ru_stime
        body = struct.pack("<idQ?", status, seconds, usage.ru_maxrss << 10, dirty)
        self.control.sendall(MESSAGE.pack(b"X", len(body)) + body)


def main(control: socket.socket, page: int, preload: Sequence[str]) -> None:
    """Serve the supervisor until it goes away; ``page`` is the descriptor of the shared memory."""
    shared = mmap.mmap(page, PAGE_BYTES)
    os.close(page)
    # Default actions, so not Python's SIGINT handler: signals that PID 1 of a namespace does not
    # handle are discarded when they come from inside, and a program starts as any other does.
    # SIGCHLD, as a caller may ignore it, which is inherited: the kernel would reap our children.
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
