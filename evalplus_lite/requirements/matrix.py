"""A task's cover matrix: every requirement with the bitset of the cases that satisfy it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evalplus_lite.grading.paces import reference_steps
from evalplus_lite.mutation.mutants import Mutant, mutants
from evalplus_lite.programs import program_key
from evalplus_lite.requirements.branches import branches
from evalplus_lite.requirements.cache import Shelf
from evalplus_lite.requirements.decisions import decisions
from evalplus_lite.requirements.input_classes import shapes
from evalplus_lite.requirements.kills import (
    MEMORY,
    MOST_SLOW,
    MUTANT_FACTOR,
    MUTANT_FEWEST,
    MUTANT_MEMORY,
    MUTANT_STEPS,
    SAMPLE_STEPS,
    Kills,
    KillSuite,
)
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.sandbox.steps import FEWEST
from evalplus_lite.types import Requirement, Suite, Task
from evalplus_lite.values import wire

KINDS = ("branch", "decision", "shape", "mutant", "sample")
MODES: Mapping[str, tuple[str, ...]] = {
    "coverage": ("branch", "decision"),
    "mutants": ("mutant",),
    "samples": ("sample",),
    "shapes": ("shape",),
    "classic": ("branch", "decision", "mutant", "sample"),
    "full": KINDS,
}
"""Which kinds of requirement each mode keeps. ``coverage``, ``mutants``, ``samples`` and, for all
three, ``classic`` are the columns of the EvalPlus paper's Table 4."""
SECTIONS = {
    "mutant": f"mutant {MUTANT_FEWEST} {MUTANT_FACTOR} {MUTANT_STEPS} {MOST_SLOW} {MUTANT_MEMORY}",
    "sample": f"sample {FEWEST} {SAMPLE_STEPS} {MOST_SLOW} {MEMORY}",
}
"""Where kills are cached: by all that decides them besides the task and the program."""
REFERENCE_LIMITS = Limits(cpu=300.0, load=10.0, output=1 << 26)
"""Probes and coverage.py slow a reference down; it has answered these cases, so it ends."""
STEPS = "steps"
"""The section that holds a row of the reference's steps by case."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """Which of a task's cases satisfy what; ``base_count`` of ``count`` cases are the task's own.

    ``rows`` holds every requirement that some case satisfies. ``unsatisfied`` are the mutants
    that survive every case they were run on.
    """

    task_id: str
    count: int
    base_count: int
    rows: Mapping[Requirement, int]
    unsatisfied: tuple[Requirement, ...] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """All that a task's matrix is built from; ``samples`` are programs by ``program_key``."""

    task: Task
    suite: Suite
    samples: Mapping[str, str]


def build(
    sandbox: Sandbox, work: Work, *, cache: Path | None = None, kinds: Collection[str] = KINDS
) -> Matrix:
    """Return the matrix of a task, from the cache where its parts were computed before.

    The sandbox is one that ``branches.config`` configured. What is cached is named by the content
    of all that it depends on, so no cache entry is ever out of date.
    """
    task, suite = work.task, work.suite
    shelf = Shelf.open(cache, _digest(task, suite))
    found: dict[Requirement, int] = {}
    alive: list[Requirement] = []
    limits = REFERENCE_LIMITS
    program = Program(task.reference, task.entry_point)
    cases = [case.arguments for case in suite.cases]
    if "branch" in kinds:
        found |= _kept(shelf, "branch", lambda: branches(sandbox, program, cases, limits))
    if "decision" in kinds:
        inputs = Inputs.of(cases)
        found |= _kept(shelf, "decision", lambda: decisions(sandbox, program, inputs, limits))
    if "shape" in kinds:
        found |= shapes(cases, [wire.decode(data) for data in suite.expected])
    if "mutant" in kinds:
        programs = {key: mutant.source for key, mutant in mutants_by_key(task).items()}
        for key, row in _kills(sandbox, work, shelf, "mutant", programs).items():
            if row.killed:
                found[Requirement("mutant", key)] = row.killed
            else:
                alive.append(Requirement("mutant", key))
    if "sample" in kinds:
        programs = dict(work.samples)
        for key, row in _kills(sandbox, work, shelf, "sample", programs).items():
            if row.killed:
                found[Requirement("sample", key)] = row.killed
    shelf.close()
    return Matrix(task.id, len(suite.cases), suite.base_count, found, tuple(alive))


def mutants_by_key(task: Task) -> dict[str, Mutant]:
    """Return a task's mutants by the key that their requirement has."""
    return {program_key(mutant.source): mutant for mutant in mutants(task.reference)}


def _kept(
    shelf: Shelf, kind: str, compute: Callable[[], Mapping[Requirement, int]]
) -> dict[Requirement, int]:
    rows = shelf.section(kind)
    if rows is None:
        fresh = compute()
        shelf.store(kind, {requirement.key: [row] for requirement, row in fresh.items()})
        return dict(fresh)
    return {Requirement(kind, key): row for key, (row,) in rows.items()}


def _kills(
    sandbox: Sandbox,
    work: Work,
    shelf: Shelf,
    kind: str,
    programs: Mapping[str, str],
) -> dict[str, Kills]:
    """Return the kills of programs by key, in their order; only unknown ones are run.

    Mutants meet the cheap cases alone; samples that survive these meet the others too, as their
    verdict hangs on them.
    """
    section = SECTIONS[kind]
    known = shelf.section(section) or {}
    missing = [key for key in programs if key not in known]
    if missing:
        task, suite = work.task, work.suite
        steps = _steps(sandbox, work, shelf)
        if kind == "mutant":
            cheap = KillSuite.of_mutants(sandbox, task, suite, steps)
        else:
            cheap = KillSuite.of_samples(task, suite, steps, most=SAMPLE_STEPS)
        fresh = _run(cheap, sandbox, programs, missing)
        if kind == "sample" and len(cheap.cases) < len(suite.cases):
            whole = KillSuite.of_samples(task, suite, steps)
            alive = [key for key, row in fresh.items() if not row.killed]
            fresh |= _run(whole, sandbox, programs, alive)
        shelf.store(section, {key: [row.killed, row.run] for key, row in fresh.items()})
        known = shelf.section(section) or {}
    return {key: Kills(*known[key]) for key in programs}


def _run(
    suite: KillSuite, sandbox: Sandbox, programs: Mapping[str, str], keys: Sequence[str]
) -> dict[str, Kills]:
    rows = suite.kills(sandbox, [programs[key] for key in keys])
    return dict(zip(keys, rows, strict=True))


def _steps(sandbox: Sandbox, work: Work, shelf: Shelf) -> list[int]:
    """Return the reference's steps on each case."""
    rows = shelf.section(STEPS)
    if rows is None:
        found = reference_steps(sandbox, work.task, work.suite.cases)
        shelf.store(STEPS, {"reference": found})
        return found
    return rows["reference"]


def _digest(task: Task, suite: Suite) -> str:
    """Name all that the rows of a task depend on, but for the programs, which name themselves."""
    parts = (
        task.reference,
        task.entry_point,
        task.contract or "",
        repr(task.rule),
        Inputs.of(case.arguments for case in suite.cases).key,
        *(data.hex() for data in suite.expected),
    )
    text = "\0".join(part.encode("utf-8", "surrogatepass").hex() for part in parts)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
