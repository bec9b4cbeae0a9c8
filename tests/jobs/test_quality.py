"""``evalplus-lite quality``: figures that are counted out by hand, on the real command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.commands import run, write_rows

from evalplus_lite.statistics.detection import ProgramOutcome, by_task, figures

TASKS = [
    # Own/0 has two base cases and two more; Own/1 has one of each.
    # Mutants of what stands for large x only a pool can see; <= for < nobody can.
    ("Own/0", "def f(x):\n    return x * 2 if x < 100 else 200\n", [[1], [2]], [[-1], [-2]]),
    ("Own/1", "def f(x):\n    return sorted(x)\n", [[[1, 2]]], [[[2, 1, 1]]]),
]
RIGHT = [
    ("Own/0", "return x + x"),
    ("Own/0", "return x + x  # again"),
    ("Own/1", "return sorted(x)"),
]
FALSE_ALARM = ("Own/1", "return sorted(set(x))")
WRONG = [
    ("Own/0", "return abs(x) * 2"),  # both further cases reject it
    ("Own/0", "return 4 if x == -1 else x * 2"),  # one does
    ("Own/0", "return x + 7"),  # all reject it
    ("Own/1", "return x"),
]


def rows(programs: list[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"task_id": id, "solution": f"def f(x):\n    {body}\n"} for id, body in programs]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a suite file, its base cases as tasks, and programs."""
    found = tmp_path_factory.mktemp("quality")
    suite, tasks = [], []
    for id, reference, base, plus in TASKS:
        row = {"id": id, "prompt": "", "entry_point": "f", "reference": reference}
        scope: dict[str, Any] = {}
        exec(reference, scope)
        cases = [
            {"arguments": arguments, "expected": scope["f"](*arguments), "source": source}
            for source, some in (("base", base), ("plus", plus))
            for arguments in some
        ]
        suite.append({"format": 1, **row, "base_count": len(base), "cases": cases})
        tasks.append({**row, "inputs": base})
    write_rows(found / "suite.jsonl", suite)
    write_rows(found / "tasks.jsonl", tasks)
    write_rows(found / "right.jsonl", rows([*RIGHT, FALSE_ALARM]))
    write_rows(found / "wrong.jsonl", rows(WRONG))
    endless = ("Own/1", "while True: pass")
    write_rows(found / "mixed.jsonl", rows([*RIGHT, *WRONG, endless]))
    models = (("a", [*RIGHT]), ("b", [*WRONG, endless]))
    of_models = [{**row, "model": name} for name, programs in models for row in rows(programs)]
    write_rows(found / "models.jsonl", of_models)
    return found


COMMAND = ("quality", "-d", "suite.jsonl", "-d", "tasks.jsonl", "--right", "right.jsonl")
COMMAND += ("--wrong", "wrong.jsonl", "--pool", "30", "-o", "out", "--json")


