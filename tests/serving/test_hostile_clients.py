"""Clients that are slow, many, greedy or broken: they get an answer or an end, others a verdict."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from serving.conftest import Running, connected, said
from starlette.responses import Response

from evalplus_lite.errors import InputError
from evalplus_lite.serving.server.guard import Guard
from evalplus_lite.serving.server.metrics import Metrics
from evalplus_lite.serving.server.queue import Busy, FairQueue
from evalplus_lite.serving.server.service import ServerSettings, Service, read_tokens

RIGHT = {"task": "Own/double", "program": "def double(x): return x + x"}
TOKEN = "0123456789abcdef-token"
SLOW = "def double(x):\n    while True: pass"


def judges(server: Running) -> bool:
    """Return whether the server gives a right program its verdict."""
    response = server.client.post("/v1/verify", json=RIGHT)
    return response.status_code == 200 and response.json()["verdicts"][0]["passed"] is True


@pytest.fixture(scope="module")
def small(start: Callable[..., Running]) -> Running:
    """A server of one worker with low bounds, so that they are reached soon."""
    return start("-w", "1", "--queue", "4", "--batch", "8", "--max-body", "1",
                 "--connections", "32")  # fmt: skip


@pytest.fixture(scope="module")
def locked(start: Callable[..., Running]) -> Running:
    """A server that other machines could reach, and that wants a token."""
    environment = {"EVALPLUS_LITE_TOKEN": TOKEN}
    return start("-w", "1", "--host", "0.0.0.0", environment=environment, token=TOKEN)


class TestBroken:
    """What is no request of HTTP, or none of ours."""

    @pytest.mark.parametrize(
        "data",
        [
            b"\x00\x01\x02\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
            b"POST /v1/verify HTTP/1.1\r\nhost: localhost\r\ncontent-length: -4\r\n\r\n",
            b"POST /v1/verify HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4\r\n"
            b"content-length: 5\r\n\r\nabcd",
            b"POST /v1/verify HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n"
            b"zz\r\nabc\r\n",
            b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: " + b"y" * (2 << 20) + b"\r\n\r\n",
        ],
    )
    def test_malformed(self, server: Running, data: bytes) -> None:
        """A 4xx or an end, and no harm to others."""
        with connected(server) as channel:
            # It may end before it has read all: a write or a close then meets no connection.
            with contextlib.suppress(OSError):
                channel.sendall(data)
                channel.shutdown(socket.SHUT_WR)
            assert said(channel)[:10] in (b"", b"HTTP/1.1 4")
        assert judges(server)

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"{",
            b"\xff\xfe",
            b"[" * 100_000,
            b'{"a":' * 50_000,
            b'{"task": "\\ud800", "program": "x"}',
            b'{"task": "Own/double", "program": ' + b"9" * 20_000 + b"}",
            b"null",
        ],
    )
    @pytest.mark.parametrize("path", ["/v1/verify", "/run_code", "/test_program", "/verify"])
    def test_bodies_that_are_none(self, server: Running, body: bytes, path: str) -> None:
        """Refused as mistakes, whatever they hold."""
        response = server.client.post(path, content=body)
        assert response.status_code == 422
        assert response.json()["error"]["kind"] == "input"

    def test_requests_that_are_none(self, server: Running) -> None:
        """Broken off, compressed, of another method or path: said, and nothing is left behind."""
        head = b"POST /v1/verify HTTP/1.1\r\nhost: localhost\r\ncontent-length: 999\r\n\r\n{"
        for end in (7, len(head)):
            with connected(server) as channel:
                channel.sendall(head[:end])
        assert judges(server)
        data, head = gzip.compress(json.dumps(RIGHT).encode()), {"content-encoding": "gzip"}
        response = server.client.post("/v1/verify", content=data, headers=head)
        assert response.status_code == 415
        assert server.client.get("/v1/verify").status_code == 405
        assert server.client.post("/../etc/passwd").status_code == 404


class TestGreedy:
    """More than there is room for."""

    def test_too_large_a_body(self, small: Running) -> None:
        """By what is announced, what comes or its values: refused so that the client hears it."""
        text = b"x" * (2 << 20)
        response = small.client.post("/v1/verify", content=text)
        assert response.status_code == 413

        def parts() -> Iterator[bytes]:
            yield from [b"x" * 65_536] * 32

        assert small.client.post("/v1/verify", content=parts()).status_code == 413
        assert small.client.post("/healthz", content=text[: 1 << 17]).status_code == 413
        assert (
            'requests_total{endpoint="refused",status="413"} 3' in small.client.get("/metrics").text
        )
        assert judges(small)
        head = b"POST /v1/verify HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n"
        head += b"content-length: %d\r\n"  # as urllib asks
        part = b"x" * (1 << 20)
        with connected(small) as channel:
            channel.sendall(head % (3 << 20) + b"\r\n")
            for _ in range(3):
                channel.sendall(part)  # fails once the server has closed the connection
                time.sleep(0.2)
            assert channel.recv(12) == b"HTTP/1.1 413"
        with connected(small) as channel, contextlib.suppress(OSError):
            channel.sendall(head % (64 << 20) + b"\r\n")
            for _ in range(64):
                channel.sendall(part)
            pytest.fail("a body of any size is read")
        with connected(small) as channel:
            channel.sendall(head % (3 << 20) + b"expect: 100-continue\r\n\r\n")
            assert channel.recv(12) == b"HTTP/1.1 413"
        assert judges(small)
        text = b'{"task": {"inputs": [' + b"[]," * 40_000 + b"[]]}}"
        assert small.client.post("/v1/verify", content=text).status_code == 413
        assert judges(small)

    def test_too_many_programs(self, small: Running) -> None:
        """Of one request: a mistake. In the queue: to be asked again, and when."""
        body: dict[str, Any] = {"task": "Own/double", "programs": [RIGHT["program"]] * 9}
        assert small.client.post("/v1/verify", json=body).status_code == 422
        body["programs"] = [RIGHT["program"]] * 5  # the queue has 4 places
        assert small.client.post("/v1/verify", json=body).status_code == 422
        slow = {"task": "Own/double", "programs": [SLOW] * 4, "limits": {"seconds": 0.2}}
        many = threading.Thread(target=httpx.post, args=(f"{small.url}/v1/verify",),
                                kwargs={"json": slow, "timeout": 60})  # fmt: skip
        many.start()
        while not small.client.get("/healthz").json()["waiting"]:
            pass
        body["programs"] = [RIGHT["program"]] * 4
        response = small.client.post("/v1/verify", json=body)
        assert response.status_code == 429
        assert int(response.headers["retry-after"]) >= 1
        many.join()
        assert judges(small)

    def test_clients_take_turns(self, small: Running) -> None:
        """Whoever has one program does not wait for all of another client's slow ones."""
        slow = {"task": "Own/double", "programs": [SLOW] * 4, "limits": {"seconds": 0.2}}
        ended: list[str] = []

        def ask(name: str, body: dict[str, Any]) -> None:
            headers = {"x-client-id": name}
            with httpx.Client(base_url=small.url, timeout=60) as client:
                response = client.post("/v1/verify", json=body, headers=headers)
            ended.append(name if response.status_code == 200 else f"{name} {response.text}")

        many = threading.Thread(target=ask, args=("many", slow))
        many.start()
        while not small.client.get("/healthz").json()["waiting"]:
            pass
        ask("one", RIGHT)
        many.join()
        assert ended == ["one", "many"]

    def test_a_queue_that_one_client_fills(self) -> None:
        """Has places for others, fewer for each that takes what it can."""

        async def fill() -> list[int]:
            queue, found = FairQueue(1, 12), []
            queue.add("none", Future[Any])  # at the worker, with all that it may hold ahead
            while not queue.waiting:
                queue.add("none", Future[Any])
            for client in ("greedy", "greedy too", "modest"):
                before = queue.waiting
                with contextlib.suppress(Busy):
                    while True:
                        queue.require_room(client, 1)
                        queue.add(client, Future[Any])
                found.append(queue.waiting - before)
            return found

        assert asyncio.run(fill()) == [6, 3, 1]

    @pytest.mark.parametrize("is_error", [False, True])
    def test_work_that_ends_in_an_error_is_charged(self, is_error: bool) -> None:
        """Whoever has slow tasks without a verdict has no more of the workers than others."""

        async def turns() -> dict[str, float]:
            queue, clock, used = FairQueue(1, 10_000), [0.0], {"slow": 0.0, "fast": 0.0}
            asyncio.get_running_loop().time = lambda: clock[0]  # type: ignore[method-assign]
            begun: deque[tuple[str, Future[Any]]] = deque()

            def begin(client: str) -> Future[Any]:
                begun.append((client, Future()))
                return begun[-1][1]

            waiting = [
                queue.add(client, partial(begin, client)) for _ in range(100) for client in used
            ]
            while used["fast"] < 5:
                client, work = begun.popleft()
                seconds = 10.0 if client == "slow" else 0.1
                clock[0] += seconds
                used[client] += seconds
                if is_error and client == "slow":
                    work.set_exception(InputError("no verdict"))
                else:
                    work.set_result((seconds, {}))
                await asyncio.sleep(0)
                await asyncio.sleep(0)
            for each in waiting:
                each.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
            return used

        assert asyncio.run(turns())["slow"] <= 30

    def test_too_many_connections(self, small: Running) -> None:
        """Are answered with 503; once they are closed, everybody is judged again."""
        with contextlib.ExitStack() as stack:
            for _ in range(40):
                stack.enter_context(connected(small))
            with httpx.Client(base_url=small.url, timeout=60) as client:
                assert client.post("/v1/verify", json=RIGHT).status_code == 503
        for _ in range(500):
            if small.client.get("/v1/ping").status_code == 200:  # they are seen to have gone
                break
            time.sleep(0.02)
        assert judges(small)

    def test_clients_that_go_or_do_not_read(self, small: Running) -> None:
        """What waits for them leaves the queue; they cost others nothing."""
        slow = {"task": "Own/double", "programs": [SLOW] * 4, "limits": {"seconds": 0.4}}
        with (
            httpx.Client(base_url=small.url, timeout=0.3) as client,
            pytest.raises(httpx.ReadTimeout),
        ):
            client.post("/v1/verify", json=slow)
        for _ in range(500):
            if not small.client.get("/healthz").json()["waiting"]:  # it is seen to have gone
                break
            time.sleep(0.02)
        assert judges(small)
        body = b'{"language": "python", "code": "print(\'y\' * 1000000)"}'
        head = b"POST /run_code HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n"
        with connected(small) as channel:
            channel.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            channel.sendall((head % len(body) + body) * 2)
            assert judges(small)


