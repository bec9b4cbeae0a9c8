"""Questions about moments of runs: their answers are those of a trace that the test makes."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from support.conversation import Scripted

from evalplus_lite.errors import InputError
from evalplus_lite.exe.asking.predict import (
    Prediction,
    PredictionSettings,
    predict,
    prediction_requests,
    question_of,
)
from evalplus_lite.exe.asking.score import score
from evalplus_lite.exe.report import exe_report
from evalplus_lite.exe.running.proof import Sandboxes
from evalplus_lite.exe.running.runs import CallResult, Invocation
from evalplus_lite.exe.tasks.mined import MinedTask, TaskCase
from evalplus_lite.exe.tasks.moments import (
    KINDS,
    consistency,
    moment_tasks,
    statement_lines,
    steady_lines,
)
from evalplus_lite.store import write_jsonl

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
    """Questions about ten moments of two runs."""
    cases = tuple(TaskCase(Invocation((n,)), CallResult("value", value=v))
                  for n, v in ((6, [6, 3, 10, 5, 16, 8, 4, 2, 1]), (4, [4, 2, 1])))  # fmt: skip
    task = MinedTask("p/steps", CODE, "steps", cases, FACTS)
    return list(moment_tasks([task], sandboxes, count=10, seed=2))


def test_answers_are_those_of_the_trace(questions: list[MinedTask]) -> None:
    """Lines run, variables, the next line and the result, at moments of two cases."""
    assert len(questions) == 10 * len(KINDS)
    assert len({task.id for task in questions}) == len(questions)
    assert {task.cases[0].call.args[0] for task in questions} == {4, 6}
    following = set()
    for task in questions:
        stop, truth = task.facts["breakpoint"], task.cases[0].answer.value
        trace = traced(task.cases[0].call.args[0])
        at = [place for place, (line, _) in enumerate(trace) if line == stop["line"]]
        place = at[stop["hit"] - 1]
        match task.facts["question"]["kind"]:
            case "state":
                assert truth == trace[place][1]
            case "next":
                assert truth == (trace[place + 1][0] if place + 1 < len(trace) else "end")
                following.add((stop["line"], truth))
            case "coverage":
                reached = {line for line, _ in trace}
                assert truth == [line in reached for line in task.facts["question"]["lines"]]
            case "output":
                assert truth == trace[-1][1]["found"]
    below = set(pairwise(range(2, 10)))
    assert following - below - {(9, "end")}  # some are asked where the run jumps


def test_questions_are_asked_and_scored(questions: list[MinedTask], tmp_path: Path) -> None:
    """A model that knows all but next lines: each kind's rate, and how far it follows."""
    truths = {question_of(task).text(task, task.cases[0]): task for task in questions}

    def reply(said: Any) -> str:
        task = truths[said.messages[0].content]
        is_next = task.facts["question"]["kind"] == "next"
        return json.dumps({"value": 0 if is_next else task.cases[0].answer.value})

    source, path = Scripted(reply), tmp_path / "p.jsonl"
    asking = PredictionSettings(structured=True)
    assert predict(questions, source, path, asking=asking) == len(questions)
    report = score(questions, read_lines(path))
    rates = {line.name: line.pass_at_1 for line in report.lines if line.group == "question"}
    assert rates == {"coverage": 1, "state": 1, "next": 0, "output": 1}
    assert report.consistency is not None
    assert (report.consistency.moments, report.consistency.mean) == (10, 0)  # output: a guess
    write_jsonl(tmp_path / "asked.jsonl", [task.to_json() for task in questions])
    found = exe_report(tmp_path / "asked.jsonl", [path], out=tmp_path / "out", pictures=False)
    (row,) = found.summary["questions"]
    assert {kind: each["pass@1"] for kind, each in row["kinds"].items()} == rates
    assert row["consistency"] == report.consistency.to_json()
    assert "consistency" in (tmp_path / "out" / "exe-questions.md").read_text()
    # Forty questions about two runs of one function: it is one, whatever is asked of it.
    assert {each["functions"] for each in row["kinds"].values()} == {1}
    assert json.loads(source.asked[0].schema or "")["additionalProperties"] is False
    assert list(prediction_requests(questions, PredictionSettings(of="input"))) == [
        each for each in prediction_requests(questions, PredictionSettings(of="input"))
        if each.task.facts["question"]["kind"] == "output"
    ]  # fmt: skip
    odd = replace(questions[0], facts={**questions[0].facts, "question": {"kind": "colour"}})
    with pytest.raises(InputError, match="colour"):
        question_of(odd)


def read_lines(path: Path) -> list[Prediction]:
    return [Prediction.from_json(json.loads(line)) for line in path.read_text().splitlines()]


@pytest.mark.parametrize(
    ("marks", "worth"),
    [("1111", 1.0), ("1110", 0.5), ("1100", 0.25), ("1000", 0.125), ("0000", 0.0), ("1101", 0.0),
     ("0111", 0.0)],
)  # fmt: skip
def test_consistency_is_revals(marks: str, worth: float) -> None:
    """It counts what was followed from the beginning, and no right answer after a wrong one."""
    found = {kind: mark == "1" for kind, mark in zip(KINDS, marks, strict=True)}
    assert consistency(found) == worth


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


NESTED = """from functools import cache
@cache
def outer(n: int) -> int:
    '''Say how much.'''
    found: int
    found = n
    def grow(part: int) -> int:
        more = part + 1
        return more * 2
    class Kept:
        size = 3
    while found < 30:
        found = grow(found) + Kept.size
    return found
"""


def test_lines_within_inner_functions_are_not_asked_about(sandboxes: Sandboxes) -> None:
    """Nor are declarations: a run of the function comes to none of them. It may be cached."""
    assert statement_lines(NESTED, "outer") == [6, 7, 10, 12, 13, 14]
    space: dict[str, Any] = {}
    exec(NESTED, space)
    cases = tuple(
        TaskCase(Invocation((n,)), CallResult("value", value=space["outer"](n))) for n in (2, 5, 40)
    )
    task = MinedTask("p/outer", NESTED, "outer", cases, FACTS)
    assert list(moment_tasks([task], sandboxes, count=2, seed=1))
    asked = [
        dict(zip(each.facts["question"]["lines"], each.cases[0].answer.value, strict=True))
        for each in moment_tasks([task], sandboxes, count=9, seed=1)
        if each.facts["question"]["kind"] == "coverage"
    ]
    assert asked
    assert all({*lines} <= {6, 7, 10, 12, 13, 14} for lines in asked)
    assert all(lines.get(10, True) and lines.get(13, True) for lines in asked[:2])
