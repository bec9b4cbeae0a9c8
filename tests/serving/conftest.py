"""A real server, as the command starts it, and a client of it."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import httpx
import pytest
from support.commands import write_rows

ROOT = Path(__file__).resolve().parents[2]
TASKS = (
    {
        "id": "Own/double",
        "prompt": "Return twice the number.",
        "entry_point": "double",
        "reference": "def double(x): return 2 * x",
        "inputs": [[1], [2], [30]],
    },
    {
        "id": "Own/sum",
        "prompt": "Print the sum of two numbers.",
        "harness": "script",
        "inputs": ["1 2\n", "40 2\n"],
        "outputs": ["3\n", "42\n"],
    },
    {"id": "Own/blind", "prompt": "", "entry_point": "g", "reference": "def g(x): return 1 / 0",
     "inputs": [[1]]},
)  # fmt: skip

WITH_SETTINGS = """
from evalplus_lite.serving.server.server import serve
from evalplus_lite.serving.server.service import ServerSettings
if __name__ == "__main__":
    serve(ServerSettings(port=0, **{}), on_ready=lambda url, _: print(url, flush=True))
"""


@dataclass
class Running:
    """A server process, where it answers, and a client that speaks to it."""

    process: subprocess.Popen[str]
    url: str
    client: httpx.Client

    @property
    def port(self) -> int:
        return httpx.URL(self.url).port or 0


@contextlib.contextmanager
def connected(server: Running, *, buffer: int | None = None) -> Iterator[socket.socket]:
    """Yield a connection, which keeps ``buffer`` bytes of what is not read."""
    with socket.socket() as channel:
        if buffer is not None:
            channel.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        channel.settimeout(20)
        channel.connect(("127.0.0.1", server.port))
        yield channel


def said(channel: socket.socket, *, pause: float = 0.0) -> bytes:
    """Return all that the server says until it closes the connection."""
    parts = []
    with contextlib.suppress(ConnectionResetError):
        while part := channel.recv(1 << 20):
            parts.append(part)
            time.sleep(pause)
    return b"".join(parts)


@pytest.fixture(scope="session")
def tasks_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_rows(tmp_path_factory.mktemp("tasks") / "tasks.jsonl", TASKS)


@pytest.fixture(scope="session")
def start(tasks_file: Path) -> Iterator[Callable[..., Running]]:
    """Starts servers, which are ended with the session."""
    found: list[Running] = []

    def begin(
        *options: str,
        token: str = "",
        environment: dict[str, str] | None = None,
        settings: dict[str, Any] | None = None,
        files: int | None = None,
        errors: IO[str] | None = None,
    ) -> Running:
        command = [sys.executable, "-m", "evalplus_lite", "serve", "--port", "0", "-d"]
        command += [str(tasks_file), *options]
        if settings is not None:  # such as no option gives
            command = [sys.executable, "-c", WITH_SETTINGS.format(settings)]
        if files is not None:
            command = ["bash", "-c", f'ulimit -n {files}; exec "$@"', "bash", *command]
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **(environment or {})},
            stdout=subprocess.PIPE,
            stderr=errors or subprocess.PIPE,
            text=True,
        )
        line = process.stdout.readline()
        if not line:
            _, complaint = process.communicate()
            pytest.fail(f"no server: {complaint}")
        url = next(word for word in line.split() if word.startswith("http"))
        headers = {"authorization": f"Bearer {token}"} if token else {}
        running = Running(process, url, httpx.Client(base_url=url, headers=headers, timeout=30))
        found.append(running)
        return running

    yield begin
    for each in found:
        each.client.close()
        if each.process.poll() is None:
            each.process.terminate()
    for each in found:
        each.process.communicate(timeout=20)


@pytest.fixture(scope="session")
def server(start: Callable[..., Running], tmp_path_factory: pytest.TempPathFactory) -> Running:
    """A server that keeps verdicts, for all tests that leave it as it is."""
    return start("-w", "2", "--store", str(tmp_path_factory.mktemp("store")))
