"""Expected outputs: what of a reference's answers can be a test, and why the rest cannot."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from support.tasks import make_task

from evalplus_lite.errors import ContractError, ReferenceSolutionError
from evalplus_lite.grading.oracle import Answers, answer
from evalplus_lite.grading.stability import same
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.types import Case, Rule, Task
from evalplus_lite.values import wire

LIMITS = Limits(cpu=1.0, memory=256 << 20, wait=1.0)


def answers(sandbox: Sandbox, task: Task, **options: Any) -> Answers:
    """Return what the oracle makes of all cases of a task."""
    given: dict[str, Any] = {"base_count": len(task.base), "limits": LIMITS, **options}
    return answer(sandbox, task, task.cases, **given)


def causes(sandbox: Sandbox, reference: str, *arguments: Any, **options: Any) -> list[str | None]:
    """Return for each case why it was dropped, or None."""
    task = make_task([(argument,) for argument in arguments], reference=reference)
    found = answers(sandbox, task, **options)
    by_case = {id(drop.case): drop.cause for drop in found.dropped}
    return [by_case.get(id(case)) for case in task.cases]


def test_answers_become_a_suite(sandbox: Sandbox) -> None:
    """Base cases in front, counted after drops by cause; parents follow their cases."""
    task = make_task([(1,), (2.5,)], [("a",)])
    found = answers(sandbox, task)
    assert found.dropped == ()
    assert found.kept == (0, 1, 2)
    suite = found.suite
    assert suite.cases == task.cases
    assert suite.base_count == 2
    assert [wire.decode(data) for data in suite.expected] == [2, 5.0, "aa"]
    reference = (
        "def f(x):\n    if x < 0: raise ValueError\n    return object() if x else hash('a')\n"
    )
    task = make_task([(-1,), (-2,), (1,), (0,)], reference=reference)
    found = answers(sandbox, task)
    assert list(found.causes.items()) == [("raises", 2), ("unrepresentable", 1), ("unstable", 1)]
    assert found.suite.cases == ()
    assert found.suite.base_count == 0
    reference = "def f(x):\n    if x < 0: raise ValueError\n    return x\n"
    task = make_task([(-1,), (1,), (2,)], [(-3,), (3,)], reference=reference)
    found = answers(sandbox, task)
    assert found.kept == (1, 2, 4)
    assert found.suite.base_count == 2
    reference = "def f(x):\n    if x < 0: raise ValueError\n    return x\n"
    task = make_task([(-1,), (1,)], reference=reference)
    task = replace(
        task,
        plus=(
            Case((3,), "mutation", parent=1),
            Case((4,), "mutation", parent=0),
            Case((5,), "mutation", parent=2),
        ),
    )
    found = answers(sandbox, task)
    assert [case.parent for case in found.suite.cases] == [None, 0, None, 1]
    found = answers(sandbox, make_task([]))
    assert (found.suite.cases, found.dropped) == ((), ())
    assert causes(sandbox, "def f(x): return hash('a')", 1) == ["unstable"]
    assert causes(sandbox, "def f(x): return hash('a')", 1, twice=False) == [None]


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ("raise ValueError", "raises"),
        ("import sys; sys.exit()", "raises"),
        ("while True: pass", "slow"),
        ("import time; time.sleep(60)", "slow"),
        ("import os; os._exit(0)", "crashes"),
        ("return len(bytearray(1 << 30))", "memory"),
        ("return object()", "unrepresentable"),
        ("return ...", "unrepresentable"),
        ("v = []\n    for _ in range(300): v = [v]\n    return v", "unrepresentable"),
        ("return hash(str(x))", "unstable"),
        ("return str({str(i) for i in range(20)})", "unstable"),
        ("import random; return random.random()", "unstable"),
        ("import os; return os.urandom(8)", "unstable"),
        ("return {str(i) for i in range(20)}", None),
        ("return float('nan')", None),
    ],
)
def test_causes(sandbox: Sandbox, body: str, cause: str | None) -> None:
    """A case whose answer is of no use is dropped by cause; the cases around it are kept."""
    reference = f"def f(x):\n    if x != 2: return x\n    {body}\n"
    assert causes(sandbox, reference, 1, 2, 3) == [None, cause, None]


@pytest.mark.parametrize("count", range(2, 8))
@pytest.mark.parametrize(
    "text",
    [
        "N = []\ndef f(x):\n    N.append(x)\n    return len(N)",
        "N = []\ndef f(x):\n    N.append(x)\n    return x if len(N) > 1 else -x",
        "N = [0]\ndef f(x):\n    N.append(x)\n    return N[-2]",
        "import random\nR = random.Random(0)\ndef f(x): return R.random()",
    ],
)
def test_what_hangs_on_earlier_calls_is_no_test(sandbox: Sandbox, text: str, count: int) -> None:
    """However many cases there are, none is kept that only this order of calls would pass."""
    found = answers(sandbox, make_task([(n,) for n in range(1, count + 1)], reference=text))
    assert found.causes == {"unstable": count}


def test_answers_do_not_depend_on_their_company(sandbox: Sandbox) -> None:
    """Whichever cases are asked along with one, in any order that its task's rule takes."""
    numbers = list(range(40))
    random.Random(0).shuffle(numbers)
    reference = "def f(x): return [x] * (x % 7), str(x)"
    whole = answers(sandbox, make_task([(x,) for x in numbers], reference=reference)).suite
    half = answers(sandbox, make_task([(x,) for x in numbers[::2]], reference=reference)).suite
    assert list(whole.expected)[::2] == list(half.expected)
    text = "S = []\ndef f(x):\n    S.append(x)\n    return x if x != 4 or 3 in S else 0"
    task = make_task([(n,) for n in range(1, 8)], reference=text)
    found = answers(sandbox, task)
    assert found.kept == (0, 1, 2, 4, 5, 6)
    again = answers(sandbox, replace(task, base=found.suite.cases))
    assert list(again.suite.expected) == list(found.suite.expected)
    ordered, unordered = make_task(), make_task(rule=Rule("unordered"))
    a, b = wire.encode([1, 2]), wire.encode([2, 1])
    assert not same(a, b, ordered)
    assert same(a, b, unordered)
    assert not same(a, b"junk", ordered)


