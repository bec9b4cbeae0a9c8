"""Probing: how far the sizes of a task's inputs go, found out once by ladders of larger ones.

A ladder ends where the contract refuses, or where the reference takes too many steps; no time is
measured. What it meets on the way is answered already: the largest become stress cases, the others
cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evalplus_lite.generate.engine.proposer import Proposer
from evalplus_lite.generate.engine.scale import MOST, Rung, weight
from evalplus_lite.grading.oracle import Answers, answer
from evalplus_lite.grading.subsets import as_stress, joined
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.sandbox.rations import Purse
from evalplus_lite.types import Case, Suite, Task

ROUNDS = 6
"""Runs of the reference: each ends with the first slow input, whose ladder goes no further."""
SLOW = ("slow", "memory", "crashes")
MOST_TOPS = 6
"""Stress cases of a task, the largest of each dimension."""
HEAVIEST = 25_000
"""Characters and elements of a stress case."""


@dataclass(frozen=True, slots=True)
class Probe:
    """What the ladders gave: answered cases, and stress cases if there are any."""

    cases: Answers
    tops: Suite | None
    dropped: dict[str, int]


def probe(
    sandbox: Sandbox, task: Task, generator: Proposer, base: Sequence[Case], *, purse: Purse
) -> Probe:
    """Try the ladders of a generator that has seen the base cases; tell it how far they go."""
    left, suites = generator.ladder(base), [Suite(task.id, (), (), 0)]
    scales, steps = generator.scales, list[int]()
    limits = Limits(load=10.0)
    dropped: dict[str, int] = {}
    found: list[Rung] = []
    for turn in range(ROUNDS):
        if not left:
            break
        answers = answer(
            sandbox,
            task,
            [rung.case for rung in left],
            base_count=0,
            limits=limits,
            contract=not turn,
            max_failures=1,
            purse=purse,
        )
        suites.append(answers.suite)
        steps += answers.steps
        found += [left[at] for at in answers.kept]
        causes = {id(drop.case): drop.cause for drop in answers.dropped}
        for at, taken in zip(answers.kept, answers.steps, strict=True):
            scales.ranges[left[at].dimension].charge(left[at].level, taken)
        for rung in left:
            cause = causes.get(id(rung.case))
            if cause != "budget":
                is_slow = cause in SLOW
                scales.ranges[rung.dimension].learn(
                    rung.level, accepted=cause is None, slow=is_slow
                )
                if cause is not None:
                    dropped[cause] = dropped.get(cause, 0) + 1
        left = [
            rung
            for rung in left
            if causes.get(id(rung.case)) == "budget" and not scales.is_beyond(rung)
        ]
    scales.settle()
    suite = joined(suites, {})
    answers = Answers(suite, (), tuple(range(len(suite.cases))), tuple(steps))
    return _sorted_out(answers, found, dropped)


def _sorted_out(answers: Answers, rungs: Sequence[Rung], dropped: dict[str, int]) -> Probe:
    """Divide what was answered: the top of each ladder is stress, what is moderate are cases."""
    suite = answers.suite
    top: dict[object, int] = {}
    for rung in rungs:
        top[rung.dimension] = max(top.get(rung.dimension, 0), rung.level)
    stress, cases = dict[int, str](), list[int]()
    for at, rung in enumerate(rungs):
        way = rung.dimension.way
        if rung.size <= MOST[way]:
            cases.append(at)
        elif rung.level == top[rung.dimension] and weight(rung.case.arguments) <= HEAVIEST:
            stress[at] = way
    chosen = dict(sorted(stress.items(), reverse=True)[:MOST_TOPS])
    apart = as_stress(suite, chosen)
    return Probe(answers.only(cases), apart if apart.cases else None, dropped)
