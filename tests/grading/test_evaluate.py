"""The one evaluator: base and plus, details, checks, and where it stops."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.tasks import make_suite, make_task

from evalplus_lite.errors import ContractError
from evalplus_lite.grading import evaluator, times
from evalplus_lite.grading.evaluator import MOST_LOST, PreparedSuite, evaluate_program, lost_costs
from evalplus_lite.grading.times import ReferenceTimes
from evalplus_lite.sandbox import Sandbox, preset
from evalplus_lite.store.cache import write_cached
from evalplus_lite.tasks import contracts
from evalplus_lite.types import Rule, Task, Verdict

ROOT = '''
def precondition(x):
    assert x >= 0, "negative"

def check(inputs, output, expected):
    """Either root is right."""
    (x,) = inputs
    if output == "boom":
        raise ValueError
    if output == "loop":
        while True:
            pass
    if type(output) is str:  # a word that is neither True nor False
        return {"yes": "yes"}.get(output)
    return abs(output * output - x) < 1e-9 and expected >= 0
'''
DOUBLES = make_task([(1,), (2,)], [(3,), (4,), (5,)])
ROOTS = make_task([(4,), (9,)], [(16,)], contract=ROOT)


def judged(
    sandbox: Sandbox, source: str, task: Task = DOUBLES, *, details: bool = False
) -> Verdict:
    """Return the verdict on a program for one of the tasks above."""
    right = [2, 4, 6, 8, 10] if task is DOUBLES else [2.0, 3.0, 4.0]
    prepared = PreparedSuite.of(task, make_suite(task, right), preset("paper"))
    prepared = replace(
        prepared, limits=replace(prepared.limits, load=0.3)
    )  # a loop should not take long
    return evaluate_program(sandbox, prepared, source, details=details)


def wrong_at(*cases: int, what: str = "return -1") -> str:
    """Return a program that is wrong for these values of x."""
    return f"def f(x):\n    if x in {cases}:\n        {what}\n    return x * 2\n"


def test_base_and_plus(sandbox: Sandbox) -> None:
    """Plus is base and plus; a program has one verdict however often it is judged."""
    verdict = judged(sandbox, "def f(x): return x + x")
    assert (verdict.base, verdict.plus, verdict.failure) == ("pass", "pass", None)
    assert verdict.details is None
    assert verdict.cpu > 0
    early, late = judged(sandbox, wrong_at(2)), judged(sandbox, wrong_at(4))
    assert (early.base, early.plus) == ("fail", "fail")
    assert (late.base, late.plus) == ("pass", "fail")
    assert (early.failure.case, late.failure.case) == (1, 3)
    assert early.failure.detail == "got -1, expected 4"
    task = make_task([], [(1,), (2,)])
    prepared = PreparedSuite.of(task, make_suite(task, [2, 4]), preset("paper"))
    for source, word in ((wrong_at(2), "fail"), (wrong_at(3), "pass")):
        verdict = evaluate_program(sandbox, prepared, source)
        assert (verdict.base, verdict.plus) == (word, word)
    source = wrong_at(4, what="raise ValueError(id)")
    first, second = (judged(sandbox, source) for _ in range(2))
    assert (first.base, first.plus, first.failure) == (second.base, second.plus, second.failure)
    for rule, word in ((Rule(), "pass"), (Rule("strict"), "fail")):
        task = make_task([(1,)], rule=rule)
        prepared = PreparedSuite.of(task, make_suite(task, [1]), preset("default"))
        assert evaluate_program(sandbox, prepared, "def f(x): return True").plus == word


def test_details(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every case is run and told, up to deaths again and again; without, the first failure ends."""
    prepared = PreparedSuite.of(DOUBLES, make_suite(DOUBLES, [2, 4, 6, 8, 10]), preset("evalplus"))
    verdict = evaluate_program(
        sandbox, prepared, "def f(x):\n    while x > 1: pass\n    return 7\n"
    )
    assert (verdict.failure.case, verdict.failure.verdict) == (0, "fail")
    assert (verdict.base, verdict.plus) == ("fail", "fail")
    assert verdict.cpu < prepared.limits.cpu / 2
    task = make_task([(1,), (2,)], [(number,) for number in range(3, 15)])
    prepared = PreparedSuite.of(task, make_suite(task, [0] * 14), preset("paper"))
    source = "import os\ndef f(x):\n    if x > 2: os._exit(1)\n    return 2 - 2 * x\n"
    verdict = evaluate_program(sandbox, prepared, source, details=True)
    lost = ("crash",) * MOST_LOST
    assert verdict.details == ("pass", "fail", *lost, *[None] * (12 - MOST_LOST))
    assert (verdict.base, verdict.plus) == ("fail", "fail")
    source = (
        "import os\ndef f(x):\n    if x == 2: raise KeyError(x)\n    if x == 3: return object()\n"
        "    if x == 4: os._exit(1)\n    return x * 2\n"
    )
    verdict = judged(sandbox, source, details=True)
    assert verdict.details == ("pass", "error", "unrepresentable", "crash", "pass")
    assert (verdict.base, verdict.plus) == ("error", "error")
    assert (verdict.failure.case, verdict.failure.detail) == (1, "KeyError: 2")
    assert verdict.failure.line == 3
    monkeypatch.setattr(evaluator, "LATE_SECONDS", 0.05)
    source = "def f(x):\n    while x % 2 == 0: pass\n    return x * 2\n"
    verdict = judged(sandbox, source, details=True)
    assert verdict.details == ("pass", "timeout", "pass", "timeout", None)


