"""Programs run as they are: what they print and how they end, under the server's limits."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field
from starlette.responses import Response

from evalplus_lite.errors import InputError
from evalplus_lite.serve.answers import answer
from evalplus_lite.serve.endpoint import Asking, Endpoint
from evalplus_lite.serve.models import Answered, Exact, LimitsGiven
from evalplus_lite.serve.service import PlainRun, Service

SECONDS = 10.0
"""What a program may use if nothing is said."""
MOST_FILES = 256


class RunRequest(Exact):
    """A program, and what it finds: standard input, arguments, files beside it."""

    code: str
    stdin: str = ""
    args: list[str] = Field(default=[])
    files: dict[str, str | None] = Field(
        default={}, description="Contents in base 64 by path, relative to where the program runs."
    )
    fetch_files: list[str] = Field(default=[], description="Paths to be returned afterwards.")
    limits: LimitsGiven = LimitsGiven()


class RunResponse(Answered):
    """How a program ended, and what it printed."""

    ended: str = Field(description="exit, timeout, memory or crash.")
    exit_code: int | None = Field(description="Minus the signal that ended it, if one did.")
    detail: str
    stdout: str
    stderr: str
    stdout_bytes: int = Field(description="All that was printed, also where it was cut.")
    stderr_bytes: int
    notes: list[str] = Field(description="What was cut.")
    seconds: float = Field(description="Elapsed.")
    cpu_seconds: float
    files: dict[str, str | None] = Field(description="In base 64; null if not there, or too large.")


def plain_run(
    service: Service,
    code: str,
    *,
    stdin: str | None,
    arguments: Sequence[str] = (),
    files: Mapping[str, str | None],
    wanted: Sequence[str],
    seconds: float,
    memory: int | None,
) -> PlainRun:
    """Return a run as workers take it; InputError for files that cannot be."""
    if len(files) > MOST_FILES or len(wanted) > MOST_FILES:
        raise InputError(f"there are more than {MOST_FILES} files")
    found = {}
    for path, text in files.items():
        _check_path(path)
        try:
            if text is not None:
                found[path] = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            raise InputError(f"files: {path[:100]!r} is not in base 64") from None
    for path in wanted:
        _check_path(path)
    given = (stdin or "").encode("utf-8", "surrogatepass")
    usual = service.settings.memory
    return PlainRun(
        code, given, [*arguments], found, [*wanted], seconds, usual if memory is None else memory
    )


def _check_path(path: str) -> None:
    parts = path.split("/")
    if not path or "\0" in path or path.startswith("/") or ".." in parts or len(path) > 500:
        raise InputError(
            f"files: {path[:100]!r} is no path within the program's folder",
            remedy="give a relative one",
        )


def cuts(row: Mapping[str, Any]) -> list[str]:
    """Return what of a run's outputs was let go."""
    return [
        f"{name}: the first {len(row[name])} characters of {row[f'{name}_bytes']} bytes"
        for name in ("stdout", "stderr")
        if row[f"{name}_cut"]
    ]


def in_base64(files: Mapping[str, bytes | None]) -> dict[str, str | None]:
    """Return files as JSON can hold them."""
    return {
        path: None if data is None else base64.b64encode(data).decode()
        for path, data in files.items()
    }


async def run(asking: Asking) -> Response:
    """Run a program."""
    body: RunRequest = asking.body
    service = asking.service
    limits = body.limits.within(service)
    plain = plain_run(
        service,
        body.code,
        stdin=body.stdin,
        arguments=body.args,
        files=body.files,
        wanted=body.fetch_files,
        seconds=limits.seconds or SECONDS,
        memory=limits.memory,
    )
    service.queue.require_room(1)
    row = await service.run(asking.client, plain)
    asking.metrics.run(row["ended"], cpu=row["cpu"])
    return answer(
        {
            "ended": row["ended"],
            "exit_code": row["exit_code"],
            "detail": row["detail"],
            "stdout": row["stdout"],
            "stderr": row["stderr"],
            "stdout_bytes": row["stdout_bytes"],
            "stderr_bytes": row["stderr_bytes"],
            "notes": cuts(row),
            "seconds": row["seconds"],
            "cpu_seconds": row["cpu"],
            "files": in_base64(row["files"]),
            "tier": service.tier,
            "version": service.version,
        }
    )


ENDPOINTS = (Endpoint("POST", "/v1/run", "Run a program as it is", run, RunRequest, RunResponse),)
