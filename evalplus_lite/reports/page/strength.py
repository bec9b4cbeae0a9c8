"""How strong a suite is for its size: what its tests kill, what few of them would, in figures."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.statistics.detection import hits
from evalplus_lite.store import parse_json, read_text
from evalplus_lite.store.reading import OWN_LINE, OWN_VALUES
from evalplus_lite.types import Case

# Mutants in Stryker's form as a page needs them: who kills whom, and as many as it can hold.

MOST_BYTES = 3_000_000
"""What a document may have in a page before lists of tests are cut."""
LISTED = 5
"""Tests that a list keeps then."""


@dataclass(frozen=True, slots=True)
class MutatedFile:
    """A task's mutants: ``killers`` has for each the positions of the tests that kill it."""

    name: str
    tests: int
    killers: tuple[tuple[int, ...], ...]
    operators: tuple[str, ...]
    lines: tuple[int, ...]


def read_mutations(path: Path) -> dict[str, Any]:
    """Return a document of Stryker's schema; InputError if it is none."""
    found = parse_json(read_text(path, max_bytes=OWN_LINE), path=path, max_values=OWN_VALUES)
    return checked(found, path)


def checked(found: Any, path: Path) -> dict[str, Any]:
    """Return a document read from ``path``; InputError if it is not of the schema."""
    try:
        list(mutated_files(found))
    except (KeyError, TypeError, AttributeError, ValueError):
        raise InputError(
            "is no mutation report of Stryker's schema",
            path=path,
            remedy="write it anew with evalplus-lite quality --survivors",
        ) from None
    return dict(found)


def mutated_files(document: Mapping[str, Any]) -> Iterator[MutatedFile]:
    """Yield the files of a document with the tests of the same name."""
    tests = document.get("testFiles") or {}
    for name, file in document["files"].items():
        place = {test["id"]: n for n, test in enumerate(tests.get(name, {"tests": ()})["tests"])}
        mutants = file["mutants"]
        yield MutatedFile(
            name.removesuffix(".py"),
            len(place),
            tuple(
                tuple(sorted(place[id] for id in each.get("killedBy", ()) if id in place))
                for each in mutants
            ),
            tuple(str(each["mutatorName"]) for each in mutants),
            tuple(int(each["location"]["start"]["line"]) for each in mutants),
        )


