"""What an outcome means, and in which words it is told."""

from __future__ import annotations

import signal
from typing import Any

import pytest
from support.values import brief, nested

from evalplus_lite.grading.observer import explain, judge
from evalplus_lite.types import (
    VERDICTS,
    Crashed,
    Outcome,
    OutOfMemory,
    Raised,
    Returned,
    Rule,
    TimedOut,
    Unrepresentable,
    VerdictName,
    clip,
)
from evalplus_lite.values import wire
from evalplus_lite.values.source import shorten

FIVE = wire.encode(5)


@pytest.mark.parametrize(
    ("outcome", "verdict", "detail"),
    [
        (Returned(wire.encode(6)), "fail", "got 6, expected 5"),
        (Returned(b"junk"), "unrepresentable", "got a value that cannot be read"),
        (Returned(b"."), "unrepresentable", "got a value that cannot be read"),
        (Raised("ValueError", "no", 3), "error", "ValueError: no"),
        (Raised("KeyError", "", 3), "error", "KeyError"),
        (TimedOut(1.7, 1.0), "timeout", "took longer than its limit of 1 s of CPU time"),
        (TimedOut(2.1, 2.0, "wait"), "timeout", "waited longer than its limit of 2 s"),
        (TimedOut(201.0, 200.0, "wall"), "timeout", "took longer than its limit of 200 s of wall"),
        (TimedOut(3.1, 3.0, "load"), "timeout", "took longer to load than its limit of 3 s"),
        (Crashed(signal.SIGSEGV, None, "SIGSEGV"), "crash", "SIGSEGV"),
        (OutOfMemory(1 << 30), "memory", "asked for more than its memory limit"),
        (
            Unrepresentable("builtins.object"),
            "unrepresentable",
            "returned builtins.object, which is not a plain value",
        ),
    ],
)
def test_each_outcome_has_its_word(outcome: Outcome, verdict: VerdictName, detail: str) -> None:
    """An outcome means one verdict, of the published words, and a line for a person."""
    assert judge(outcome, FIVE, Rule()) == verdict
    assert verdict in VERDICTS
    failure = explain(3, verdict, outcome, FIVE)
    assert (failure.case, failure.verdict) == (3, verdict)
    assert failure.detail.startswith(detail)
    assert failure.line == getattr(outcome, "line", None)
    assert failure.actual == (outcome.data if isinstance(outcome, Returned) else None)


def test_answers_at_the_edge() -> None:
    """Objects count as something; hashing too much is wrong; messages become one line."""
    for expected, verdict in ((True, "pass"), (None, "fail")):
        outcome = Unrepresentable("re.Match")
        assert judge(outcome, wire.encode(expected), Rule("truthiness")) == verdict
    data = wire.encode([set(range(5_000))])
    assert judge(Returned(data), FIVE, Rule()) in ("fail", "unrepresentable")
    assert clip(" a\n\tb  c ") == "a b c"
    assert len(clip("x" * 10_000)) < 300


@pytest.mark.parametrize(
    ("value", "expected", "rule", "verdict"),
    [
        (True, 1, Rule("strict"), "fail"),
        ([2, 1], [1, 2], Rule("unordered"), "pass"),
        (5, 5, Rule(), "pass"),
        (5.0, 5, Rule(), "pass"),
        ("m", True, Rule("truthiness"), "pass"),
        ("x" * 100_000, "y", Rule("truthiness"), "pass"),
        (list(range(100_000)), [1], Rule(), "fail"),
        (set(range(100_000)), {1}, Rule(), "fail"),
        ("a" * 100_000, "b" * 100_000, Rule(), "fail"),
        ("a" * 100_000, 1.0, Rule(), "fail"),
        ([1, 1.0 + 1e-9], [1, 1.0], Rule(), "pass"),
        (10**5000, 10**5000 + 1, Rule(), "fail"),
        ({10**5000}, {1}, Rule("strict"), "fail"),
        (nested(list, 150), 5, Rule(), "fail"),
    ],
    ids=brief,
)
def test_the_tasks_rule_decides(value: Any, expected: Any, rule: Rule, verdict: str) -> None:
    """Where bytes differ the task's rule decides, for answers of any size."""
    assert judge(Returned(wire.encode(value)), wire.encode(expected), rule) == verdict


@pytest.mark.parametrize(
    "value",
    ["x" * 10**6, 10**5000, [10**5000], list(range(10**5)), "a\nb", nested(tuple, 150), "\ud800"],
    ids=brief,
)
def test_any_value_is_shown_in_bounds(value: Any) -> None:
    """A value's line stays short, and is made for values that cannot be printed too."""
    assert 0 < len(shorten(value)) < 300
    data = wire.encode(value)
    failure = explain(0, "fail", Returned(data), data)
    assert len(failure.detail) < 700


@pytest.mark.parametrize(
    "outcome",
    [
        Returned(FIVE, 0.125),
        Raised("ValueError", "two\nlines \x1b[31m" + 900 * "x", 3, 0.125),
        Raised("KeyError", "", None, 0.125),
        TimedOut(0.125, 1.0),
        TimedOut(0.125, 1.0, "reference"),
        TimedOut(0.125, 1.0, "total"),
        TimedOut(0.125, 2.0, "wait"),
        Crashed(signal.SIGSEGV, None, "SIGSEGV"),
        Crashed(),
        OutOfMemory(1 << 30),
        Unrepresentable("generator\x07", 0.125),
    ],
)
def test_an_outcome_as_text_is_for_people(outcome: Outcome) -> None:
    """One printable line of bounded length, with nothing measured and no name of ours in it."""
    text = str(outcome)
    assert text
    assert text.isprintable()
    assert len(text) < 250
    assert "0.125" not in text
    assert f"{type(outcome).__name__}(" not in text
