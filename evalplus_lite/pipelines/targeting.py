"""Targeted rounds: further inputs for the wrong programs that a suite lets pass.

After the normal budget, mutants of the reference and samples known to be wrong that survive every
input are aimed at: inputs are proposed in batches, and those that reject a survivor are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.engine.generator import Generator
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.grading.oracle import Answers
from evalplus_lite.grading.subsets import taken
from evalplus_lite.mutation.mutants import difference, mutants, unified
from evalplus_lite.programs import program_key
from evalplus_lite.requirements.kills import MEMORY
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.types import Case, Suite, Task, VerdictName

IDLE = 4
"""Batches in a row that reject nobody, after which the rest is left alone."""
MOST_BATCHES = 12

TIMED: tuple[VerdictName, ...] = ("timeout", "memory", "crash")
"""Verdicts that another machine may not repeat."""

Answered = Callable[[Sequence[Case]], Answers]
"""Filters and answers proposed cases, as the normal budget's are."""


@dataclass(frozen=True, slots=True)
class Target:
    """A program that is wrong: a mutant or a sample, with its diff from the reference."""

    source: str
    name: str
    diff: str


@dataclass(frozen=True, slots=True)
class Round:
    """What the targeted rounds did: the cases that reject a survivor, and who survived them."""

    suites: tuple[Suite, ...]
    aimed: int
    killed: int
    survivors: tuple[Target, ...]
    tried: int


def targets(task: Task, samples: Iterable[str] = ()) -> list[Target]:
    """Return a task's mutants and then the samples, equal programs once, the reference never."""
    found: dict[str, Target] = {}
    for mutant in mutants(task.reference):
        name = f"mutant {mutant.key}: {mutant.operator}, line {mutant.line}"
        found[program_key(mutant.source)] = Target(
            mutant.source, name, difference(task.reference, mutant)
        )
    own = program_key(task.reference)
    for source in samples:
        key = program_key(source)
        if key != own and key not in found:
            found[key] = Target(source, f"sample {key}", unified(task.reference, source, "sample"))
    return list(found.values())


def alive(sandbox: Sandbox, task: Task, suite: Suite, programs: Sequence[Target]) -> list[Target]:
    """Return the programs that pass every case of a suite."""
    prepared = PreparedSuite.by_steps(task, suite, memory=MEMORY)
    return [
        each for each in programs if evaluate_program(sandbox, prepared, each.source).plus == "pass"
    ]


def aim(
    sandbox: Sandbox,
    task: Task,
    generator: Generator,
    survivors: Sequence[Target],
    answered: Answered,
    *,
    inputs: int,
    batch: int,
) -> Round:
    """Propose inputs until all survivors are rejected, ``inputs`` are kept, or nothing helps.

    Every other batch is aimed at the survivors' own constants; the generator goes on from where it
    stands with the others, and is told of the kept cases alone. A program that
    runs out of time is rejected too, but no case is kept for that: it would hang on the machine.
    """
    left, suites = list(survivors), list[Suite]()
    kept = idle = tried = 0
    for number in range(MOST_BATCHES):
        if not left or kept >= inputs or idle >= IDLE:
            break
        if number % 2 == 0:
            sources = (each.source for each in left)
            constants = Constants.of_survivors(sources, reference=task.reference)
            proposed = generator.propose_for(constants, batch)
        else:
            proposed = generator.propose(batch)
        if not proposed:
            break
        answers = answered(proposed)
        tried += len(answers.suite.cases)
        places, left = _killers(sandbox, task, answers.suite, left)
        places = places[: inputs - kept]
        suite = taken(answers.suite, places)
        cases = [replace(case, source="targeted") for case in suite.cases]
        generator.feedback(cases)
        suites.append(replace(suite, cases=tuple(cases)))
        kept += len(cases)
        idle = 0 if cases else idle + 1
    return Round(tuple(suites), len(survivors), len(survivors) - len(left), tuple(left), tried)


def _killers(
    sandbox: Sandbox, task: Task, suite: Suite, programs: Sequence[Target]
) -> tuple[list[int], list[Target]]:
    """Return which cases reject a program first, in order, and the programs that pass all."""
    if not suite.cases:
        return [], list(programs)
    prepared = PreparedSuite.by_steps(task, suite, memory=MEMORY)
    places: set[int] = set()
    left = []
    for program in programs:
        failure = evaluate_program(sandbox, prepared, program.source).failure
        if failure is None:
            left.append(program)
        elif failure.verdict not in TIMED:
            places.add(failure.case)
    return sorted(places), left
