"""What jobs wrote is found, told apart and read, and what is none of it is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from evalplus_lite import Dataset, InputError, Sample, Session, evaluate, reduce
from evalplus_lite.jobs.outputs import entrants, found_outputs, group_of, read_evaluations
from evalplus_lite.programs import program_hash
from evalplus_lite.types import Case, Task

TASKS = Dataset("own", tuple(
    Task(f"Own/{n}", "", "f", f"def f(x): return x + {n}", base=(Case((1,)),), plus=(Case((-1,)),))
    for n in range(2)
))  # fmt: skip
RIGHT, LAZY, ODD = (
    "f = lambda x: x + 1",
    "f = lambda x: 2 if x > 0 else 9",
    "f = lambda x: '\udc80'",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, session: Session) -> Path:
    """Results of two models, one at two temperatures, below them a mini suite."""
    made = tmp_path_factory.mktemp("outputs")
    samples = [
        Sample("Own/1", RIGHT, index=0, model="b", temperature=0.8),
        Sample("Own/1", LAZY, index=1, model="b", temperature=0.8),
        Sample("Own/1", LAZY, index=0, model="b", temperature=0.2),
        Sample("Own/1", RIGHT, index=0, model="a"),
        Sample("Own/0", ODD, index=0, model="a"),
    ]
    evaluate(TASKS, samples, out=made / "two", session=session)
    reduce(TASKS, out=made / "two" / "mini", session=session)
    return made


def test_outputs_are_found_and_counted(folder: Path) -> None:
    """Once each, in folders below; by model and temperature, with labels that differ."""
    kinds = [each.kind for each in found_outputs([folder, folder / "two" / "results.jsonl"])]
    assert kinds == ["evaluation", "reduction"]
    found = entrants(read_evaluations([folder]))
    counts = {each.label: {task: (n.total, n.base_right, n.plus_right)
                           for task, n in each.counts.items()} for each in found}  # fmt: skip
    assert counts == {
        "a": {"Own/0": (1, 0, 0), "Own/1": (1, 1, 1)},
        "b, temperature 0.2": {"Own/1": (1, 1, 0)},
        "b, temperature 0.8": {"Own/1": (2, 2, 1)},
    }
    rows = list(found[0].evaluation.rows())
    groups = [group_of(row) for row in rows]
    assert [groups.count(each.group) for each in found] == [2, 1, 2]
    one = read_evaluations([folder])
    labels = [each.label for each in entrants(one * 3)]
    assert len(set(labels)) == len(labels) == 9
    (found,) = read_evaluations([folder])
    texts = dict(found.programs())
    assert texts == {program_hash(text): text for text in (RIGHT, LAZY, ODD)}
    assert {row["program"] for row in found.rows()} == set(texts)


def test_what_nobody_wrote_is_refused(folder: Path, tmp_path: Path) -> None:
    """Also a row that is no result, by its line."""
    with pytest.raises(InputError, match="does not exist"):
        found_outputs([tmp_path / "none"])
    with pytest.raises(InputError, match=r"results\.jsonl"):
        found_outputs([tmp_path])
    (tmp_path / "results.jsonl").write_text("")
    with pytest.raises(InputError, match="not ended"):
        read_evaluations([tmp_path])
    (tmp_path / "summary.json").write_text(json.dumps({"run": 3}))
    with pytest.raises(InputError, match=r"summary\.json"):
        read_evaluations([tmp_path])
    shutil.copytree(folder / "two", tmp_path / "two")
    with (tmp_path / "two" / "results.jsonl").open("a") as file:
        file.write('{"task_id": "Own/0", "index": 7, "program": "x"}\n')
    with pytest.raises(InputError, match=r"results\.jsonl:6: is not a row of results"):
        entrants(read_evaluations([tmp_path / "two" / "results.jsonl"]))


def test_a_task_may_be_called_anything(tmp_path: Path, session: Session) -> None:
    """Also by half of a character, as JSON can hold it."""
    odd = Task("Own/\ud800#?%2F</", "", "f", "def f(x): return x", base=(Case((1,)),))
    evaluate(Dataset("odd", (odd,)), [Sample(odd.id, RIGHT)], out=tmp_path, session=session)
    (found,) = entrants(read_evaluations([tmp_path]))
    assert list(found.counts) == [odd.id]


@pytest.mark.parametrize(
    "change",
    [
        {"plus": 3},
        {"index": "x"},
        {"model": [1]},
        {"temperature": "hot"},
        {"details": 5},
        {"failure": "x"},
        {"failure": {}},
        {"smallest": {"verdict": "fail", "detail": "", "case": "z"}},
        {"failure": {"verdict": "fail", "detail": "", "actual": 1}},
    ],
    ids=str,
)
def test_an_edited_row_is_named(folder: Path, tmp_path: Path, change: dict[str, object]) -> None:
    """A value of another type is found where rows are read, not where they are shown."""
    copy = shutil.copytree(folder / "two", tmp_path / "copy")
    lines = (copy / "results.jsonl").read_text().splitlines()
    lines[1] = json.dumps({**json.loads(lines[1]), **change})
    (copy / "results.jsonl").write_text("\n".join(lines))
    with pytest.raises(InputError, match=r"results\.jsonl:2: is not a row of results"):
        entrants(read_evaluations([copy]))


@pytest.mark.parametrize("change", [{"run": {"data": 1}}, {"dataset": 1}, {"groups": {"a": 1}}])
def test_an_edited_summary_is_named(
    folder: Path, tmp_path: Path, change: dict[str, object]
) -> None:
    copy = shutil.copytree(folder / "two", tmp_path / "copy")
    summary = json.loads((copy / "summary.json").read_text())
    (copy / "summary.json").write_text(json.dumps({**summary, **change}))
    with pytest.raises(InputError, match="is not a summary of evaluate"):
        read_evaluations([copy])
