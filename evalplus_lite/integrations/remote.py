"""One request to a server's ``/v1/verify``, tried again while the server is busy or away."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from typing import Any

from evalplus_lite.errors import InfrastructureError, InputError
from evalplus_lite.integrations.settings import JudgeSettings

TRIES = 8
FIRST_WAIT = 0.25
MOST_WAIT = 30.0
SECONDS = 600.0
"""How long an answer may take: a long queue is no fault of the program's."""
MOST_BYTES = 64 << 20


def post_verify(settings: JudgeSettings, body: dict[str, Any]) -> dict[str, Any]:
    """Return the server's row for the one program of a request.

    InputError for a task that it refuses; InfrastructureError where it is away, busy for too long,
    or has no verdict: none of these says anything about the program.
    """
    url = settings.url.rstrip("/") + "/v1/verify"
    headers = {"content-type": "application/json"}
    if settings.token:
        headers["authorization"] = f"Bearer {settings.token}"
    try:
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    except ValueError as error:  # no URL, or a body that JSON has no word for
        raise InputError(f"{url[:200]}: {error}") from None
    answer = _posted(request, url)
    try:
        row: dict[str, Any] = answer["verdicts"][0]
        trouble = row.get("error")
        if trouble is None and not isinstance(row["passed"], bool):
            raise KeyError("passed")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise InfrastructureError(f"{url} answered what is no verdict") from None
    if trouble is None:
        return row
    said = str(trouble.get("message", trouble))
    is_ours = trouble.get("kind") == "infrastructure"
    raise InfrastructureError(said) if is_ours else InputError(said)


def _posted(request: urllib.request.Request, url: str) -> Any:
    wait, problem = FIRST_WAIT, ""
    for number in range(TRIES):
        if number:
            time.sleep(wait)
            wait = min(2 * wait, MOST_WAIT)
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as response:
                return json.loads(response.read(MOST_BYTES))
        except urllib.error.HTTPError as error:
            problem = _said(error)
            if error.code not in (429, 500, 502, 503, 504):
                raise InputError(f"{url} refused: {problem}") from None
            with_wait = error.headers.get("retry-after", "")
            wait = min(float(with_wait), MOST_WAIT) if with_wait.isdigit() else wait
        except (OSError, ValueError) as error:  # refused, reset, late; or not JSON
            problem = str(error)
    raise InfrastructureError(f"{url} gave no verdict in {TRIES} tries: {problem}")


def _said(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.loads(error.read(10_000))["detail"])[:500]
    except (ValueError, KeyError, TypeError, OSError):
        return f"status {error.code}"
