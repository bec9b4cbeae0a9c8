"""What requests and answers of several protocols have in common."""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from evalplus_lite.errors import InputError
from evalplus_lite.sandbox.limits import LEAST_MEMORY
from evalplus_lite.serving.server.service import RequestLimits, Service

MOST_TOTAL = 60
"""All cases together may be granted so many times what one may."""
LEAST_SECONDS = 0.05


Seconds = Annotated[float, Field(strict=True)]
"""A number: ``true`` and ``"5"`` are refused."""


class Exact(BaseModel):
    """A request of which every key is known: a misspelled one is refused, not ignored."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Loose(BaseModel):
    """A request of others' clients, which may say more than is looked at."""

    model_config = ConfigDict(extra="ignore")


class Answered(BaseModel):
    """What every answer says."""

    tier: str = Field(description="The tier of isolation that programs ran in.")
    version: str


class ErrorAnswer(Answered):
    """The reason why a request has no answer; ``detail`` is its message again."""

    error: dict[str, Any]
    detail: str


class LimitsGiven(Exact):
    """What a program may use, where the server's own limits are not wanted."""

    seconds: float | None = Field(
        default=None,
        gt=0,
        description="CPU seconds a case; four times the reference's, if more.",
    )
    total_seconds: float | None = Field(default=None, gt=0, description="Of all cases together.")
    memory_mb: int | None = Field(default=None, ge=16, description="MiB that a program may add.")

    def within(self, service: Service) -> RequestLimits:
        """Return the limits; InputError for more than the server grants."""
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


def granted(service: Service, seconds: float | None, memory_mb: int | None = None) -> RequestLimits:
    """Return limits as other protocols ask for them, cut to what the server grants."""
    found = None
    if seconds is not None and math.isnan(seconds):  # every comparison with it is false
        raise InputError("the time limit is not a number", remedy="give seconds, such as 5")
    if seconds is not None:
        found = min(max(seconds, LEAST_SECONDS), service.settings.most_seconds)
    memory = None
    if memory_mb is not None and memory_mb > 0:
        memory = min(max(memory_mb << 20, LEAST_MEMORY), service.settings.most_memory)
    return RequestLimits(found, memory)
