"""Reports of predictions: known properties of made-up models are found, and nothing else is."""

from __future__ import annotations

import csv
import json
import math
import random
import re
from collections.abc import Callable
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

import pytest
from scipy import stats
from support.schemas import hold

from evalplus_lite.cli import main
from evalplus_lite.errors import InputError
from evalplus_lite.exe import exe_report
from evalplus_lite.exe.statistics.measures import static_statistics
from evalplus_lite.exe.tasks.mined import MinedTask, read_tasks
from evalplus_lite.models import Prices
from evalplus_lite.reports.figure_files import figures
from evalplus_lite.store import write_jsonl

PRODUCT = "def f(x: int) -> int:\n    return x * 3\n"
PLAIN = "def f(x: int) -> int | None:\n    return x\n"
FUNCTIONS, CASES = 40, 10
PRICE = Prices(prompt=1.0, completion=2.0)
PARAMETER = {"name": "x", "kind": "positional", "type": "int", "default": None}
ODD = "<img src=x onerror='window.owned = 1'>"


def rows_of_tasks() -> list[dict[str, Any]]:
    """Return functions of three packages: every second multiplies, and every fifth case raises."""
    chance = random.Random(5)
    rows = []
    for number in range(FUNCTIONS):
        code = PRODUCT if number % 2 else PLAIN
        cases: list[dict[str, Any]] = []
        for case in range(CASES):
            end: dict[str, Any] = {"output": case}
            if case % 5 == 4:
                end = {"error": {"type": "ValueError", "message": "no"}}
            lines = chance.choice([0, 1, 3, 10, 30, 100, 300])
            cases.append({"input": [[case], {}], **end, "runtime": {"lines": lines, "calls": 9}})
        rows.append({
            "task_id": f"p/{number}", "package": ["large", "large", "small", ODD][number % 4],
            "entry_point": "f", "code": code, "cases": cases, "python": "3.11",
            "signature": {"parameters": [PARAMETER], "result": "int" if number % 2 else "str"},
            "static": static_statistics(code, "f"), "variation": {"lines": 0.5},
            "generation": {"model": "writer", "prompt_tokens": 180, "completion_tokens": 18}
            if number < 2 else {},
        })  # fmt: skip
    return rows


def answers(
    tasks: list[MinedTask], is_right: Callable[[MinedTask, int, int], bool], *, runs: int = 1
) -> list[dict[str, Any]]:
    """Return predictions that are right where they are said to be."""
    rows: list[dict[str, Any]] = []
    for task in tasks:
        for case, known in enumerate(task.cases):
            for run in range(runs):
                truth: dict[str, Any] = {"value": known.answer.value}
                if known.answer.kind == "error":
                    truth = {"error": {"type": "ValueError", "message": "no"}}
                said = truth if is_right(task, case, run) else {"value": "something else"}
                tokens = {"prompt": 100, "completion": 10, "total": 110}
                rows.append({"task_id": task.id, "case": case, "sample": run, "prediction": said,
                             "answer_tokens": tokens})  # fmt: skip
    return rows


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tasks, times, and predictions of a model that falls with lines, and of one that cannot *."""
    found = tmp_path_factory.mktemp("report")
    write_jsonl(found / "tasks.jsonl", rows_of_tasks())
    tasks = list(read_tasks(found / "tasks.jsonl"))
    chance = random.Random(7)
    times = [{"task_id": task.id, "seconds": [1e-5 * (1 + case) for case in range(CASES)]}
             for task in tasks]  # fmt: skip
    write_jsonl(found / "tasks.times.jsonl", times)

    def falling(task: MinedTask, case: int, _: int) -> bool:
        lines = task.cases[case].runtime["lines"]
        return chance.random() < 0.9 - 0.3 * math.log10(max(lines, 1))

    def no_product(task: MinedTask, case: int, run: int) -> bool:
        is_error = task.cases[case].answer.kind == "error"
        return "*" not in task.code and not is_error and (case + run) % 10 != 0

    write_jsonl(found / "falling.jsonl", answers(tasks, falling))
    write_jsonl(found / "product.jsonl", answers(tasks, no_product, runs=2))
    settings = {"model": f"other {ODD}", "temperature": 0.5}
    (found / "product.settings.json").write_text(json.dumps(settings))
    return found


@pytest.fixture(scope="module")
def summary(folder: Path) -> dict[str, Any]:
    """The report's numbers."""
    result = exe_report(
        folder / "tasks.jsonl",
        [folder / "falling.jsonl", folder / "product.jsonl"],
        out=folder / "out",
        prices={"falling": Prices(prompt=2.0, completion=10.0), "writer": PRICE},
    )
    written: dict[str, Any] = json.loads((folder / "out" / "exe-report.json").read_text())
    assert written == json.loads(json.dumps(result.summary))
    hold(written, "exe_report")
    return written


