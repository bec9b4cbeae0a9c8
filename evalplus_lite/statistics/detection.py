"""Measures of how well suites separate right programs from wrong ones.

True positive and true negative rate as in CodeContests+ (arXiv 2506.05817) and HardTests (arXiv
2505.24098), detection rate and verifier accuracy as in SAGA (arXiv 2507.06920), Coverage@N as in
TestCase-Eval (arXiv 2506.12278). docs/guide/reduction.md defines each for this package.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from evalplus_lite.statistics.means import Share, added

DRAWS = 1000
Item = TypeVar("Item")


def bootstrap(
    tasks: Sequence[Item],
    figure: Callable[[Sequence[Item]], float],
    *,
    seed: int,
    draws: int = DRAWS,
) -> tuple[float, float]:
    """Return the 95 % percentile interval of a figure by resampling tasks with replacement.

    Tasks are resampled whole (Miller 2024, arXiv 2411.00640: errors clustered by task). If all
    tasks agree, the interval is a point: use Wilson's as well. (0, 1) without tasks.

    It is too narrow for few tasks (docs/measurements/reduction.md): use ``mean_interval`` for the
    mean of figures by task, and ``paired`` for the difference of two models.
    """
    if not tasks:
        return (0.0, 1.0)
    chance = random.Random(seed)
    drawn = sorted(figure(chance.choices(tasks, k=len(tasks))) for _ in range(draws))
    tail = round(0.025 * draws)
    return drawn[tail], drawn[-1 - tail]


MOST_CASES = 100
"""Maximum N of Coverage@N and of the area under its curve."""


@dataclass(frozen=True, slots=True)
class ProgramOutcome:
    """A program's results on some cases of a task: ``rejecting`` of ``cases`` reject it.

    For right programs only ``is_accepted`` is used. ``passes_base``: whether it passes the base
    cases.
    """

    task_id: str
    is_accepted: bool
    passes_base: bool
    rejecting: int = 0
    cases: int = 0


def by_task(judged: Iterable[ProgramOutcome]) -> dict[str, list[ProgramOutcome]]:
    """Return the programs of each task, in order of first appearance."""
    outcomes: dict[str, list[ProgramOutcome]] = {}
    for each in judged:
        outcomes.setdefault(each.task_id, []).append(each)
    return outcomes


def share_row(shares: Sequence[Share], *, seed: int) -> dict[str, Any]:
    """Return the total of the tasks' ``shares`` as plain data.

    ``interval`` is Wilson's, as if programs were independent; ``interval_of_tasks`` resamples
    tasks. All three, with ``value``, are None if there is nothing to count.
    """
    whole = added(shares)
    known = [share for share in shares if share.total]
    return {
        "hits": int(whole.hits),
        "total": whole.total,
        "value": whole.value if whole.total else None,
        "interval": list(whole.interval) if whole.total else None,
        "interval_of_tasks": list(bootstrap(known, lambda some: added(some).value, seed=seed))
        if whole.total
        else None,
    }


def figures(
    right: Mapping[str, Sequence[ProgramOutcome]],
    wrong: Mapping[str, Sequence[ProgramOutcome]],
    *,
    seed: int,
) -> dict[str, Any]:
    """Return a suite's figures as plain data, from its verdicts on right and wrong programs.

    Both are grouped by task (``by_task``). ``seed`` is for the bootstrap.
    """

    def counted(some: Sequence[ProgramOutcome], *, is_accepted: bool) -> Share:
        return Share(sum(each.is_accepted == is_accepted for each in some), len(some))

    def mean(values: Sequence[float]) -> float:
        return sum(values) / len(values)

    def means(rows: Iterable[Sequence[float]]) -> list[float]:
        return [mean(column) for column in zip(*rows, strict=True)]

    accepted = [counted(some, is_accepted=True) for some in right.values()]
    rejected = [counted(some, is_accepted=False) for some in wrong.values()]
    hidden = [[each for each in some if each.passes_base] for some in wrong.values()]
    past = [counted(some, is_accepted=False) for some in hidden]
    whole = [Share(share.hits == share.total, 1) for share in rejected]
    rates = [share.value for share in rejected]
    # For each N, the expected share of a task's programs that N random cases reject.
    curve = means(means(map(rejections, some)) for some in wrong.values())
    return {
        "tpr": share_row(accepted, seed=seed),
        "tnr": share_row(rejected, seed=seed),
        "tnr_past_base": share_row(past, seed=seed),
        "detection_rate": {
            "value": mean(rates) if rates else None,
            "interval_of_tasks": list(bootstrap(rates, mean, seed=seed)) if rates else None,
        },
        "verifier_accuracy": share_row(whole, seed=seed),
        "coverage": {"curve": curve, "area": mean(curve) if curve else None},
    }


def rejections(program: ProgramOutcome) -> list[float]:
    """Return the probability that N random cases reject a program, for N from 1 to MOST_CASES.

    Cases are drawn without replacement; from N = ``cases`` on, all are drawn.
    """
    if not program.rejecting and not program.is_accepted:
        return [1.0] * MOST_CASES
    escape, expected = 1.0, []
    for drawn in range(MOST_CASES):
        left = program.cases - drawn
        if left > 0:
            escape *= max(0.0, left - program.rejecting) / left
        expected.append(1 - escape)
    return expected
