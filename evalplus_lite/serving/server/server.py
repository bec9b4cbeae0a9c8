"""The server process: it listens, and shuts down gracefully on a signal."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import resource
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from evalplus_lite.errors import InputError
from evalplus_lite.serving.server.endpoint import application, described
from evalplus_lite.serving.server.guard import Guard
from evalplus_lite.serving.server.metrics import Metrics
from evalplus_lite.serving.server.protocols import ENDPOINTS
from evalplus_lite.serving.server.service import ServerSettings, Service

SPARE_FILES = 256
"""File descriptors reserved for other purposes than connections."""
BACKLOG = 2048
SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
HEAD_BYTES = 32 << 10
"""Maximum bytes of a request's head."""
LOG_SECONDS = 60.0
"""Time between two log lines on the same shortage."""
SIGNALS = (signal.SIGINT, signal.SIGTERM)

log = logging.getLogger(__name__)


def guarded(service: Service) -> ASGIApp:
    """Return a service's application behind its guard."""
    metrics = Metrics()
    queue = service.queue
    metrics.gauge("queue_waiting", "Programs that wait.", lambda: queue.waiting)
    metrics.gauge("running", "Programs at the workers.", lambda: queue.begun)
    metrics.gauge("workers", "Workers that are there.", lambda: len(service.backend.pids))
    metrics.gauge("worker_restarts", "Workers lost so far.", lambda: service.backend.lost)
    endpoints = (*ENDPOINTS, described(ENDPOINTS))
    return Guard(application(service, endpoints, metrics), service, metrics)


def serve(settings: ServerSettings, *, on_ready: Callable[[str, Service], None]) -> None:
    """Listen until a signal arrives; ``on_ready`` gets the address once requests are answered.

    Raises InputError if the settings are unsafe or the address is taken.
    """
    settings.check()
    # Clients get their errors as answers; a line for each would fill the log.
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    channel = listening(settings)
    with channel, Service(settings) as service:
        config = uvicorn.Config(
            guarded(service),
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            backlog=BACKLOG,
            # The requesting connection counts, too.
            limit_concurrency=_most_connections(settings.most_connections) + 1,
            timeout_keep_alive=max(1, round(settings.keep_seconds)),
            timeout_graceful_shutdown=max(1, round(settings.drain_seconds)),
            h11_max_incomplete_event_size=HEAD_BYTES,
        )
        host, port = channel.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        server = _Server(config, lambda: on_ready(f"http://{shown}:{port}", service))
        asyncio.run(server.serve(sockets=[channel]))


class _Server(uvicorn.Server):
    """Shuts down on a signal, and does not raise the signal again afterwards."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and report it."""
        asyncio.get_running_loop().set_exception_handler(_Shortages())
        await super().startup(sockets)
        self._on_ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Shut down on the first signal, and at once on the second."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.signal(each, self.handle_exit) for each in SIGNALS}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Start to shut down, or exit at once."""
        self.force_exit = self.should_exit
        self.should_exit = True


class _Shortages:
    """Log that connections cannot be accepted in one line a minute.

    asyncio tries ``BACKLOG`` times a second and would log a traceback for each attempt.
    """

    def __init__(self) -> None:
        self._next = 0.0

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in SHORTAGES:
            loop.default_exception_handler(context)
        elif time.monotonic() >= self._next:
            self._next = time.monotonic() + LOG_SECONDS
            most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
            log.warning(
                "cannot accept connections: %s (ulimit -n is %d); raise the limit, or put a proxy "
                "in front that closes idle connections",
                error.strerror,
                most,
            )


def listening(settings: ServerSettings) -> socket.socket:
    """Return the listening socket; raise InputError if its address is taken."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # Name the protocol, because asyncio disables Nagle's algorithm only then: an answer's body,
    # sent after its head, would otherwise wait 40 ms for the client to acknowledge the head.
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((settings.host, settings.port))
    except OSError as error:
        found.close()
        raise InputError(
            f"cannot listen on {settings.host}:{settings.port}: {error.strerror or error}",
            remedy="choose another --port or --host",
        ) from None
    found.set_inheritable(False)
    return found


def _most_connections(wanted: int) -> int:
    """Return the maximum number of connections, after raising the descriptor limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = hard if hard != resource.RLIM_INFINITY else 1 << 20
    if soft < wanted + SPARE_FILES and soft < most:
        soft = min(most, wanted + SPARE_FILES)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return max(1, min(wanted, soft - SPARE_FILES))
