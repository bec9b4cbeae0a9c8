"""Augmenting one task: its suite grows until there are inputs enough, wherever that is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple

from evalplus_lite.errors import UnusableTask
from evalplus_lite.execution.base import Place, Row, Work
from evalplus_lite.grading.evidence import blamed, recorded
from evalplus_lite.pipelines.work.augmented import (
    Augmented,
    finished,
)
from evalplus_lite.pipelines.work.beginning import in_sequences
from evalplus_lite.pipelines.work.budget import Budget
from evalplus_lite.pipelines.work.growing import TaskAugmentation
from evalplus_lite.pipelines.work.staging import cases_of, staged
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.types import Case, Task


def augment_task(
    sandbox: Sandbox,
    task: Task,
    *,
    seed: int,
    budget: Budget,
    seeds: Sequence[Case] = (),
    samples: Sequence[str] = (),
    wrong: Sequence[str] = (),
) -> Augmented:
    """Return the task's base cases and new ones, with the reference's answers.

    As ``TaskAugmentation`` says, whose steps are all taken; ``wrong`` are programs to aim at,
    besides the reference's mutants.
    """
    growing = TaskAugmentation(
        sandbox, task, seed=seed, budget=budget, seeds=seeds, samples=samples
    )
    growing.probe()
    while growing.step():
        pass
    return growing.finish(wrong)


def augmenting(place: Place, settings: Row) -> Work:
    """Of (staged task, seeds, samples, wrong programs), what ``finished`` returns of its suite by
    (seed, budget); if there is none, None and the unusable task's (id, cause, detail)."""
    seed, budget = settings[0], Budget(*settings[1])

    def work(item: Row) -> Row:
        ref, seeds, samples, wrong = item
        task, _ = staged(place, ref)
        try:
            with blamed(task):
                task = in_sequences(place.sandbox, task)
                result = augment_task(
                    place.sandbox,
                    task,
                    seed=seed,
                    budget=budget,
                    seeds=cases_of(seeds),
                    samples=samples,
                    wrong=wrong,
                )
        except UnusableTask as error:
            return None, astuple(recorded(error))
        return finished(task, result)

    return work
