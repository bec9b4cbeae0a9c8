"""Programs run as they are: what they print and how they end, under the server's limits."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import Field
from starlette.responses import Response

from evalplus_lite.errors import InputError
from evalplus_lite.serving.server.answers import answer
from evalplus_lite.serving.server.endpoint import Asking, Endpoint
from evalplus_lite.serving.server.models import Answered, Exact, LimitsGiven
from evalplus_lite.serving.server.service import PlainRun, RequestLimits

SECONDS = 10.0
"""What a program may use if nothing is said."""
PROGRAM = "main.py"
"""What a program is named as a file."""
MOST_FILES = 256
LONGEST_PATH, LONGEST_NAME = 500, 255
"""Characters of a file's path, and bytes of each of its parts."""


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


async def ran(
    asking: Asking,
    code: str,
    *,
    stdin: str,
    arguments: Sequence[str] = (),
    files: Mapping[str, str | None],
    wanted: Sequence[str],
    limits: RequestLimits,
) -> dict[str, Any]:
    """Run a program in its turn and return the row of ``serving.worker``.

    Raises InputError for files that cannot be, Busy, and InfrastructureError.
    """
    service = asking.service
    service.queue.require_room(asking.client, 1)
    if max(len(files), len(wanted)) > MOST_FILES:
        raise InputError(f"there are more than {MOST_FILES} files")
    for path in (*files, *wanted):
        _check_path(path)
    _check_together(files)
    plain = PlainRun(
        code,
        stdin.encode(),
        [*arguments],
        {path: _decoded(path, text) for path, text in files.items() if text is not None},
        [*wanted],
        limits.seconds or SECONDS,
        limits.memory or service.settings.memory,
    )
    row = await service.run(asking.client, plain)
    asking.metrics.run(row["ended"], cpu=row["cpu"])
    return row


def _decoded(path: str, text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise InputError(f"files: {path[:100]!r} is not in base 64") from None


def _check_path(path: str) -> None:
    parts = path.removeprefix("./").split("/")
    is_path = len(path) <= LONGEST_PATH and "\0" not in path
    if not is_path or any(part in ("", ".", "..") or _is_long(part) for part in parts):
        raise InputError(
            f"files: {path[:100]!r} is no path within the program's folder",
            remedy="give a relative one, such as 'data/a.txt'",
        )


def _is_long(part: str) -> bool:
    return len(part.encode()) > LONGEST_NAME


def _check_together(paths: Iterable[str]) -> None:
    """Raise InputError for files of which one would take another's place."""
    found: dict[str, str] = {PROGRAM: PROGRAM}
    for path in paths:
        name = path.removeprefix("./")
        if name in found:
            other = "the program itself" if name == PROGRAM else repr(found[name][:100])
            raise InputError(f"files: {path[:100]!r} is {other}", remedy="give it another name")
        found[name] = path
    for name, path in found.items():
        above = name
        while above := above.rpartition("/")[0]:
            if above in found:
                raise InputError(
                    f"files: {found[above][:100]!r} is a file, and the folder of {path[:100]!r}",
                    remedy="give one of them another name",
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
    row = await ran(
        asking,
        body.code,
        stdin=body.stdin,
        arguments=body.args,
        files=body.files,
        wanted=body.fetch_files,
        limits=body.limits.within(service),
    )
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
