"""Wrong programs for a task, and which of them a suite lets pass.

Mutants of the reference, programs that confuse what is easily confused or overlook something,
mutants of those that are hard to tell from it, and samples known to be wrong.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.engine.proposer import Proposer
from evalplus_lite.grading.metered import MeteredSuite
from evalplus_lite.grading.oracle import Answers, answer
from evalplus_lite.grading.subsets import subset
from evalplus_lite.grading.times import reference_steps
from evalplus_lite.jobs.workers.budget import Budget
from evalplus_lite.programs import program_hash, program_key
from evalplus_lite.programs.mutation.mutants import confused, normal_form, own_mutations, unified
from evalplus_lite.programs.mutation.variants import kinds_of, may_share, variants
from evalplus_lite.reduction.kills import MEMORY, TOGETHER, KillSuite
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.sandbox.steps import Allowance
from evalplus_lite.types import Case, Suite, Task, Value, VerdictName
from evalplus_lite.values import wire

MOST_CONFUSED, MOST_VARIANTS, MOST_MUTANTS = 24, 24, 48
"""Programs of each kind, evenly from all: each costs a few milliseconds."""
PARENTS, CHILDREN = 4, 4
"""Mutants that are mutated again, those that pass the base cases, and how often each."""

STEPS = 1_000_000
"""Steps that a program may make on an input that is not vetted yet."""

DECIDED: tuple[VerdictName, ...] = ("fail", "error", "unrepresentable")
"""Verdicts by an answer, or the lack of one: a case is kept for no other, as another machine may
not repeat it."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Rival:
    """A wrong program, perhaps: a mutant (of our own making) or a sample."""

    source: str
    name: str
    is_mutant: bool

    def difference(self, reference: str) -> str:
        """Return its unified diff from the reference."""
        return unified(reference, self.source, "mutant" if self.is_mutant else "sample")


@dataclass(frozen=True, slots=True)
class Trial:
    """A program, and the cases on which it is wrong."""

    rival: Rival
    wrong: tuple[int, ...]


def rivals(
    task: Task, samples: Iterable[str] = (), *, answers: Iterable[Value] = ()
) -> list[Rival]:
    """Return a task's mutants and then the samples, equal programs once, the reference never.

    ``answers`` are some that the reference gives: variants change those of their types.
    """
    original = normal_form(task.reference)
    kinds = kinds_of(case.arguments for case in task.base)
    kinds |= {f"answer {kind}" for kind in kinds_of(answers)}
    overlooking = variants(original, task.entry_point, kinds)
    seen, found = {original}, list[Rival]()
    for made, most in (
        (confused(original), MOST_CONFUSED),
        (overlooking, MOST_VARIANTS),
        (own_mutations(original), MOST_MUTANTS),
    ):
        new = _distinct(made, without=seen)
        seen |= set(new)
        found += [_mutant(text, name) for text, name in spread(list(new.items()), most)]
    known = {program_key(task.reference)}
    for source in samples:
        key = program_key(source)
        if key not in known:
            known.add(key)
            found.append(Rival(source, f"sample {key}", False))
    return found


def second_order(task: Task, parents: Sequence[Rival], *, seed: int) -> list[Rival]:
    """Return mutants of mutants: some of each of the first ones given, those of ``seed``."""
    chance = random.Random(f"{seed}:{task.id}:rivals").random
    known = {parent.source for parent in parents}
    found = []
    for parent in spread([each for each in parents if each.is_mutant], PARENTS):
        made = _distinct(own_mutations(parent.source), without=known)
        for text, name in sorted(made.items(), key=lambda _: chance())[:CHILDREN]:
            known.add(text)
            found.append(_mutant(text, f"{parent.name.partition(': ')[2]}, then {name}"))
    return found


def alive(sandbox: Sandbox, task: Task, suite: Suite, programs: Sequence[Rival]) -> list[Rival]:
    """Return the programs that pass every case of a suite, mutants first."""
    if not (suite.cases and programs):
        return list(programs)
    steps = reference_steps(sandbox, task, suite.cases)
    mutants = [each for each in programs if each.is_mutant]
    samples = [each for each in programs if not each.is_mutant]
    found = []
    if mutants:
        kills = KillSuite.of_mutants(sandbox, task, suite, steps)
        found += _passing(sandbox, kills.metered, mutants)
    if samples:
        metered = KillSuite.of_samples(task, suite, steps).metered
        found += _passing(sandbox, metered, samples)
    return found


def trials(sandbox: Sandbox, task: Task, suite: Suite, programs: Sequence[Rival]) -> list[Trial]:
    """Return what each program does on the cases of a suite whose inputs are not vetted yet.

    Nobody is said to fail for the steps it takes, as the reference's are not known.
    """
    found = []
    for is_mutant in (True, False):
        chosen = [each for each in programs if each.is_mutant is is_mutant]
        together = TOGETHER if is_mutant and may_share(task.reference) else 1
        metered = MeteredSuite.of(
            task,
            suite,
            [STEPS] * len(suite.cases),
            [Allowance(STEPS).patience_counting] * len(suite.cases),
            memory=MEMORY,
            costs={"timeout": 1, "memory": 1, "crash": 1},
            patience=1,
            together=together,
        )
        rows = metered.rows(sandbox, [each.source for each in chosen])
        for rival, row in zip(chosen, rows, strict=True):
            wrong = [at for at, verdict in enumerate(row) if verdict in DECIDED]
            found.append(Trial(rival, tuple(wrong)))
    return found


def spread(items: Sequence[T], most: int) -> Sequence[T]:
    """Return at most so many items, evenly from all of them."""
    if len(items) <= most:
        return items
    return [items[number * len(items) // most] for number in range(most)]


def _mutant(text: str, operator: str) -> Rival:
    return Rival(text, f"mutant {program_hash(text)}: {operator}", True)


def _distinct(made: Iterable[tuple[str, str]], *, without: Set[str]) -> dict[str, str]:
    """Return who made each text, by text."""
    found: dict[str, str] = {}
    for operator, text in made:
        if text not in without:
            found.setdefault(text, operator)
    return found


def _passing(sandbox: Sandbox, suite: MeteredSuite, programs: Sequence[Rival]) -> list[Rival]:
    rows = suite.rows(sandbox, [each.source for each in programs])
    return [each for each, row in zip(programs, rows, strict=True) if set(row) == {"pass"}]


# Targeted rounds: inputs for the wrong programs that a suite lets pass.

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
    base = subset(suite, range(suite.base_count))
    answers = [wire.decode(data) for data in base.expected]
    programs = rivals(task, wrong, answers=answers)
    subtle = alive(sandbox, task, base, programs)
    children = second_order(task, subtle, seed=seed)
    subtle += alive(sandbox, task, base, children)
    rest = subset(suite, range(suite.base_count, len(suite.cases)))
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
