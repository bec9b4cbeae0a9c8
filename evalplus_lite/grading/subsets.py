"""Subsets of suites, and joined suites."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evalplus_lite.store.opening import Blobs, size_of
from evalplus_lite.types import Case, Suite


def subset(suite: Suite, places: Sequence[int]) -> Suite:
    """Return the suite's cases at these positions, with unchanged answers and parents.

    Stress cases are left out.
    """
    return Suite(
        suite.task_id,
        tuple([suite.cases[place] for place in places]),
        suite.blobs.take(places),
        sum(place < suite.base_count for place in places),
        suite.provenance,
    )


STRESS_BYTES = 1 << 16
"""Maximum bytes of a stress case's answer, to keep the file readable."""


def as_stress(suite: Suite, reasons: Mapping[int, str], *, most: int | None = None) -> Suite:
    """Return the suite's cases at these positions as stress cases, each with its reason.

    They have no parents, as positions refer to another suite. Cases with large answers, and those
    beyond the first ``most``, are left out.
    """
    answers = list(suite.blobs.items())
    places = [place for place in sorted(reasons) if size_of(answers[place]) <= STRESS_BYTES][:most]
    cases = [replace(suite.cases[at], parent=None, reason=reasons[at]) for at in places]
    return Suite(suite.task_id, tuple(cases), suite.blobs.take(places), 0)


def relinked(cases: Iterable[Case], kept: Sequence[int]) -> tuple[Case, ...]:
    """Return cases from the positions ``kept``, with their parents' new positions.

    A case whose parent was not kept loses its parent.
    """
    place = {old: new for new, old in enumerate(kept)}
    return tuple([_moved(case, place) for case in cases])


def _moved(case: Case, place: Mapping[int, int]) -> Case:
    if case.parent is None or (parent := place.get(case.parent)) == case.parent:
        return case
    # Not ``replace``, which is several times slower.
    return Case(case.arguments, case.source, parent, case.operators, case.reason)


def joined(suites: Sequence[Suite], provenance: Mapping[str, Any]) -> Suite:
    """Join suites to one; its base cases are those of the first.

    Stress cases are left out.
    """
    return Suite(
        suites[0].task_id,
        tuple([case for suite in suites for case in suite.cases]),
        Blobs(item for suite in suites for item in suite.blobs.items()),
        suites[0].base_count,
        provenance,
    )
