"""Answers made to be slow or large to take apart, for every rule, in a process that is bounded."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from support.tasks import make_suite, make_task

from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.sandbox import Sandbox, preset
from evalplus_lite.types import Task

CPU_SECONDS = 60
"""For thousands of judgements, which take a few seconds in all; one alone once took 164."""
MEMORY = 512 << 20
SCRIPT = Path(__file__).with_name("judge_answers.py")


def bounds() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def test_no_answer_costs_much() -> None:
    """Millions of values, elements that hash alike and forged lengths are judged in bounds."""
    done = subprocess.run(
        [sys.executable, SCRIPT, "0"],
        preexec_fn=bounds,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    counts = json.loads(done.stdout)
    assert counts["fail"] > 1000
    # an empty list is right where one is expected: what random bytes may come to
    assert set(counts) <= {"fail", "unrepresentable", "pass"}


CHECK = """
def check(inputs, output, expected):
    return len(output) == 0 or list(output)[:1] == [inputs[0]]
"""


def checked(sandbox: Sandbox, answer: str, cases: int, expected: str = "[x]") -> tuple[str, str]:
    """Return the verdict and its line on a program whose answers a task's check judges."""
    task: Task = make_task([(n,) for n in range(cases)], contract=CHECK)
    suite = make_suite(task, [eval(expected, {"x": n}) for n in range(cases)])
    prepared = PreparedSuite.of(task, suite, preset("default"), memory=1 << 30)
    found = evaluate_program(sandbox, prepared, f"def f(x): return {answer}\n")
    return found.base, "" if found.failure is None else found.failure.detail


@pytest.mark.parametrize(
    ("answer", "cases", "verdict"),
    [
        ("[x, x]", 40, "pass"),
        ("[x] * 150_000", 1, "pass"),
        ("[x + 1]", 3, "fail"),
        ("[x] * 150_000", 40, "unrepresentable"),  # in all, too many
        ("[set() for _ in range(600_000)]", 1, "unrepresentable"),
        ("[[{}] for _ in range(300_000)]", 1, "unrepresentable"),
        ("{k * (2**61 - 1) for k in range(3)}", 1, "pass"),
        ("[x] + [[]] * 900_000", 20, "unrepresentable"),  # more bytes in all than are kept
    ],
)
def test_answers_to_a_check_have_a_budget(
    sandbox: Sandbox, answer: str, cases: int, verdict: str
) -> None:
    """What a task's check is given is bounded in values, over all cases together."""
    assert checked(sandbox, answer, cases)[0] == verdict


def test_a_check_takes_large_answers_to_large_cases(sandbox: Sandbox) -> None:
    """The budget grows with the reference's answers: a right program with more than it passes."""
    answer, expected = "[x] + [0] * 900_000", "[x] + [0] * 400_000"
    assert checked(sandbox, answer, 2, expected) == ("pass", "")
