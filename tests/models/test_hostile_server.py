"""A model's server may send anything: an answer costs what its bounds say, and one clear error."""

from __future__ import annotations

import contextlib
import json
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from support.commands import captured, environment, interruptible, run, write_rows

from evalplus_lite.errors import LLMError
from evalplus_lite.models import Client, Message, Request, ServerError
from evalplus_lite.models.connection import Aborted

Write = Callable[[bytes], None]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


def choice(**changes: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": "x = 1"}, "finish_reason": "stop", **changes}]}


def body(data: bytes, head: bytes = HEAD) -> bytes:
    return head + b"Content-Length: %d\r\n\r\n" % len(data) + data


def as_json(value: Any) -> bytes:
    return body(json.dumps(value).encode())


def for_ever(piece: bytes, *, pause: float = 0.0) -> Callable[[Write], None]:
    def write(send: Write) -> None:
        while True:
            send(piece)
            time.sleep(pause)

    return write


def after(head: bytes, then: Callable[[Write], None]) -> Callable[[Write], None]:
    def write(send: Write) -> None:
        send(head)
        then(send)

    return write


BOMB = zlib.compressobj(9, zlib.DEFLATED, 31)
PACKED = BOMB.compress(b" " * (64 << 20)) + BOMB.flush()
SPACES = b"100000\r\n" + b" " * (1 << 20) + b"\r\n"

BAD: dict[str, bytes | Callable[[Write], None]] = {
    "deep list": body(b'{"choices":' + b"[" * 200_000 + b"]" * 200_000 + b"}"),
    "deep object": body(b'{"a":' * 300 + b"1" + b"}" * 300),
    "wide": body(b'{"choices": [' + b"[]," * 2_000_000 + b"[]]}"),
    "long integer": body(b'{"choices": ' + b"9" * 2_000_000 + b"}"),
    "long text": as_json(choice(message={"content": "x" * (3 << 20)})),
    "too long": as_json(choice(message={"content": "x" * (20 << 20)})),
    "endless": after(CHUNKED, for_ever(SPACES)),
    "drip": after(CHUNKED, for_ever(b"1\r\n \r\n", pause=0.05)),
    "drip of headers": after(b"HTTP/1.1 200 OK\r\nX: ", for_ever(b"x", pause=0.05)),
    "drip of lines": after(b"HTTP/1.1 200 OK\r\n", for_ever(b"X: y\r\n", pause=0.05)),
    "silence": for_ever(b"", pause=0.2),
    "huge headers": b"HTTP/1.1 200 OK\r\n" + b"X: " + b"y" * (4 << 20) + b"\r\n\r\n{}",
    "packed": body(PACKED, HEAD + b"Content-Encoding: gzip\r\n"),
    "chunked nonsense": CHUNKED + b"zz\r\nhello\r\n",
    "cut": HEAD + b"Content-Length: 1000\r\n\r\n{",
    "nonsense": b"\x00\xff" * 1000,
    "null": body(b"null"),
    "a list": body(b"[[[]]]"),
    "not UTF-8": body(b'{"choices": "\xff\xfe"}'),
    "a page": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi",
    "choices": as_json({"choices": {"0": 1}}),
    "choice": as_json({"choices": ["x"], "usage": []}),
    "content": as_json(choice(message={"content": {"a": [1]}})),
    "content of parts": as_json(choice(message={"content": [{"text": 1}]})),
}
ODD: dict[str, dict[str, Any]] = {
    "usage is a list": {"usage": [1, 2]},
    "usage of lists": {"usage": {"prompt_tokens": [1], "completion_tokens": {"a": 1}}},
    "usage of texts": {"usage": {"prompt_tokens": "x", "completion_tokens": "7"}},
    "usage without end": {"usage": {"prompt_tokens": 1e400, "completion_tokens": float("nan")}},
    "usage of a huge number": {"usage": {"prompt_tokens": 10**4000, "completion_tokens": -5}},
    "model is a list": {"model": ["x"] * 1000},
    "model is long": {"model": "x" * 100_000},
    "ended by a list": choice(finish_reason=["stop"]),
    "refusal is empty": choice(message={"content": "x = 1", "refusal": []}),
    "text in parts": choice(message={"content": [{"type": "text", "text": "x = "}, "1"]}),
}


class Handler(BaseHTTPRequestHandler):
    """Answers every question with the bytes of the server's ``answer``."""

    def do_GET(self) -> None:
        self.wfile.write(b"HTTP/1.0 404 No\r\n\r\n")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        server: Any = self.server
        server.asked += 1
        answer = server.answer(server.asked) if server.by_turn else server.answer
        with contextlib.suppress(OSError):
            self.wfile.write(answer) if isinstance(answer, bytes) else answer(self.send)
        self.close_connection = True

    def send(self, piece: bytes) -> None:
        if getattr(self.server, "is_ended", False):
            raise BrokenPipeError
        self.wfile.write(piece)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A server that writes what a test gives it, byte for byte."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    found: Any = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.daemon_threads, found.asked, found.by_turn = True, 0, False
    found.url = f"http://127.0.0.1:{found.server_port}/v1"
    thread = threading.Thread(target=found.serve_forever, args=(0.01,))
    thread.start()
    yield found
    found.is_ended = True
    found.shutdown()
    thread.join()
    found.server_close()


def ask(server: Any, source: Client | None = None, *, timeout: float = 1.0) -> Any:
    source = source or Client("tiny", base_url=server.url, retries=0, timeout=timeout)
    return source.ask(Request(model="tiny", messages=(Message("user", "hi"),)))


@pytest.mark.parametrize("name", BAD)
def test_a_bad_answer_is_one_failed_request(server: Any, name: str) -> None:
    """Whatever it is, it is told in one short line, and the memory it takes is bounded."""
    server.answer = BAD[name]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ServerError) as caught:
        ask(server)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10  # KiB
    told = str(caught.value)
    assert server.url in told
    assert "\n" not in told
    assert len(told) < 600


