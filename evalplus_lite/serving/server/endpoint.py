"""An endpoint: a path, what is asked, what is answered; and the application made of several."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.json_schema import models_json_schema
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evalplus_lite.errors import EvalPlusLiteError
from evalplus_lite.jobs.verification import UnknownTask
from evalplus_lite.serving.server.answers import STATUS, answer, error_row, refusal
from evalplus_lite.serving.server.metrics import Metrics
from evalplus_lite.serving.server.models import ErrorAnswer
from evalplus_lite.serving.server.queue import Busy
from evalplus_lite.serving.server.service import Service
from evalplus_lite.version import __version__

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
    media: tuple[str, ...] = ("application/json",)
    """The content types of its answer."""


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


# The description of all endpoints in the form of OpenAPI 3.1, made of their models.

TEMPLATE = "#/components/schemas/{model}"
ERRORS = {
    "400": "No request of HTTP.",
    "401": "A token is needed.",
    "404": "No such task, data set or path.",
    "405": "Another method is needed.",
    "413": "The request is too large.",
    "422": "The request cannot be used, or its task cannot be judged: no verdict.",
    "429": "Too many programs are waiting; Retry-After says when to ask again.",
    "503": "The machine failed: no verdict.",
}
PATH = "/openapi.json"


def described(endpoints: Sequence[Endpoint]) -> Endpoint:
    """Return the endpoint that describes the others."""
    document = description(endpoints)

    async def describe(asking: Asking) -> Response:
        return answer(document)

    return Endpoint("GET", PATH, "This description", describe)


def description(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    """Return the document; bodies are named as their models are, by family where two agree."""
    models = [model for each in endpoints for model in (each.asked, each.answered) if model]
    models.append(ErrorAnswer)
    modes = [(model, "validation") for model in dict.fromkeys(models)]
    refs, schemas = models_json_schema(modes, ref_template=TEMPLATE)  # type: ignore[arg-type]
    paths: dict[str, dict[str, Any]] = {}
    for each in endpoints:
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(each, refs)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "evalplus_lite",
            "version": __version__,
            "description": "Verdicts on programs. What fails on the server's side is never one.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas.get("$defs", {}),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
    }


def _operation(endpoint: Endpoint, refs: Any) -> dict[str, Any]:
    def content(
        model: type[BaseModel] | None, media: Sequence[str] = ("application/json",)
    ) -> dict[str, Any]:
        schema = {} if model is None else refs[(model, "validation")]
        return {each: {"schema": schema if each == "application/json" else {}} for each in media}

    found: dict[str, Any] = {
        "summary": endpoint.summary,
        "operationId": f"{endpoint.method.lower()}{endpoint.path.replace('/', '_')}",
        "tags": [endpoint.family],
        "responses": {
            "200": {"description": "Done.", "content": content(endpoint.answered, endpoint.media)},
            **{
                status: {"description": text, "content": content(ErrorAnswer)}
                for status, text in ERRORS.items()
            },
        },
    }
    if endpoint.asked is not None:
        found["requestBody"] = {"required": True, "content": content(endpoint.asked)}
    return found
