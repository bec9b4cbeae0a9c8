"""What samples cost stands beside their results, row by row, and never in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evalplus_lite import Dataset, Sample, Session, evaluate
from evalplus_lite.jobs.outputs import COSTS, Cost, read_evaluations
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


@pytest.fixture(scope="module")
def session() -> Any:
    with Session(workers=1) as opened:
        yield opened


def judged(out: Path, session: Session, **options: Any) -> list[tuple[dict[str, Any], Cost]]:
    evaluate(DATA, SAMPLES, out=out, session=session, **options)
    return list(read_evaluations([out])[0].measured())


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines(keepends=True)


def test_time_and_memory_are_measured_and_survive_a_kill(tmp_path: Path, session: Session) -> None:
    """Large and slow programs show; what a kill left of both files is taken up, row by row."""
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


def test_results_without_costs_have_none(tmp_path: Path, session: Session) -> None:
    """A folder of an earlier version is gone on with; what it did not measure is not known."""
    judged(tmp_path, session)
    (tmp_path / COSTS).unlink()
    path = tmp_path / "results.jsonl"
    path.write_text("".join(lines(path)[:3]))
    found = judged(tmp_path, session)
    assert [cost == Cost() for _, cost in found] == [True, True, True, False, False]
    assert [json.loads(line) for line in lines(tmp_path / COSTS)[:3]] == [{}, {}, {}]
    (tmp_path / COSTS).unlink()
    assert {cost for _, cost in read_evaluations([tmp_path])[0].measured()} == {Cost()}


def test_force_begins_both_anew(tmp_path: Path, session: Session) -> None:
    judged(tmp_path, session)
    (tmp_path / COSTS).write_text('{"cpu": 1}\n' * 9)
    found = judged(tmp_path, session, force=True)
    assert len(lines(tmp_path / COSTS)) == len(found) == len(SAMPLES)
