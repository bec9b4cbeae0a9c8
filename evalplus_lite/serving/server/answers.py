"""JSON in and out, and which error is which status: what is ours is a 5xx, never a verdict."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

from starlette.responses import Response

from evalplus_lite.errors import InputError, UnusableTask


class Identity(Protocol):
    """What every answer says of the server."""

    @property
    def tier(self) -> str:
        """The tier of its sandboxes."""
        ...

    @property
    def version(self) -> str:
        """The package's version."""
        ...


def encoded(value: Any) -> bytes:
    """Return a value as JSON in ASCII; what came as NaN or Infinity goes back as that."""
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def marks(data: bytes) -> int:
    """Return about how many values JSON holds, those that its texts seem to hold among them."""
    return sum(map(data.count, b"[{,"))


def answer(value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response with a value as JSON."""
    return Response(encoded(value), status, dict(headers or {}), "application/json")


def refusal(
    service: Identity,
    status: int,
    kind: str,
    problem: str,
    *,
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> Response:
    """Return the response that says what is wrong; ``detail`` is where others' clients look."""
    error = {"kind": kind, "message": problem, **more}
    body = {"error": error, "detail": problem, "tier": service.tier, "version": service.version}
    return answer(body, status=status, headers=headers)


def error_row(error: BaseException) -> dict[str, str]:
    """Return an error that takes a verdict's place: its kind, and what it says."""
    if isinstance(error, UnusableTask):
        return {"kind": "unusable", "message": str(error)}
    if isinstance(error, InputError):
        return {"kind": "input", "message": str(error)}
    return {"kind": "infrastructure", "message": str(error) or type(error).__name__}


STATUS = {"unusable": 422, "input": 422, "infrastructure": 503}
"""The status where an error is all that a request gets."""
