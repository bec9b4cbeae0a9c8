"""Parts of suites: some cases of one, and several as one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evalplus_lite.store.opening import Blobs, Packed
from evalplus_lite.types import Case, Suite


def subset(suite: Suite, places: Sequence[int]) -> Suite:
    """Return the suite's cases at these positions, with their answers and parents as they are.

    Its stress cases are left out.
    """
    return Suite(
        suite.task_id,
        tuple([suite.cases[place] for place in places]),
        suite.blobs.take(places),
        sum(place < suite.base_count for place in places),
        suite.provenance,
    )


STRESS_BYTES = 1 << 16
"""A case with a larger answer cannot be a stress case: the file would be too large to read."""


def as_stress(suite: Suite, reasons: Mapping[int, str], *, most: int | None = None) -> Suite:
    """Return the suite's cases at these positions as stress cases, each with its reason.

    They have no parents: positions are those of another suite. Those with large answers are left
    out, and those after the first ``most``.
    """
    answers = list(suite.blobs.items())
    places = [place for place in sorted(reasons) if _bytes(answers[place]) <= STRESS_BYTES][:most]
    cases = [replace(suite.cases[at], parent=None, reason=reasons[at]) for at in places]
    return Suite(suite.task_id, tuple(cases), suite.blobs.take(places), 0)


def relinked(cases: Iterable[Case], kept: Sequence[int]) -> tuple[Case, ...]:
    """Return cases that were at the positions ``kept``, with their parents where these are now.

    A case whose parent was not kept has none.
    """
    place = {old: new for new, old in enumerate(kept)}
    return tuple([_moved(case, place) for case in cases])


def _moved(case: Case, place: Mapping[int, int]) -> Case:
    if case.parent is None or (parent := place.get(case.parent)) == case.parent:
        return case
    # Not `replace`, which takes several times as long.
    return Case(case.arguments, case.source, parent, case.operators, case.reason)


def joined(suites: Sequence[Suite], provenance: Mapping[str, Any]) -> Suite:
    """Return the cases of all as one suite; its base cases are those of the first.

    Their stress cases are left out.
    """
    return Suite(
        suites[0].task_id,
        tuple([case for suite in suites for case in suite.cases]),
        Blobs(item for suite in suites for item in suite.blobs.items()),
        suites[0].base_count,
        provenance,
    )


def _bytes(data: bytes | Packed) -> int:
    return data.size if isinstance(data, Packed) else len(data)
