"""What every request passes: who asks, how much, how slowly, and whether anybody still listens."""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import hmac
import ipaddress
from collections import Counter
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evalplus_lite.serving.server.endpoint import marks, refusal
from evalplus_lite.serving.server.metrics import Metrics
from evalplus_lite.serving.server.service import LOCAL_NAMES, Service

OPEN = frozenset({"/healthz", "/health", "/v1/ping"})
"""What a machine that watches over the server may ask without a token."""
LONGEST_NAME = 64
FEW_VALUES, VALUE_BYTES = 1 << 16, 64
"""Beyond so many, values count as so many bytes each."""
CLIENT_HEADER = "x-client-id"
SMALL_BODY = 1 << 16
"""Bytes of a request that needs no token: it asks for nothing that takes more."""


@dataclass(slots=True)
class Guard:
    """Wraps the application; the request's body is read whole before any of it runs."""

    app: ASGIApp
    service: Service
    metrics: Metrics
    buffered: Counter[str] = field(default_factory=Counter)
    """Bytes of requests that are at work, by address or token."""
    _tokens: list[tuple[bytes, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        settings = self.service.settings
        self._tokens = [(token.encode(), name) for token, name in settings.tokens]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        told = _Told(self.service, self.metrics, send)
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in
                   scope["headers"]}  # fmt: skip
        if "content-length" in headers and "transfer-encoding" in headers:
            # A proxy in front may take the other one of the two for the body's end (RFC 9112, 6.3).
            problem = "the request has both Content-Length and Transfer-Encoding"
            await told.refuse(400, "input", problem, close=True)
            return
        name = self._client(scope, headers)
        if name is None:
            await told.refuse(401, "token", "a token is needed: Authorization: Bearer TOKEN",
                              headers={"www-authenticate": "Bearer"})  # fmt: skip
            return
        if not self._tokens and _is_foreign(headers):
            await told.refuse(
                403, "origin", "without a token only programs on this machine may ask"
            )
            return
        if headers.get("content-encoding", "identity").lower() != "identity":
            await told.refuse(415, "input", "the request is compressed; send it as it is")
            return
        scope["client_name"] = name
        if len(self._tokens) < 2:  # else a client could take several clients' turns
            scope["client_name"] += f"/{headers.get(CLIENT_HEADER, '')[:LONGEST_NAME]}"
        most = SMALL_BODY if scope["path"] in OPEN else self.service.settings.most_body
        try:
            async with asyncio.timeout(self.service.settings.body_seconds):
                body = await self._body(name, most, headers, receive, told)
        except TimeoutError:
            await told.refuse(408, "slow", "the request did not arrive in time", close=True)
            return
        if body is None:
            return
        size = _size(body)
        self._count(name, size - len(body))
        try:
            if self._is_full(name):
                await told.busy()
                return
            await _watched(self.app, scope, receive, told, body)
        except asyncio.CancelledError:
            if told.has_begun:
                raise
            await told.refuse(503, "infrastructure", "the server is being stopped", close=True)
        finally:
            self._count(name, -size)

    def _client(self, scope: Scope, headers: dict[str, str]) -> str | None:
        """Return by whose share a request counts, None for one without a token that is known."""
        host = (scope.get("client") or ("",))[0]
        name: str | None = host
        if self._tokens and scope["path"] not in OPEN:
            given = _token(headers.get("authorization", ""))
            name = None
            for token, known in self._tokens:  # all of them, so that time tells nothing
                if hmac.compare_digest(token, given):
                    name = known
            if name is None:
                return None
        return name

    async def _body(
        self, name: str, most: int, headers: dict[str, str], receive: Receive, told: _Told
    ) -> bytes | None:
        """Return the body, None if there was an answer already; counts what is returned."""
        parts, size = [], 0
        stated = headers.get("content-length", "0")
        too_large = stated.isdecimal() and int(stated) > most
        try:
            while not too_large:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return None
                part = message.get("body", b"")
                size += len(part)
                self._count(name, len(part))
                too_large = size > most
                if self._is_full(name):
                    await told.busy()
                    return None
                parts.append(part)
                if not message.get("more_body", False) and not too_large:
                    body = b"".join(parts)
                    values = self.service.settings.most_values
                    if marks(body) > values:
                        await told.refuse(413, "large", f"it has more than {values} values")
                        return None
                    size = 0  # from here on the caller counts it
                    return body
            await told.refuse(413, "large", f"the request has more than {most} bytes")
            return None
        finally:
            self._count(name, -size)

    def _is_full(self, name: str) -> bool:
        """Return whether requests hold all that they may; of several clients, one's half of it."""
        most = self.service.settings.most_buffered
        share = most if len(self._tokens) < 2 else most // 2
        return self.buffered.total() > most or self.buffered[name] > share

    def _count(self, name: str, size: int) -> None:
        self.buffered[name] += size
        if not self.buffered[name]:
            del self.buffered[name]


@dataclass(slots=True)
class _Told:
    """Sends an answer with the headers that all have."""

    service: Service
    metrics: Metrics
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

    async def busy(self) -> None:
        """Refuse for now what there is no memory for."""
        problem = "too many large requests are at work"
        await self.refuse(429, "busy", problem, headers={"retry-after": "1"})

    async def refuse(
        self,
        status: int,
        kind: str,
        problem: str,
        *,
        headers: dict[str, str] | None = None,
        close: bool = False,
    ) -> None:
        """Answer with an error. What comes of the body is let go; ``close`` ends the connection."""
        self.metrics.refused(status)
        found = dict(headers or {}) | ({"connection": "close"} if close else {})
        response = refusal(self.service, status, kind, problem, headers=found)
        await response({"type": "http"}, _nothing, self)


async def _watched(app: ASGIApp, scope: Scope, receive: Receive, told: _Told, body: bytes) -> None:
    """Run the application on a body; end it where the client goes away."""
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


def _size(body: bytes) -> int:
    """Return the bytes that a body takes, as text and as values if they are many."""
    values = marks(body)
    return len(body) + (VALUE_BYTES * values if values > FEW_VALUES else 0)


def _token(header: str) -> bytes:
    """Return the token of a header: Bearer, or the password of Basic, as in ``http://x:T@host``."""
    kind, _, value = header.partition(" ")
    if kind.lower() == "bearer":
        return value.strip().encode("latin-1", "replace")
    if kind.lower() == "basic":
        with contextlib.suppress(binascii.Error, ValueError):
            return base64.b64decode(value.strip(), validate=True).partition(b":")[2]
    return b""


def _is_foreign(headers: dict[str, str]) -> bool:
    """Return whether a browser may have been made to ask by another site's page.

    Such a request names the site, or (where a name was made to point here) a host that is not us.
    """
    try:
        host = urlsplit(f"//{headers.get('host', '')}").hostname or ""
        is_ours = host in ("", *LOCAL_NAMES) or ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_ours = False
    return not is_ours or "origin" in headers
