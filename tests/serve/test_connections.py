"""Connections: what they wait for, and for how long."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from serve.conftest import Running

from evalplus_lite.serving.server.server import listening
from evalplus_lite.serving.server.settings import ServerSettings

PRINTED = 8 << 20
"""Bytes of an answer: more than the system keeps of what is not read."""
HEAD = b"POST /v1/run HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n"
BODY = b'{"code": "print(\'y\' * %d)"}' % PRINTED
PING = b"GET /v1/ping HTTP/1.1\r\nhost: localhost\r\n\r\n"


@pytest.fixture(scope="module")
def hasty(start: Callable[..., Running]) -> Running:
    """A server that waits for nothing longer than part of a second."""
    seconds = dict.fromkeys(("head_seconds", "body_seconds", "send_seconds", "keep_seconds"), 0.3)
    return start(settings={"workers": 1, "most_output": PRINTED, **seconds})


@contextlib.contextmanager
def connected(server: Running, *, buffer: int | None = None) -> Iterator[socket.socket]:
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


def sockets(server: Running) -> int:
    """Return how many sockets the server has open."""
    folder, count = f"/proc/{server.process.pid}/fd", 0
    for name in os.listdir(folder):
        with contextlib.suppress(FileNotFoundError):
            count += os.readlink(f"{folder}/{name}").startswith("socket:")
    return count


def drip(channel: socket.socket, data: bytes) -> None:
    """Send a byte at a time, until nobody takes them."""

    def send() -> None:
        with contextlib.suppress(OSError):
            for each in data:
                channel.sendall(bytes([each]))
                time.sleep(0.05)

    threading.Thread(target=send, daemon=True).start()


@pytest.mark.parametrize("data", [b"", b"GET /v1/ping HTTP/1.1\r\n" + b"x: y\r\n" * 100])
def test_a_head_that_comes_slowly_ends_the_connection(hasty: Running, data: bytes) -> None:
    """Whether nothing comes, or a byte now and then; also after a request that was answered."""
    for before in (b"", PING):
        with connected(hasty) as channel:
            channel.sendall(before)
            drip(channel, data)
            assert said(channel).count(b"pong") == bool(before)


def test_a_body_that_comes_slowly_is_told_so(hasty: Running) -> None:
    """With 408."""
    with connected(hasty) as channel:
        channel.sendall(HEAD % len(BODY))
        drip(channel, BODY)
        assert said(channel).startswith(b"HTTP/1.1 408")


def test_a_body_that_was_refused_is_not_waited_for(hasty: Running) -> None:
    """However its rest comes."""
    head = PING.replace(b"\r\n\r\n", b"\r\norigin: http://x\r\ncontent-length: 999\r\n\r\n")
    with connected(hasty) as channel:
        channel.sendall(head)
        drip(channel, b"x" * 900)
        assert said(channel).startswith(b"HTTP/1.1 403")


@pytest.mark.parametrize("more", [b"", b"connection: close\r\n"])
def test_an_answer_that_is_not_read_ends_the_connection(hasty: Running, more: bytes) -> None:
    """What waited for it is let go."""
    before = sockets(hasty)
    with connected(hasty, buffer=4096) as channel:
        channel.sendall((HEAD % len(BODY)).replace(b"\r\n\r\n", b"\r\n" + more + b"\r\n") + BODY)
        while sockets(hasty) <= before:  # until it is there
            pass
        deadline = time.monotonic() + 20
        while sockets(hasty) > before:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert 0 < len(said(channel)) < PRINTED


def test_an_answer_that_is_read_slowly_is_whole(hasty: Running) -> None:
    """Though it takes longer than a client may not read."""
    with connected(hasty, buffer=1 << 18) as channel:
        channel.sendall((HEAD % len(BODY)) + BODY)
        assert len(said(channel, pause=0.02)) > PRINTED


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