class TestStrangers:
    """Who may ask."""

    def test_who_may_ask(self, locked: Running, server: Running) -> None:
        """By a token; without one, what another site's page may have sent is refused."""
        assert judges(locked)
        with httpx.Client(base_url=locked.url) as stranger:
            assert stranger.get("/healthz").status_code == 200
            for path in ("/metrics", "/openapi.json", "/list_datasets"):
                assert stranger.get(path).status_code == 401
            wrong = {"authorization": f"Bearer {TOKEN}x"}
            assert stranger.post("/v1/verify", json=RIGHT, headers=wrong).status_code == 401
            named = stranger.post("/v1/verify", json=RIGHT, auth=("any", TOKEN))
            assert named.status_code == 200
        names = ("evil.example", "127.evil.example", "127.0.0.1.evil.example", "[::1", "0.0.0.0")
        for headers in ({"origin": "http://evil.example"}, *({"host": name} for name in names)):
            response = server.client.post("/v1/verify", json=RIGHT, headers=headers)
            assert response.status_code == 403
        for name in ("localhost:80", "127.0.0.9", "[::1]:80", ""):
            assert server.client.get("/v1/ping", headers={"host": name}).status_code == 200

    @pytest.mark.parametrize(
        ("tokens", "clients"),
        [((), 2), ((("a" * 16, "one"),), 2), ((("a" * 16, "one"), ("b" * 16, "two")), 1)],
    )
    def test_names_that_clients_give_themselves(
        self, tokens: tuple[tuple[str, str], ...], clients: int
    ) -> None:
        """Tell those of one address or token apart, where no other client is put back by it."""
        found = set()

        async def app(scope: Any, receive: Any, send: Any) -> None:
            found.add(scope["client_name"])
            await Response()(scope, receive, send)

        async def ask() -> None:
            guard = Guard(app, Service(ServerSettings(tokens=tokens)), Metrics())
            transport = httpx.ASGITransport(guard)
            async with httpx.AsyncClient(
                transport=transport, base_url="http://localhost"
            ) as client:
                for name in ("x", "y"):
                    headers = {"authorization": f"Bearer {'a' * 16}", "x-client-id": name}
                    assert (await client.get("/healthy", headers=headers)).status_code == 200

        asyncio.run(ask())
        assert len(found) == clients

    @pytest.mark.parametrize("tokens", [(), (("short", "me"),)])
    def test_no_open_server_without_a_token(self, tokens: tuple[tuple[str, str], ...]) -> None:
        """It does not start, and says what to give; on this machine alone it does."""
        with pytest.raises(InputError, match="token"):
            ServerSettings(host="0.0.0.0", tokens=tokens).check()
        ServerSettings(host="127.0.0.9").check()

    def test_a_file_of_tokens(self, tmp_path: Path) -> None:
        """A line each; a server needs its store, where it is to be one."""
        path = tmp_path / "file"
        path.write_text("")
        with pytest.raises(InputError, match="file"):
            ServerSettings(store=path).check()
        ServerSettings(store=tmp_path / "new").check()
        path = tmp_path / "tokens"
        path.write_text("# ours\nalice:aaaaaaaaaaaaaaaa\n\nbbbbbbbbbbbbbbbb\n")
        assert read_tokens(path) == (("a" * 16, "alice"), ("b" * 16, "client 4"))
        path.write_text("")
        with pytest.raises(InputError, match="no token"):
            read_tokens(path)
