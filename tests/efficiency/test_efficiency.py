"""The efficiency job and command, on real programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evalplus_lite.cli import main
from evalplus_lite.efficiency import efficiency
from evalplus_lite.errors import InputError

TASK = {
    "id": "repeated",
    "prompt": 'def repeated(xs: list[int]) -> bool:\n    """Say if a number occurs twice."""\n',
    "entry_point": "repeated",
    "reference": "def repeated(xs):\n    return len(set(xs)) < len(xs)\n",
    "inputs": [[[1, 2, 3]], [[4, 4]], [[]], [[7]]],
}
FAST = "def repeated(xs):\n    return len(xs) != len(set(xs))\n"
SLOW = (
    "def repeated(xs):\n    return any(xs[i] == xs[j] for i in range(len(xs)) for j in range(i))\n"
)
WRONG = "def repeated(xs):\n    return len(set(xs)) < len(xs) if len(xs) < 50 else True\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, list[Path]]:
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text(json.dumps(TASK) + "\n")
    samples = []
    for name, source in (("fast", FAST), ("slow", SLOW), ("wrong", WRONG)):
        samples.append(tmp_path / f"{name}.jsonl")
        samples[-1].write_text(json.dumps({"task_id": "repeated", "solution": source}) + "\n")
    return tasks, samples


def test_the_efficient_model_comes_first(files: tuple[Path, list[Path]], tmp_path: Path) -> None:
    """All three pass the tests; the slow one is slower by a power, the wrong one scores nothing."""
    tasks, samples = files
    result = efficiency(tasks, samples, out=tmp_path / "out")
    assert [each["model"] for each in result.summary["models"]] == ["fast", "slow", "wrong"]
    rows = {row["program"]: row for row in result.to_rows()}
    assert rows["reference"]["growth"]["name"] == "linear"
    assert sorted(str(row["slower"]) for row in rows.values()) == ["False", "False", "None", "True"]
    assert [row["reason"] for row in rows.values() if row["score"] == 0] == ["", "wrong"]
    before = (tmp_path / "out" / "efficiency.jsonl").read_bytes()
    efficiency(tasks, samples, out=tmp_path / "again")
    assert (tmp_path / "again" / "efficiency.jsonl").read_bytes() == before


def test_too_few_levels(files: tuple[Path, list[Path]]) -> None:
    with pytest.raises(InputError, match="levels is 2"):
        efficiency(files[0], files[1], levels=2)


def test_command(
    files: tuple[Path, list[Path]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks, samples = files
    options = ["-d", str(tasks), "-o", str(tmp_path / "out"), "--json"]
    for path in samples:
        options += ["-s", str(path)]
    assert main(["efficiency", *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["models"][0]["model"] == "fast"
