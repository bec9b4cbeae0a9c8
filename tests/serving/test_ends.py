"""Processes that end: a worker, the server in good order, the server without warning."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from serving.conftest import Running
from support.commands import alive, descendants

RIGHT = "def double(x): return x + x"
LATE = "def double(x):\n    while True: pass"


def children(pid: int) -> list[int]:
    """Return the processes that a process started."""
    paths = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for path in paths for child in path.read_text().split()]


def supervisors(pid: int) -> list[int]:
    """Return the processes of a server that forked workers of ours: its launcher's children."""
    return [each for launcher in children(pid) for each in children(launcher)]


def running(server: Running) -> bool:
    """Return whether programs are at the workers; there may be no worker at the moment."""
    return bool(server.client.get("/healthz").json().get("running"))


def wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(600):
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("it does not happen")


class Asking(threading.Thread):
    """Asks for a verdict that takes a while; ``status`` and ``body`` are the answer."""

    def __init__(self, server: Running, programs: list[str], seconds: float) -> None:
        super().__init__()
        self.server, self.programs, self.seconds = server, programs, seconds
        self.response: httpx.Response | None = None
        self.start()

    def run(self) -> None:
        body: dict[str, Any] = {"task": "Own/double", "programs": self.programs}
        body["limits"] = {"seconds": self.seconds}
        with (
            httpx.Client(base_url=self.server.url, timeout=60) as client,
            contextlib.suppress(httpx.TransportError),
        ):
            self.response = client.post("/v1/verify", json=body)


def test_a_worker_is_killed_and_then_the_server_is_told_to_end(
    start: Callable[..., Running],
) -> None:
    """What a worker that is killed worked on is done again, and no program's failure; if it is so
    each time, there is no verdict. After SIGTERM
    the answers that are due are given; the exit status is 0, and nothing is left."""
    server = start("-w", "2")
    asking = Asking(server, [LATE, RIGHT] * 4, 0.2)
    wait_until(lambda: running(server))
    os.kill(supervisors(server.process.pid)[0], signal.SIGKILL)
    asking.join()
    rows = asking.response.json()["verdicts"]
    assert [row["base"] for row in rows] == ["timeout", "pass"] * 4
    assert "evalplus_lite_worker_restarts 1.0" in server.client.get("/metrics").text

    asking = Asking(server, [LATE], 30.0)
    while asking.is_alive():  # each that takes the program up
        if running(server):
            for pid in supervisors(server.process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)
    assert asking.response.status_code == 503
    assert asking.response.json()["error"]["kind"] == "infrastructure"

    asking = Asking(server, [LATE, RIGHT] * 2, 0.4)
    wait_until(lambda: running(server))
    others = descendants(server.process.pid)
    server.client.close()
    server.process.terminate()
    asking.join()
    rows = asking.response.json()["verdicts"]
    assert [row["base"] for row in rows] == ["timeout", "pass"] * 2
    assert server.process.wait(20) == 0
    wait_until(lambda: not alive(others))


def test_what_is_not_done_in_time_is_no_verdict(start: Callable[..., Running]) -> None:
    """An answer that is due when the time to end is over is a 503, as all that is ours."""
    server = start("-w", "1", "--drain", "1")
    asking = Asking(server, [LATE], 30.0)
    wait_until(lambda: running(server))
    server.client.close()
    server.process.terminate()
    asking.join()
    assert asking.response.status_code == 503
    assert asking.response.json()["error"]["kind"] == "infrastructure"
    assert server.process.wait(20) == 0


def test_nothing_outlives_a_server_that_is_killed(start: Callable[..., Running]) -> None:
    """Its workers, and programs in them, end with it; who waits for an answer learns of it."""
    server = start("-w", "1")
    asking = Asking(server, [LATE], 30.0)
    wait_until(lambda: running(server))
    others = descendants(server.process.pid)
    assert others
    server.process.kill()
    asking.join()
    assert asking.response is None
    wait_until(lambda: not alive(others))
