"""Figures of what jobs really wrote: their numbers, their bytes, and what cannot be made."""

from __future__ import annotations

import csv
import gzip
import json
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.commands import run_process

from evalplus_lite import (
    Case,
    Dataset,
    InputError,
    Sample,
    Session,
    Task,
    cross_validate,
    evaluate,
    reduce,
)
from evalplus_lite.reports import figures

DOUBLE = Task("Own/0", "", "f", "def f(x):\n    return x * 2\n", base=(Case((1,)),),
              plus=(Case((-2,)), Case((0,))))  # fmt: skip
SORTED = Task("Own/1", "", "f", "def f(x):\n    return sorted(x)\n", base=(Case(([1, 2],)),),
              plus=(Case(([2, 1],)), Case(([],)), Case(([2, 2],))))  # fmt: skip
TASKS = Dataset("own $set$ <b>", (DOUBLE, SORTED))
RIGHT = {"Own/0": "def f(x): return x + x", "Own/1": "def f(x): return sorted(x)"}
PLUS_FAILS = {"Own/0": "def f(x): return abs(x) * 2", "Own/1": "def f(x): return x"}
WRONG = dict.fromkeys(RIGHT, "def f(x): return None")
ODD = "odd $\\frac{$ \x1b[31m <x> | 模型"
DRAWN = [  # right, fails plus, wrong: of each task by so many samples of a model at a temperature
    ("a", 0.2, (2, 1, 1)), ("a", 0.8, (1, 2, 1)), ("b", None, (1, 0, 0)), (ODD, None, (0, 1, 0)),
]  # fmt: skip


def samples() -> list[Sample]:
    found = []
    for model, heat, numbers in DRAWN:
        for id in RIGHT:
            programs = [own[id] for own, n in zip((RIGHT, PLUS_FAILS, WRONG), numbers, strict=True)
                        for _ in range(n)]  # fmt: skip
            found += [Sample(id, text, index=n, model=model, temperature=heat)
                      for n, text in enumerate(programs)]  # fmt: skip
    return found


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with Session(workers=1, cache=tmp_path_factory.mktemp("cache")) as opened:
        yield opened


@pytest.fixture(scope="module")
def results(session: Session, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an evaluation, a small suite and a cross-validation."""
    made = tmp_path_factory.mktemp("results")
    evaluate(TASKS, samples(), out=made / "judged", session=session)
    reduce(TASKS, samples(), out=made / "mini", session=session)
    cross_validate(TASKS, samples(), out=made / "crossval", session=session)
    return made


@pytest.fixture(scope="module")
def folder(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the figures of all of that."""
    made = tmp_path_factory.mktemp("figures")
    found = figures([results], datasets=[TASKS], out=made)
    assert [row["name"] for row in found.summary["missing"]] == ["execution"]
    assert {name for row in found.to_rows() for name in row["files"]} == {
        path.name for path in made.iterdir()
    } - {"figures.md"}
    return made


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text("utf-8").splitlines()))


def test_figures_hold_what_was_counted_by_hand(folder: Path, results: Path) -> None:
    """pass@1, best temperatures and tests; files are sound and hold no hostile text."""
    found = {(row["model"], row["tests"]): float(row["pass_at_k"])
             for row in rows(folder / "scores.csv")}  # fmt: skip
    assert found["a, temperature 0.2", "base"] == 0.75
    assert found["a, temperature 0.2", "plus"] == 0.5
    assert found["b", "plus"] == 1
    rates = {row["task_id"]: row for row in rows(folder / "pass-rates.csv")}
    # Each entrant counts the same: (0.5 + 0.25 + 1 + 0) / 4 pass all tests.
    assert float(rates["Own/0"]["plus"]) == pytest.approx(1.75 / 4)
    assert float(rates["Own/0"]["base"]) == pytest.approx((0.75 + 0.75 + 1 + 1) / 4)
    lines = (folder / "models.md").read_text().splitlines()
    assert "| a | plus | - | 50.0 | 0.2 |" in lines
    assert "| b | plus | 100.0 | - | - |" in lines
    found = [tuple(row.values()) for row in rows(folder / "test-counts.csv")]
    own = [row[2:] for row in found if row[0] == TASKS.name]
    assert own == [
        ("base", "2", "1.0", "1.0", "1", "1"),
        ("base and plus", "2", "3.5", "3.5", "3", "4"),
    ]
    assert {row[0] for row in found} == {TASKS.name, "mini"}
    summary = json.loads((results / "crossval" / "crossval.json").read_text())
    assert summary["cases_a_task"] == {"all": 3.5, "base": 1.0}
    line = next(row for row in summary["pooled"] if row["policy"] == "default")
    shown = (folder / "reduction.md").read_text().splitlines()
    column = [cell.strip() for cell in shown[0].split("|")].index("default, tests")
    cells = [cell.strip() for cell in shown[-1].split("|")]
    assert cells[column] == f"{line['size'] + 1:.1f}"
    for path in folder.glob("*.svg"):
        tree = ElementTree.parse(path)
        assert {each.tag.rsplit("}")[-1] for each in tree.iter()} & {
            "script",
            "image",
            "a",
        } == set()
        assert b"<dc:date>" not in path.read_bytes()
    for path in [*folder.glob("*.md"), *folder.glob("*.tex"), *folder.glob("*.csv")]:
        text = path.read_text("utf-8")
        assert "\x1b" not in text
    page = (folder / "figures.md").read_text("utf-8")
    assert "<b>" not in page.replace("\\<", "")
    assert page.count("![") == len(list(folder.glob("*.svg")))