def test_the_contract_decides_first(sandbox: Sandbox) -> None:
    """What it rejects never reaches the reference, whose slow inputs have a budget."""
    contract = "def precondition(x):\n    assert x >= 0, 'negative'\n"
    task = make_task([(1,), (-1,)], contract=contract, reference="def f(x): return [][x]")
    found = answers(sandbox, task)
    assert [(drop.cause, drop.case.arguments) for drop in found.dropped] == [
        ("raises", (1,)),
        ("invalid", (-1,)),
    ]
    assert found.dropped[1].detail == "negative"
    assert answers(sandbox, task, contract=False).causes == {"raises": 2}
    contract = "def precondition(x):\n    [0][x]\n    while x < 0: pass\n"
    task = make_task([(0,), (5,), (-1,)], contract=contract)
    assert [drop.case.arguments for drop in answers(sandbox, task).dropped] == [(5,), (-1,)]
    task = make_task(contract="def precondition(x): pass\nraise ValueError\n")
    with pytest.raises(ContractError, match="does not load"):
        answers(sandbox, task)
    reference = "def f(x):\n    if x == 0: raise ValueError\n    while x > 1: pass\n    return x\n"
    found = causes(sandbox, reference, 0, 0, 0, 1, 2, 3, 1, 1, max_failures=2)
    assert found == ["raises"] * 3 + [None, "slow", "slow", "budget", "budget"]


@pytest.mark.parametrize("reference", ["def f(:", "raise ValueError", "def g(x): pass"])
def test_a_reference_that_does_not_load(sandbox: Sandbox, reference: str) -> None:
    """A reference that cannot be loaded is an error that names the task."""
    with pytest.raises(ReferenceSolutionError, match="Tiny/0: the reference does not load"):
        answers(sandbox, make_task(reference=reference))


SHUFFLE = "import random\ndef f(x):\n    x = list(x)\n    random.shuffle(x)\n    return x\n"


@pytest.mark.parametrize(
    ("condition", "cause"),
    [("sorted(output) == sorted(inputs[0])", None), ("output == expected", "unstable")],
)
def test_a_check_decides_whether_another_answer_is_stable(
    sandbox: Sandbox, condition: str, cause: str | None
) -> None:
    """A task with many right answers keeps its inputs, unless its check wants a certain one."""
    contract = f"def check(inputs, output, expected):\n    return {condition}\n"
    task = make_task([(list(range(9)),)], reference=SHUFFLE, contract=contract)
    found = answers(sandbox, task)
    assert [drop.cause for drop in found.dropped] == ([] if cause is None else [cause])
