"""The HTTP connection to a model's server, which may send anything, forever, or not at all.

An answer is limited in bytes, values, nesting depth, and seconds from the request to its last byte.
A timer enforces the latter, because a server that sends a byte now and then never exceeds the
timeout of a single read.
"""

from __future__ import annotations

import contextlib
import importlib
import socket
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from evalplus_lite.errors import InputError, LLMError
from evalplus_lite.models import errors
from evalplus_lite.store import parse_json
from evalplus_lite.store.parsing import nests_deeper

if TYPE_CHECKING:
    import httpx2 as httpx
else:  # openai takes httpx's client, and from version 3 on httpx2's.
    import openai

    httpx = importlib.import_module(openai.DefaultHttpxClient.__mro__[1].__module__)

MAX_REPLY = 8 << 20  # maximum bytes of an answer: a million tokens
MAX_REFUSAL = 1 << 16  # maximum bytes read of an answer with an error status
MAX_VALUES = 200_000
MAX_NESTING = 50


class Connection(httpx.Client):
    """Sends requests for the ``openai`` library; answers are complete and within limits.

    Raises ``UnretryableError`` if the answer is too slow, too long, compressed, or not JSON within
    limits. Redirects are not followed, because the key and the tasks are only for the named server.
    ``url`` is for messages, ``seconds`` is the default timeout of a request.
    """

    def __init__(self, url: str, *, seconds: float) -> None:
        # A connection serves one request, so that closing it affects no other.
        super().__init__(
            follow_redirects=False,
            timeout=seconds,
            limits=httpx.Limits(max_connections=1000, max_keepalive_connections=0),
        )
        self._url, self._seconds = url, seconds
        self._calls: set[_Call] = set()
        self._batches = threading.local()

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """Return the whole response to a request."""
        seconds = (request.extensions.get("timeout") or {}).get("read") or self._seconds
        batch: Batch | None = getattr(self._batches, "own", None)
        call = _Call(seconds, batch)
        request.extensions = {**request.extensions, "trace": call.trace}
        request.headers["Accept-Encoding"] = "identity"  # decompressed data may have any size
        self._calls.add(call)
        try:
            if call.is_aborted:  # else the library would retry the request
                raise Aborted
            with call:
                response = super().send(request, **{**options, "stream": True})
                body = self._body(response)
        except LLMError as error:
            raise UnretryableError(error) from None
        except httpx.ConnectError:
            raise
        except httpx.TimeoutException:
            raise UnretryableError(errors.too_slow(self._url, seconds=seconds)) from None
        except httpx.RequestError:
            if call.is_aborted:
                raise Aborted from None
            if call.is_ended:
                raise UnretryableError(errors.too_slow(self._url, seconds=seconds)) from None
            raise
        finally:
            self._calls.discard(call)
        return httpx.Response(
            response.status_code, headers=response.headers, content=body, request=request
        )

    def batch(self) -> Batch:
        """Return a handle for aborting requests together."""
        return Batch(self._batches)

    def abort(self, batch: Batch) -> None:
        """Abort a batch's requests, including future ones: each raises at once."""
        batch.is_aborted = True
        for call in list(self._calls):
            if call.batch is batch:
                call.end()

    def _body(self, response: httpx.Response) -> bytes:
        with contextlib.closing(response):
            if response.headers.get("content-encoding", "identity") != "identity":
                raise errors.no_answer(self._url, what="its answer is packed, as was not asked for")
            limit = MAX_REPLY if response.is_success else MAX_REFUSAL
            body = bytearray()
            for piece in response.iter_raw():
                body += piece
                if len(body) > limit:
                    if not response.is_success:
                        return bytes(body[:limit])
                    raise errors.no_answer(self._url, what=f"an answer of over {limit} bytes")
        if response.is_success and "json" in response.headers.get("content-type", ""):
            self._check(bytes(body))
        return bytes(body)

    def _check(self, body: bytes) -> None:
        try:
            value = parse_json(body.decode("utf-8", "replace"), max_values=MAX_VALUES)
        except InputError as error:
            raise errors.no_answer(self._url, what=str(error)) from None
        if nests_deeper(value, MAX_NESTING):
            raise errors.no_answer(self._url, what=f"nests deeper than {MAX_NESTING}")


class UnretryableError(BaseException):
    """Carries an ``LLMError`` past the library, which may retry after any Exception."""

    def __init__(self, error: LLMError) -> None:
        super().__init__(error)
        self.error = error


class Aborted(BaseException):
    """The caller aborted a request; not an Exception, after which the library would retry."""


@dataclass(slots=True, eq=False)
class Batch:
    """Requests that can be aborted together: those of all threads that entered it."""

    threads: threading.local
    is_aborted: bool = False

    def enter(self) -> None:
        """Add all requests of this thread to the batch."""
        self.threads.own = self

    def has_entered(self) -> bool:
        """Return whether this thread's requests belong to the batch."""
        return getattr(self.threads, "own", None) is self


class _Call:
    """One request and its socket, which is shut down at the timeout."""

    def __init__(self, seconds: float, batch: Batch | None) -> None:
        self.batch, self.is_ended = batch, False
        self._socket: socket.socket | None = None
        self._lock = threading.Lock()
        self._timer = threading.Timer(seconds, self.end)
        self._timer.daemon = True

    @property
    def is_aborted(self) -> bool:
        """Whether the caller aborted it."""
        return self.batch is not None and self.batch.is_aborted

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *details: object) -> None:
        self._timer.cancel()
        with self._lock:
            self._socket = None

    def trace(self, event: str, info: dict[str, Any]) -> None:
        """Store the socket, which httpx reports here."""
        if event == "connection.connect_tcp.complete":
            with self._lock:
                self._socket = info["return_value"].get_extra_info("socket")
            if self.is_ended:
                self.end()

    def end(self) -> None:
        """Shut the socket down, so that a thread waiting on it sees a closed connection."""
        self.is_ended = True
        with self._lock, contextlib.suppress(OSError):
            if self._socket is not None:
                self._socket.shutdown(socket.SHUT_RDWR)