def together(documents: Sequence[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """Return documents as one; of several, each in a folder of its name."""
    if len(documents) == 1:
        return dict(documents[0][1])
    files: dict[str, Any] = {}
    tests: dict[str, Any] = {}
    for number, (name, document) in enumerate(documents):
        folder = f"{number + 1} {name}"
        for inner, file in document["files"].items():
            mutants = [_renamed(each, number) for each in file["mutants"]]
            files[f"{folder}/{inner}"] = {**file, "mutants": mutants}
        for inner, file in (document.get("testFiles") or {}).items():
            named = [{**each, "id": f"{number}.{each['id']}"} for each in file["tests"]]
            tests[f"{folder}/{inner}"] = {**file, "tests": named}
    return {**documents[0][1], "files": files, "testFiles": tests}


def _renamed(mutant: Mapping[str, Any], number: int) -> dict[str, Any]:
    lists = {
        key: [f"{number}.{id}" for id in mutant[key]]
        for key in ("killedBy", "coveredBy")
        if key in mutant
    }
    return {**mutant, **lists, "id": f"{number}.{mutant['id']}"}


def fitted(document: Mapping[str, Any]) -> tuple[dict[str, Any] | None, str]:
    """Return a document that a page can hold, and what was left out, in words, or "".

    First lists of tests are cut to a few, then tests left out; None if it is too large even so.
    """
    if _size(document) <= MOST_BYTES:
        return dict(document), ""
    few = _without(document, LISTED)
    if _size(few) <= MOST_BYTES:
        return few, f"Of the inputs that kill or run a mutant the first {LISTED} are shown."
    none = _without(document, 0)
    if _size(none) <= MOST_BYTES:
        return none, "For their number, inputs are not shown here."
    return None, "There are too many mutants to show each here: mutants.stryker.json has them."


def _size(document: Mapping[str, Any]) -> int:
    return len(json.dumps(document, separators=(",", ":")))


def _without(document: Mapping[str, Any], most: int) -> dict[str, Any]:
    files = {
        name: {**file, "mutants": [_cut(each, most) for each in file["mutants"]]}
        for name, file in document["files"].items()
    }
    kept = {
        id
        for file in files.values()
        for each in file["mutants"]
        for key in ("killedBy", "coveredBy")
        for id in each.get(key, ())
    }
    tests = {
        name: {**file, "tests": [each for each in file["tests"] if each["id"] in kept]}
        for name, file in (document.get("testFiles") or {}).items()
    }
    found = {**document, "files": files}
    found.pop("testFiles", None)
    return {**found, "testFiles": tests} if most else found


def _cut(mutant: Mapping[str, Any], most: int) -> dict[str, Any]:
    lists = {key: mutant[key][:most] for key in ("killedBy", "coveredBy") if key in mutant and most}
    rest = {key: value for key, value in mutant.items() if key not in ("killedBy", "coveredBy")}
    return {**rest, **lists}


MOST_TESTS = 100
"""The curve goes to so many tests a task, or to the most that a task has."""
MOST_GIVEN_UP = 100
"""Mutants that a small suite gave up and that are listed."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A suite on the curve: tests a task on average, and the share of mutants that they kill."""

    name: str
    tests: float
    share: float


def curve(files: Sequence[MutatedFile]) -> list[float]:
    """Return for n from 0 on the share of all mutants that n random tests a task kill, expected.

    Tests are drawn without replacement; a task with fewer than n has all of its.
    """
    total = sum(len(file.killers) for file in files)
    most = min(MOST_TESTS, max((file.tests for file in files), default=0))
    found = [0.0] * (most + 1)
    for file in files:
        for killers, mutants in Counter(map(len, file.killers)).items():
            for drawn, chance in enumerate(hits(killers, file.tests, most), 1):
                found[drawn] += mutants * chance
    return [value / total for value in found] if total else []


def share_killed(files: Sequence[MutatedFile], chosen: Mapping[str, set[int]]) -> float:
    """Return the share of mutants that some chosen test of their task kills."""
    total = sum(len(file.killers) for file in files)
    killed = sum(
        not chosen.get(file.name, set()).isdisjoint(killers)
        for file in files
        for killers in file.killers
    )
    return killed / total if total else 0.0


def lost(files: Sequence[MutatedFile], chosen: Mapping[str, set[int]]) -> list[tuple[Any, ...]]:
    """Return task, operator, line and number of killers of the mutants that all tests kill and
    the chosen ones do not: those that most tests kill first.
    """
    found = [
        (file.name, operator, line, len(killers))
        for file in files
        for killers, operator, line in zip(file.killers, file.operators, file.lines, strict=True)
        if killers and chosen.get(file.name, set()).isdisjoint(killers)
    ]
    return sorted(found, key=lambda row: (-row[3], row[0], row[2]))


def by_source(
    files: Sequence[MutatedFile], cases: Mapping[str, Sequence[Case]], base: Mapping[str, int]
) -> list[tuple[str, int, int, int, int]]:
    """Return for each source of tests: how many there are; kill some mutant; kill one that no base
    test kills; are the only one to kill a mutant.
    """
    total, any_, beyond, only = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for file in files:
        known = cases.get(file.name, ())
        if len(known) != file.tests:
            continue
        hard = [k for k in file.killers if k and k[0] >= base[file.name]]
        kills = {n for killers in file.killers for n in killers}
        past = {n for killers in hard for n in killers}
        sole = {killers[0] for killers in file.killers if len(killers) == 1}
        for n, case in enumerate(known):
            total[case.source] += 1
            any_[case.source] += n in kills
            beyond[case.source] += n in past
            only[case.source] += n in sole
    return [(source, total[source], any_[source], beyond[source], only[source]) for source in total]


# Charts as coordinates: templates draw them as SVG that needs no script.

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 640, 270, 48, 34, 24
"""Of a chart, in its own units; ``LEFT``, ``BOTTOM`` and ``TOP`` are for what stands beside it."""


def chart(
    title: str, words: str, line: Sequence[tuple[int, float]], points: Sequence[CurvePoint]
) -> dict[str, Any]:
    """Return coordinates of a line and points: shares upwards, tests to the right, by logarithm."""
    values = [share for _, share in line] + [point.share for point in points]
    low = math.floor(10 * min(values)) / 10
    low = min(low, 0.9)
    widest = max([n for n, _ in line] + [math.ceil(point.tests) for point in points])
    span = math.log(max(widest, 2))

    def x(tests: float) -> float:
        return LEFT + (WIDTH - LEFT - 16) * math.log(max(tests, 1)) / span

    def y(share: float) -> float:
        return TOP + (HEIGHT - BOTTOM - TOP) * (1 - (share - low) / (1 - low))

    steps = round((1 - low) * 10)
    ticks = [n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000) if n <= widest]
    marks = [
        {"name": p.name, "tests": p.tests, "share": p.share, "x": x(p.tests), "y": y(p.share)}
        for p in points
    ]
    return {
        "title": title,
        "words": words,
        "path": "M" + "L".join(f"{x(n):.1f} {y(share):.1f}" for n, share in line),
        "points": marks,
        "rows": [(f"{n} at random", share) for n, share in line if n in ticks],
        "x": [(n, x(n)) for n in ticks],
        "y": [(round(100 * (1 - n / 10)), y(1 - n / 10)) for n in range(steps + 1)],
        "width": WIDTH,
        "height": HEIGHT,
        "left": LEFT,
        "floor": HEIGHT - BOTTOM,
    }
