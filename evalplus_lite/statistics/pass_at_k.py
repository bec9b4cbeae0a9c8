"""The unbiased estimator of pass@k (Chen et al. 2021), for one task and over tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb

DEFAULT_K = (1, 10, 100)


@dataclass(frozen=True, slots=True)
class Count:
    """A task's samples: ``correct`` of ``total`` are right."""

    total: int
    correct: int


def pass_at_k(total: int, correct: int, k: int) -> float:
    """Return the unbiased estimate 1 - C(n-c, k) / C(n, k) for n samples with c right ones.

    Chen et al. 2021 (arXiv 2107.03374), section 2.1; computed exactly, then rounded once. Raises
    ValueError unless 0 <= correct <= total and 1 <= k <= total.
    """
    return float(exact_pass_at_k(total, correct, k))


@lru_cache(maxsize=1 << 14)
def exact_pass_at_k(total: int, correct: int, k: int) -> Fraction:
    """Return ``pass_at_k`` as an exact fraction."""
    if not 0 <= correct <= total or not 1 <= k <= total:
        raise ValueError(f"pass@{k} is undefined for {correct} right of {total} samples")
    return 1 - Fraction(comb(total - correct, k), comb(total, k))


def estimate(counts: Mapping[str, Count], ks: Iterable[int] = DEFAULT_K) -> dict[str, float]:
    """Return ``{"pass@k": mean over tasks}`` for each k with enough samples for every task."""
    result = {}
    for k in ks:
        if counts and all(count.total >= k for count in counts.values()):
            parts = [pass_at_k(count.total, count.correct, k) for count in counts.values()]
            result[f"pass@{k}"] = sum(parts) / len(parts)
    return result
