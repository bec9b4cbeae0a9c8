"""The real command, in this process or in one of its own, and the files that it is given."""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import io
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self
from unittest import mock

from hostile.arena import descendants as descendants

from evalplus_lite.cli import main
from evalplus_lite.execution.processes import make_backend
from evalplus_lite.jobs import session
from evalplus_lite.sandbox import SandboxConfig

ROOT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-m", "evalplus_lite")
PATIENCE = 300
"""Seconds after which a command must hang."""

TASKS = [
    {"id": "Own/0", "entry_point": "f", "reference": "def f(x):\n    return x * 2\n"},
    {"id": "Own/1", "entry_point": "f", "reference": "def f(x):\n    return sorted(x)\n"},
    {"id": "Own/2", "entry_point": "f", "reference": "def f(x):\n    return x.upper()\n"},
]
INPUTS = [[[1], [2], [3.5]], [[[3, 1]], [[]], [[2, 2, 1]]], [["a"], [""], ["Bc d"]]]


def environment(cache: Path, **changes: str) -> dict[str, str]:
    """Return the environment of a command that keeps what it caches in a folder of the test's."""
    # Outputs are dated alike, so that those of two runs can be compared.
    ours = {name: text for name, text in os.environ.items() if name != "EVALPLUS_LITE_DEBUG"}
    found = {**ours, "EVALPLUS_LITE_CACHE": str(cache), "SOURCE_DATE_EPOCH": "0", **changes}
    found["PYTHONPATH"] = os.pathsep.join(
        [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    return found


class SharedBackend:
    """Sandboxes that stay open from command to command: starting some takes most of a test's time.

    They end with the tests' process; only the command itself closes those of its own session.
    """

    _open: ClassVar[dict[object, Any]] = {}

    def __init__(self, name: str, workers: int | None, config: SandboxConfig, **rest: Any) -> None:
        self._key = name, workers, config
        self._pool = make_backend(name, workers, config, **rest)

    def __enter__(self) -> Self:
        if self._key not in self._open:
            self._open[self._key] = self._pool.__enter__()
            atexit.register(self._pool.close, now=True)
        self._pool = self._open[self._key]
        return self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)

    def close(self, *, now: bool) -> None:
        """Leave them open."""


@contextlib.contextmanager
def inside(folder: Path, **variables: str) -> Iterator[tuple[io.TextIOWrapper, io.TextIOWrapper]]:
    """Have this process be in a folder, with an environment and sandboxes of the tests'.

    What is printed goes to the two streams.
    """
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.dict(os.environ, environment(folder / "cache", **variables), clear=True),
        mock.patch.object(session, "make_backend", SharedBackend),
    ):
        yield out, err


def run(
    *arguments: object,
    folder: Path,
    variables: Mapping[str, str] | None = None,
    stdin: bytes = b"",
) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder to its end, in this process and with sandboxes that stay.

    ``run_process`` is for whatever is about the process itself: hash seeds, pipes, import paths.
    """
    with (
        inside(folder, **(variables or {})) as streams,
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin))),
    ):
        code = main(list(map(str, arguments)))
    texts = []
    for stream in streams:
        stream.flush()
        stream.seek(0)
        texts.append(stream.read())
    return subprocess.CompletedProcess(arguments, code, *texts)


def captured(command: Sequence[object], **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a program to its end; return what it printed."""
    words = list(map(str, command))
    return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, **options)


def run_process(
    *arguments: object, folder: Path, variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder to its end, in a process of its own."""
    env = environment(folder / "cache", **(variables or {}))
    return captured([*COMMAND, *arguments], cwd=folder, env=env, stdin=subprocess.DEVNULL)


def on_terminal(
    command: Sequence[object], folder: Path, *, width: int = 80, **variables: str
) -> str:
    """Run a program on a terminal of its own of that width; return all that it wrote there."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    environ = environment(folder / "cache", **{"TERM": "xterm-256color", **variables})
    environ.pop("COLUMNS", None)
    with subprocess.Popen(
        list(map(str, command)), cwd=folder, env=environ, stdin=theirs, stdout=theirs, stderr=theirs
    ):
        os.close(theirs)
        parts = []
        with contextlib.suppress(OSError):  # Linux's word for the end of a terminal
            while part := os.read(ours, 1 << 16):
                parts.append(part)
    os.close(ours)
    return b"".join(parts).decode()


def start(*arguments: object, folder: Path) -> subprocess.Popen[bytes]:
    """Start the command in a folder, as the leader of a session of its own."""
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        cwd=folder,
        env=environment(folder / "cache"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write rows as JSONL."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def write_tasks(folder: Path) -> Path:
    """Write three tasks of one's own."""
    rows = [
        {**task, "prompt": f"Task {number}.", "inputs": inputs}
        for number, (task, inputs) in enumerate(zip(TASKS, INPUTS, strict=True))
    ]
    return write_rows(folder / "tasks.jsonl", rows)


def sample_rows(count: int) -> list[dict[str, Any]]:
    """Return rows of samples, all different, of every kind of verdict but the slow ones."""
    bodies = [
        "return x * 2",
        "return sorted(x)",
        "return x.upper()",
        "return None",
        "return 1 / 0",
        "return object()",
        "import os; os._exit(3)",
        "return [x] * 50",
    ]
    return [
        {
            "task_id": f"Own/{number % 3}",
            "solution": f"def f(x):\n    {bodies[number * 7 % len(bodies)]}  # {number}\n",
        }
        for number in range(count)
    ]


def alive(pids: Iterable[int]) -> list[int]:
    """Return those of the processes that still run; one that only waits to be buried does not."""
    found = []
    for pid in pids:
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            continue
        if stat.rpartition(")")[2].split()[0] != "Z":
            found.append(pid)
    return sorted(found)


@contextlib.contextmanager
def interruptible(
    folder: Path, before: str, *arguments: str, variables: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """Start the command, where Ctrl-C works, after some code; it does not outlive the test."""
    # Where the tests themselves run in the background, the signal may be ignored.
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code += f"{before}\nfrom evalplus_lite.cli import main\nraise SystemExit(main())\n"
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env=environment(folder / "cache", **(variables or {})),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()
