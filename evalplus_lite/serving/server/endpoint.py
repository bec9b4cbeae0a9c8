"""Endpoints with their JSON requests and responses, and the application that serves them.

A failure of the server is a 5xx, never a verdict.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.json_schema import models_json_schema
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evalplus_lite.errors import EvalPlusLiteError, InfrastructureError, InputError, UnusableTask
from evalplus_lite.jobs.verification import UnknownTask
from evalplus_lite.sandbox.limits import LEAST_MEMORY
from evalplus_lite.serving.server.metrics import Metrics
from evalplus_lite.serving.server.queue import Busy
from evalplus_lite.serving.server.service import RequestLimits, Service, TaskSource
from evalplus_lite.version import __version__


def encoded(value: Any) -> bytes:
    """Return a value as ASCII JSON, writing NaN and Infinity as such, as clients may send them."""
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def marks(data: bytes) -> int:
    """Estimate the number of values in JSON, also counting separators within its strings."""
    return sum(map(data.count, b"[{,"))


def answer(value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a JSON response."""
    return Response(encoded(value), status, dict(headers or {}), "application/json")


def refusal(
    service: Service,
    status: int,
    kind: str,
    problem: str,
    *,
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> Response:
    """Return an error response; other protocols' clients read ``detail``."""
    error = {"kind": kind, "message": problem, **more}
    body = {"error": error, "detail": problem, **service.identity}
    return answer(body, status=status, headers=headers)


def error_row(error: BaseException) -> dict[str, str]:
    """Return the kind and message of an error that replaces a verdict."""
    kinds = {UnusableTask: "unusable", UnknownTask: "unknown", InputError: "input"}
    kind = next((kinds[each] for each in kinds if isinstance(error, each)), "infrastructure")
    return {"kind": kind, "message": str(error) or type(error).__name__}


STATUS = {"unusable": 422, "unknown": 404, "input": 422, "infrastructure": 503}
"""The HTTP status if a request's only result is an error."""
Kind: TypeAlias = Literal[
    "unusable", "unknown", "input", "infrastructure", "busy", "large", "slow", "origin", "token"
]
"""``error.kind``: the first four can also replace a verdict."""


# Parts of requests and answers that several protocols share.

MOST_TOTAL = 60
"""Maximum total seconds of all cases, as a multiple of the maximum for one case."""
LEAST_SECONDS = 0.05


Seconds = Annotated[float, Field(strict=True)]
"""A number: ``true`` and ``"5"`` are rejected."""


class Exact(BaseModel):
    """A request whose keys must all be known, so a misspelled one is rejected, not ignored."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Loose(BaseModel):
    """A request of another protocol's client, whose unknown keys are ignored."""

    model_config = ConfigDict(extra="ignore")


class Answered(BaseModel):
    """The fields of every answer."""

    tier: str = Field(description="The tier of isolation that programs ran in.")
    version: str


class ErrorGiven(BaseModel):
    """An error: its kind and message."""

    model_config = ConfigDict(extra="allow")
    kind: Kind
    message: str


class ErrorAnswer(Answered):
    """The answer to a request that failed; ``detail`` repeats the error's message."""

    error: ErrorGiven
    detail: str


class LimitsGiven(Exact):
    """Limits of a program that replace the server's own."""

    seconds: float | None = Field(
        default=None,
        gt=0,
        description="CPU seconds a case; four times the reference's, if more.",
    )
    total_seconds: float | None = Field(default=None, gt=0, description="Of all cases together.")
    memory_mb: int | None = Field(default=None, ge=16, description="MiB that a program may add.")

    def within(self, service: Service) -> RequestLimits:
        """Return the limits; raise InputError if they exceed the server's maximum."""
        most, largest = service.settings.most_seconds, service.settings.most_memory
        if self.seconds is not None and self.seconds > most:
            raise InputError(f"limits.seconds is {self.seconds:g}", remedy=f"at most {most:g}")
        total = self.total_seconds
        if total is not None and total > MOST_TOTAL * most:
            remedy = f"at most {MOST_TOTAL * most:g}"
            raise InputError(f"limits.total_seconds is {total:g}", remedy=remedy)
        memory = None if self.memory_mb is None else self.memory_mb << 20
        if memory is not None and not LEAST_MEMORY <= memory <= largest:
            raise InputError(
                f"limits.memory_mb is {self.memory_mb}", remedy=f"at most {largest >> 20}"
            )
        return RequestLimits(self.seconds, memory, total)


def granted(service: Service, seconds: float | None, memory_mb: int = 0) -> RequestLimits:
    """Return the limits requested in another protocol, capped at the server's maximum."""
    memory = None
    if seconds is not None:
        if math.isnan(seconds):  # every comparison with it is false
            raise InputError("the time limit is not a number", remedy="give seconds, such as 5")
        seconds = min(max(seconds, LEAST_SECONDS), service.settings.most_seconds)
    if memory_mb > 0:
        memory = min(max(memory_mb << 20, LEAST_MEMORY), service.settings.most_memory)
    return RequestLimits(seconds, memory)


MOST_FAULTS = 8
JSON = "application/json"
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asking:
    """One request, with its client and the service that answers it."""

    service: Service
    metrics: Metrics
    client: str
    headers: Any
    body: Any


Answer: TypeAlias = Callable[[Asking], Awaitable[Response | dict[str, Any]]]
"""Answers a request; tier and version are added to a dict."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A path of the server; ``asked`` and ``answered`` are the models of its bodies, or None.

    The docstring of ``answer`` begins with its summary.
    """

    path: str
    answer: Answer
    asked: type[BaseModel] | None = None
    answered: type[BaseModel] | None = None
    family: str = "evalplus_lite"
    media: tuple[str, ...] = (JSON,)
    """The content types of its answer."""

    @property
    def method(self) -> str:
        """``POST`` if the endpoint takes a body."""
        return "GET" if self.asked is None else "POST"


def application(service: Service, endpoints: Sequence[Endpoint], metrics: Metrics) -> Starlette:
    """Return the application that answers on all endpoints."""
    return Starlette(
        routes=[
            Route(each.path, _route(service, metrics, each), methods=[each.method])
            for each in endpoints
        ],
        exception_handlers={404: _missing(service), 405: _missing(service)},
    )


def _route(
    service: Service, metrics: Metrics, endpoint: Endpoint
) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        begun = time.monotonic()
        response = await answered(request)
        metrics.requests.labels(endpoint.path, str(response.status_code)).inc()
        metrics.latency.labels(endpoint.path).observe(time.monotonic() - begun)
        return response

    async def answered(request: Request) -> Response:
        try:
            body = None
            if endpoint.asked is not None:
                body = endpoint.asked.model_validate_json(await request.body())
            client = request.scope.get("client_name", "")
            found = await endpoint.answer(Asking(service, metrics, client, request.headers, body))
            return answer({**found, **service.identity}) if isinstance(found, dict) else found
        except ValidationError as error:
            faults = _faults(error)
            return refusal(service, 422, "input", "; ".join(faults), faults=faults)
        except Busy as error:
            wait = {"retry-after": str(error.seconds)}
            return refusal(service, 429, "busy", str(error), headers=wait)
        except EvalPlusLiteError as error:
            row = error_row(error)
            return refusal(service, STATUS[row["kind"]], row["kind"], row["message"])
        except Exception as error:
            log.exception("a request failed")
            return refusal(service, 500, "infrastructure", f"our own code failed: {error}"[:500])

    return respond


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


# The OpenAPI 3.1 description of all endpoints, generated from their models.

TEMPLATE = "#/components/schemas/{model}"
ERRORS = {
    "400": "The request has both Content-Length and Transfer-Encoding.",
    "401": "A token is missing or wrong.",
    "403": "Without a token, only local clients that are not browsers are served.",
    "404": "No such task, data set or path.",
    "405": "The path has another method.",
    "408": "The request did not arrive in time.",
    "413": "The request is too large.",
    "415": "The request is compressed.",
    "422": "The request cannot be used, or its task cannot be judged: no verdict.",
    "429": "The queue or the memory for requests is full; retry after Retry-After seconds.",
    "500": "The server's own code failed: no verdict.",
    "503": "The machine failed: no verdict.",
}


def described(endpoints: Sequence[Endpoint]) -> Endpoint:
    """Return the endpoint that describes the others; bodies have their models' names."""
    models = [model for each in endpoints for model in (each.asked, each.answered) if model]
    models.append(ErrorAnswer)
    modes = [(model, "validation") for model in dict.fromkeys(models)]
    refs, schemas = models_json_schema(modes, ref_template=TEMPLATE)  # type: ignore[arg-type]
    paths: dict[str, dict[str, Any]] = {}
    for each in endpoints:
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(each, refs)
    document = {
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

    async def describe(asking: Asking) -> Response:
        """This description."""
        return answer(document)

    return Endpoint("/openapi.json", describe)


def _operation(endpoint: Endpoint, refs: Any) -> dict[str, Any]:
    def content(model: type[BaseModel] | None, media: Sequence[str] = (JSON,)) -> dict[str, Any]:
        schema = {} if model is None else refs[(model, "validation")]
        return {each: {"schema": schema if each == JSON else {}} for each in media}

    asked = {"required": True, "content": content(endpoint.asked)}
    return {
        "summary": (endpoint.answer.__doc__ or "").partition(".")[0],
        "operationId": f"{endpoint.method.lower()}{endpoint.path.replace('/', '_')}",
        "tags": [endpoint.family],
        "responses": {
            "200": {"description": "Done.", "content": content(endpoint.answered, endpoint.media)},
            **{
                status: {"description": text, "content": content(ErrorAnswer)}
                for status, text in ERRORS.items()
            },
        },
        **({} if endpoint.asked is None else {"requestBody": asked}),
    }


# From rows of verdicts to answers; an error may replace a verdict.


@dataclass(frozen=True, slots=True)
class Pair:
    """A program and its task, or the error that replaces it."""

    asked: TaskSource | EvalPlusLiteError
    program: str

    @property
    def name(self) -> str:
        """The task's name, "" if there is none."""
        return self.asked.name if isinstance(self.asked, TaskSource) else ""


async def judged(
    asking: Asking, pairs: Sequence[Pair], options: Sequence[str], limits: RequestLimits
) -> AsyncIterator[tuple[int, dict[str, Any]]]:
    """Yield verdicts as they arrive, each with its program's index; may raise Busy at the start.

    Programs of a client that has disconnected are not judged.
    """
    service = asking.service
    service.queue.require_room(asking.client, len(pairs))
    places: dict[asyncio.Future[dict[str, Any]], int] = {}
    done: asyncio.Queue[asyncio.Future[dict[str, Any]]] = asyncio.Queue()
    try:
        for place, pair in enumerate(pairs):
            if isinstance(pair.asked, TaskSource):
                future = service.verdict(
                    asking.client, pair.asked, pair.program, options=options, limits=limits
                )
                places[future] = place
                future.add_done_callback(done.put_nowait)
            else:
                yield place, _failed(asking, pair, pair.asked)
        for _ in range(len(places)):
            future = await done.get()
            place = places[future]
            if future.cancelled():
                error = InfrastructureError("the server is being stopped")
                yield place, _failed(asking, pairs[place], error)
            elif problem := future.exception():
                yield place, _failed(asking, pairs[place], problem)
            else:
                row = future.result()
                name = row["plus"] or row["base"]
                asking.metrics.verdict(name, cpu=row["seconds"], is_stored=row["stored"])
                yield place, {"task": pairs[place].name, **row}
    finally:
        for future in places:
            future.cancel()


async def verdict(
    asking: Asking, asked: TaskSource, program: str, options: Sequence[str], limits: RequestLimits
) -> dict[str, Any]:
    """Return the verdict on one program; raise an error that replaces it."""
    pairs = [Pair(asked, program)]
    ((_, row),) = [found async for found in judged(asking, pairs, options, limits)]
    if "cause" in row:
        raise row["cause"]
    return row


def shown(row: dict[str, Any]) -> dict[str, Any]:
    """Convert a row for the client."""
    cause = row.pop("cause", None)
    return row if cause is None else {**row, "error": error_row(cause)}


def _failed(asking: Asking, pair: Pair, error: BaseException) -> dict[str, Any]:
    """Return the row that replaces a verdict: neither passed nor failed."""
    asking.metrics.verdict(error_row(error)["kind"])
    return {"task": pair.name, "passed": None, "base": None, "plus": None, "cause": error}
