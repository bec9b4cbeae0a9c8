"""Writing a report: one file where that is small enough, else an index and a file a task."""

from __future__ import annotations

import itertools
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from evalplus_lite.jobs.layouts import p_value, points
from evalplus_lite.jobs.tables import percent
from evalplus_lite.reports.page.document import (
    FORMAT,
    EntrantPart,
    Index,
    Section,
    SuitePart,
    TaskRow,
)
from evalplus_lite.reports.page.gathering import shelve, task_parts
from evalplus_lite.reports.page.rendering import page, script_json
from evalplus_lite.reports.page.rows import PageRows, Parts
from evalplus_lite.reports.page.suites import Judged, suite_part
from evalplus_lite.statistics.paired import LEVEL, PairedDifference, holm, paired
from evalplus_lite.statistics.pass_at_k import Count
from evalplus_lite.store import replacing
from evalplus_lite.types import VERDICTS
from evalplus_lite.version import __version__

# Models in pairs: the difference between two, whether it is sure, and the tasks that make it.

MOST_PAIRS = 45
"""Pairs that a page shows: those of ten models."""


def pairings(suite: SuitePart, links: Sequence[str]) -> list[dict[str, Any]]:
    """Return a row for each pair of models with tasks in common, in pass@1.

    A row has the two labels, ``tests`` (a figure for base, and for all tests where there are more)
    and the tasks ``won`` and ``lost`` on all tests: ids with their addresses, of ``links``.
    """
    names = ("base", "plus") if suite["has_plus"] else ("base",)
    counts = {
        name: [_counts(suite, side, which) for side in range(len(suite["entrants"]))]
        for which, name in enumerate(names, 1)
    }
    places = list(itertools.combinations(range(len(suite["entrants"])), 2))
    found = {
        name: [paired(rows[other], rows[one]) for one, other in places]
        for name, rows in counts.items()
    }
    sure = {name: _corrected(rows) for name, rows in found.items()}
    addresses = {row["id"]: link for row, link in zip(suite["tasks"], links, strict=True)}
    return [
        {
            "first": suite["entrants"][one]["label"],
            "second": suite["entrants"][other]["label"],
            "tests": [
                _row(name, each, sure[name][n])
                for name in names
                if (each := found[name][n]) is not None
            ],
            **_decided(counts[names[-1]][one], counts[names[-1]][other], addresses),
        }
        for n, (one, other) in enumerate(places[:MOST_PAIRS])
        if found[names[-1]][n] is not None
    ]


def _counts(suite: SuitePart, side: int, which: int) -> dict[str, Count]:
    return {
        row["id"]: Count(each[0], each[which])
        for row in suite["tasks"]
        if (each := row["counts"][side]) is not None and each[0]
    }


def _corrected(rows: Sequence[PairedDifference | None]) -> list[float]:
    """Return the p of each pair after Holm over all pairs; 1 where there is none."""
    known = iter(holm([each.p for each in rows if each is not None]))
    return [1.0 if each is None else next(known) for each in rows]


def _row(name: str, each: PairedDifference, p: float) -> dict[str, Any]:
    return {
        "name": name,
        "difference": points(each.difference),
        "ends": f"[{', '.join(map(points, each.interval))}]",
        "p": p_value(p),
        "visible": percent(each.visible),
        "is_sure": p < LEVEL,
    }


def _decided(
    first: Mapping[str, Count], second: Mapping[str, Count], addresses: Mapping[str, str]
) -> dict[str, list[tuple[str, str]]]:
    """Return the tasks that the second solves more often, and those that it solves less often."""
    return {
        key: [(id, addresses[id]) for id in _better(*sides)]
        for key, sides in (("won", (second, first)), ("lost", (first, second)))
    }


def _better(one: Mapping[str, Count], other: Mapping[str, Count]) -> Iterator[str]:
    for id in one:
        if id in other and one[id].correct * other[id].total > other[id].correct * one[id].total:
            yield id


