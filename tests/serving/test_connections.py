"""Connections: how long they stay open, how many there may be, and how a request must end."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from serving.conftest import Running, connected, said

from evalplus_lite.serving.server.server import listening
from evalplus_lite.serving.server.service import ServerSettings

PRINTED = 8 << 20
"""Bytes of an answer: more than the system keeps of what is not read."""
HEAD = b"POST /run_code HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n"
BODY = b'{"language": "python", "code": "print(\'y\' * %d)"}' % PRINTED
PING = b"GET /v1/ping HTTP/1.1\r\nhost: localhost\r\n\r\n"


@pytest.fixture(scope="module")
def hasty(start: Callable[..., Running]) -> Running:
    """A server that waits for nothing longer than part of a second."""
    settings = {"workers": 1, "most_output": PRINTED, "body_seconds": 0.3, "keep_seconds": 1}
    return start(settings=settings)


def drip(channel: socket.socket, data: bytes) -> None:
    """Send a byte at a time, until nobody takes them."""

    def send() -> None:
        with contextlib.suppress(OSError):
            for each in data:
                channel.sendall(bytes([each]))
                time.sleep(0.05)

    threading.Thread(target=send, daemon=True).start()


def test_connections_stay_open_as_long_as_they_are_used(hasty: Running) -> None:
    """A slow body is a 408, an idle one closed; a slow reader gets all."""
    with connected(hasty) as channel:
        channel.sendall(HEAD % len(BODY))
        drip(channel, BODY)
        assert said(channel).startswith(b"HTTP/1.1 408")
    with connected(hasty) as channel:
        channel.sendall(PING)
        assert said(channel).count(b"pong") == 1
    with connected(hasty, buffer=1 << 18) as channel:
        channel.sendall((HEAD % len(BODY)) + BODY)
        assert len(said(channel, pause=0.02)) > PRINTED


@pytest.mark.parametrize("chunked", [b"chunked", b"gzip, chunked", b"identity"])
def test_two_lengths_are_refused(hasty: Running, chunked: bytes) -> None:
    """Content-Length with Transfer-Encoding is a 400, and what follows is not a request."""
    head = b"POST /v1/verify HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4\r\n"
    with connected(hasty) as channel:
        data = head + b"transfer-encoding: " + chunked + b"\r\n\r\n0\r\n\r\n" + PING
        channel.sendall(data)
        answer = said(channel)
        assert answer.startswith((b"HTTP/1.1 400", b"HTTP/1.1 501"))
        assert b"connection: close" in answer.lower()
        assert b"pong" not in answer


def test_few_descriptors_cost_few_lines(start: Callable[..., Running], tmp_path: Path) -> None:
    """Connections above ulimit -n wait; the log stays short, and verdicts go on afterwards."""
    log = tmp_path / "log"
    with log.open("w") as errors:
        server = start("-w", "1", files=320, errors=errors)
        with contextlib.ExitStack() as stack:
            for _ in range(400):
                stack.enter_context(connected(server))
            stop = time.monotonic() + 60
            while not log.stat().st_size:
                assert time.monotonic() < stop
                time.sleep(0.02)
            time.sleep(3)  # asyncio tries again every second
    stop = time.monotonic() + 60
    while server.client.get("/v1/ping").status_code == 503:  # until the others are seen to be gone
        assert time.monotonic() < stop
    text = log.read_text()
    assert "ulimit -n is 320" in text
    assert text.count("\n") <= 3
    body = {"task": "Own/double", "program": "def double(x): return x + x"}
    assert server.client.post("/v1/verify", json=body).json()["verdicts"][0]["passed"] is True


def test_answers_are_sent_at_once() -> None:
    """Not when the client has acknowledged what was sent before (Nagle's algorithm)."""

    async def nodelay() -> int:
        found = asyncio.get_running_loop().create_future()

        def accepted(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            channel: socket.socket = writer.get_extra_info("socket")
            found.set_result(channel.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with listening(ServerSettings(port=0)) as channel:
            async with await asyncio.start_server(accepted, sock=channel):
                with socket.create_connection(channel.getsockname()):
                    return int(await found)

    assert asyncio.run(nodelay()) == 1
