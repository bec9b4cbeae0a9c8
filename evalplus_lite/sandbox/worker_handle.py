"""The supervisor's handle on a worker process: start it, exchange messages, end it."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import marshal
import mmap
import os
import resource
import signal
import socket
import struct
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Any

from evalplus_lite.errors import InfrastructureError, InputError
from evalplus_lite.sandbox.guest import child
from evalplus_lite.sandbox.isolation import command, seccomp
from evalplus_lite.sandbox.isolation.config import SandboxConfig
from evalplus_lite.sandbox.limits import Inputs

# A worker that has not reported by then never will; a loaded machine needs a few seconds.
START_SECONDS = 60.0
SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
# Limits of the worker, and so of every program, also on kernel memory that RLIMIT_AS does not count
# (queued signals, message queues). No core files are written.
RLIMITS = {
    resource.RLIMIT_FSIZE: 16 << 20,
    resource.RLIMIT_NOFILE: 64,
    resource.RLIMIT_SIGPENDING: 256,
    resource.RLIMIT_CORE: 0,
    resource.RLIMIT_MEMLOCK: 0,
    resource.RLIMIT_MSGQUEUE: 0,
}
# The badness (-1000 to 1000) added for a worker, so that a machine that runs out of memory ends a
# program under test instead of the supervisor.
OOM_SCORE = "800"
_numbers = itertools.count()


def require_file_size() -> None:
    """Raise InputError if ``ulimit -f`` is too low for a worker's shared memory."""
    size, least = resource.getrlimit(resource.RLIMIT_FSIZE)[0], RLIMITS[resource.RLIMIT_FSIZE]
    if size != resource.RLIM_INFINITY and size < least:
        raise InputError(
            f"files may have {size} bytes at most (ulimit -f), and a sandbox needs {least}",
            remedy="ulimit -f unlimited, or start from a shell without that limit",
        )


@dataclass(frozen=True, slots=True)
class Ending:
    """How a child ended: wait status, CPU seconds, peak resident bytes, left files or not."""

    status: int
    cpu: float
    memory: int
    dirty: bool


@dataclass(frozen=True, slots=True)
class Waiting:
    """A child's unsent answers, from case ``first`` up to the current one."""

    first: int
    case: int
    records: bytes


class WorkerLost(InfrastructureError):
    """The worker process is gone or does not answer."""


