"""From rows of verdicts to what clients get; an error stands in a verdict's place as itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from evalplus_lite.errors import EvalPlusLiteError, InfrastructureError
from evalplus_lite.serving.server.answers import error_row
from evalplus_lite.serving.server.endpoint import Asking
from evalplus_lite.serving.server.service import Asked, RequestLimits


@dataclass(frozen=True, slots=True)
class Pair:
    """A program, and what it is judged by; or the error that there is instead."""

    asked: Asked | EvalPlusLiteError
    program: str

    @property
    def name(self) -> str:
        """The task's name, "" if there is none."""
        return self.asked.name if isinstance(self.asked, Asked) else ""


async def judged(
    asking: Asking, pairs: Sequence[Pair], options: Sequence[str], limits: RequestLimits
) -> AsyncIterator[tuple[int, dict[str, Any]]]:
    """Yield verdicts as they come, each with its program's place; Busy before the first.

    What is not awaited any more, as the client has gone, is not judged.
    """
    service = asking.service
    service.queue.require_room(asking.client, len(pairs))
    places: dict[asyncio.Future[dict[str, Any]], int] = {}
    done: asyncio.Queue[asyncio.Future[dict[str, Any]]] = asyncio.Queue()
    try:
        for place, pair in enumerate(pairs):
            if isinstance(pair.asked, Asked):
                future = service.verdict(
                    asking.client, pair.asked, pair.program, options=options, limits=limits
                )
                places[future] = place
                future.add_done_callback(done.put_nowait)
            else:
                yield place, _failed(asking, pair, pair.asked)
        for _ in range(len(places)):
            future = await done.get()
            yield places[future], _row(asking, pairs[places[future]], future)
    finally:
        for future in places:
            future.cancel()


async def verdict(
    asking: Asking, asked: Asked, program: str, options: Sequence[str], limits: RequestLimits
) -> dict[str, Any]:
    """Return the verdict on one program; raises what is none."""
    async for _, row in judged(asking, [Pair(asked, program)], options, limits):
        if isinstance(row.get("cause"), BaseException):
            raise row["cause"]
        return row
    raise AssertionError("one pair gives one row")


def shown(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as a client gets it."""
    cause = row.pop("cause", None)
    return row if cause is None else {**row, "error": error_row(cause)}


def _row(asking: Asking, pair: Pair, future: asyncio.Future[dict[str, Any]]) -> dict[str, Any]:
    if future.cancelled():
        return _failed(asking, pair, InfrastructureError("the server is being stopped"))
    error = future.exception()
    if error is not None:
        return _failed(asking, pair, error)
    row = future.result()
    name = row["plus"] or row["base"]
    asking.metrics.verdict(name, cpu=row["seconds"], is_stored=row["stored"])
    return {"task": pair.name, **row}


def _failed(asking: Asking, pair: Pair, error: BaseException) -> dict[str, Any]:
    """Return what stands in a verdict's place: neither passed nor failed."""
    asking.metrics.verdict(error_row(error)["kind"])
    return {"task": pair.name, "passed": None, "base": None, "plus": None, "cause": error}
