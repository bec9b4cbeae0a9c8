"""Wrong programs for a task, and which of them a suite lets pass.

Mutants of the reference, programs that confuse what is easily confused or overlook something,
mutants of those that are hard to tell from it, and samples known to be wrong.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import TypeVar

from evalplus_lite.grading.metered import MeteredSuite
from evalplus_lite.grading.paces import reference_steps
from evalplus_lite.mutation.generation import confused, own_mutations
from evalplus_lite.mutation.mutants import normal_form, unified
from evalplus_lite.mutation.shared_state import may_share
from evalplus_lite.mutation.variants import kinds_of, variants
from evalplus_lite.programs import program_hash, program_key
from evalplus_lite.requirements.kills import MEMORY, TOGETHER, KillSuite
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.sandbox.steps import Allowance
from evalplus_lite.types import Suite, Task, Value, VerdictName

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
