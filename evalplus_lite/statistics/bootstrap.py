"""Intervals by drawing tasks again: programs of one task are alike, tasks are not."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

DRAWS = 1000
Item = TypeVar("Item")


def bootstrap(
    tasks: Sequence[Item],
    figure: Callable[[Sequence[Item]], float],
    *,
    seed: int,
    draws: int = DRAWS,
) -> tuple[float, float]:
    """Return the 95 % percentile interval of a figure over as many tasks, drawn with replacement.

    What a task brings is drawn whole (Miller 2024, arXiv 2411.00640: errors clustered by task).
    Where all tasks agree the interval is a point: read Wilson's beside it. (0, 1) for no task.

    Of few tasks it is too narrow (docs/measurements/statistics.md): for the mean of a task's
    figures there is ``mean_interval``, for two models' differences ``paired``.
    """
    if not tasks:
        return (0.0, 1.0)
    chance = random.Random(seed)
    found = sorted(figure(chance.choices(tasks, k=len(tasks))) for _ in range(draws))
    tail = round(0.025 * draws)
    return found[tail], found[-1 - tail]


def bootstrap_mean(
    values: Sequence[float], *, seed: int, draws: int = DRAWS
) -> tuple[float, float]:
    """Return the bootstrap's interval of the mean of a figure a task: pass@k, or a difference.

    Of differences between two models, it is the paired bootstrap.
    """
    return bootstrap(values, lambda some: sum(some) / len(some), seed=seed, draws=draws)
