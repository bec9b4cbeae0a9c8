"""Weak unit tests: counted as published, and beside that left out; no reward rests on them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evalplus_lite import Verifier, evaluate
from evalplus_lite.errors import EvidenceWarning, UnusableTask
from evalplus_lite.serving.adapters.judge import JudgeSettings
from evalplus_lite.types import Sample

HEAD = "import unittest\nclass T(unittest.TestCase):\n"
WEAK = "    def test_a(self):\n        self.assertEqual(len(str(f(2))), 3)\n"
STRONG = "    def test_b(self):\n        self.assertEqual(f(1), 228)\n"
REFERENCE = "def f(n):\n    return n * 211 + 17\n"
ALWAYS = "def f(n):\n    return 100\n"
ONLY_STRONG = "def f(n):\n    return 228 if n == 1 else 0\n"


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    rows: list[dict[str, Any]] = [
        {
            "id": name,
            "prompt": "",
            "entry_point": "f",
            "harness": "unittest",
            "reference": REFERENCE,
            "tests": HEAD + tests,
        }
        for name, tests in (("both", WEAK + STRONG), ("weak", WEAK), ("strong", STRONG))
    ]
    path = tmp_path / "tasks.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_scores_with_and_without(tasks: Path) -> None:
    """A task of weak tests alone is in the published score only."""
    samples = [
        Sample(task, program, model)
        for model, program in (("right", REFERENCE), ("always", ALWAYS))
        for task in ("both", "weak", "strong")
    ]
    result = evaluate(tasks, samples, extract=False)
    scores = {row["model"]: row["pass_at_k"] for row in result.summary["groups"]}
    assert scores["right"]["base"] == scores["right"]["strong"] == {"pass@1": 1.0}
    assert scores["always"]["base"] == {"pass@1": 1 / 3}
    assert scores["always"]["strong"] == {"pass@1": 0.0}
    assert result.summary["strong_tasks"] == 2
    found = {(r["task_id"], r.get("model")): r.get("strong", "-") for r in result.to_rows()}
    assert found["weak", "always"] is None
    assert found["strong", "always"] == "-"
    assert found["both", "always"] == "fail"


def test_a_weak_failure_is_none_without(tasks: Path) -> None:
    """A program that fails a weak test alone passes what is left."""
    result = evaluate(tasks, [Sample("both", ONLY_STRONG)], extract=False)
    (row,) = result.to_rows()
    assert (row["base"], row["strong"]) == ("fail", "pass")


@pytest.mark.filterwarnings("ignore::evalplus_lite.errors.EvidenceWarning")
def test_rewards_leave_them_out(tasks: Path) -> None:
    """Unless they are asked for; a task with no others is no evidence."""
    assert issubclass(EvidenceWarning, Warning)
    with Verifier(tasks) as verifier:
        assert verifier.verify("both", REFERENCE).passed
        assert not verifier.verify("both", ALWAYS).passed
        with pytest.raises(UnusableTask) as caught:
            verifier.verify("weak", ALWAYS)
        assert caught.value.cause == "weak"
    with Verifier(tasks, weak_tests=True) as verifier:
        assert verifier.verify("weak", ALWAYS).passed


def test_the_environment_says_so() -> None:
    """Adapters are told by a variable."""
    assert not JudgeSettings.from_environment({}).weak_tests
    assert JudgeSettings.from_environment({"EVALPLUS_LITE_WEAK_TESTS": "1"}).weak_tests