@pytest.mark.parametrize("name", ODD)
def test_odd_fields_beside_a_text_do_no_harm(server: Any, name: str) -> None:
    """What is not needed may be of any type: the text counts, and numbers are numbers."""
    server.answer = as_json({**choice(), **ODD[name]})
    reply = ask(server, timeout=20.0)
    assert reply.text == "x = 1"
    assert (reply.finish, reply.refusal) == ("stop", None)
    assert len(reply.model) <= 200
    assert 0 <= reply.prompt_tokens < 1 << 53
    assert 0 <= reply.completion_tokens < 1 << 53


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirection_is_not_followed(server: Any, status: int) -> None:
    """The key and the tasks go to the server that was named and to no other."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        other.settimeout(0.2)
        place = f"http://127.0.0.1:{other.getsockname()[1]}/v1"
        server.answer = f"HTTP/1.1 {status} Go\r\nLocation: {place}\r\n\r\n".encode()
        with pytest.raises(LLMError, match="redirect"):
            ask(server, timeout=20.0)
        with pytest.raises(TimeoutError):
            other.accept()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file of twelve tasks."""
    task = {"prompt": "", "entry_point": "f", "reference": "def f(x): return x", "inputs": [[1]]}
    write_rows(tmp_path / "tasks.jsonl", [{**task, "id": f"A/{n}"} for n in range(12)])
    return tmp_path


