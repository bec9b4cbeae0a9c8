"""Mutants and the cases that kill them in Stryker's form, which its viewers show.

The form is ``mutation-testing-report-schema`` of https://stryker-mutator.io, version 2: a "file" is
a task's reference as mutants are made from it (``mutation.mutants.normal_form``), a "test" a case.
"""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

SCHEMA_VERSION = "2"
THRESHOLDS = {"high": 95, "low": 80}
"""Mutation scores in percent from which a viewer shows green, and below which red."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """A mutant: who made it, its whole text, and the numbers of the cases that kill and run it.

    ``reason`` says why its status should be doubted, "" if nothing does.
    """

    id: str
    operator: str
    source: str
    killed_by: Sequence[int]
    covered_by: Sequence[int]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class MutatedTask:
    """A reference with its mutants, and a line for each case of the suite."""

    task_id: str
    source: str
    mutations: Sequence[Mutation]
    cases: Sequence[str]


def stryker_report(tasks: Iterable[MutatedTask], *, version: str) -> dict[str, Any]:
    """Return all mutants as one document of Stryker's schema.

    Statuses are ``Killed``, ``Survived``, and ``NoCoverage`` of a mutant whose statement no case
    runs. A killed mutant lists the cases that kill it, all of them; a survivor those that run it.
    Cases are numbered through all tasks: ids are the numbers.
    """
    files, tests, first, seen = {}, {}, 0, set[str]()
    for task in tasks:
        name = f"{task.task_id}.py"
        files[name] = {
            "language": "python",
            "source": task.source,
            "mutants": [_mutant(task.source, each, first, seen) for each in task.mutations],
        }
        tests[name] = {
            "tests": [
                {"id": str(first + number), "name": line} for number, line in enumerate(task.cases)
            ]
        }
        first += len(task.cases)
    return {
        "schemaVersion": SCHEMA_VERSION,
        "thresholds": THRESHOLDS,
        "framework": {"name": "evalplus_lite", "version": version},
        "files": files,
        "testFiles": tests,
    }


def _mutant(source: str, mutation: Mutation, first: int, seen: set[str]) -> dict[str, Any]:
    start, end, replacement = changed_part(source, mutation.source)
    id, copy = mutation.id, 1
    while id in seen:  # two tasks may have the same reference
        id, copy = f"{mutation.id}-{copy}", copy + 1
    seen.add(id)
    row: dict[str, Any] = {
        "id": id,
        "mutatorName": mutation.operator,
        "location": {"start": _position(source, start), "end": _position(source, end)},
        "replacement": replacement,
    }
    if mutation.killed_by:
        row["status"] = "Killed"
        row["killedBy"] = [str(first + case) for case in mutation.killed_by]
    else:
        row["status"] = "Survived" if mutation.covered_by else "NoCoverage"
        row["coveredBy"] = [str(first + case) for case in mutation.covered_by]
    if mutation.reason:
        row["statusReason"] = mutation.reason
    return row


def changed_part(source: str, mutated: str) -> tuple[int, int, str]:
    """Return where two texts differ, from and to (exclusive) in the first, and what stands instead.

    The part is widened to whole tokens of the first text: ``<`` becomes ``<=``, not nothing ``=``.
    """
    most = min(len(source), len(mutated))
    start = next((n for n in range(most) if source[n] != mutated[n]), most)
    same = next((n for n in range(most - start) if source[-1 - n] != mutated[-1 - n]), most - start)
    end = len(source) - same
    for left, right in _tokens(source):
        touches = left <= start <= right if start == end else left < end and start < right
        if touches:
            start, end = min(start, left), max(end, right)
        elif left >= end:
            break
    return start, end, mutated[start : len(mutated) - (len(source) - end)]


def _tokens(source: str) -> Iterator[tuple[int, int]]:
    """Yield where each token of a program stands that is not mere layout."""
    lines = [0]
    for line in io.StringIO(source):
        lines.append(lines[-1] + len(line))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.string.strip():
            (first, left), (last, right) = token.start, token.end
            yield lines[first - 1] + left, lines[last - 1] + right


def _position(source: str, offset: int) -> dict[str, int]:
    before = source[:offset]
    return {"line": before.count("\n") + 1, "column": offset - (before.rfind("\n") + 1) + 1}
