"""An endpoint: a path, what is asked, what is answered; and the application made of several."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evalplus_lite.errors import EvalPlusLiteError
from evalplus_lite.serve.answers import STATUS, error_row, refusal
from evalplus_lite.serve.metrics import Metrics
from evalplus_lite.serve.queue import Busy
from evalplus_lite.serve.service import Service, UnknownTask

MOST_FAULTS = 8
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asking:
    """One request: what it holds, whose it is, and what can answer it."""

    service: Service
    metrics: Metrics
    client: str
    headers: Any
    body: Any


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What the server answers on a path; ``asked`` and ``answered`` are models, None for none."""

    method: str
    path: str
    summary: str
    answer: Callable[[Asking], Awaitable[Response]]
    asked: type[BaseModel] | None = None
    answered: type[BaseModel] | None = None
    family: str = "evalplus_lite"


def application(service: Service, endpoints: Sequence[Endpoint], metrics: Metrics) -> Starlette:
    """Return the application that answers on all endpoints."""
    app = Starlette(
        routes=[
            Route(each.path, _route(service, metrics, each), methods=[each.method])
            for each in endpoints
        ],
        exception_handlers={404: _missing(service), 405: _missing(service)},
    )
    return app


def _route(
    service: Service, metrics: Metrics, endpoint: Endpoint
) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        begun = time.monotonic()
        response = await _answered(service, metrics, endpoint, request)
        metrics.request(endpoint.path, response.status_code, time.monotonic() - begun)
        return response

    return respond


async def _answered(
    service: Service, metrics: Metrics, endpoint: Endpoint, request: Request
) -> Response:
    try:
        body = None
        if endpoint.asked is not None:
            body = endpoint.asked.model_validate_json(await request.body())
        client = request.scope.get("client_name", "")
        return await endpoint.answer(Asking(service, metrics, client, request.headers, body))
    except ValidationError as error:
        faults = _faults(error)
        return refusal(service, 422, "input", "; ".join(faults), faults=faults)
    except Busy as error:
        wait = {"retry-after": str(error.seconds)}
        return refusal(service, 429, "busy", str(error), headers=wait)
    except UnknownTask as error:
        return refusal(service, 404, "unknown", str(error))
    except EvalPlusLiteError as error:
        row = error_row(error)
        return refusal(service, STATUS[row["kind"]], row["kind"], row["message"])
    except asyncio.CancelledError:
        raise
    except Exception as error:
        log.exception("a request failed")
        return refusal(service, 500, "infrastructure", f"our own code failed: {error}"[:500])


def _faults(error: ValidationError) -> list[str]:
    found = error.errors(include_url=False, include_input=False, include_context=False)
    lines = [f"{'.'.join(map(str, each['loc'])) or 'body'}: {each['msg']}" for each in found]
    lines = [line[:300] for line in lines]
    if len(lines) > MOST_FAULTS:
        lines[MOST_FAULTS:] = [f"and {len(lines) - MOST_FAULTS} more"]
    return lines


def _missing(service: Service) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def respond(request: Request, error: Exception) -> Response:
        status = getattr(error, "status_code", 404)
        problem = f"nothing answers {request.method} {request.url.path[:200]}"
        headers = getattr(error, "headers", None)
        return refusal(service, status, "unknown", problem, headers=headers, see="/openapi.json")

    return respond
