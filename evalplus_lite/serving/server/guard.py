"""Checks of every request: its client, size and speed, and whether the client still listens."""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import hmac
import ipaddress
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evalplus_lite.serving.server.endpoint import marks, refusal
from evalplus_lite.serving.server.metrics import Metrics
from evalplus_lite.serving.server.service import LOCAL_NAMES, Service

OPEN = frozenset({"/healthz", "/health", "/v1/ping"})
"""Paths for health checks, which need no token."""
LONGEST_NAME = 64
FEW_VALUES, VALUE_BYTES = 1 << 16, 64
"""Above FEW_VALUES values, each counts as VALUE_BYTES bytes."""
CLIENT_HEADER = "x-client-id"
DRAINED = 4
"""How much of a refused body is read, in bodies of the largest size."""
SMALL_BODY = 1 << 16
"""Maximum bytes of a request without a token; health checks need no more."""


class Refused(Exception):
    """A rejected request; with ``close`` its connection is closed."""

    def __init__(
        self,
        status: int,
        kind: str,
        problem: str,
        headers: Mapping[str, str] | None = None,
        *,
        close: bool = False,
    ) -> None:
        super().__init__(problem)
        self.status, self.kind = status, kind
        self.headers = {**(headers or {}), **({"connection": "close"} if close else {})}


class Guard:
    """Wraps the application; it reads a request's whole body before the application runs."""

    def __init__(self, app: ASGIApp, service: Service, metrics: Metrics) -> None:
        self.app, self.service, self.metrics = app, service, metrics
        self.buffered: Counter[str] = Counter()
        """Bytes of requests being processed, by address or token name."""
        self._tokens = [(token.encode(), name) for token, name in service.settings.tokens]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        told, arriving = _Told(self.service, send), _Arriving(receive)
        try:
            await self._serve(scope, arriving, told)
            return
        except Refused as error:
            refused = error.with_traceback(None)  # the traceback holds the body read so far
        self.metrics.requests.labels("refused", str(refused.status)).inc()
        if "connection" not in refused.headers:
            await self._drain(scope, arriving)
        headers = refused.headers
        response = refusal(
            self.service, refused.status, refused.kind, str(refused), headers=headers
        )
        await response({"type": "http"}, _nothing, told)

    async def _drain(self, scope: Scope, arriving: _Arriving) -> None:
        """Read the rest of a refused body, up to a size.

        A client that is still sending when the connection closes sees a reset, not the answer.
        """
        headers, most = dict(scope["headers"]), DRAINED * self.service.settings.most_body
        stated = headers.get(b"content-length", b"0")
        # A client that expects an answer first has not sent the body.
        if b"expect" in headers or not stated.isdigit() or int(stated) > most:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.service.settings.body_seconds):
                while arriving.has_more and most > 0:
                    most -= len((await arriving()).get("body", b""))

    async def _serve(self, scope: Scope, receive: Receive, told: _Told) -> None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in
                   scope["headers"]}  # fmt: skip
        if "content-length" in headers and "transfer-encoding" in headers:
            # A proxy in front may use the other header for the body's end (RFC 9112, 6.3).
            problem = "the request has both Content-Length and Transfer-Encoding"
            raise Refused(400, "input", problem, close=True)
        name = self._client(scope, headers)
        if not self._tokens and _is_foreign(headers):
            raise Refused(403, "origin", "without a token only programs on this machine may ask")
        if headers.get("content-encoding", "identity").lower() != "identity":
            raise Refused(415, "input", "the request is compressed; send it as it is")
        scope["client_name"] = name
        if len(self._tokens) < 2:  # else one client could pose as several and get their turns
            scope["client_name"] += f"/{headers.get(CLIENT_HEADER, '')[:LONGEST_NAME]}"
        most = SMALL_BODY if scope["path"] in OPEN else self.service.settings.most_body
        try:
            async with asyncio.timeout(self.service.settings.body_seconds):
                body = await self._body(name, most, headers, receive)
        except TimeoutError:
            problem = "the request did not arrive in time"
            raise Refused(408, "slow", problem, close=True) from None
        if body is None:
            return
        # The memory it needs: as text, and as values if there are many.
        values = marks(body)
        size = len(body) + (VALUE_BYTES * values if values > FEW_VALUES else 0)
        self._count(name, size - len(body))
        try:
            self._require_room(name)
            await _watched(self.app, scope, receive, told, body)
        except asyncio.CancelledError:
            if told.has_begun:
                raise
            problem = "the server is being stopped"
            raise Refused(503, "infrastructure", problem, close=True) from None
        finally:
            self._count(name, -size)

    def _client(self, scope: Scope, headers: Mapping[str, str]) -> str:
        """Return the client that a request counts for; raise Refused without a known token."""
        if not self._tokens or scope["path"] in OPEN:
            host: str = (scope.get("client") or ("",))[0]
            return host
        given = _token(headers.get("authorization", ""))
        # Compare with all of them, so the time reveals nothing.
        names = [name for token, name in self._tokens if hmac.compare_digest(token, given)]
        if not names:
            problem = "a token is needed: Authorization: Bearer TOKEN"
            raise Refused(401, "token", problem, {"www-authenticate": "Bearer"})
        return names[-1]

    async def _body(
        self, name: str, most: int, headers: Mapping[str, str], receive: Receive
    ) -> bytes | None:
        """Return the body, or None if the client disconnected; count its bytes while reading."""
        parts, size, has_more = [], 0, True
        stated = headers.get("content-length", "0")
        too_large = stated.isdecimal() and int(stated) > most
        try:
            while has_more and not too_large:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return None
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                self._count(name, len(parts[-1]))
                too_large, has_more = size > most, message.get("more_body", False)
                self._require_room(name)
            if too_large:
                raise Refused(413, "large", f"the request has more than {most} bytes")
            body = b"".join(parts)
            values = self.service.settings.most_values
            if marks(body) > values:
                raise Refused(413, "large", f"it has more than {values} values")
            size = 0  # from here on the caller counts it
            return body
        finally:
            self._count(name, -size)

    def _require_room(self, name: str) -> None:
        """Reject a request with 429 if buffers are full; one of several clients may use half."""
        most = self.service.settings.most_buffered
        share = most if len(self._tokens) < 2 else most // 2
        if self.buffered.total() > most or self.buffered[name] > share:
            problem = "too many large requests are in progress"
            raise Refused(429, "busy", problem, {"retry-after": "1"})

    def _count(self, name: str, size: int) -> None:
        self.buffered[name] += size
        if not self.buffered[name]:
            del self.buffered[name]


