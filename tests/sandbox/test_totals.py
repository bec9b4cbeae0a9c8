"""The limit on all cases together: what a program computes, and what it waits, in sum."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest
from support.tasks import make_suite, make_task

from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.sandbox import Inputs, Limits, Preset, Program, ProgramRun, Sandbox
from evalplus_lite.types import Returned, TimedOut

BUSY = textwrap.dedent(
    """
    import time
    def f(seconds):
        end = time.process_time() + seconds
        while time.process_time() < end: pass
        return seconds
    """
)
ASLEEP = "import time\ndef f(seconds):\n    time.sleep(seconds)\n    return seconds\n"
DYING = BUSY.replace("return seconds", "import os; os._exit(0)")


def run(
    sandbox: Sandbox, source: str, seconds: float, limits: Limits, **options: Any
) -> ProgramRun:
    return sandbox.run(Program(source, "f"), Inputs.of([(seconds,)] * 20), limits, **options)


def late(found: ProgramRun) -> list[bool]:
    return [isinstance(outcome, TimedOut) and outcome.over == "total" for outcome in found.outcomes]


@pytest.mark.parametrize("source", [BUSY, DYING], ids=["answers", "dies"])
def test_work_spread_over_cases_has_a_limit(sandbox: Sandbox, source: str) -> None:
    """Cases below their own limit end where all of them have taken too long; none is run then.

    It makes no difference whether one process does the work or a new one each time.
    """
    found = run(sandbox, source, 0.1, Limits(cpu=1.0, total=0.75))
    after = late(found)
    assert not any(after[:3])
    assert all(after[8:])
    assert found.cpu < 1.5
    if source is BUSY:
        assert isinstance(found.outcomes[0], Returned)


class Trouble(Exception):
    """What whoever is asked for more time may raise."""


def test_trouble_of_who_is_asked_leaves_nothing_behind(sandbox: Sandbox) -> None:
    """A program that stands still while more time is asked for is ended if that fails."""

    def more(case: int | None) -> float:
        raise Trouble

    with pytest.raises(Trouble):
        run(sandbox, BUSY, 0.5, Limits(cpu=0.1), raise_limit=more)
    after = run(sandbox, BUSY, 0.0, Limits())
    assert after.outcomes == (Returned(after.outcomes[0].data),) * 20  # type: ignore[union-attr]


def test_sleep_spread_over_cases_has_a_limit(sandbox: Sandbox) -> None:
    """Waiting counts in sum though no case waits long."""
    found = run(sandbox, ASLEEP, 0.3, Limits(cpu=1.0, total=2.0))
    after = late(found)
    assert not any(after[:4])
    assert all(after[12:])
    assert found.cpu < 1.0


def test_more_is_asked_for_once(sandbox: Sandbox) -> None:
    """Where the total is used up, whoever knows better says what it is; the program goes on."""
    asked: list[int | None] = []

    def more(case: int | None) -> float:
        asked.append(case)
        return 60.0

    found = run(sandbox, BUSY, 0.05, Limits(cpu=1.0, total=0.2), raise_limit=more)
    assert all(isinstance(outcome, Returned) for outcome in found.outcomes)
    assert asked == [None]


def test_a_total_grows_with_cases_and_reference() -> None:
    """The larger of a few cases' limits, with a share for each case, and the reference's time."""
    preset = Preset(floor=1.0, factor=4.0)
    assert preset.total(20) == 22.0
    assert preset.total(1000) == 120.0
    assert preset.total(1000, reference_seconds=60.0) == 240.0


def test_a_program_may_take_as_long_as_the_reference_allows(sandbox: Sandbox) -> None:
    """A slow reference makes a larger total; a total that is given stands."""
    task = make_task([(0.1,)] * 4, reference=BUSY)
    suite = make_suite(task, [0.1] * 4)
    tight = Preset(floor=1.0)
    prepared = PreparedSuite.of(task, suite, tight, total=0.2)
    verdict = evaluate_program(sandbox, prepared, BUSY)
    assert verdict.plus == "timeout"
    assert verdict.failure is not None
    assert "all cases together" in verdict.failure.detail
    assert prepared.policy is not None
    assert 0.4 <= PreparedSuite.of(task, suite, tight).policy.times.total(sandbox) < 2.0  # type: ignore[union-attr]
    assert evaluate_program(sandbox, PreparedSuite.of(task, suite, tight), BUSY).plus == "pass"
