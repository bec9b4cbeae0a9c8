"""The parent's side of supervisor processes: starting them, and speaking with one."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path

from evalplus_lite.errors import InfrastructureError
from evalplus_lite.execution.base import Row
from evalplus_lite.execution.channel import Reader, Writer, packed
from evalplus_lite.execution.job import Job
from evalplus_lite.execution.supervisor import DEFINE, MOST_CALLS, WORK
from evalplus_lite.sandbox import SandboxConfig, probe

END_SECONDS = 5.0
"""What the processes get to end when they are told to; what is still there then is killed."""
_BOOT = """import sys
sys.path.insert(0, sys.argv[1])
from evalplus_lite.execution.supervisor import main
main()
"""


class Launcher:
    """The process that forks supervisors. To be used from the thread that made it, as the kernel
    ends some of what is below a thread together with it."""

    def __init__(self, config: SandboxConfig, stage: int, preload: Sequence[str]) -> None:
        self.control, theirs = socket.socketpair()
        root = str(Path(__file__).resolve().parents[2])
        options = ["-P", *(["-B"] if sys.dont_write_bytecode else [])]
        try:
            with theirs:
                self.process = subprocess.Popen(
                    [sys.executable, *options, "-c", _BOOT, root],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    pass_fds=(stage,),
                    start_new_session=True,  # Ctrl-C is for us; we tell it to end
                )
            # What is installed for the caller is installed for the work, however it got there.
            path = [os.path.abspath(place) for place in sys.path]
            self.control.sendall(
                packed([path, list(astuple(config)), stage, probe.known(), list(preload)])
            )
        except OSError as error:
            self.control.close()
            raise InfrastructureError(f"cannot start a process: {error.strerror}") from None
        self.reader = Reader(self.control)

    def fork(self) -> Supervised:
        """Have a supervisor forked; OSError if the launcher has gone."""
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(self.control, [b"F"], [theirs.fileno()])
        except BaseException:
            ours.close()
            raise
        return Supervised(ours)

    def end(self, *, now: bool) -> None:
        """Wait until it and all its supervisors have gone; with ``now`` kill them."""
        if not now:
            with contextlib.suppress(OSError):
                self.control.sendall(b"C")
        self.control.close()
        try:
            self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def disown(self) -> None:
        """In a forked child: leave the parent's processes alone."""
        self.control.close()
        self.process.returncode = 0  # not this process's child: nothing to wait for


class Supervised:
    """Our end of one supervisor: what was sent to it, and what it has not answered yet."""

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel
        self.reader, self.writer = Reader(channel), Writer(channel)
        self.in_flight: OrderedDict[int, Job] = OrderedDict()
        self.pid: int | None = None
        """Known once it has said hello."""
        self.is_watched = False
        """Whether the crew waits until more can be sent to it."""
        self._calls: OrderedDict[int, None] = OrderedDict()

    @property
    def depth(self) -> int:
        """How many items it may hold at a time, as the last one sent goes."""
        return next(reversed(self.in_flight.values())).call.depth if self.in_flight else 1

    def send(self, job: Job) -> None:
        """Send an item, and what its call is unless it is known there; OSError if it has gone."""
        self.in_flight[job.number] = job
        number = job.call.number
        if number not in self._calls:
            self._calls[number] = None
            if len(self._calls) > MOST_CALLS:  # as the supervisor does
                self._calls.popitem(last=False)
            call = job.call.call
            self.writer.send(packed((DEFINE, number, call.maker, call.settings, call.packages)))
        self._calls.move_to_end(number)
        self.writer.send(packed((WORK, number, job.number, job.payload)))

    def heard(self) -> tuple[list[Row], bool]:
        """Return its answers that are there, and whether it has gone."""
        messages, gone = self.reader.available()
        if self.pid is None and messages:
            self.pid = messages.pop(0)
        return messages, gone

    def close(self) -> None:
        """Let it end by itself, once it has finished what it was sent."""
        self.channel.close()
