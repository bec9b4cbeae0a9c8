"""Targeted rounds: inputs for the wrong programs that a suite lets pass.

After the normal budget, wrong programs that survive every input are aimed at: inputs are proposed
in batches, and those that reject a survivor are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.engine.proposer import Proposer
from evalplus_lite.grading.oracle import Answers, answer
from evalplus_lite.grading.subsets import taken
from evalplus_lite.pipelines.rivals import Rival, alive, rivals, second_order, trials
from evalplus_lite.pipelines.work.budget import Budget
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.types import Case, Suite, Task
from evalplus_lite.values import wire

IDLE = 2
"""Batches in a row that reject nobody, after which the rest is left alone."""
MOST_BATCHES = 6
BATCH = 80
EACH = 3
"""Inputs kept for a survivor, if there are so many: programs like it may fail on one of them."""
ENOUGH = 100
"""A program that answers so many inputs as the reference does, and was aimed at, is taken to be
equivalent until somebody shows an input."""

Answered = Callable[[Sequence[Case]], Answers]
"""Filters and answers proposed cases, as all others are."""


@dataclass(frozen=True, slots=True)
class Round:
    """What the targeted rounds did: the cases that reject a survivor, and who survived them.

    Of ``programs`` in all, ``aimed`` passed the inputs before, ``killed`` of these fell;
    ``tried`` inputs were answered for that, so a survivor agrees with the reference on those too.
    """

    suites: tuple[Suite, ...]
    programs: int
    aimed: int
    killed: int
    survivors: tuple[Rival, ...]
    tried: int

    @property
    def kept(self) -> int:
        """How many inputs were kept."""
        return sum(len(suite.cases) for suite in self.suites)

    def facts(self) -> dict[str, int]:
        """Return the counts, for a suite's provenance."""
        return {
            "programs": self.programs,
            "aimed": self.aimed,
            "rejected": self.killed,
            "tried": self.tried,
            "kept": self.kept,
        }

    def survivor_rows(self, task: Task, suite: Suite) -> Iterator[dict[str, Any]]:
        """Yield who survives: name, diff, on how many inputs it agrees with the reference."""
        agreed = len(suite.cases) + self.tried - self.kept
        for each in self.survivors:
            yield {
                "name": each.name,
                "diff": each.difference(task.reference),
                "agreed": agreed,
                "suspected_equivalent": agreed >= ENOUGH,
            }


def hunt(
    sandbox: Sandbox,
    task: Task,
    generator: Proposer,
    suite: Suite,
    answered: Answered,
    *,
    wrong: Sequence[str],
    seed: int,
    budget: Budget,
) -> Round:
    """Aim at the programs that pass a suite, until all are rejected or as many inputs as the
    budget has are kept.

    Most programs fall on base cases, so only who passes these is run on all.
    """
    base = taken(suite, range(suite.base_count))
    answers = [wire.decode(data) for data in base.expected]
    programs = rivals(task, wrong, answers=answers)
    subtle = alive(sandbox, task, base, programs)
    children = second_order(task, subtle, seed=seed)
    subtle += alive(sandbox, task, base, children)
    rest = taken(suite, range(suite.base_count, len(suite.cases)))
    survivors = alive(sandbox, task, rest, subtle)
    found = aim(sandbox, task, generator, survivors, answered, budget=budget)
    return replace(found, programs=len(programs) + len(children))


def aim(
    sandbox: Sandbox,
    task: Task,
    generator: Proposer,
    survivors: Sequence[Rival],
    answered: Answered,
    *,
    budget: Budget,
) -> Round:
    """Propose inputs until all survivors are rejected, the inputs that the budget has are kept, or
    nothing helps.

    Every other batch is aimed at the survivors' own constants; the generator goes on from where it
    stands with the others, and is told of the kept cases alone.
    """
    left, suites = list(survivors), list[Suite]()
    inputs = budget.targeted
    kept = idle = tried = 0
    for number in range(MOST_BATCHES):
        if not left or kept >= inputs or idle >= IDLE:
            break
        if number % 2 == 0:
            sources = (each.source for each in left)
            constants = Constants.of_survivors(sources, reference=task.reference)
            proposed = generator.propose_for(constants, BATCH)
        else:
            proposed = generator.propose(BATCH)
        if not proposed:
            break
        once = answer(
            sandbox,
            task,
            proposed,
            base_count=0,
            limits=Limits(cpu=budget.seconds, load=10.0),
            twice=False,  # good enough to see who differs
            max_failures=budget.slow,
        ).suite
        tried += len(once.cases)
        suite = answered(_killers(sandbox, task, once, left)[: inputs - kept]).suite
        left = alive(sandbox, task, suite, left)
        cases = [replace(case, source="targeted") for case in suite.cases]
        generator.feedback(cases)
        suites.append(replace(suite, cases=tuple(cases)))
        kept += len(cases)
        idle = 0 if cases else idle + 1
    return Round(tuple(suites), 0, len(survivors), len(survivors) - len(left), tuple(left), tried)


def _killers(sandbox: Sandbox, task: Task, suite: Suite, programs: Sequence[Rival]) -> list[Case]:
    """Return cases that reject programs: at first one for each, those hard to find before others,
    then further ones."""
    if not suite.cases:
        return []
    found = trials(sandbox, task, suite, programs)
    places: list[int] = []
    for turn in range(EACH):
        for trial in sorted(found, key=lambda trial: len(trial.wrong)):
            if sum(case in places for case in trial.wrong) <= turn:
                places += [case for case in trial.wrong if case not in places][:1]
    return [suite.cases[place] for place in places]