def test_pictures_are_the_same_bytes(results: Path, folder: Path, tmp_path: Path) -> None:
    """Also in another process, where a user's settings of matplotlib say otherwise."""
    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 9\nfont.size: 30\n")
    done = run_process("figures", results, "-o", tmp_path / "again", "--only", "pass-rates",
               "--only", "scores", folder=tmp_path,
               variables={"PYTHONHASHSEED": "7"})  # fmt: skip
    assert done.returncode == 0, done.stderr
    for name in ("pass-rates", "scores"):
        for ending in ("svg", "png", "csv"):
            file = f"{name}.{ending}"
            assert (tmp_path / "again" / file).read_bytes() == (folder / file).read_bytes(), file


def test_what_cannot_be_drawn_is_named(
    results: Path, tmp_path: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For want of data or of matplotlib, or by mistake; one sample of base tests is enough."""
    found = figures([results / "mini"], out=tmp_path)
    assert [row["name"] for row in found.to_rows()] == ["test-counts"]
    missing = {row["name"] for row in found.summary["missing"]}
    assert missing == {"scores", "models", "pass-rates", "reduction", "execution"}
    page = (tmp_path / "figures.md").read_text()
    assert all(f"- {name}: " in page for name in missing)
    task = Task("Own/0", "", "f", "def f(x):\n    return x\n", base=(Case((1,)),))
    data, wrong = Dataset("own", (task,)), [Sample("Own/0", "f = 0")]
    evaluate(data, wrong, out=tmp_path / "o", session=session)
    found = figures([tmp_path / "o"], out=tmp_path / "f")
    assert [row["name"] for row in found.to_rows()] == [
        "scores", "models", "pass-rates"
    ]  # fmt: skip
    assert [row["tests"] for row in rows(tmp_path / "f" / "scores.csv")] == ["base"]
    with pytest.raises(InputError, match="pass-rates"):
        figures([results], out=tmp_path, only=["pass-rate"])
    with pytest.raises(InputError, match="does not exist"):
        figures([tmp_path / "nowhere"], out=tmp_path)
    with pytest.raises(InputError, match="nothing was given"):
        figures(out=tmp_path)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"evalplus-lite\[plots\]"):
        figures([results / "judged"], out=tmp_path / "f")
    made = figures([results / "judged"], out=tmp_path / "f", pictures=False).to_rows()
    assert {"scores.csv"} == {
        name for row in made if row["name"] == "scores" for name in row["files"]
    }


def test_counts_of_a_published_set(shared: Path, tmp_path: Path) -> None:
    """The numbers that its rows have."""
    published = shared / "datasets" / "HumanEvalPlus-Mini.jsonl.gz"
    with gzip.open(published) as file:
        raw: list[dict[str, Any]] = [json.loads(line) for line in file]
    numbers = [len(row["base_input"]) + len(row["plus_input"]) for row in raw]
    figures(datasets=[published], out=tmp_path, only=["test-counts"])
    whole = rows(tmp_path / "test-counts.csv")[1]
    assert float(whole["mean"]) == pytest.approx(sum(numbers) / len(numbers))
    assert (int(whole["min"]), int(whole["max"])) == (min(numbers), max(numbers))
