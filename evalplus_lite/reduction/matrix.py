"""A task's cover matrix: every requirement with the bitset of the cases that satisfy it."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from evalplus_lite.reduction.requirements import KINDS, MODES, CachedRows, CoverSubject
from evalplus_lite.sandbox import Inputs, Sandbox
from evalplus_lite.tasks.contracts import violations


@dataclass(frozen=True, slots=True, order=True)
class Requirement:
    """Something a test can satisfy: its kind is one of ``KINDS``."""

    kind: str
    key: str


@dataclass(frozen=True, slots=True)
class Matrix:
    """A task's cover matrix; ``base_count`` of ``count`` cases are the task's own.

    ``rows`` holds every requirement that some case satisfies. ``unsatisfied`` are the mutants that
    survive every case they were run on. ``refused`` are the plus cases that the task's contract
    rejects: cross-validation counts separately the programs that only these reject. ``stopped`` are
    the samples that used up their time: they may fail on more cases than their rows say.
    """

    task_id: str
    count: int
    base_count: int
    rows: Mapping[Requirement, int]
    unsatisfied: tuple[Requirement, ...] = ()
    refused: int = 0
    stopped: frozenset[str] = frozenset()


def build(
    sandbox: Sandbox,
    subject: CoverSubject,
    *,
    cache: Path | None = None,
    kinds: Collection[str] = MODES["full"],
) -> Matrix:
    """Return the matrix of a task, from the cache where its parts were computed before.

    What is cached is named by the content of all that it depends on, so no cache entry is ever out
    of date.
    """
    cached = CachedRows.open(cache, _digest(subject))
    rows: dict[Requirement, int] = {}
    for name, kind in KINDS.items():
        if name in kinds:
            computed = kind.compute(sandbox, subject, cached)
            rows |= {Requirement(name, key): row for key, row in computed.items()}
    suite = subject.suite
    refused = _refused(sandbox, subject, cached)
    cached.close()
    return Matrix(
        subject.task.id,
        len(suite.cases),
        suite.base_count,
        {requirement: row for requirement, row in rows.items() if row},
        tuple(each for each, row in rows.items() if not row and each.kind == "mutant"),
        refused,
        frozenset(cached.stopped & subject.samples.keys()),
    )


def _refused(sandbox: Sandbox, subject: CoverSubject, cache: CachedRows) -> int:
    """Return the plus cases that the contract refuses; none if it is not about these cases.

    A contract that refuses a base case is another function's, or reads the task in another way.
    """
    contract, suite = subject.contract, subject.suite
    if contract is None or len(suite.cases) == suite.base_count:
        return 0
    digest = hashlib.sha256(contract.encode("utf-8", "surrogatepass")).hexdigest()

    def find() -> Mapping[str, int]:
        refusals = violations(sandbox, contract, suite.cases)
        return {"refused": sum(1 << case for case, why in enumerate(refusals) if why is not None)}

    row = cache.bitsets(f"contract {digest}", find)["refused"]
    return 0 if row & ((1 << suite.base_count) - 1) else row


def _digest(subject: CoverSubject) -> str:
    """Name all that the rows of a task depend on, but for the programs, which name themselves."""
    task, suite = subject.task, subject.suite
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
