"""Questions about breakpoints: their answers are those of a trace that the test makes."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from support.conversation import Scripted

from evalplus_lite.exe.prediction import Prediction, answer_all, question
from evalplus_lite.exe.running.proof import Sandboxes
from evalplus_lite.exe.running.runs import CallResult, Invocation, Stop
from evalplus_lite.exe.scoring import scored
from evalplus_lite.exe.tasks.breakpoints import breakpoint_tasks, steady_lines, worth_asking
from evalplus_lite.exe.tasks.mined import MinedTask, TaskCase

CODE = """def steps(n: int) -> list[int]:
    found = [n]
    while n > 1:
        if n % 2:
            n = 3 * n + 1
        else:
            n = n // 2
        found.append(n)
    return found
"""
TYPE = {"kind": "positional", "name": "n", "type": "int", "default": None}
FACTS = {"signature": {"parameters": [TYPE], "result": "list[int]"}, "package": "p"}


def traced(n: int) -> list[tuple[int, dict[str, Any]]]:
    """Return line and variables at each step of a call of the code above."""
    space: dict[str, Any] = {}
    exec(compile(CODE, "<code>", "exec"), space)
    found: list[tuple[int, dict[str, Any]]] = []

    def trace(frame: Any, event: str, _: object) -> Any:
        if frame.f_code.co_filename == "<code>":
            if event == "line":
                found.append((frame.f_lineno, json.loads(json.dumps(dict(frame.f_locals)))))
            return trace
        return None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        space["steps"](n)
    finally:
        sys.settrace(before)
    return found


@pytest.fixture(scope="module")
def questions(sandboxes: Sandboxes) -> list[MinedTask]:
    """Questions about ten breakpoints of two runs."""
    cases = tuple(TaskCase(Invocation((n,)), CallResult("value", value=v))
                  for n, v in ((6, [6, 3, 10, 5, 16, 8, 4, 2, 1]), (4, [4, 2, 1])))  # fmt: skip
    task = MinedTask("p/steps", CODE, "steps", cases, FACTS)
    return list(breakpoint_tasks([task], sandboxes, count=10, seed=2))


def test_answers_are_those_of_the_trace(questions: list[MinedTask]) -> None:
    """The variables before a line runs for the n-th time, in two cases."""
    assert len({task.id for task in questions}) == len(questions) == 10
    assert {task.cases[0].call.args[0] for task in questions} == {4, 6}
    for task in questions:
        stop = task.facts["breakpoint"]
        trace = traced(task.cases[0].call.args[0])
        states = [state for line, state in trace if line == stop["line"]]
        assert task.cases[0].answer.value == states[stop["hit"] - 1]
        assert {*stop["variables"]} == {*task.cases[0].answer.value}
        assert task.code.split("\n")[stop["line"] - 1].strip() == stop["text"]


def test_what_the_call_shows_is_not_asked_about() -> None:
    """Neither an argument nor a copy of it: a variable has to be worked out."""
    case = TaskCase(Invocation((6,)), CallResult("value", value=[]))
    stops = [Stop(3, 1, {"n": 6}), Stop(4, 1, {"n": 6, "m": 6}), Stop(5, 1, {"n": 6, "m": 3})]
    assert worth_asking(stops, case) == stops[2:]


def test_questions_are_asked_and_scored(questions: list[MinedTask], tmp_path: Path) -> None:
    """Ten questions about two runs of one function are about one function."""
    truths = {question(task, task.cases[0]): task for task in questions}

    def reply(said: Any) -> str:
        task = truths[said.messages[0].content]
        is_known = task.facts["breakpoint"]["hit"] == 1
        return json.dumps({"value": task.cases[0].answer.value if is_known else 0})

    source, path = Scripted(reply), tmp_path / "p.jsonl"
    assert answer_all(questions, source, path) == len(questions)
    report = scored(questions, read_lines(path))
    known = sum(task.facts["breakpoint"]["hit"] == 1 for task in questions)
    assert (report.tables[0]["pass@1"], report.tables[0]["tasks"]) == (known / 10, 1)


def read_lines(path: Path) -> list[Prediction]:
    return [Prediction.from_json(json.loads(line)) for line in path.read_text().splitlines()]


ODD = """def odd(xs: list[int]) -> list[int]:
    out = []
    for x in xs:
        with suppress(ZeroDivisionError):
            out.append(max(
                10 // x,
                x + len(out),
            ))
        if any(
            each == x
            for each in out
        ):
            break
    match len(out):
        case 1:
            out.append(1)
        case 2: out.append(2)
        case _:
            out = [each + 1 for each in out]; out.append(len(xs))
    try:
        out.append(1 // len(out))
    except ZeroDivisionError: out.append(1)
    while len(out) < 9:
        out += [len(out) * each for each in out]
    return sorted(
        out,
    )
"""


def test_only_lines_that_run_once_a_time_are_asked_about() -> None:
    """The interpreter comes back to calls over lines, to ``with``, and to comprehensions."""
    assert steady_lines(ODD, "odd") == {2, 3, 13, 16, 21, 23}
