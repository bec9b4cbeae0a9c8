"""Whoever dies, the rest goes with it: no process of a tier outlives its supervisor or worker."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from support.commands import alive
from support.faults import children

from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox, SandboxConfig, Tier
from evalplus_lite.sandbox.probe import examine
from evalplus_lite.types import TimedOut

PROJECT = Path(__file__).resolve().parents[2]
SPIN = """
import ctypes, signal
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)  # no signal when the parent dies

def f(x):
    while True:
        pass
"""
SUPERVISOR = """
import os, sys, threading
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox, SandboxConfig
sandbox = Sandbox(SandboxConfig(tier=sys.argv[1]))
with sandbox:
    print(sandbox._worker.pid, flush=True)
    sandbox.run(Program(sys.argv[2], "f"), Inputs.of([(1,)]), Limits(cpu=60.0))
"""
TIERS: tuple[Tier, ...] = ("namespaces", "landlock")
PATIENCE = 20


@pytest.fixture(params=TIERS)
def tier(request: pytest.FixtureRequest) -> Tier:
    """A tier that holds here."""
    if not examine(request.param).holds:
        pytest.skip(f"{request.param} does not hold here")
    return request.param


def wait_for_child(pid: int) -> int:
    """Return the pid of the program that a worker has started, once it spins."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        for child in children(pid):
            if int(Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()[11]) > 5:
                return child
        time.sleep(0.01)
    raise AssertionError("no program was started")


def is_gone_soon(pid: int) -> bool:
    """Whether a process ends within a generous while."""
    with contextlib.suppress(ProcessLookupError):
        handle = os.pidfd_open(pid)
        select.select([handle], [], [], PATIENCE)
        os.close(handle)
    return not alive([pid])


def test_supervisor_killed(tier: Tier) -> None:
    """When the supervisor is killed, its worker and the program in it go too."""
    supervisor = subprocess.Popen(
        [sys.executable, "-c", SUPERVISOR, tier, SPIN],
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert supervisor.stdout is not None
    try:
        worker = int(supervisor.stdout.readline())
        program = wait_for_child(worker)
    finally:
        supervisor.kill()
        supervisor.wait()
        supervisor.stdout.close()
    assert is_gone_soon(worker)
    assert is_gone_soon(program)


def test_worker_killed(tier: Tier) -> None:
    """When a worker is killed, the program in it goes too, and is judged by another worker."""
    killed: list[int] = []

    def kill(worker: int) -> None:
        killed.append(wait_for_child(worker))
        os.kill(worker, signal.SIGKILL)

    with Sandbox(SandboxConfig(tier=tier)) as sandbox:
        assert sandbox._worker is not None
        thread = threading.Thread(target=kill, args=(sandbox._worker.pid,))
        thread.start()
        run = sandbox.run(Program(SPIN, "f"), Inputs.of([(1,)]), Limits(cpu=1.0))
        thread.join()
    assert isinstance(run.outcomes[0], TimedOut)
    assert is_gone_soon(killed[0])


def test_closing_ends_everything(tier: Tier) -> None:
    """A sandbox that is closed leaves no process."""
    with Sandbox(SandboxConfig(tier=tier)) as sandbox:
        sandbox.run(Program("def f(x): return x", "f"), Inputs.of([(1,)]))
        assert sandbox._worker is not None
        pids = {sandbox._worker.pid, sandbox._worker.process.pid}
    assert all(is_gone_soon(pid) for pid in pids)
