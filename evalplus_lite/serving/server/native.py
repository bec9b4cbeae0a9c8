"""The server's own protocol, version 1."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, Field
from starlette.responses import Response, StreamingResponse

from evalplus_lite.errors import EvalPlusLiteError, InputError
from evalplus_lite.serving.server.endpoint import (
    Answered,
    Asking,
    Endpoint,
    Exact,
    LimitsGiven,
    Pair,
    encoded,
    error_row,
    judged,
    refusal,
    shown,
)
from evalplus_lite.serving.server.metrics import CONTENT_TYPE
from evalplus_lite.serving.server.service import Asked, RequestLimits, Service

NDJSON = "application/x-ndjson"
TaskGiven = Annotated[
    str | dict[str, Any],
    Field(description="The id of a task that is loaded, or a whole task: a row of its file."),
]


class Item(Exact):
    """A program and its task."""

    task: TaskGiven
    program: str


class VerifyRequest(Exact):
    """One task with a program or several, or items that each name a task."""

    task: TaskGiven | None = None
    program: str | None = None
    programs: list[str] | None = None
    items: list[Item] | None = None
    dataset: str | None = Field(
        default=None, description="Whose ids are meant; the first that has it."
    )
    chat: bool = Field(
        default=False, description="Programs are raw answers: take the code out first."
    )
    details: bool = Field(default=False, description="Run every case, and say the verdict on each.")
    explain: bool = Field(
        default=False, description="Show the failing input, with what was expected."
    )
    stream: bool = Field(
        default=False, description="Answer line by line (NDJSON) as verdicts come."
    )
    limits: LimitsGiven = LimitsGiven()

    def pairs(self, service: Service) -> list[Pair]:
        """Return the programs, each with what it is judged by; InputError for too many."""
        items = self._items()
        most = service.settings.most_programs
        if not 0 < len(items) <= most:
            raise InputError(f"there are {len(items)} programs", remedy=f"give 1 to {most}")
        known: dict[int | str, Asked | EvalPlusLiteError] = {}
        pairs = []
        for task, program in items:
            key = task if isinstance(task, str) else id(task)
            if key not in known:
                known[key] = _asked(service, task, self.dataset)
            pairs.append(Pair(known[key], program))
        return pairs

    def _items(self) -> list[tuple[str | dict[str, Any], str]]:
        if self.items is not None:
            if (self.task, self.program, self.programs) != (None, None, None):
                raise InputError("there are items and a task", remedy="give one of the two")
            return [(item.task, item.program) for item in self.items]
        if self.task is None or (self.program is None) == (self.programs is None):
            raise InputError(
                "a task and its programs are needed",
                remedy="give task with program or programs, or items of both",
            )
        programs = self.programs if self.program is None else [self.program]
        return [(self.task, program) for program in programs or []]


class VerdictGiven(BaseModel):
    """A verdict on a program; ``passed`` is null where there is none, and ``error`` says why."""

    index: int
    task: str
    passed: bool | None
    base: str | None
    plus: str | None
    failure: dict[str, Any] | None = None
    seconds: float | None = Field(default=None, description="CPU time of the program.")
    stored: bool | None = Field(default=None, description="Whether the verdict was reached before.")
    error: dict[str, str] | None = None
    notes: list[str] | None = None
    details: list[str | None] | None = None


class VerifyResponse(Answered):
    """The verdicts in the programs' order."""

    verdicts: list[VerdictGiven]


def _asked(
    service: Service, task: str | dict[str, Any], dataset: str | None
) -> Asked | EvalPlusLiteError:
    if not isinstance(task, str):
        name = task.get("id") or task.get("task_id")
        return Asked.given("row", task, name[:200] if isinstance(name, str) else "")
    try:
        return service.task(task, dataset)
    except EvalPlusLiteError as error:
        return error


async def verify(asking: Asking) -> Response | dict[str, Any]:
    """Judge programs."""
    body: VerifyRequest = asking.body
    service = asking.service
    limits = body.limits.within(service)
    pairs = body.pairs(service)
    options = [each for each in ("chat", "details", "explain") if getattr(body, each)]
    if body.stream or NDJSON in asking.headers.get("accept", ""):
        service.queue.require_room(asking.client, len(pairs))
        return StreamingResponse(_lines(asking, pairs, options, limits), media_type=NDJSON)
    found: dict[int, dict[str, Any]] = {}
    async for place, row in judged(asking, pairs, options, limits):
        found[place] = row
    causes = [found[place].get("cause") for place in range(len(pairs))]
    first = causes[0]
    if first is not None and all(_is_nothing(each, alone=len(causes) == 1) for each in causes):
        raise first  # there is no verdict at all
    rows = [{"index": place, **shown(found[place])} for place in range(len(pairs))]
    return {"verdicts": rows}


def _is_nothing(cause: BaseException | None, *, alone: bool) -> bool:
    """Return whether an error stands for a request: the only one, or one of all that failed us."""
    return cause is not None and (alone or error_row(cause)["kind"] == "infrastructure")


async def _lines(
    asking: Asking, pairs: Sequence[Pair], options: Sequence[str], limits: RequestLimits
) -> AsyncIterator[bytes]:
    service, count = asking.service, 0
    async for place, row in judged(asking, pairs, options, limits):
        count += 1
        yield encoded({"index": place, **shown(row)}) + b"\n"
    yield encoded({"done": True, "count": count, **service.identity}) + b"\n"


async def health(asking: Asking) -> Response | dict[str, Any]:
    """Say whether programs can be judged, and how many wait."""
    service = asking.service
    ready = len(service.backend.pids)
    if not ready:
        return refusal(service, 503, "infrastructure", "no worker is there")
    return {
        "status": "ok",
        "workers": service.backend.workers,
        "ready": ready,
        "waiting": service.queue.waiting,
        "running": service.queue.begun,
        "datasets": {name: len(each) for name, each in service.datasets.items()},
    }


async def metrics(asking: Asking) -> Response:
    """Return what is counted."""
    return Response(asking.metrics.text(), media_type=CONTENT_TYPE)


ENDPOINTS = (
    Endpoint("POST", "/v1/verify", "Judge programs", verify, VerifyRequest, VerifyResponse,
             media=("application/json", NDJSON)),
    Endpoint("GET", "/healthz", "Whether programs can be judged", health),
    Endpoint("GET", "/metrics", "Counters for Prometheus", metrics, media=("text/plain",)),
)  # fmt: skip