def test_the_report_holds_what_was_put_in(folder: Path, summary: dict[str, Any]) -> None:
    """Scores as counted by hand, the trends that are there, and a page that runs nothing."""
    falling, product = summary["models"]
    assert (falling["model"], product["model"]) == ("falling", f"other {ODD}")
    rows = [json.loads(line) for line in (folder / "falling.jsonl").read_text().splitlines()]
    right = [row["prediction"] != {"value": "something else"} for row in rows]
    assert falling["all"]["pass@1"] == pytest.approx(fmean(right))
    errors = [mark for mark, row in zip(right, rows, strict=True) if row["case"] % 5 == 4]
    assert (falling["errors"]["cases"], falling["errors"]["pass@1"]) == (
        len(errors), pytest.approx(fmean(errors)))  # fmt: skip
    means = [fmean(right[n : n + CASES]) for n in range(0, len(right), CASES)]
    assert falling["functions"]["mean"] == pytest.approx(fmean(means))
    assert falling["functions"]["sigma"] == pytest.approx(pstdev(means))
    assert sum(falling["functions"]["histogram"]) == FUNCTIONS
    assert falling["cost"] == pytest.approx(len(rows) * (100 * 2 + 10 * 10) / 1e6)
    assert (falling["runs"], product["cost"]) == (None, None)
    # Run 0 misses case 0, run 1 the raising case 9, which counts as missed already.
    assert product["runs"]["pass@1"] == pytest.approx([0.35, 0.40])
    assert product["errors"]["pass@1"] == 0
    trends = {(row["measure"], row["scope"], row["model"]): row for row in summary["trends"]}
    lines = trends["run: lines", "all", "falling"]
    low, high = lines["fit"]["interval"]
    assert low < -0.3 < high < -0.1
    assert lines["spearman"]["interval"][1] < -0.2
    assert lines["zero"] + sum(group["points"] for group in lines["groups"]) == lines["cases"]
    time = trends["run: microseconds", "all", "falling"]
    assert time["fit"]["interval"][0] < 0 < time["fit"]["interval"][1]
    assert trends["run: calls", "all", "falling"]["fit"] is None  # nine throughout
    with_product = {row["model"]: row for row in summary["constructs"]
                    if row["construct"] == "multiplication"}  # fmt: skip
    found = with_product[f"other {ODD}"]
    assert (found["with"]["pass@1"], found["with"]["functions"]) == (0, FUNCTIONS / 2)
    assert found["interval"][1] < -0.5
    assert with_product["falling"]["interval"][0] < 0 < with_product["falling"]["interval"][1]
    # The | of an annotation is no bit work.
    assert "bit manipulation" not in {row["construct"] for row in summary["constructs"]}
    packages = summary["repositories"]["packages"]
    assert [row["cases"] for row in packages] == [200, 100, 100]
    fit = stats.linregress([0, math.log10(2), math.log10(3)], [200, 100, 100])
    assert summary["repositories"]["falloff"] == pytest.approx(
        {"intercept": fit.intercept, "slope": fit.slope, "r2": fit.rvalue**2}
    )
    made = {"models": ["writer"], "functions": 2, "prompt": 360, "completion": 36}
    assert summary["generation"] == {**made, "cost": pytest.approx(360e-6 + 36 * 2e-6)}
    with (folder / "out" / "exe-trends.csv").open() as file:
        assert len(list(csv.DictReader(file))) == len(summary["trends"])
    page = (folder / "out" / "report.html").read_text()
    drawn = [row for row in summary["figures"] if f"{row['name']}.svg" in row["files"]]
    assert {"exe-packages", "exe-statistics", "exe-per-line", "exe-runtime",
            "exe-repositories", "exe-constructs"} == {row["name"] for row in drawn}  # fmt: skip
    assert page.count("data:image/svg+xml;base64,") == len(drawn)
    assert all(f"<h2>{row['title']}</h2>" in page for row in summary["figures"])
    assert not summary["missing"]
    assert "<img src=x" not in page
    assert not re.search(r"(src|href)=\"https?:", page)


def test_the_same_again_is_the_same(folder: Path, summary: dict[str, Any]) -> None:
    """Tables from the same files are equal in every byte; without pictures they are the same."""
    exe_report(
        folder / "tasks.jsonl",
        [folder / "falling.jsonl", folder / "product.jsonl"],
        out=folder / "again",
        prices={"falling": Prices(prompt=2.0, completion=10.0), "writer": PRICE},
        pictures=False,
    )
    names = {path.name for path in (folder / "out").glob("*.csv")}
    assert names == {path.name for path in (folder / "again").glob("*.csv")}
    for name in names:
        assert (folder / "again" / name).read_bytes() == (folder / "out" / name).read_bytes()
    assert not list((folder / "again").glob("*.svg"))


