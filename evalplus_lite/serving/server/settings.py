"""What a server is told when it starts, and what it refuses to start with."""

from __future__ import annotations

import ipaddress
import tempfile
from dataclasses import dataclass
from pathlib import Path

from evalplus_lite.errors import InputError
from evalplus_lite.sandbox import Tier

LEAST_TOKEN = 16
"""Characters that a token has at least: a shorter one can be guessed."""
BYTES_A_VALUE = 16
"""Of the bytes that a request may have: as objects, values may take ten times the memory of JSON,
and while they are made nobody else is answered."""
LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How a server listens, judges, and what it takes at most.

    ``tokens`` are the clients' names by token, empty for none: allowed on loopback only.
    ``most_programs`` of one request, ``most_waiting`` in the queue: what is over is refused, never
    kept. ``most_body`` and ``most_buffered``, bytes of one request and of all that are being read
    or answered. ``most_seconds`` is the CPU time a case that a request may ask for.
    ``body_seconds``: how long a request's body may take to arrive; ``keep_seconds``: how long an
    idle connection stays open for another request; ``weak_tests``: whether unit tests count that a
    program could pass without knowing the task; ``drain_seconds``: how long requests may take to
    end when the server is told to. A proxy in front holds clients that are slow otherwise.
    """

    datasets: tuple[str, ...] = ()
    host: str = "127.0.0.1"
    port: int = 8080
    tokens: tuple[tuple[str, str], ...] = ()
    workers: int | None = None
    backend: str = "processes"
    sandbox: Tier = "auto"
    packages: tuple[str, ...] = ()
    limits: str = "default"
    memory: int = 1 << 30
    weak_tests: bool = False
    store: Path | None = None
    cache: Path | None = None
    most_body: int = 16 << 20
    most_buffered: int = 256 << 20
    most_programs: int = 1024
    most_waiting: int = 8192
    most_connections: int = 4096
    most_seconds: float = 60.0
    most_memory: int = 4 << 30
    most_output: int = 1 << 20
    body_seconds: float = 30.0
    keep_seconds: float = 60.0
    drain_seconds: float = 60.0

    @property
    def most_values(self) -> int:
        """How many values one request may hold."""
        return self.most_body // BYTES_A_VALUE

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        try:
            return self.host in LOCAL_NAMES or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def check(self) -> None:
        """Raise InputError if a server must not, or cannot, be started with this."""
        if not self.is_local and not self.tokens:
            raise InputError(
                f"{self.host} can be reached from other machines, and there is no token",
                remedy="give --token-file, or EVALPLUS_LITE_TOKEN; or leave --host out",
            )
        for token, name in self.tokens:
            if len(token) < LEAST_TOKEN or not token.isascii() or not token.isprintable():
                raise InputError(
                    f"the token of {name!r} is shorter than {LEAST_TOKEN} characters, or not ASCII",
                    remedy="openssl rand -hex 32 makes one",
                )
        if self.store is not None:
            _require_folder(self.store)


def _require_folder(path: Path) -> None:
    """Raise InputError if verdicts cannot be kept there: a server would judge all of them anew."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        problem = f"verdicts cannot be kept there: {error.strerror or error}"
        raise InputError(problem, path=path, remedy="give --store another folder") from None


def read_tokens(path: Path) -> tuple[tuple[str, str], ...]:
    """Return the tokens of a file with the clients' names: a line ``token`` or ``name:token``."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or "it is not UTF-8"
        raise InputError(f"cannot be read: {problem}", path=path) from None
    found = []
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text and not text.startswith("#"):
            name, has_name, token = text.rpartition(":")
            found.append((token.strip(), name.strip() if has_name else f"client {number}"))
    if not found:
        raise InputError("holds no token", path=path, remedy="a line each: token, or name:token")
    return tuple(found)
