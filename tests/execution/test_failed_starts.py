"""Supervisors that cannot start: the pool tries again, and reports an infrastructure error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

BEGIN = """
import os, resource, signal, threading, time
from evalplus_lite.errors import InfrastructureError
from evalplus_lite.execution.base import Call
from evalplus_lite.execution.processes import Processes

def limit(kind, soft):
    resource.setrlimit(kind, (soft, resource.getrlimit(kind)[1]))

def submit(backend):
    return backend.submit(Call("support.work:doubling"), 21, then=lambda row: row)

hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
"""
FILES = """
# Room for the shared data and the pool's own descriptors, but not for a socket to a process.
os.close(backend_first := os.open(os.devnull, os.O_RDONLY))
limit(resource.RLIMIT_NOFILE, backend_first + 4)
"""
PROCESSES = """
# Room for the main thread and the pool's, but not for a process; does not apply to root.
os.setresuid(1_234_567, 1_234_567, 1_234_567)
limit(resource.RLIMIT_NPROC, 2)
"""
THREADS = """
# Room for the main thread alone; does not apply to root.
if os.geteuid() == 0:
    os.setresuid(1_234_567, 1_234_567, 1_234_567)
limit(resource.RLIMIT_NPROC, 1)
try:
    Processes(1).__enter__()
except InfrastructureError as error:
    print(error)
"""
FAIL = """
with Processes(1) as backend:
    for _ in range(2):
        try:
            submit(backend).result(30)
        except InfrastructureError as error:
            print(error)
"""
RECOVER = """
with Processes(1) as backend:
    future = submit(backend)
    threading.Timer(0.3, limit, (resource.RLIMIT_NOFILE, hard)).start()
    print(future.result(60))
"""
LOSE = """
with Processes(2) as backend:
    submit(backend).result(60)
    while len(backend.pids) < 2:
        time.sleep(0.01)
    slow = Call("support.work:doubling", {7: "sleep long"})
    futures = [backend.submit(slow, 7, then=lambda row: row) for _ in range(2)]
    limit(resource.RLIMIT_NOFILE, 3)
    os.kill(backend.pids[1], signal.SIGKILL)
    print({future.result(60) for future in futures}, len(backend.pids))
"""


def output(*parts: str) -> str:
    """Run a script whose limits prevent its first process, and return its output."""
    folders = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]
    run = subprocess.run(
        [sys.executable, "-c", "".join((BEGIN, *parts))],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
        capture_output=True,
        text=True,
        timeout=90,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.parametrize(
    "cause", [FILES, *([PROCESSES] if os.geteuid() == 0 else [])], ids=lambda text: text[2:10]
)
def test_a_process_that_never_starts_is_an_infrastructure_error(cause: str) -> None:
    """Waiting items fail after some tries, and so do later ones; none waits forever."""
    lines = output(cause, FAIL).splitlines()
    assert len(lines) == 2
    assert all("supervisor processes do not start: " in line for line in lines)


def test_a_process_that_starts_later_does_the_work() -> None:
    """A shortage that ends costs only time."""
    assert output(FILES, RECOVER) == "42\n"


def test_a_process_that_is_left_does_the_work() -> None:
    """Work goes on where a process is left, however often another does not start."""
    assert output(LOSE) == "{14} 1\n"


def test_a_pool_without_a_thread_is_an_infrastructure_error() -> None:
    """It says so as a process that does not start does."""
    assert "supervisor processes do not start: " in output(THREADS)