def generate(server: Any, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = ["generate", "-d", "tasks.jsonl", "-m", "tiny", "--base-url", server.url]
    return run(*command, "-o", "out", "--concurrency", "1", *options, folder=folder)


def test_generate_goes_on_after_a_failed_request(server: Any, folder: Path) -> None:
    """One bad answer costs one sample: the others are drawn, the code is 1, a rerun draws it."""
    good, bad = as_json(choice(message={"content": "def f(x): return x"})), BAD["deep list"]
    server.by_turn, server.answer = True, lambda turn: bad if turn in (3, 4) else good
    first = generate(server, folder, "--json")
    assert first.returncode == 1
    counts = json.loads(first.stdout)
    assert (counts["new"], counts["rows"], counts["failed"]) == (10, 10, 2)
    second = generate(server, folder)
    assert second.returncode == 0
    assert "2 new samples, 12 in all" in second.stdout
    assert "Usage" not in second.stdout


def test_generate_gives_up_on_a_server_that_only_fails(server: Any, folder: Path) -> None:
    """A server without one usable answer ends the run, with the code for servers."""
    server.answer = BAD["deep list"]
    done = generate(server, folder)
    assert done.returncode == 4
    assert server.asked < 12
    assert len(done.stderr.splitlines()[-1]) < 1000


def test_generate_skips_what_is_too_long_and_names_it(model_server: Any, folder: Path) -> None:
    """A task that exceeds the context is skipped and named, and ends no run."""
    options = ("--concurrency", "1")
    words = "the request exceeds the available context size. try increasing the context size"
    model_server.says("def f(x): return x")
    model_server.fails(400, words, "exceed_context_size_error")
    model_server.says("def f(x): return x")
    first = generate(model_server, folder, *options)
    assert first.returncode == 1
    assert "11 new samples, 11 in all" in first.stdout
    assert "skipped, too long for the model: A/1 (" in first.stdout
    model_server.answers.clear()
    model_server.fails(400, words, "exceed_context_size_error")
    every = generate(model_server, folder, "--force", *options)
    assert every.returncode == 1
    assert "0 new samples, 0 in all" in every.stdout
    assert len(model_server.asked) == 24


def test_generate_keeps_what_it_has_when_the_server_ends(server: Any, folder: Path) -> None:
    """A server that dies midway, as one out of memory does, ends the run and loses no sample."""
    good = as_json(choice(message={"content": "def f(x): return x"}))
    server.by_turn = True

    def answer(turn: int) -> bytes:
        if turn <= 4:
            return good
        server.shutdown()
        server.server_close()
        return b""  # the connection drops in the middle of a request

    server.answer = answer
    done = generate(server, folder)
    assert done.returncode == 4
    (line,) = [line for line in done.stderr.splitlines() if "cannot reach" in line]
    assert "any more" in line
    assert "4 of 12 samples are saved in" in line
    assert len((folder / "out" / "samples.jsonl").read_text().splitlines()) == 4


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"finish_reason": "length"}, "cut"),
        ({"message": {"content": ""}}, "empty"),
        ({"message": {"content": None}}, "empty"),
        ({"message": {"content": "", "refusal": "no"}}, "refused"),
    ],
)
def test_generate_tells_answers_that_are_no_use(
    server: Any, folder: Path, changes: dict[str, Any], what: str
) -> None:
    """Answers that are all cut off, empty or refused are counted as such, and the code is 1."""
    server.answer = as_json(choice(**changes))
    done = generate(server, folder, "--json")
    assert done.returncode == 1
    counts = json.loads(done.stdout)
    assert (counts[what], counts["rows"], counts["usable"]) == (12, 12, 0)
    assert re.search("12 of 12 answers", generate(server, folder).stdout)


def test_a_terminal_is_safe_from_a_server(server: Any, folder: Path) -> None:
    """A server's message reaches the screen as letters."""
    said = json.dumps({"error": {"message": "\x1b]0;owned\x07\x1b[31mbad\u202e\nline2"}}).encode()
    server.answer = body(said, b"HTTP/1.1 401 No\r\nContent-Type: application/json\r\n")
    done = generate(server, folder)
    assert done.returncode == 4
    assert "owned" in done.stderr
    assert done.stderr.replace("\n", "").isprintable()


@pytest.mark.parametrize("command", [("generate",), ("augment", "-n", "5", "-w", "2")])
def test_an_interrupt_ends_what_waits_for_an_answer(
    server: Any, folder: Path, command: tuple[str, ...]
) -> None:
    """Ctrl-C ends the command, without a traceback, although the server holds its answers."""
    server.answer = BAD["silence"]
    options = ("-d", "tasks.jsonl", "-m", "tiny", "--base-url", server.url, "-o", "out")
    with interruptible(folder, "", *command, *options) as process:
        while not server.asked:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        said = "".join(process.communicate(timeout=60))  # the time-out of an answer is 300
    assert process.returncode == 130, said
    assert "Traceback" not in said
    assert "Exception" not in said


def test_an_interrupt_ends_what_a_failed_request_left(server: Any) -> None:
    """After an error what is under way is waited for, but not against the user's will."""
    server.answer = BAD["silence"]
    main, endings, is_over = threading.get_ident(), [], threading.Event()

    def press() -> None:
        time.sleep(0.1)
        signal.pthread_kill(main, signal.SIGINT)

    def work(item: int) -> None:
        if item == 0:
            while not server.asked:
                time.sleep(0.01)
            threading.Thread(target=press).start()
            raise ValueError
        try:
            ask(server, source)
        except BaseException as error:
            endings.append(type(error))
            is_over.set()
            raise

    source = Client("tiny", base_url=server.url, retries=0, timeout=20.0)
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            list(source.each(work, range(2)))
    finally:
        signal.signal(signal.SIGINT, former)
    assert is_over.wait(60)
    assert endings == [Aborted]


def test_a_wait_is_told(server: Any, folder: Path) -> None:
    """While a server is silent the user is told what is waited for."""
    server.answer = BAD["silence"]
    code = (
        "from evalplus_lite.cli import console\nconsole.QUIET_SECONDS = 0.2\n"
        "with console.Screen() as screen, screen.waiting('an answer', seconds=0.2):\n"
        "    import time; time.sleep(1)\n"
    )
    done = captured([sys.executable, "-c", code], env=environment(folder))
    assert re.search(r"waiting \d+ s for an answer", done.stderr)