@dataclass(slots=True)
class _Arriving:
    """Receives a request, and records whether more of its body is to come."""

    receive: Receive
    has_more: bool = True

    async def __call__(self) -> Message:
        message = await self.receive()
        self.has_more = message.get("more_body", False)
        return message


@dataclass(slots=True)
class _Told:
    """Sends an answer and adds the common headers."""

    service: Service
    send: Send
    has_begun: bool = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            headers = list(message.get("headers", ()))
            headers.append((b"evalplus-lite-tier", self.service.tier.encode()))
            headers.append((b"evalplus-lite-version", self.service.version.encode()))
            message = {**message, "headers": headers}
        await self.send(message)


async def _watched(app: ASGIApp, scope: Scope, receive: Receive, told: _Told, body: bytes) -> None:
    """Run the application on a body; cancel it if the client disconnects."""
    was_read = False

    async def replay() -> Message:
        nonlocal was_read
        if not was_read:
            was_read = True
            return {"type": "http.request", "body": body, "more_body": False}
        return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]

    async def gone() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    answering = asyncio.ensure_future(app(scope, replay, told))
    leaving = asyncio.ensure_future(gone())
    try:
        await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
        if answering.done():
            answering.result()
    finally:
        for task in (answering, leaving):
            task.cancel()
        await asyncio.gather(answering, leaving, return_exceptions=True)


async def _nothing() -> Message:
    return {"type": "http.disconnect"}


def _token(header: str) -> bytes:
    """Return the token in a header: Bearer, or the Basic password, as in ``http://x:T@host``."""
    kind, _, value = header.partition(" ")
    if kind.lower() == "bearer":
        return value.strip().encode("latin-1", "replace")
    if kind.lower() == "basic":
        with contextlib.suppress(binascii.Error, ValueError):
            return base64.b64decode(value.strip(), validate=True).partition(b":")[2]
    return b""


def _is_foreign(headers: Mapping[str, str]) -> bool:
    """Return whether another site's page may have made a browser send the request.

    Such a request names that site or, after DNS rebinding, a host that is not this server.
    """
    try:
        host = urlsplit(f"//{headers.get('host', '')}").hostname or ""
        is_ours = host in ("", *LOCAL_NAMES) or ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_ours = False
    return not is_ours or "origin" in headers
