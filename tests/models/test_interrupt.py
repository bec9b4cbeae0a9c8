"""Ctrl-C ends a command while a model is asked, however long its server takes."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from support.commands import interruptible

PATIENCE = 60.0
"""Seconds after which a test fails; the server takes longer than that to answer."""


class Hanging(ThreadingHTTPServer):
    """A server that takes every question and answers none until it is closed."""

    daemon_threads = True

    def __init__(self) -> None:
        self.asked, self.closing = threading.Event(), threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                server.asked.set()
                server.closing.wait(10 * PATIENCE)

            def log_message(self, *_: object) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


@pytest.fixture
def server() -> Iterator[Hanging]:
    with Hanging() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.closing.set()
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    "command",
    [
        ["augment", "-n", "5", "-w", "2"],
        ["generate"],
    ],
    ids=lambda command: str(command[0]),
)
def test_ctrl_c_ends_a_command_that_waits_for_a_model(
    server: Hanging, tmp_path: Path, command: list[str]
) -> None:
    """The command ends by itself although no answer comes, and without a traceback."""
    tasks = tmp_path / "tasks.jsonl"
    row = {
        "id": "T/1",
        "prompt": 'def f(x: int) -> int:\n    """Return x + 1."""\n',
        "entry_point": "f",
        "reference": "def f(x):\n    return x + 1\n",
        "inputs": [[1], [2]],
    }
    tasks.write_text(json.dumps(row) + "\n")
    options = [
        "-d",
        str(tasks),
        "--model",
        "m",
        "--base-url",
        server.url,
        "-o",
        str(tmp_path / "o"),
    ]
    variables = {"OPENAI_API_KEY": "none"}
    with interruptible(tmp_path, "", *command, *options, variables=variables) as process:
        assert server.asked.wait(PATIENCE)
        process.send_signal(signal.SIGINT)
        said = "".join(process.communicate(timeout=PATIENCE))
    assert process.returncode == 130, said
    assert "Traceback" not in said
    assert "Exception" not in said
