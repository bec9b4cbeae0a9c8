"""Parts of suites: what is taken out of one, and several put together."""

from __future__ import annotations

from support.tasks import make_suite, make_task

from evalplus_lite.grading.subsets import joined, subset


def test_parts_keep_cases_and_answers_together() -> None:
    """Cases taken from a suite come with their own answers; joined, they stand in order."""
    base = make_suite(make_task(), [2, 4])
    more = make_suite(make_task([], [(5,), (6,), (7,)]), [10, 12, 14])
    whole = joined([base, subset(more, [0, 2])], {"seed": 3})
    assert [case.arguments for case in whole.cases] == [(1,), (2,), (5,), (7,)]
    assert whole.expected[2:] == (more.expected[0], more.expected[2])
    assert (whole.base_count, whole.provenance) == (2, {"seed": 3})
