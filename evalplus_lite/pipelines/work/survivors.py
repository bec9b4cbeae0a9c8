"""What a small suite lets pass: to be shown to a model."""

from __future__ import annotations

from evalplus_lite.errors import UnusableTask
from evalplus_lite.execution.base import Place, Row, Work
from evalplus_lite.pipelines.work.augmentation import augment_task
from evalplus_lite.pipelines.work.budget import Budget
from evalplus_lite.pipelines.work.staging import cases_of, staged

BUDGET = Budget(inputs=60, targeted=20)


def surviving(place: Place, seed: Row) -> Work:
    """Of (staged task, seeds), the diffs of its survivors; none of a task that is unusable."""

    def survive(item: Row) -> Row:
        ref, seeds = item
        task, _ = staged(place, ref)
        try:
            found = augment_task(
                place.sandbox, task, seed=seed, budget=BUDGET, seeds=cases_of(seeds)
            )
        except UnusableTask:
            return []
        return [each["diff"] for each in found.survivors]

    return survive
