"""What samples cost stands beside their results, row by row, and never in them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.commands import write_rows

from evalplus_lite import Dataset, Sample, Session, Verifier, evaluate, load_dataset
from evalplus_lite.errors import EvidenceWarning, UnusableTask
from evalplus_lite.jobs.outputs import COSTS, Cost, read_evaluations
from evalplus_lite.serving.adapters.judge import JudgeSettings
from evalplus_lite.types import Case, Task

DATA = Dataset("own", (
    Task("Own/0", "", "f", "def f(x): return x", base=(Case((1,)), Case((2,)))),
))  # fmt: skip
LARGE, SLOW, DEAD = (
    "def f(x):\n    a = b'a' * (200 << 20)\n    return x",
    "import time\ndef f(x):\n    while time.process_time() < .25: pass\n    return x",
    "import os\ndef f(x): os.kill(os.getpid(), 9)",
)
SAMPLES = [
    Sample("Own/0", source, index=number)
    for number, source in enumerate(["f = lambda x: x", LARGE, SLOW, DEAD, "f = lambda x: x"])
]


def judged(out: Path, session: Session, **options: Any) -> list[tuple[dict[str, Any], Cost]]:
    evaluate(DATA, SAMPLES, out=out, session=session, **options)
    return list(read_evaluations([out])[0].measured())


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines(keepends=True)


def test_costs_are_measured_and_survive_a_kill(tmp_path: Path, session: Session) -> None:
    """Row by row; results of a version without costs are resumed, and force starts both over."""
    found = judged(tmp_path, session)
    costs = {row["index"]: cost for row, cost in found}
    assert all(cost.cpu is not None and cost.memory is not None for cost in costs.values())
    assert (costs[1].memory or 0) > 200 << 20 > (costs[0].memory or 0) > 1 << 20
    assert (costs[2].cpu or 0) >= 0.2 > (costs[0].cpu or 0)
    assert costs[0] == costs[4]  # equal programs are run once
    results, before = (tmp_path / "results.jsonl").read_bytes(), lines(tmp_path / COSTS)
    assert b"cpu" not in results

    # Costs are written first: a kill loses rows whose costs are there, and perhaps half a line.
    kept = lines(tmp_path / "results.jsonl")[:2]
    (tmp_path / "results.jsonl").write_text("".join(kept) + '{"task_')
    again = judged(tmp_path, session)
    assert (tmp_path / "results.jsonl").read_bytes() == results
    assert lines(tmp_path / COSTS)[:2] == before[:2]
    assert len(lines(tmp_path / COSTS)) == len(before)
    assert [row["index"] for row, cost in again if cost.memory] == [r["index"] for r, _ in found]
    judged(tmp_path, session)
    (tmp_path / COSTS).unlink()
    path = tmp_path / "results.jsonl"
    path.write_text("".join(lines(path)[:3]))
    found = judged(tmp_path, session)
    assert [cost == Cost() for _, cost in found] == [True, True, True, False, False]
    assert [json.loads(line) for line in lines(tmp_path / COSTS)[:3]] == [{}, {}, {}]
    (tmp_path / COSTS).unlink()
    assert {cost for _, cost in read_evaluations([tmp_path])[0].measured()} == {Cost()}
    judged(tmp_path, session)
    (tmp_path / COSTS).write_text('{"cpu": 1}\n' * 9)
    found = judged(tmp_path, session, force=True)
    assert len(lines(tmp_path / COSTS)) == len(found) == len(SAMPLES)
    tmp_path = tmp_path / "dies"
    dies = "import os\ndef f(x):\n    if x == 1: a = b'a' * (200 << 20); os.abort()\n    return x"
    evaluate(DATA, [Sample("Own/0", dies)], out=tmp_path, session=session, details=True)
    ((row, cost),) = read_evaluations([tmp_path])[0].measured()
    assert row["details"] == ["crash", "pass"]
    assert (cost.memory or 0) > 200 << 20


# Weak unit tests: counted as published, and beside that left out; no reward rests on them.


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
    return write_rows(tmp_path / "tasks.jsonl", rows)


def test_scores_with_and_without(tasks: Path, session: Session) -> None:
    """A task of weak tests alone is in the published score only; they never raise one."""
    samples = [
        Sample(task, program, model)
        for model, program in (("right", REFERENCE), ("always", ALWAYS))
        for task in ("both", "weak", "strong")
    ]
    result = evaluate(tasks, samples, extract=False, session=session)
    scores = {row["model"]: row["pass_at_k"] for row in result.summary["groups"]}
    assert scores["right"]["base"] == scores["right"]["strong"] == {"pass@1": 1.0}
    assert scores["always"]["base"] == {"pass@1": 1 / 3}
    assert scores["always"]["strong"] == {"pass@1": 0.0}
    assert result.summary["strong_tasks"] == 2
    found = {(r["task_id"], r.get("model")): r.get("strong", "-") for r in result.to_rows()}
    assert found["weak", "always"] is None
    assert found["strong", "always"] == "-"
    result = evaluate(tasks, [Sample("both", ONLY_STRONG)], extract=False, session=session)
    (row,) = result.to_rows()
    assert (row["base"], "strong" in row, "strong" in result.summary) == ("fail", False, False)
    plus = Task("plus", "", "f", REFERENCE, base=(Case((0,)),), plus=(Case((1,)),))
    data = load_dataset(tasks)
    mixed = replace(data, tasks=(*data.tasks, plus))
    samples = [Sample("plus", "def f(n):\n    return 17\n"), Sample("weak", REFERENCE)]
    scores = evaluate(mixed, samples, extract=False, session=session).pass_at_k
    assert (scores["base"]["pass@1"], scores["plus"]["pass@1"]) == (1.0, 0.5)
    assert scores["strong"]["pass@1"] == 0.0


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
    assert not JudgeSettings.from_environment({}).weak_tests
    assert JudgeSettings.from_environment({"EVALPLUS_LITE_WEAK_TESTS": "1"}).weak_tests
