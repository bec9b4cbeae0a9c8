"""Work on untrusted texts in a separate process, bounded in time and memory.

Python's compiler and parser may need any amount of time and memory, or crash, for a few hundred
characters. So a helper inspects every text of a model, a file or a server: a bare interpreter that
runs only our own code (``programs.service``), never the text. A text that needs more than
``CPU_SECONDS`` or ``MEMORY`` there, or crashes the helper, raises TooLarge here; the next text gets
a new helper. Helpers are started on demand, at most one per processor, and end with this process.
They are thread-safe; a forked child has its own.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InfrastructureError

CPU_SECONDS = 1.0  # CPU seconds that a helper may spend on one text
MEMORY = 100 << 20  # bytes that a helper may use in addition to its own
ANSWER_SECONDS = 100.0  # seconds to wait for an answer on a busy machine
TRIES = 3
OUT_OF_MEMORY = 3  # the exit status of a helper that ran out of memory
LENGTH = struct.Struct("<I")
# Exit statuses caused by a text; any other is an infrastructure error.
_GAVE_UP = {OUT_OF_MEMORY} | {
    -number for number in (signal.SIGPROF, signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT)
}
_BOOT = """import sys
sys.path.append(sys.argv[1])
from evalplus_lite.programs.service import main
main()
"""


class TooLarge(ValueError):
    """A text needs more time or memory to inspect than any real one; the message says which."""


def ask(operation: str, **fields: Any) -> Any:
    """Return the result of an operation of ``programs.service`` on a text.

    Raises TooLarge, or InfrastructureError if no helper can be started or none answers.
    """
    request = json.dumps([operation, fields]).encode()
    fault, status = "", None
    for _ in range(TRIES):
        with _slots:
            try:
                helper = _take()
            except OSError as error:
                fault = f"it does not start: {error.strerror}"
                continue
            try:
                reply = helper.answer(request)
            except BaseException as error:
                status = _end(helper)
                if not isinstance(error, OSError):
                    raise
                if status in _GAVE_UP:
                    raise TooLarge(_cause(status)) from None
                fault = "it gave no answer in time" if status is None else f"it ended ({status})"
                continue
            _give_back(helper)
        if "refused" in reply:
            raise TooLarge(reply["refused"])
        return reply["answer"]
    if status == 0:  # helpers never exit with 0: the caller ignores SIGCHLD, which hides the status
        raise TooLarge("too large to look into")
    raise InfrastructureError(f"a helper process failed {TRIES} times: {fault}")


class _Helper:
    """A bare interpreter and our end of its socket."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        self.channel = ours
        options = ["-P", "-S", "-s", *(["-B"] if sys.dont_write_bytecode else [])]
        root = str(Path(__file__).resolve().parents[2])
        try:
            with theirs:
                self.process = subprocess.Popen(
                    [sys.executable, *options, "-c", _BOOT, root],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd="/",
                    env={"PYTHONHASHSEED": "0", "LANG": "C.UTF-8"},
                    start_new_session=True,  # Ctrl-C is for us; the helper ends when we do
                )
        except BaseException:
            ours.close()
            raise
        ours.settimeout(ANSWER_SECONDS)

    def answer(self, request: bytes) -> dict[str, Any]:
        """Return the reply to one request; OSError if there is none."""
        self.channel.sendall(LENGTH.pack(len(request)) + request)
        reply: dict[str, Any] = json.loads(receive(self.channel))
        return reply

    def end(self) -> int | None:
        """End the process; return its exit status, or None if it was still running."""
        self.channel.close()
        status = None
        with contextlib.suppress(subprocess.TimeoutExpired):
            status = self.process.wait(1.0)
        self.process.kill()
        self.process.wait()
        return status

    def forget(self) -> None:
        """Close the channel of a helper that belongs to the parent process, without ending it."""
        self.channel.close()
        # Otherwise Popen would wait for it, which is up to the parent, and warn.
        self.process.returncode = 0


def receive(channel: socket.socket) -> bytes:
    """Return the bytes of one message; ConnectionError if the other side has closed."""
    data = bytearray()
    size = LENGTH.size
    while len(data) < size:
        part = channel.recv(min(size - len(data), 1 << 20))
        if not part:
            raise ConnectionError
        data += part
        if size == LENGTH.size == len(data):
            size += LENGTH.unpack(data)[0]
    return bytes(data[LENGTH.size :])


def _cause(status: int) -> str:
    if status == OUT_OF_MEMORY:
        return f"too large to look into: more than {MEMORY >> 20} MB of memory"
    if status == -signal.SIGPROF:
        return f"too large to look into: more than {CPU_SECONDS:g} s of CPU time"
    return f"too large to look into: Python's parser died of signal {-status}"


_lock = threading.Lock()
_slots = threading.BoundedSemaphore(os.cpu_count() or 1)
_idle: list[_Helper] = []
_all: set[_Helper] = set()


def _take() -> _Helper:
    with _lock:
        if _idle:
            return _idle.pop()
    helper = _Helper()
    with _lock:
        _all.add(helper)
    return helper


def _give_back(helper: _Helper) -> None:
    with _lock:
        _idle.append(helper)


def _end(helper: _Helper) -> int | None:
    with _lock:
        _all.discard(helper)
    return helper.end()


def _after_fork() -> None:
    global _lock, _slots
    _lock, _slots = threading.Lock(), threading.BoundedSemaphore(os.cpu_count() or 1)
    for helper in _all:
        helper.forget()
    _all.clear()
    _idle.clear()


def _close() -> None:
    while _idle:
        _end(_idle.pop())


os.register_at_fork(after_in_child=_after_fork)
atexit.register(_close)
