"""Invocation of scripts inside the sandbox, from standard input to standard output.

Like ``child`` it is sent as *text*, into the same namespace, and imports only the standard library.
"""

from __future__ import annotations

import atexit
import builtins
import contextlib
import io
import os
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

RAISED = "raised"
"""The key of the exception in an answer that reports one."""
HANDLES: list[int] = []
"""Files in memory that serve as standard input and output."""


class Exited(BaseException):
    """The program called ``os._exit``, as some do after printing."""


class Script:
    """Runs a script with each case's text as standard input, and answers with its output.

    For each case the program's text runs from its first line, under ``__main__``, in this process.
    Standard input and output are real descriptors, because programs also read and write them by
    number. An exit status other than 0 is raised.
    """

    def __init__(self, execute: Callable[[], object], spec: Mapping[str, Any]) -> None:
        self.execute = execute
        self.limit = sys.getrecursionlimit()
        self.raises = "exception" in spec.get("observe", ())

    def __call__(self, text: str, *arguments: str) -> Any:
        self.feed(text)
        sys.argv = ["program.py", *arguments]
        sys.setrecursionlimit(self.limit)
        # As in an interpreter that runs scripts.
        builtins.exit = builtins.quit = sys.exit  # type: ignore[assignment]
        usual, os._exit = os._exit, leave
        status: Any = None
        try:
            try:
                self.execute()
                for thread in threading.enumerate():
                    if thread is not threading.current_thread() and not thread.daemon:
                        thread.join()
            except SystemExit as error:
                status = error.code
            atexit._run_exitfuncs()
            close_held()
            for stream in (sys.stdout, sys.__stdout__):
                if stream is not None and not getattr(stream, "closed", False):
                    stream.flush()
        except Exited as error:
            (status,) = error.args
        finally:
            os._exit = usual
            close_held()  # also after an exception or an immediate exit
        if isinstance(status, int):
            status &= 0xFF  # all that a parent sees
        if status not in (None, 0):
            if self.raises:
                return {RAISED: status if isinstance(status, int) else 1, "value": printed()}
            raise RuntimeError(f"exit status {status if isinstance(status, int) else 1}")
        return printed()

    def feed(self, text: str) -> None:
        for number, handle in enumerate(HANDLES):
            os.ftruncate(handle, 0)
            os.lseek(handle, 0, os.SEEK_SET)
            os.dup2(handle, number)  # the last case may have closed it
        data = memoryview(text.encode("utf-8", "surrogatepass"))
        while data:
            data = data[os.write(0, data) :]
        os.lseek(0, 0, os.SEEK_SET)
        options: dict[str, Any] = {"encoding": "utf-8", "errors": "surrogateescape"}
        sys.stdin = sys.__stdin__ = open(0, closefd=False, **options)  # type: ignore[misc]  # noqa: SIM115
        sys.stdout = sys.__stdout__ = open(1, "w", closefd=False, **options)  # type: ignore[misc]  # noqa: SIM115


def printed() -> str:
    """Return the content of standard output."""
    handle = HANDLES[1]
    size, at, parts = os.fstat(handle).st_size, 0, []
    while at < size:
        part = os.pread(handle, size - at, at)
        if not part:
            break
        parts.append(part)
        at += len(part)
    return b"".join(parts).decode("utf-8", "replace")


def close_held() -> None:
    """Close files that are still open in the program's names, as the end of its process would.

    If closed later, they could close streams of the next case, which have the same descriptors.
    """
    for held in list(getattr(sys.modules.get("__main__"), "__dict__", {}).values()):
        if isinstance(held, io.IOBase):
            with contextlib.suppress(OSError, ValueError):
                held.close()


def leave(status: int) -> NoReturn:
    raise Exited(status)


def streams() -> None:
    """Create standard input and output of a script as files in memory.

    The limit on file sizes applies to them.
    """
    HANDLES.extend(os.memfd_create("stream") for _ in range(2))
