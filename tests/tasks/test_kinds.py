"""Kinds of tasks that people bring: right programs pass, wrong ones do not, the rest is refused."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.tasks import own_task

from evalplus_lite.errors import UnusableTask
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.grading.null import null_program
from evalplus_lite.jobs.augmented_task import base_answers
from evalplus_lite.jobs.expected import SuiteSource
from evalplus_lite.sandbox import Limits, Sandbox, preset
from evalplus_lite.types import Case, Task

FILE = Path(__file__).with_name("kinds.toml")
KINDS: list[dict[str, Any]] = tomllib.loads(FILE.read_text(encoding="utf-8"))["kind"]
PARTS = ("reference", "harness", "rule", "contract")
LIMITS = Limits(cpu=2.0)


def task_of(kind: dict[str, Any], folder: Path) -> Task:
    """Return the task as it comes from a file of one's own."""
    row = {"id": "t", "prompt": kind["name"], "entry_point": kind.get("entry_point", "f")}
    row |= {part: kind[part] for part in PARTS if part in kind}
    if "outputs" in kind:
        row["outputs"] = json.loads(kind["outputs"])
    return own_task(folder, **row, inputs=json.loads(kind["inputs"]))


@pytest.mark.parametrize("kind", KINDS, ids=[kind["name"] for kind in KINDS])
def test_each_kind_is_judged_rightly_or_refused(
    sandbox: Sandbox, tmp_path: Path, kind: dict[str, Any]
) -> None:
    """A right program passes, a wrong one does not; where nothing can be told, none passes."""
    task = task_of(kind, tmp_path)
    source = SuiteSource(cache=None, limits=LIMITS)
    if "refused" in kind:
        with pytest.raises(UnusableTask) as refusal:
            source.usable(sandbox, task)
        assert refusal.value.cause == kind["refused"]
        return
    prepared = PreparedSuite.of(task, source.usable(sandbox, task).suite, preset("paper"))
    assert len(prepared.suite.cases) == len(task.base)
    for program in [task.reference, *kind.get("right", ())]:
        verdict = evaluate_program(sandbox, prepared, program)
        assert verdict.passed, (program, verdict.failure)
    for program in kind["wrong"]:
        assert not evaluate_program(sandbox, prepared, program).passed, program


def test_listed_answers_are_of_the_task_s_own_inputs(sandbox: Sandbox, tmp_path: Path) -> None:
    """What else is right on further inputs nobody knows: they are no tests, and none are made."""
    (kind,) = (kind for kind in KINDS if kind.get("outputs"))
    task = task_of(kind, tmp_path)
    more = replace(task, plus=(Case(([5, 5, 6, 6],)),))
    answers = SuiteSource(cache=None, limits=LIMITS).usable(sandbox, more)
    assert [(drop.case, drop.cause) for drop in answers.dropped] == [(more.plus[0], "expected")]
    with pytest.raises(UnusableTask, match="check"):
        base_answers(sandbox, task)
    wrong = replace(task, reference="def f(items): return max(items)", base=task.base[1:])
    with pytest.raises(UnusableTask) as refusal:
        SuiteSource(cache=None).usable(sandbox, replace(wrong, outputs=task.outputs[1:]))
    assert refusal.value.cause == "expected"


# The tasks that the guide to harnesses shows: each can be judged, and by what it says.

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "harnesses.md"
BLOCK = r"<!-- task -->\n```json\n(.*?)```"
SHOWN = [json.loads(text) for text in re.findall(BLOCK, PAGE.read_text(), re.DOTALL)]


@pytest.mark.parametrize("row", SHOWN, ids=[row["id"] for row in SHOWN])
def test_examples_are_judged(sandbox: Sandbox, tmp_path: Path, row: dict[str, Any]) -> None:
    """No input is lost, the reference passes, and a program that does nothing does not."""
    task = own_task(tmp_path, **row)
    answers = SuiteSource(cache=None, limits=Limits(cpu=2.0)).usable(sandbox, task)
    assert answers.dropped == ()
    prepared = PreparedSuite.of(task, answers.suite, preset("paper"))
    assert evaluate_program(sandbox, prepared, task.reference).passed
    if task.harness.kind in ("call", "method", "factory"):
        idle = null_program(task, "pass")
        assert not evaluate_program(sandbox, prepared, idle).passed
