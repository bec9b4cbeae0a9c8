"""What augmenting a task begins with: its base cases answered, and a generator that knows them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from evalplus_lite.generate.domains.constants import Constants, examples
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine.generator import Generator
from evalplus_lite.grading.evidence import notes, own_refused, require_check, sentence, weighed
from evalplus_lite.grading.oracle import Answers, answer
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.types import Case, Task

BASE_LIMITS = Limits(cpu=20.0, load=10.0)
SAMPLED = 16  # by Hypothesis: each takes several times as long to make as one of ours


def base_answers(sandbox: Sandbox, task: Task) -> tuple[Answers, list[str]]:
    """Return the base cases that can be kept, and notes on them; raises UnusableTask if none."""
    refused = own_refused(sandbox, task)
    base = answer(
        sandbox, task, task.base, base_count=len(task.base), limits=BASE_LIMITS, contract=False
    )
    told = notes(weighed(task, base))
    require_check(sandbox, task, base.suite)
    if refused:
        told.append(f"{len(refused)} base inputs are kept though {sentence(refused[0])}")
    return base, told


def generator_of(
    task: Task, base: Sequence[Case], seed: int, seeds: Sequence[Case], *, is_own: bool
) -> Generator:
    """Return a generator that has seen these base cases; ``seeds`` are proposed first.

    ``is_own``: the contract was written for the task, and is the only limit.
    """
    from evalplus_lite.generate.strategies import sampled  # a third of a second, not for --help

    constants = Constants.of_task(task)
    input_filter = InputFilter.of_task(
        replace(task, base=tuple(base)), constants=constants, is_own=is_own
    )
    first = [Case(shown, "docstring") for shown in examples(task.prompt, task.entry_point)]
    name = f"{seed}:{task.id}"
    return Generator(
        base,
        input_filter=input_filter,
        rng=random.Random(name),
        seeds=[*first, *seeds],
        sampled=sampled(input_filter, count=SAMPLED, seed=name),
        constants=constants,
        is_challenging=True,
    )