@pytest.mark.parametrize(
    ("seconds", "late"), [(0.2, 8), (1.0, 8), (4.0, 8), (10.0, 3), (60.0, 2), (1e9, 2)]
)
def test_the_longer_the_limit_the_fewer_cases_may_be_late(seconds: float, late: int) -> None:
    """Together they take half a minute, or two cases' time."""
    assert -(-MOST_LOST // lost_costs(seconds)["timeout"]) == late


@pytest.mark.parametrize(
    ("source", "word"),
    [
        ("def f(x): return x", "fail"),
        ("def f(x): raise ValueError", "error"),
        ("def f(x): import sys; sys.exit(0)", "error"),
        ("def f(x) return x", "error"),
        ("def g(x): return x * 2", "error"),
        ("", "error"),
        ("def f(x):\n    while True: pass", "timeout"),
        ("while True: pass", "timeout"),
        ("def f(x): import os; os._exit(0)", "crash"),
        ("def f(x): return bytearray(8 << 30)", "memory"),
        ("def f(x): return object()", "unrepresentable"),
        ("def f(x): return ...", "unrepresentable"),
    ],
)
def test_every_word(sandbox: Sandbox, source: str, word: str) -> None:
    """Each way to be wrong has its word, for base and plus alike; details say it for each case."""
    verdict = judged(sandbox, source)
    assert (verdict.base, verdict.plus) == (word, word)
    if word != "timeout":
        assert judged(sandbox, source, details=True).details == (word,) * 5


@pytest.mark.parametrize(
    ("body", "base", "plus"),
    [
        ("return x ** 0.5", "pass", "pass"),
        ("return -(x ** 0.5)", "pass", "pass"),
        ("return -(x ** 0.5) if x < 16 else 5", "pass", "fail"),
        ("return 5 if x == 9 else x ** 0.5", "fail", "fail"),
        ("return 5 if x < 9 else 1 / 0", "fail", "fail"),
        ("return 'boom'", "fail", "fail"),
        ("return 'yes'", "fail", "fail"),
        ("return 'nothing'", "fail", "fail"),
        ("return None", "fail", "fail"),
        ("return object()", "unrepresentable", "unrepresentable"),
        ("return ...", "unrepresentable", "unrepresentable"),
        ("return 1 / 0", "error", "error"),
        ("return -2.0 if x == 4 else 1 / 0", "error", "error"),
        ("return type('A', (float,), {'__mul__': lambda a, b: 4.0})(7)", "fail", "fail"),
    ],
)
def test_a_check_decides_where_many_answers_are_right(
    sandbox: Sandbox, body: str, base: str, plus: str
) -> None:
    """An answer other than the reference's is right if the task's check says so, and wrong if it
    says no or nothing, raises, or never sees it; details tell the same, and the first case."""
    source = f"def f(x):\n    {body}\n"
    for details in (False, True):
        verdict = judged(sandbox, source, ROOTS, details=details)
        assert (verdict.base, verdict.plus) == (base, plus)
        if base != "pass":
            assert verdict.failure.case == (0 if "x ==" not in body else 1)


def test_a_check_that_fails_accepts_nothing(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An endless one rejects; one that does not load is our error, with the task's name."""
    broken = make_task([(4,)], contract="import nowhere\ndef check(i, o, e): return True\n")
    prepared = PreparedSuite.of(broken, make_suite(broken, [2.0]), preset("default"))
    assert evaluate_program(sandbox, prepared, "def f(x): return 2.0").plus == "pass"
    with pytest.raises(ContractError, match=r"Tiny/0: the contract does not load"):
        evaluate_program(sandbox, prepared, "def f(x): return -2.0")
    from evalplus_lite.sandbox import Limits

    monkeypatch.setattr(contracts, "CHECK_LIMITS", Limits(cpu=0.2))
    verdict = judged(sandbox, "def f(x): return 'loop'", ROOTS)
    assert (verdict.base, verdict.plus) == ("fail", "fail")


def test_limits_follow_the_reference(sandbox: Sandbox) -> None:
    """A case whose reference takes long may take four times as long, whatever the floor."""
    program = (
        "import time\ndef f(x):\n    end = time.process_time() + {}\n"
        "    while time.process_time() < end: pass\n    return 2 * x\n"
    )
    found = []
    for seconds in (0.0, 0.3):
        task = make_task([(1,), (2,)], reference=program.format(seconds))
        prepared = PreparedSuite.of(task, make_suite(task, [2, 4]), preset("paper"))
        found.append(evaluate_program(sandbox, prepared, program.format("(0.6 if x > 1 else 0)")))
    assert [verdict.plus for verdict in found] == ["timeout", "pass"]
    assert found[0].failure.case == 1


def test_times_are_kept_for_one_machine_and_reference(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A time that was measured is not measured again, and counts for nothing elsewhere."""

    def total(task: Task) -> float:
        return ReferenceTimes(task, task.cases, tmp_path).total(sandbox)

    assert total(DOUBLES) < 50
    (file,) = tmp_path.rglob("*.json")
    write_cached(file, [b'{"seconds": 50.0}'])
    assert total(DOUBLES) == 50
    assert total(replace(DOUBLES, reference=f"{DOUBLES.reference}\n")) < 50
    monkeypatch.setattr(times, "machine", lambda: "another")
    assert total(DOUBLES) < 50


def test_a_large_right_answer_is_no_flood(sandbox: Sandbox) -> None:
    """The limit on output grows with what is expected, so that a right answer always fits."""
    task = make_task([(1,)])
    value: Any = "x" * (20 << 20)
    prepared = PreparedSuite.of(task, make_suite(task, [value]), preset("default"))
    assert evaluate_program(sandbox, prepared, "def f(x): return 'x' * (20 << 20)").plus == "pass"
    assert evaluate_program(sandbox, prepared, "def f(x): return 'y' * (20 << 20)").plus == "fail"
