"""How strong a suite is for its size: what its tests kill, what few of them would, in figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalplus_lite.pages.mutations import MutatedFile
from evalplus_lite.types import Case

MOST_TESTS = 100
"""The curve goes to so many tests a task, or to the most that a task has."""
MOST_GIVEN_UP = 100
"""Mutants that a small suite gave up and that are listed."""


@dataclass(frozen=True, slots=True)
class Point:
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
            escape = 1.0
            for drawn in range(most + 1):
                found[drawn] += mutants * (1 - escape)
                left = file.tests - drawn
                if left > 0:
                    escape *= max(0, left - killers) / left
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
