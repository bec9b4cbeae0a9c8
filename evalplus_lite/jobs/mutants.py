"""Mutants of references that pass every case of a suite, also in Stryker's form for its viewers."""

from __future__ import annotations

import io
import json
import os
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from evalplus_lite.execution.base import Call
from evalplus_lite.execution.records import from_row, to_row
from evalplus_lite.jobs.expected import SharedData, SuiteSource
from evalplus_lite.jobs.reduction import measurement, surviving
from evalplus_lite.jobs.session import Result, Session, made_folder, within
from evalplus_lite.reduction.set_cover import members
from evalplus_lite.reduction.survivors import ENOUGH, Fate, Report
from evalplus_lite.statistics.means import clustered_interval
from evalplus_lite.store import write_text
from evalplus_lite.tasks import Dataset
from evalplus_lite.version import __version__


@dataclass(frozen=True, slots=True)
class MutantsResult(Result):
    """Planted faults that no input detects; ``reports`` hold every mutant of each task."""

    kind: ClassVar[str] = "mutants"

    reports: tuple[Report, ...]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row a survivor: operator, line, how many inputs reach it, diff."""
        return [
            {"task_id": id, **survivor}
            for id, row in self.summary["by_task"].items()
            for survivor in row["survivors"]
        ]


def find_survivors(
    dataset: Dataset | str | os.PathLike[str],
    *,
    strict: bool = False,
    out: str | os.PathLike[str] | None = None,
    session: Session | None = None,
) -> MutantsResult:
    """Plant small faults in the references and report those that no input detects.

    A survivor is either a missing test or an equivalent mutant: those whose changed line many
    inputs run are suspected to be equivalent. With ``out``, a folder, ``mutants.json`` and
    ``mutants.stryker.json`` are written there, the latter with all mutants in Stryker's form.
    Raises InputError as ``reduce``.
    """
    with within(session) as opened:
        measured = measurement(
            dataset, (), opened, kinds=("mutant",), stage="mutants", strict=strict
        )
        # First pass: which cases kill which mutants. Second: which cases run a survivor's line.
        opened.stage("survivors", len(measured.suites))
        staging = SharedData(opened.pool(), measured.data.suites)
        items = ((staging.ref(one.task), to_row(one.matrix)) for one in measured.suites)
        settings = SuiteSource(cache=opened.cache).settings
        call = Call(f"{surviving.__module__}:{surviving.__name__}", settings)
        rows = opened.pool().map(call, items, done=lambda row: opened.advance())
        reports = tuple([from_row(Report, row) for row in rows])
    result = MutantsResult({**_summary(measured.data.name, reports), **measured.report}, reports)
    if out is not None:
        folder = made_folder(out)
        result.write_summary(folder / "mutants.json")
        # One line: the document may be of tens of megabytes.
        text = json.dumps(stryker_report(reports), separators=(",", ":"))
        write_text(folder / "mutants.stryker.json", f"{text}\n")
    return result


def _summary(name: str, reports: tuple[Report, ...]) -> dict[str, Any]:
    """Return the counts over all tasks, and each task's survivors."""
    # With and without suspected equivalents, which no input could detect.
    total = sum(report.total for report in reports)
    killed = sum(report.killed for report in reports)
    suspects = sum(s.is_suspect for report in reports for s in report.survivors)
    return {
        "dataset": name,
        "tasks": len(reports),
        "mutants": total,
        "killed": killed,
        "killed_by_base": sum(report.killed_by_base for report in reports),
        "score": killed / total if total else None,
        "interval": list(clustered_interval((each.killed, each.total) for each in reports))
        if total
        else None,
        "suspected_equivalents": suspects,
        "adjusted_score": killed / (total - suspects) if total > suspects else None,
        "by_task": {
            report.task_id: {
                "mutants": report.total,
                "killed": report.killed,
                "killed_by_base": report.killed_by_base,
                "cases": len(report.cases),
                "base": report.base,
                "killers": [fate.killed.bit_count() for fate in report.fates],
                "kills": [
                    sum(fate.killed >> case & 1 for fate in report.fates)
                    for case in range(len(report.cases))
                ],
                "survivors": [
                    {
                        "operator": survivor.mutant.operator,
                        "line": survivor.mutant.line,
                        "reached": survivor.reached,
                        "suspected_equivalent": survivor.is_suspect,
                        "diff": survivor.diff,
                    }
                    for survivor in report.survivors
                ],
            }
            for report in reports
        },
    }


# Stryker's form: ``mutation-testing-report-schema`` of https://stryker-mutator.io, version 2. A
# "file" is a task's reference as mutants are made from it (``mutation.mutants.normal_form``), a
# "test" a case.


def stryker_report(reports: Iterable[Report]) -> dict[str, Any]:
    """Return all mutants as one document of Stryker's schema.

    Statuses are ``Killed``, ``Survived``, and ``NoCoverage`` of a mutant whose statement no case
    runs. A killed mutant lists the cases that kill it, all of them; a survivor those that run it.
    Cases are numbered through all tasks: ids are the numbers.
    """
    files, tests, first, seen = {}, {}, 0, set[str]()
    for report in reports:
        name = f"{report.task_id}.py"
        files[name] = {
            "language": "python",
            "source": report.source,
            "mutants": [_mutant(report.source, fate, first, seen) for fate in report.fates],
        }
        cases = enumerate(report.cases, first)
        tests[name] = {"tests": [{"id": str(number), "name": line} for number, line in cases]}
        first += len(report.cases)
    return {
        "schemaVersion": "2",
        "thresholds": {"high": 95, "low": 80},  # percent: shown green from, and red below
        "framework": {"name": "evalplus_lite", "version": __version__},
        "files": files,
        "testFiles": tests,
    }


def _mutant(source: str, fate: Fate, first: int, seen: set[str]) -> dict[str, Any]:
    mutant = fate.mutant
    start, end, replacement = changed_part(source, mutant.source)
    id, copy = mutant.key, 1
    while id in seen:  # two tasks may have the same reference
        id, copy = f"{mutant.key}-{copy}", copy + 1
    seen.add(id)
    row: dict[str, Any] = {
        "id": id,
        "mutatorName": mutant.operator,
        "location": {"start": _position(source, start), "end": _position(source, end)},
        "replacement": replacement,
    }
    # A killed mutant needs no coverage: the cases that kill it have run it.
    if fate.killed:
        row["status"] = "Killed"
        row["killedBy"] = [str(first + case) for case in members(fate.killed)]
        return row
    covering = members(fate.reached)
    row["status"] = "Survived" if covering else "NoCoverage"
    row["coveredBy"] = [str(first + case) for case in covering]
    if len(covering) >= ENOUGH:
        row["statusReason"] = f"{len(covering)} cases run it: suspected to be equivalent"
    return row


def changed_part(source: str, mutated: str) -> tuple[int, int, str]:
    """Return the range (end exclusive) in which two texts differ in the first, and its replacement.

    The part is widened to whole tokens of the first text: ``<`` becomes ``<=``, not nothing ``=``.
    """
    # The common beginning and end of both texts; what lies between is the change.
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
    """Yield the position of each token of a program except layout."""
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
