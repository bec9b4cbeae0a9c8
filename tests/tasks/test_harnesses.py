"""The tasks that the guide to harnesses shows: each can be judged, and by what it says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.grading.null import null_program
from evalplus_lite.jobs.expected import SuiteSource
from evalplus_lite.sandbox import Limits, Sandbox, preset
from evalplus_lite.tasks import load_dataset

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "harnesses.md"
BLOCK = r"<!-- task -->\n```json\n(.*?)```"
TASKS = [json.loads(text) for text in re.findall(BLOCK, PAGE.read_text(), re.DOTALL)]


@pytest.mark.parametrize("row", TASKS, ids=[row["id"] for row in TASKS])
def test_examples_are_judged(sandbox: Sandbox, tmp_path: Path, row: dict[str, Any]) -> None:
    """No input is lost, the reference passes, and a program that does nothing does not."""
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps(row))
    (task,) = load_dataset(path, strict=True).tasks
    answers = SuiteSource(cache=None, limits=Limits(cpu=2.0)).usable(sandbox, task)
    assert answers.dropped == ()
    prepared = PreparedSuite.of(task, answers.suite, preset("paper"))
    assert evaluate_program(sandbox, prepared, task.reference).passed
    if task.harness.kind in ("call", "method", "factory"):
        idle = null_program(task, "pass")
        assert not evaluate_program(sandbox, prepared, idle).passed