@pytest.fixture(scope="module")
def out(folder: Path) -> Path:
    """What the command writes of two suites side by side."""
    done = run(*COMMAND, folder=folder)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads((folder / "out" / "quality.json").read_text())
    return folder / "out"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_figures_are_those_counted_by_hand(out: Path, folder: Path) -> None:
    """Of two suites and their mutants; a run whose files were cut writes the same bytes."""
    found = json.loads((out / "quality.json").read_text())
    assert found["programs"] == {
        "right": 3, "right_given": 4, "wrong": 4, "wrong_given": 4, "undecided": 0,
    }  # fmt: skip
    whole, base = found["suites"][0]["all"], found["suites"][0]["base"]
    assert (whole["tpr"]["hits"], whole["tpr"]["total"]) == (2, 3)
    assert (whole["tnr"]["hits"], whole["tnr"]["total"]) == (4, 4)
    assert (base["tnr"]["hits"], base["tnr"]["total"]) == (1, 4)
    assert (base["tpr"]["hits"], base["tpr"]["total"]) == (3, 3)
    assert (whole["tnr_past_base"]["hits"], whole["tnr_past_base"]["total"]) == (3, 3)
    assert whole["verifier_accuracy"]["value"] == 1
    assert base["verifier_accuracy"]["value"] == 0
    assert base["detection_rate"]["value"] == pytest.approx(1 / 6)
    # One case of four rejects abs in half of the draws, the second in a quarter, the third always.
    assert whole["coverage"]["curve"][0] == pytest.approx(((1 / 2 + 1 / 4 + 1) / 3 + 1 / 2) / 2)
    assert whole["coverage"]["curve"][3] == whole["coverage"]["curve"][99] == 1
    tasks = found["suites"][1]
    assert (tasks["name"], tasks["base"]) == ("tasks", None)
    assert tasks["all"]["tnr"] == base["tnr"]
    alarms = lines(out / "false_alarms.jsonl")
    assert [(row["suite"], row["task_id"], row["verdict"]) for row in alarms] == [
        ("suite", "Own/1", "fail")
    ]
    (smallest,) = alarms[0]["input"]
    assert alarms[0]["is_smallest"]
    assert len(smallest) > len(set(smallest))
    assert alarms[0]["expected"] == sorted(smallest) != alarms[0]["actual"]
    assert [row["suite"] for row in lines(out / "missed.jsonl")] == ["tasks"] * 3
    told = [key for row in lines(out / "mutants.jsonl") for key in row["separated"]]
    assert told
    suites = json.loads((out / "quality.json").read_text())["suites"]
    # The larger suite holds the smaller one, so it kills all that either does.
    most = max(suite["mutants"]["all"]["killed"] for suite in suites)
    for suite in suites:
        mutants = suite["mutants"]
        assert mutants["equivalent"] == mutants["mutants"] - most - len(told)
        score = mutants["all"]["score"]
        assert score["total"] == mutants["mutants"] - mutants["equivalent"]
        assert mutants["all"]["killed"] == score["hits"] <= score["total"] - len(told)
    names = ["quality.json", "false_alarms.jsonl", "missed.jsonl", "mutants.jsonl"]
    before = {name: (out / name).read_bytes() for name in names}
    for path in (*out.glob("*/*/results.jsonl"), out / "mutants.jsonl"):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    (out / "quality.json").unlink()
    assert run(*COMMAND, folder=folder).returncode == 0
    assert {name: (out / name).read_bytes() for name in names} == before


@pytest.mark.parametrize("samples", ["mixed", "models"])
def test_a_stronger_suite_tells_samples_apart(folder: Path, samples: str) -> None:
    """Samples are right or wrong as the truth says; one that is only slow is neither."""
    words = ("quality", "-d", "tasks.jsonl", "-s", f"{samples}.jsonl", "--truth", "suite.jsonl")
    words += ("--no-mutants", "-o", samples, "--limits", "paper", "--json")
    done = run(*words, folder=folder)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["programs"] == {
        "right": 2, "right_given": 3, "wrong": 4, "wrong_given": 4, "undecided": 1,
    }  # fmt: skip
    assert found["suites"][0]["all"]["tnr"]["hits"] == 1
    assert found["suites"][0]["mutants"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--right", "right.jsonl", "--wrong", "mixed.jsonl"), "both right and wrong"),
        (("-s", "mixed.jsonl"), "truth"),
        ((), "no program"),
    ],
)
def test_mistakes_are_named(folder: Path, words: tuple[str, ...], said: str) -> None:
    """A program that is both, samples that nobody tells apart, and no programs are refused."""
    done = run("quality", "-d", "tasks.jsonl", *words, "-o", "bad", folder=folder)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_nothing_to_count_is_no_figure() -> None:
    """Without wrong programs there is no rate of them: not 100 %."""
    right = by_task([ProgramOutcome("a", True, True), ProgramOutcome("b", False, True)])
    found = figures(right, {}, seed=0)
    assert found["tpr"]["value"] == 0.5
    assert found["tnr"] == {
        "hits": 0, "total": 0, "value": None, "interval": None, "interval_of_tasks": None,
    }  # fmt: skip
    assert found["detection_rate"] == {"value": None, "interval_of_tasks": None}
    assert found["coverage"] == {"curve": [], "area": None}
