"""No test is skipped silently: a skip for a reason that is not on the list is a failure.

The list stands in ``tests/allowed_skips.txt``: a pattern of reasons a line, each below the lines of
comment that say when it may happen. Used as a pytest plugin by ``tests/conftest.py``.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Generator
from pathlib import Path

import pytest

ALLOWED = Path(__file__).resolve().parents[1] / "allowed_skips.txt"


def allowed_reasons(text: str) -> list[str]:
    """Return the patterns of a list of reasons; ValueError for one that no comment explains."""
    patterns: list[str] = []
    is_explained = False
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if line.startswith("#"):
            is_explained = True
        elif not line:
            is_explained = False
        elif is_explained:
            patterns.append(line)
        else:
            raise ValueError(f"line {number}: {line!r} has no comment that says when it may happen")
    return patterns


def is_allowed(reason: str, patterns: list[str]) -> bool:
    """Say whether a reason fits one of the patterns, in which * stands for anything."""
    return any(fnmatch.fnmatchcase(reason, pattern) for pattern in patterns)


def _judge(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Make a failure of a skip that is not on the list."""
    if report.outcome != "skipped" or hasattr(report, "wasxfail"):
        return
    place = report.longrepr
    reason = place[2] if isinstance(place, tuple) else str(place)
    reason = reason.removeprefix("Skipped: ")
    if not is_allowed(reason, allowed_reasons(ALLOWED.read_text(encoding="utf-8"))):
        report.outcome = "failed"
        report.longrepr = f"skipped: {reason}\nIs that right here? Then say so in {ALLOWED.name}."


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Judge a test's skip."""
    report = yield
    _judge(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Judge the skip of a whole module."""
    report = yield
    _judge(report)
    return report
