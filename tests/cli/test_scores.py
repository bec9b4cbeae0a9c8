"""Scores of several models, and what a summary says of its run."""

from __future__ import annotations

import hashlib
import json
import platform
from pathlib import Path
from typing import Any

import pytest
from support.commands import run, write_rows, write_tasks

from evalplus_lite import __version__
from evalplus_lite.jobs.evaluation import MOST_FILES
from evalplus_lite.jobs.tables import MOST_MODELS

RIGHT = {"Own/0": "x * 2", "Own/1": "sorted(x)", "Own/2": "x.upper()"}


def answers(right: int, **names: Any) -> list[dict[str, Any]]:
    """Return a sample a task, of which so many are right."""
    return [
        {
            "task_id": id,
            "solution": f"def f(x):\n    return {body if n < right else None}\n",
            "index": 0,
            **names,
        }
        for n, (id, body) in enumerate(RIGHT.items())
    ]


def evaluated(folder: Path, *options: str, samples: tuple[str, ...] = ("samples.jsonl",)) -> Any:
    given = [part for name in samples for part in ("-s", name)]
    done = run("evaluate", "-d", "tasks.jsonl", *given, "-o", "out", *options, folder=folder)
    assert done.returncode == 0, done.stderr
    summary = json.loads((folder / "out" / "summary.json").read_text())
    return summary, done.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with three tasks."""
    write_tasks(tmp_path)
    return tmp_path


def test_models_are_not_pooled(folder: Path) -> None:
    """Each model, temperature or file has a row and a pass@1 of its own."""
    rows = [*answers(3, model="good"), *answers(1, model="bad"), *answers(0)]
    write_rows(folder / "samples.jsonl", rows)
    summary, shown = evaluated(folder)
    found = {row["model"]: row["pass_at_k"]["base"]["pass@1"] for row in summary["groups"]}
    assert found == {None: 0, "bad": pytest.approx(1 / 3), "good": 1}
    assert summary["pass_at_k"] is None
    assert summary["samples"] == 9
    assert [row["samples"] for row in summary["groups"]] == [3, 3, 3]
    for word in ("good", "bad", "not named", "100.0", "33.3"):
        assert word in shown
    for row in summary["groups"]:
        files = [json.loads(path.read_text()) for path in (folder / "out").glob("eval_results-*")]
        scores = [file["pass_at_k"]["base"]["pass@1"] for file in files]
        assert row["pass_at_k"]["base"]["pass@1"] in scores
        assert all(len(file["eval"]) == 3 for file in files)
        assert all(len(each) == 1 for file in files for each in file["eval"].values())


def test_rows_that_all_name_another_model(folder: Path) -> None:
    """A file that names hundreds of models is judged as any other: all are in summary.json, the
    first have a file each, and a screen is not flooded."""
    count = MOST_FILES + 5
    rows = [row for n in range(count) for row in answers(3, model=f"m{n:03}")[:1]]
    write_rows(folder / "samples.jsonl", rows)
    summary, shown = evaluated(folder)
    assert [row["model"] for row in summary["groups"]] == [f"m{n:03}" for n in range(count)]
    assert all(row["base"] == {"pass": 1} for row in summary["groups"])
    files = sorted(path.name for path in (folder / "out").glob("eval_results-*"))
    assert files == [f"eval_results-m{n:03}.json" for n in range(MOST_FILES)]
    assert len(shown.splitlines()) < 4 * MOST_MODELS


def test_temperatures_are_not_pooled(folder: Path) -> None:
    """Temperatures of one model have rows of their own; the same index may be in both."""
    rows = [*answers(3, model="m", temperature=-0.0), *answers(0, model="m", temperature=0.8)]
    write_rows(folder / "samples.jsonl", rows)
    summary, shown = evaluated(folder)
    found = {row["temperature"]: row["pass_at_k"]["base"] for row in summary["groups"]}
    assert found == {0.0: {"pass@1": 1}, 0.8: {"pass@1": 0}}
    assert "temperature" in shown
    assert "-0" not in shown


def test_equal_programs_of_two_models_both_count(folder: Path) -> None:
    """Models that answer alike have as many results as samples, once more when it is resumed."""
    write_rows(folder / "samples.jsonl", [*answers(3, model="a"), *answers(3, model="b")])
    for _ in range(2):
        summary, _ = evaluated(folder)
        assert [row["samples"] for row in summary["groups"]] == [3, 3]
        assert len((folder / "out" / "results.jsonl").read_text().splitlines()) == 6


def test_files_are_models(folder: Path) -> None:
    """Of several files that name no model each is one, files of the same name told apart."""
    for name, right in (("a", 3), ("b", 0)):
        (folder / name).mkdir()
        write_rows(folder / name / "answers.jsonl", answers(right))
    summary, _ = evaluated(folder, samples=("a/answers.jsonl", "b/answers.jsonl"))
    found = {row["model"]: row["pass_at_k"]["base"]["pass@1"] for row in summary["groups"]}
    assert found == {"a/answers": 1, "b/answers": 0}


def test_one_model_reads_as_ever(folder: Path) -> None:
    """Samples of one model have one pass@k, in the summary itself as well."""
    write_rows(folder / "samples.jsonl", answers(3, model="m"))
    summary, _ = evaluated(folder)
    assert summary["pass_at_k"]["base"] == {"pass@1": 1}
    assert summary["groups"][0]["pass_at_k"] == summary["pass_at_k"]
    results = json.loads((folder / "out" / "eval_results.json").read_text())
    assert results["pass_at_k"]["base"] == {"pass@1": 1}


def test_a_summary_says_what_it_rests_on(folder: Path) -> None:
    """Version, date, limits, tier and hashes; a date that is no number of seconds is an error."""
    path = write_rows(folder / "samples.jsonl", answers(3))
    found = evaluated(folder, "--limits", "paper", "--memory", "512")[0]["run"]
    assert found["version"] == __version__
    assert found["python"] == platform.python_version()
    assert found["date"] == "1970-01-01T00:00:00Z"  # the tests set SOURCE_DATE_EPOCH
    assert found["sandbox"] in ("namespaces", "landlock")
    assert found["limits"]["preset"] == "paper"
    assert found["limits"]["floor_seconds"] == 0.2
    assert found["limits"]["memory_bytes"] == 512 << 20
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert found["samples"] == [{"path": "samples.jsonl", "sha256": digest}]
    assert found["data"]["name"] == "tasks"
    before = (folder / "out" / "summary.json").read_text()
    done = run(
        *("evaluate", "-d", "tasks.jsonl", "-s", "samples.jsonl", "-o", "out"),
        *("--limits", "paper", "--memory", "512"),
        folder=folder,
        variables={"SOURCE_DATE_EPOCH": "1000000000"},
    )
    assert done.returncode == 0
    after = (folder / "out" / "summary.json").read_text()
    assert after == before.replace("1970-01-01T00:00:00Z", "2001-09-09T01:46:40Z")
    done = run(
        *("evaluate", "-d", "tasks.jsonl", "-s", "samples.jsonl", "-o", "other"),
        folder=folder,
        variables={"SOURCE_DATE_EPOCH": "yesterday"},
    )
    assert done.returncode == 2
    assert "SOURCE_DATE_EPOCH" in done.stderr
    assert "yesterday" in done.stderr
