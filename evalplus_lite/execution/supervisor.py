"""The processes of a backend: a launcher, and supervisors that it forks.

The launcher is a separate program, so that the caller's script does not run again. It imports the
modules that the work needs once, finds out which sandbox holds, and forks a supervisor for each
socket that it receives, while it has only one thread. A supervisor works on one item after the
other with one sandbox, and blocks while waiting for the next. If the backend closes, or its process
dies, their sockets are closed, and they end; the launcher ends last, after all its supervisors.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import logging
import os
import signal
import socket
import sys
import time
import traceback
from collections import OrderedDict
from typing import Any

from evalplus_lite import errors
from evalplus_lite.errors import EvalPlusLiteError, InputError, UnusableTask
from evalplus_lite.execution.base import Call, Ref, Row, Work, make
from evalplus_lite.execution.channel import MessageReader, decoded, encoded, packed
from evalplus_lite.execution.job import Defect, Lost
from evalplus_lite.sandbox import Sandbox, SandboxConfig

MOST_CALLS = 4
"""Maximum number of calls whose functions, with their prepared data, a supervisor keeps."""
DEFINE, WORK = 0, 1
"""Kinds of message to a supervisor."""
DONE, FAILED = 0, 1
"""Kinds of message from a supervisor."""
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
PRELOADED = ("evalplus_lite.grading.evaluator", "evalplus_lite.tasks.contracts")
"""Modules that nearly all work needs, imported before any fork."""


def main() -> None:
    """Serve as a launcher on the socket at standard input."""
    # Replace standard input, so that work that reads it cannot consume messages from the socket.
    control = socket.socket(fileno=os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    try:
        path, config, stage, reports, preload = MessageReader(control).receive()
    except (EOFError, OSError):  # the backend is gone
        return
    sys.path[:] = path
    libc = ctypes.CDLL(None)
    # Children of a killed supervisor are reparented to this process, so that none survives.
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # The backend's process reports to the user, and logging here would repeat its messages.
    logging.getLogger("evalplus_lite").addHandler(logging.NullHandler())
    logging.getLogger("evalplus_lite").propagate = False
    from evalplus_lite.sandbox import probe

    # Order: import all modules, probe the sandbox, then fork, while there is only one thread.
    for name in (*PRELOADED, *preload):
        importlib.import_module(name)
    settings = SandboxConfig(*config)
    probe.learn(reports)
    # A sandbox that does not hold is not an error here: a supervisor's first item reports it.
    with contextlib.suppress(EvalPlusLiteError):
        probe.choose_tier(settings)
    with contextlib.suppress(OSError):  # the backend is gone, which the next read detects
        control.sendall(packed(probe.known()))
    gc.collect()
    gc.freeze()  # else the first garbage collection in each supervisor would copy all pages
    signal.signal(signal.SIGCHLD, _reap)
    _serve(control, settings, stage)


def _serve(control: socket.socket, config: SandboxConfig, stage: int) -> None:
    """Fork a supervisor for each socket that arrives, until the backend ends."""
    supervisors: list[int] = []
    while True:
        try:
            data, handles, _, _ = socket.recv_fds(control, 1, 1)
        except OSError:
            data, handles = b"", []
        # ``C`` requests an orderly end; anything else means that the backend is gone.
        if data != b"F":
            break
        (handle,) = handles
        with contextlib.suppress(OSError):  # its socket is closed then, and the backend tries again
            pid = os.fork()
            if not pid:
                _become_supervisor(control, handle, config, stage)
            supervisors.append(pid)
        os.close(handle)
    # From here on ``os.wait`` must see the children itself.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if data != b"C":  # do not wait for them to end by themselves
        for pid in supervisors:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()


def _reap(*_: object) -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _become_supervisor(
    control: socket.socket, handle: int, config: SandboxConfig, stage: int
) -> None:
    """Run a supervisor in a newly forked process, and exit."""
    code = 1
    try:
        # The launcher may end before the signal is requested, and then none would come. So
        # compare its process id afterwards.
        launcher = os.getppid()
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        control.close()
        if os.getppid() == launcher:
            Supervisor(socket.socket(fileno=handle), config, stage).run()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


class StagedPlace:
    """A supervisor's context: its sandbox, or another one with more packages."""

    def __init__(self, sandbox: Sandbox, stage: int) -> None:
        self.sandbox, self._stage = sandbox, stage

    def load(self, ref: Ref) -> Row:
        """Return a staged row."""
        start, size = ref
        parts = []
        while size:
            part = os.pread(self._stage, size, start)
            if not part:
                raise EOFError("a staged row is cut off")
            parts.append(part)
            start, size = start + len(part), size - len(part)
        return decoded(b"".join(parts))