def test_little_data_is_enough(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One bare task and one answer: a score, and the reasons why there is no more."""
    cases = [{"input": [[number], {}], "output": number} for number in (1, 2)]
    code = "def f(x):\n    return x\n"
    task = {"task_id": "p/f", "entry_point": "f", "code": code, "cases": cases}
    write_jsonl(tmp_path / "tasks.jsonl", [task])
    write_jsonl(tmp_path / "p.jsonl", [{"task_id": "p/f", "case": 0, "prediction": {"value": 1}}])
    call = ["exe", "report", str(tmp_path / "tasks.jsonl"), str(tmp_path / "p.jsonl"),
            "-o", str(tmp_path / "out"), "--no-pictures"]  # fmt: skip
    assert main(call) == 0
    assert "tasks.times.jsonl" in capsys.readouterr().out
    found = json.loads((tmp_path / "out" / "exe-report.json").read_text())
    assert (found["models"][0]["all"]["pass@1"], found["answered"], found["cases"]) == (1, 1, 2)
    missing = {row["name"] for row in found["missing"]}
    assert {"exe-packages", "exe-runs", "exe-cost", "errors"} <= missing
    assert main([*call, "--price", "1"]) == 2
    assert main([*call, "--price", "q=1,2"]) == 2
    capsys.readouterr()


@pytest.mark.usefixtures("summary")
def test_prices_and_mistakes(folder: Path, tmp_path: Path) -> None:
    """Who is not named costs what all do; changed reports and other predictions are refused."""
    call = ["exe", "report", str(folder / "tasks.jsonl"), str(folder / "falling.jsonl"),
            str(folder / "product.jsonl"), "--no-pictures", "-o", str(tmp_path)]  # fmt: skip
    cost = []
    for prices in (["1,2"], ["10,20"], ["1,2", "falling=10,20"]):
        assert main([*call, *(word for each in prices for word in ("--price", each))]) == 0
        found = json.loads((tmp_path / "exe-report.json").read_text())
        cost.append([row["cost"] for row in found["models"]])
    assert cost[2] == [cost[1][0], cost[0][1]]
    assert cost[0][0] != cost[1][0]
    found = json.loads((folder / "out" / "exe-report.json").read_text())
    place = tmp_path / "exe-report.json"
    for key in ("models", "trends", "packages", "repositories", "variation"):
        place.write_text(json.dumps({**found, key: "text"}))
        with pytest.raises(InputError, match=r"exe-report\.json"):
            figures([tmp_path], out=tmp_path / "drawn", pictures=False, only=["execution"])
    said = {"task_id": "p/0", "case": 99, "prediction": {"value": 1}}
    write_jsonl(tmp_path / "other.jsonl", [said])
    (tmp_path / "empty.jsonl").write_text("")
    for name in ("other.jsonl", "empty.jsonl", "none.jsonl"):
        with pytest.raises(InputError, match=name):
            exe_report(folder / "tasks.jsonl", [tmp_path / name], out=tmp_path / "out")


@pytest.mark.parametrize(
    "odd",
    [{"static": [1]}, {"static": {"lines": 3, "nodes": "x"}}, {"generation": [1]},
     {"generation": {"prompt_tokens": "1"}}, {"variation": ["x"]}, {"breakpoint": {}},
     {"signature": {"parameters": [{"name": 1}]}}, {"signature": {"parameters": [], "result": "["}},
     {"signature": {"parameters": [{"name": "x", "kind": "positional", "type": "int"}],
                    "result": "int"}},
     {"static": {"nodes": {"Add": None}}}, {"static": {"nodes": ["Add"]}}, {"code": 3},
     {"origins": [{"date": 3}]}, {"read": "no"}, {"tags": "hash"}, {"generation": {"model": 3}},
     {"cases": [{"input": [[1], [[]]], "output": 1}]}, {"cases": [{"input": [], "output": 1}]},
     {"cases": [{"input": [[1], {}]}]}, {"cases": [{"input": [[1], {}], "error": "ValueError"}]},
     {"cases": [{"input": [[1], {}], "output": 1, "runtime": {"lines": "3"}}]}],
)  # fmt: skip
def test_tasks_of_another_shape_are_named_by_line(odd: dict[str, Any], tmp_path: Path) -> None:
    """Facts that someone edited are an error of the file, and none of ours."""
    write_jsonl(tmp_path / "tasks.jsonl", [rows_of_tasks()[0], {**rows_of_tasks()[1], **odd}])
    with pytest.raises(InputError, match=":2:"):
        list(read_tasks(tmp_path / "tasks.jsonl"))
