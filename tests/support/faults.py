"""Faults done to a real ``evaluate`` command, and what must hold after each."""

from __future__ import annotations

import contextlib
import ctypes
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from support.commands import alive, descendants, environment

PR_SET_CHILD_SUBREAPER = 36
PATIENCE = 60.0
"""Seconds that leftovers are waited for before they count as such."""


@dataclass(frozen=True)
class Job:
    """An ``evaluate`` command on one output folder."""

    dataset: Path
    samples: Path
    out: Path
    more: tuple[str, ...] = ()

    def start(self) -> subprocess.Popen[str]:
        """Begin the command, its words to be read."""
        command = [sys.executable, "-m", "evalplus_lite", "evaluate", "--workers", "2", "--json"]
        command += ["--dataset", str(self.dataset), "--samples", str(self.samples)]
        command += ["--out", str(self.out), *self.more]
        return subprocess.Popen(
            command,
            env=environment(self.dataset.parent / "cache"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self) -> None:
        """Run the command to its end; AssertionError where it does not end well."""
        process = self.start()
        _, words = process.communicate()
        assert process.returncode == 0, words

    @property
    def results(self) -> Path:
        """The file of result rows."""
        return self.out / "results.jsonl"

    def size(self) -> int:
        """Return the bytes of result rows so far."""
        return self.results.stat().st_size if self.results.exists() else 0


def adopt_orphans() -> None:
    """Have processes whose parent ends become this process' children, where they can be seen."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def children(pid: int) -> list[int]:
    """Return a process' children."""
    found: list[int] = []
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    except (FileNotFoundError, ProcessLookupError):
        pass
    return found


def seconds_until_alone(before: list[int]) -> float:
    """Wait until this process has no more children than before; return how long that took.

    AssertionError where some stay. Needs ``adopt_orphans``.
    """
    start = time.monotonic()
    while True:
        left = [pid for pid in children(os.getpid()) if pid not in before]
        for pid in left:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        left = [pid for pid in children(os.getpid()) if pid not in before]
        if not left:
            return time.monotonic() - start
        assert time.monotonic() - start < PATIENCE, f"processes are left: {left}"
        time.sleep(0.01)


def mounts() -> frozenset[str]:
    """Return where something is mounted, other tests' small disks left out."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return frozenset(s for s in lines if "/pytest-of-" not in s and "/disk-" not in s)


def kill_when_written(job: Job, size: int, source: random.Random) -> bool:
    """Run a job and kill it dead a little after its results are ``size`` bytes long.

    Return whether it was killed: it may have ended before.
    """
    process = job.start()
    while process.poll() is None and job.size() < size:
        time.sleep(0.002)
    time.sleep(source.random() * 0.05)
    process.kill()
    process.communicate()
    return process.returncode == -signal.SIGKILL


def run_killing_workers(
    job: Job, source: random.Random, sizes: Iterable[int]
) -> tuple[int, str, int]:
    """Run a job, and kill one of its processes dead whenever its results have reached a size.

    Return the job's exit code, its words and how many were killed.
    """
    process, killed = job.start(), 0
    for size in sorted(sizes):
        while process.poll() is None and job.size() < size:
            time.sleep(0.002)
        process.send_signal(signal.SIGSTOP)  # so that it does not end before one is killed
        below = alive(descendants(process.pid))
        if below:
            os.kill(source.choice(below), signal.SIGKILL)
            killed += 1
        process.send_signal(signal.SIGCONT)
    _, words = process.communicate()
    return process.returncode, words, killed


def interrupt(job: Job, size: int) -> tuple[int, str, float]:
    """Press Ctrl-C when results are ``size`` bytes long; return exit code, words and seconds."""
    # Where this program was started in the background it ignores Ctrl-C, and so would the run.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    size = max(size, job.size() + 1)  # not before it has begun to work
    process = job.start()
    while process.poll() is None and job.size() < size:
        time.sleep(0.002)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, words = process.communicate()
    return process.returncode, words, time.monotonic() - start


class SmallDisk:
    """A file system of a few kilobytes; a context manager. OSError where none can be mounted."""

    def __init__(self, place: Path, size: int) -> None:
        self.place, self.size = place, size

    def __enter__(self) -> SmallDisk:
        self.place.mkdir(parents=True, exist_ok=True)
        self._mount(f"size={self.size}")
        return self

    def grow(self, size: int) -> None:
        """Make room."""
        self._mount(f"remount,size={size}")

    def _mount(self, options: str) -> None:
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(self.place)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise OSError(done.stderr.strip())

    def __exit__(self, *_: object) -> None:
        subprocess.run(["umount", str(self.place)], check=True)