# The section on a suite: scores with intervals, the map of tasks and models, and their table.

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


MOST_BYTES = 10_000_000
"""What one file may hold before its tasks get files of their own."""


def write_report(
    path: Path, suites: Sequence[Judged], further: Sequence[Section], *, title: str, most: int
) -> list[Path]:
    """Write the page on these suites, with further sections, and return the files.

    Of more than ``most`` bytes of tasks, each goes to a file of its own in the folder beside
    ``path`` that is called as it is, without its ending, with ``-tasks``.
    """
    index: Index = {
        "format": FORMAT,
        "version": __version__,
        "title": title,
        "suites": [suite_part(each) for each in suites],
    }
    with Parts() as parts:
        for number, suite in enumerate(suites):
            with PageRows() as shelf:
                shelve(suite, shelf)
                for place, part in enumerate(task_parts(suite, shelf)):
                    parts.add(f"task-{number}-{place}", script_json(part))
        if parts.size <= most:
            return [_write(path, index, _sections(index, further), parts)]
        return list(_split(path, index, further, parts))


def _sections(index: Index, further: Sequence[Section]) -> list[Section]:
    found = []
    for number, suite in enumerate(index["suites"]):
        suffix = "" if number == 0 else f"?suite={number + 1}"
        links = [
            f"{row.get('file', '')}#/task/{_named(row['id'], place)}{suffix}"
            for place, row in enumerate(suite["tasks"])
        ]
        title = suite["name"] if len(index["suites"]) > 1 else "Results"
        found.append(suite_section(number, suite, links, title=title))
    return [*found, *further]


def _named(id: str, place: int) -> str:
    """Return what addresses call a task, as ``named`` in views.js does."""
    try:
        return quote(id, safe="!'()*")
    except UnicodeEncodeError:
        return f"%40{place}"


def _split(path: Path, index: Index, further: Sequence[Section], parts: Parts) -> Iterator[Path]:
    folder = path.with_name(f"{path.stem}-tasks")
    for number, suite in enumerate(index["suites"]):
        for place, row in enumerate(suite["tasks"]):
            row["file"] = f"{quote(os.fsencode(folder.name))}/{_name(number, place)}"
    for number, suite in enumerate(index["suites"]):
        for place in range(len(suite["tasks"])):
            key = f"task-{number}-{place}"
            inner = _beside(index, number, place, path.name)
            yield _write(folder / _name(number, place), inner, (), [(key, parts.text(key))])
    yield _write(path, index, _sections(index, further), ())  # last: what it leads to is there


def _name(number: int, place: int) -> str:
    return f"{number + 1}-{place + 1}.html"


def _beside(index: Index, number: int, place: int, home: str) -> dict[str, Any]:
    """Return the index for a task's own page: that task, and how to reach those beside it."""
    suites: list[Any] = []
    for each, suite in enumerate(index["suites"]):
        rows = [
            {"id": row["id"], "file": _name(each, n), "counts": row["counts"]}
            if each == number and abs(n - place) <= 1
            else None
            for n, row in enumerate(suite["tasks"])
        ]
        suites.append(_slim(suite, rows if each == number else []))
    return {
        **index,
        "suites": suites,
        "home": f"../{quote(os.fsencode(home))}",
        "task": [number, place],
    }


def _slim(suite: SuitePart, rows: list[Any]) -> dict[str, Any]:
    sides = [{"label": side["label"]} for side in suite["entrants"]]
    return {**suite, "entrants": sides, "tasks": rows}


def _write(path: Path, index: Any, sections: Sequence[Section], parts: Any) -> Path:
    with replacing(path) as stream:
        for text in page(
            title=index["title"],
            index=index,
            sections=sections,
            parts=parts,
            home=index.get("home", ""),
        ):
            stream.write(text.encode("utf-8", "replace"))  # paths may hold what is no UTF-8
    return path