class WorkerHandle:
    """A worker process of a tier. Not thread-safe."""

    def __init__(self, config: SandboxConfig, tier: str) -> None:
        self.config, self.tier = config, tier
        self.loaded = ""
        self._handle: int | None = None
        ours, theirs = socket.socketpair()
        self.control = ours
        # A file, not a pipe, as nobody has to read it, and it cannot fill up and block.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the worker
        page = os.memfd_create("progress", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(page, child.PAGE_BYTES)
        # If a child could shorten it, our next access would cause a SIGBUS.
        fcntl.fcntl(page, fcntl.F_ADD_SEALS, SEALS)
        self._progress = mmap.mmap(page, child.PAGE_BYTES)
        handles = (theirs.fileno(), page)
        try:
            plan = command.prepare(config, tier, handles, next(_numbers))
            self.processes = plan.processes
            self.process = subprocess.Popen(
                plan.command,
                env=plan.environment,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                pass_fds=handles,
                start_new_session=True,  # only the supervisor handles Ctrl-C
            )
        except BaseException as error:
            ours.close()
            self._errors.close()
            self._progress.close()
            if isinstance(error, OSError):
                raise WorkerLost(f"cannot start a worker: {error}") from None
            raise
        finally:
            theirs.close()
            os.close(page)
        try:
            self._greet(plan)
        except BaseException:
            self.close()
            raise

    def _greet(self, plan: command.Launch) -> None:
        text = command.inside_text().encode()
        self.control.settimeout(START_SECONDS)
        # Only for the first message: the sender's pid in this namespace.
        self.control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        try:
            self.control.sendall(struct.pack("<I", len(text)) + text)
            self.pid = receive_with_pid(self.control, child.MESSAGE.size)
        except (OSError, EOFError):
            raise WorkerLost(f"a worker did not start: {self._complaint()}") from None
        self.control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
        with contextlib.suppress(OSError), open(f"/proc/{self.pid}/oom_score_adj", "w") as file:
            file.write(OOM_SCORE)
        try:
            # A handle, not the pid, which may belong to another process when we signal it.
            self._handle = os.pidfd_open(self.pid)
            # The interpreter's own memory does not count, so limits are added to it.
            with open(f"/proc/{self.pid}/statm", encoding="ascii") as file:
                self.base_bytes = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        except OSError:
            raise WorkerLost("a worker ended as it started") from None
        rules = seccomp.assemble(plan.files) if seccomp.is_supported() else None
        self.send(
            b"C",
            marshal.dumps(
                {
                    "seccomp": rules.code if rules else b"",
                    "own_pid_offsets": rules.own_pid_offsets if rules else (),
                    "scratch": plan.scratch,
                    "rlimits": RLIMITS,
                }
            ),
        )

    def _complaint(self) -> str:
        try:
            self.process.wait(1)
        except subprocess.TimeoutExpired:
            return f"no answer within {START_SECONDS:.0f} s"
        self._errors.seek(0)
        lines = self._errors.read(4000).decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else f"exit status {self.process.returncode}"

    def send(self, kind: bytes, body: bytes = b"", handle: int | None = None) -> None:
        """Send a control message, optionally with a descriptor."""
        message = child.MESSAGE.pack(kind, len(body))
        try:
            if handle is None:
                self.control.sendall(message + body)
            else:
                socket.send_fds(self.control, [message], [handle])
                self.control.sendall(body)
        except OSError as error:
            raise WorkerLost(f"a worker is gone: {error}") from None

    def load(self, inputs: Inputs) -> None:
        """Send these inputs to the worker, unless it already has them."""
        if not inputs.private and inputs.key != self.loaded:
            self.send(b"L", inputs.data)
            self.loaded = inputs.key

    def run(self, job: dict[str, Any], channel: socket.socket) -> None:
        """Fork a child that uses ``channel`` (which stays open here)."""
        self.send(b"R", marshal.dumps(job, 2), channel.fileno())

    def progress(self, first: int, last: int) -> int:
        """Return the child's claimed current case, clamped to ``first`` to ``last - 1``."""
        (case,) = struct.unpack_from("<Q", self._progress, 0)
        return int(min(max(case, first), last - 1))

    def waiting(self) -> Waiting:
        """Return the unsent answers on the page, unchecked."""
        case, first = struct.unpack_from("<QQ", self._progress, 0)
        return Waiting(first, case, self._progress[child.WORDS :])

    def kill(self) -> None:
        """End the child, if there is one."""
        self.send(b"K")

    def stop(self) -> None:
        """Stop the child, if there is one, until ``go_on``."""
        self.send(b"S")

    def go_on(self) -> None:
        """Resume a stopped child."""
        self.send(b"G")

    def ending(self) -> Ending:
        """Wait for the child's end."""
        try:
            head = child.receive(self.control, child.MESSAGE.size)
            body = child.receive(self.control, child.MESSAGE.unpack(head)[1])
        except (OSError, EOFError):
            raise WorkerLost("a worker ended under its program") from None
        return Ending(*struct.unpack("<idQ?", body))

    def close(self) -> None:
        """End the worker and all processes inside."""
        self.control.close()
        try:
            self.process.wait(0.2)
        except subprocess.TimeoutExpired:
            # With another uid it outlives bubblewrap's process, which may not signal it then.
            if self._handle is not None:
                with contextlib.suppress(OSError):
                    signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            self.process.kill()
            self.process.wait()
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
        self._errors.close()
        self._progress.close()


def receive_with_pid(channel: socket.socket, count: int) -> int:
    """Receive ``count`` bytes and return the sender's pid, as the kernel reports it."""
    size = struct.calcsize("3i")
    data, ancillary, _, _ = channel.recvmsg(count, socket.CMSG_SPACE(size))
    if len(data) < count:
        raise EOFError
    for level, kind, body in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
            return int(struct.unpack("3i", body[:size])[0])
    raise EOFError