class Supervisor:
    """Works on the items from a socket, in order."""

    def __init__(self, channel: socket.socket, config: SandboxConfig, stage: int) -> None:
        self.channel, self.stage = channel, stage
        self.sandbox = Sandbox(config)
        self.calls: OrderedDict[int, Call] = OrderedDict()
        self.works: dict[int, Work] = {}

    def run(self) -> None:
        """Work until the socket is closed, then clean up."""
        with self.channel, contextlib.suppress(EOFError, OSError):
            self.channel.sendall(packed(os.getpid()))
            # Start it while the caller still reads input; the first item reports any problem.
            with contextlib.suppress(EvalPlusLiteError):
                self.sandbox.start()
            reader = MessageReader(self.channel)
            while True:
                self.handle(reader.receive())
        self.sandbox.close()

    def handle(self, message: Row) -> None:
        """Handle a message, and answer it if it requests work."""
        # A call is sent once; its function and prepared data are kept for later items.
        if message[0] == DEFINE:
            _, number, maker, settings, packages = message
            self.calls[number] = Call(maker, settings, packages)
            # The backend counts the same way (``Supervised.send``), and defines a dropped call
            # again.
            if len(self.calls) > MOST_CALLS:
                self.works.pop(self.calls.popitem(last=False)[0], None)
            return
        _, number, job, item = message
        self.calls.move_to_end(number)
        begun, kind = time.monotonic(), DONE
        try:
            if number not in self.works:
                self.works[number] = make(self.calls[number], self.place(self.calls[number]))
            row = encoded(self.works[number](decoded(item)))
        except Exception as error:
            kind, row = FAILED, encoded(described(error))
        self.channel.sendall(packed((job, kind, time.monotonic() - begun, row)))

    def place(self, call: Call) -> StagedPlace:
        """Return the context for a call."""
        packages = tuple(dict.fromkeys((*self.sandbox.config.packages, *call.packages)))
        return StagedPlace(self.sandbox.sibling(packages=packages), self.stage)


def described(error: Exception) -> Row:
    """Return an exception as plain data, for ``revived``."""
    if isinstance(error, Defect):  # it was revived before
        return "", [str(error)], error.trace
    facts: list[Any] = [str(error)]
    if not isinstance(error, EvalPlusLiteError):
        facts = [f"our own code failed: {type(error).__name__}: {error}"]
    # Our own errors are rebuilt from their fields on the other side, so that callers can catch
    # them.
    if isinstance(error, InputError):
        path = None if error.path is None else str(error.path)
        facts = [error.problem, path, error.line, error.remedy]
    elif isinstance(error, UnusableTask):
        facts = [error.task_id, error.cause, error.detail]
    known = (errors.__name__, Lost.__module__)
    kinds = [kind.__name__ for kind in type(error).__mro__ if kind.__module__ in known]
    return kinds[0] if kinds else "", facts, "".join(traceback.format_exception(error))


def revived(description: Row) -> Exception:
    """Return an exception from another process, of the same class if it is one of ours."""
    name, facts, trace = description
    if not name:
        return Defect(str(facts[0]), trace)
    kind = Lost if name == Lost.__name__ else getattr(errors, name)
    if kind is InputError:
        problem, path, line, remedy = facts
        return InputError(problem, path=path, line=line, remedy=remedy)
    error: Exception = kind(*facts)
    return error


if __name__ == "__main__":
    main()
