"""Proportions with confidence intervals, and their values under random choice."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

Z = 1.959964
"""The normal distribution's two-sided 95 % point."""


@dataclass(frozen=True, slots=True)
class Share:
    """``hits`` of ``total``; fractional where chance decides."""

    hits: float
    total: int

    @property
    def value(self) -> float:
        """The share; 1 where there was nothing to hit."""
        return self.hits / self.total if self.total else 1.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval (1927)."""
        return wilson(self.value, self.total)


def wilson(share: float, total: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share of ``total``, which may be a fraction."""
    if not total:
        return (0.0, 1.0)
    middle = (share + Z * Z / (2 * total)) / (1 + Z * Z / total)
    spread = share * (1 - share) / total + Z * Z / (4 * total * total)
    half = Z / (1 + Z * Z / total) * math.sqrt(spread)
    # The interval includes the share even where rounding would exclude it.
    return (min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half)))


def added(shares: Iterable[Share]) -> Share:
    """Return the hits of all of their totals."""
    parts = list(shares)
    return Share(sum(share.hits for share in parts), sum(share.total for share in parts))


def chance_of_none(total: int, hits: int, drawn: int) -> float:
    """Return the chance that ``drawn`` of ``total`` things, drawn at random, hold no hit.

    With more drawn than there are, all are.
    """
    drawn = min(drawn, total)
    return math.comb(total - hits, drawn) / math.comb(total, drawn)
