"""Fixtures that any test may use."""

from __future__ import annotations

import json
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from evalplus_lite import Dataset, Session, load_dataset
from evalplus_lite.execution.processes import Processes
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.tasks.published.base_cases import with_base_cases

pytest_plugins = ["support.skips"]

ROOT = Path(__file__).resolve().parents[1]
# On a busy machine an example takes any time: that says nothing about the code.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and samples that is not part of this repository."""
    folder = Path(os.environ.get("EVALPLUS_LITE_SHARED", ROOT.parent / "shared"))
    if not (folder / "datasets").is_dir():
        pytest.skip("needs real data: set EVALPLUS_LITE_SHARED to the folder that holds datasets/")
    return folder


@pytest.fixture(scope="session")
def mbpp_plus(shared: Path) -> Dataset:
    """MBPP+ as published."""
    return load_dataset(shared / "datasets" / "MbppPlus.jsonl.gz")


@pytest.fixture(scope="session")
def humaneval() -> Dataset:
    """HumanEval with its base inputs."""
    with Processes(2) as pool:
        return with_base_cases(load_dataset("humaneval"), pool)


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """A sandbox of the strongest tier that this machine holds, kept for the whole session."""
    with Sandbox() as found:
        yield found


@pytest.fixture(scope="session")
def session() -> Iterator[Session]:
    """A session of one worker that keeps nothing in a cache."""
    with Session(workers=1, cache=False) as found:
        yield found


@dataclass
class Answer:
    """What the model server says once: a JSON-ready body, or bytes as they are."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    is_held: bool = False
    """Say nothing until the test ends."""


class ModelServer:
    """A real HTTP server that speaks the OpenAI protocol and says what a test tells it to.

    ``answers`` are given in turn, the last one for ever; one may be a function of the request's
    body. ``asked`` holds the bodies received, ``paths`` and ``headers`` what came with them.
    """

    def __init__(self) -> None:
        self.answers: deque[Answer | Callable[[dict[str, Any]], Answer]] = deque()
        self.asked: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.ended = threading.Event()
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self.say(Answer({"object": "list", "data": [{"id": "tiny", "object": "model"}]}))

            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                headers = {name.lower(): value for name, value in self.headers.items()}
                self.say(server.take(self.path, headers, self.rfile.read(length)))

            def say(self, answer: Answer) -> None:
                if answer.is_held:
                    server.ended.wait(30)
                    return
                body = answer.body
                data = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(answer.status)
                for name, value in {"Content-Type": "application/json", **answer.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def take(self, path: str, headers: dict[str, str], body: bytes) -> Answer:
        with self._lock:
            asked = json.loads(body)
            self.asked.append(asked)
            self.paths.append(path)
            self.headers.append(headers)
            answer = self.answers.popleft() if len(self.answers) > 1 else self.answers[0]
        return answer(asked) if callable(answer) else answer

    def says(self, *texts: str) -> None:
        """Answer with these texts in turn."""
        self.answers.extend(self.chat(text) for text in texts)

    def fails(self, status: int, message: str, code: str | None = None) -> None:
        """Answer with an error; a retry need not wait."""
        self.answers.append(self.error(status, message, code))

    @staticmethod
    def error(status: int, message: str, code: str | None = None) -> Answer:
        """Return an error in the protocol's form."""
        about = {"message": message, "code": code, "type": "error", "param": None}
        return Answer({"error": about}, status, {"retry-after-ms": "1"})

    @staticmethod
    def chat(text: str, finish: str = "stop", refusal: str | None = None) -> Answer:
        """Return an answer in the protocol's form, for the chat and the completion endpoint."""
        message = {"role": "assistant", "content": text, "refusal": refusal}
        return Answer(
            {
                "id": "1",
                "object": "chat.completion",
                "created": 1,
                "model": "tiny-1",
                "choices": [
                    {"index": 0, "message": message, "text": text, "finish_reason": finish}
                ],
                "usage": {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12},
            }
        )

    def close(self) -> None:
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """A model server of this test's own, on this machine."""
    server = ModelServer()
    yield server
    server.close()
