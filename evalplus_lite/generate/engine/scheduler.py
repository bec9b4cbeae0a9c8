"""The scheduler: where proposals come from, and how much of a batch each should have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evalplus_lite.types import Case

MOST_RETRIED = 3.0
"""A source whose inputs are rejected gets up to this many times its share to make up for it."""


@dataclass(frozen=True, slots=True)
class Mix:
    """The shares of the sources among accepted inputs; a source that runs dry leaves its share.

    Those from ``magnitude`` on are the challenges (``engine.challenges``).
    """

    mutation: float = 0.4
    constant: float = 0.14
    boundary: float = 0.2
    hypothesis: float = 0.04
    magnitude: float = 0.05
    length: float = 0.05
    letters: float = 0.04
    types: float = 0.02
    cancellation: float = 0.04
    ties: float = 0.02


@dataclass(slots=True)
class InputSource:
    """A source of inputs and how it has fared."""

    name: str
    share: float
    draw: Callable[[], Case | None]
    proposed: int = 0
    accepted: int = 0
    worth: float = 0.0
    """What its accepted inputs are worth together, by ``Pool.add``."""
    every: float = 1.0
    """Its inputs stand this far apart in a batch."""
    due: float = 0.0
    """Where in the batch its next input stands."""

    def want(self) -> None:
        """Plan its share of a batch: more to make up for rejections, less for sameness."""
        refusals = (self.proposed + 5) / (self.accepted + 5)
        worth = (self.worth + 5) / (self.accepted + 5)
        self.every = 1 / (self.share * worth * min(MOST_RETRIED, refusals))
        self.due = self.every / 2


def due(source: InputSource) -> float:
    """Return where in the batch the source's next input stands."""
    return source.due
