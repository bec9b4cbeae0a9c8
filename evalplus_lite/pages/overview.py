"""The section on a suite: scores with intervals, the map of tasks and models, and their table."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalplus_lite.pages.document import EntrantPart, SuitePart, TaskRow
from evalplus_lite.pages.pairings import pairings
from evalplus_lite.pages.sections import Section
from evalplus_lite.types import VERDICTS

LEVELS = ("none", "up to 25 %", "up to 50 %", "up to 75 %", "below all", "all")
"""What the classes ``l0`` to ``l5`` stand for: shares of samples that are right."""
NO_SAMPLE = 6


def suite_section(number: int, suite: SuitePart, links: Sequence[str], *, title: str) -> Section:
    """Return the section of a suite (``number`` from 0); ``links`` are its tasks' addresses."""
    sides, tasks = suite["entrants"], suite["tasks"]
    every = [k for side in sides for scores in side["scores"].values() for k in scores]
    seen = {v for side in sides for counts in side["verdicts"].values() for v in counts}
    context = {
        "suite": suite,
        "number": number,
        "links": links,
        "pairs": pairings(suite, [each.replace("#/task/", "#/compare/", 1) for each in links]),
        "ks": list(dict.fromkeys(every)),
        "verdicts": [each for each in VERDICTS if each in seen],
        "levels": LEVELS,
        "paths": [list(_paths(tasks, side)) for side in range(len(sides))],
        "cells": [list(_cells(row)) for row in tasks],
        "facts": [list(_facts(side)) for side in sides],
    }
    return Section(f"suite-{number + 1}", title, "suite.html", context)


def level(share: float | None) -> int:
    """Return the class of a share, as ``levelOf`` in page.js does."""
    if share is None:
        return NO_SAMPLE
    return 0 if share == 0 else 5 if share == 1 else min(math.ceil(share * 4), 4)


def _share(counts: tuple[int, int, int] | None, which: int) -> float | None:
    return counts[which] / counts[0] if counts else None


def _paths(tasks: Sequence[TaskRow], side: int) -> Iterator[tuple[int, str]]:
    """Yield for each level the squares of a model's strip, base above plus."""
    paths: dict[int, list[str]] = {}
    for place, row in enumerate(tasks):
        for which in (1, 2):
            found = level(_share(row["counts"][side], which))
            paths.setdefault(found, []).append(f"M{place} {which - 1}h1v1h-1z")
    for found in sorted(paths):
        yield found, "".join(paths[found])


def _cells(row: TaskRow) -> Iterator[tuple[int, str]]:
    """Yield the level and text of a task's cells: of all samples together, then by model."""
    known = [counts for counts in row["counts"] if counts]
    shares = [counts[2] / counts[0] for counts in known]
    mean = sum(shares) / len(shares) if shares else None
    yield level(mean), "–" if mean is None else f"{100 * mean:.0f} %"
    for counts in row["counts"]:
        yield level(_share(counts, 2)), _cell(counts)


def _cell(counts: tuple[int, int, int] | None) -> str:
    if counts is None:
        return "–"
    total, base, plus = counts
    if total == 1:
        return "pass" if plus else "base only" if base else "fail"
    return f"{plus}/{total}" if base == plus else f"{base} → {plus}/{total}"


def _facts(side: EntrantPart) -> Iterator[tuple[str, str]]:
    """Yield names and texts of what a run rests on."""
    yield from _flat("", side["run"])


def _flat(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(f"{name} {key}".strip(), inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _flat(name, inner)
    else:
        yield name, value if isinstance(value, str) else json.dumps(value)
