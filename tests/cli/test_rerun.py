"""One failure of a results folder, run again in the sandbox."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from support.commands import run, write_rows, write_tasks

PROGRAM = """def f(x, depth=1):
    if depth:
        return f(x, depth - 1)
    print("hello")
    return x // (x - x)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the results of a program that raises and one that is wrong."""
    write_tasks(tmp_path)
    rows = [
        {"task_id": "Own/0", "solution": PROGRAM, "index": 0},
        {"task_id": "Own/0", "solution": "def f(x):\n    return [x, 0]\n", "index": 1},
    ]
    write_rows(tmp_path / "samples.jsonl", rows)
    return tmp_path


def test_a_failure_runs_again(folder: Path) -> None:
    """The line that evaluate prints shows what was printed, the traceback and what is right."""
    done = run("evaluate", *shlex.split("-d tasks.jsonl -s samples.jsonl -o out"), folder=folder)
    line = next(each for each in done.stdout.splitlines() if "evalplus-lite rerun" in each)
    words = shlex.split(line.partition("evalplus-lite ")[2])
    done = run(*words, "--json", folder=folder)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["verdict"], found["printed"]) == ("error", "hello\n")
    assert "ZeroDivisionError" in found["traceback"]
    assert found["expected"]
    done = run("rerun", "out", "Own/0#1", "-d", "tasks.jsonl", "--json", folder=folder)
    wrong = json.loads(done.stdout)
    assert wrong["verdict"] == "fail"
    assert wrong["actual"] != wrong["expected"]

    # Each mistake has a cause of its own, and a way out.
    for arguments, problem in (
        ("out Own/O#0 -d tasks.jsonl", "did you mean 'Own/0'"),
        ("out Own/0#7 -d tasks.jsonl", "has no sample 7"),
        ("out Own/0#0 --case 999 -d tasks.jsonl", "has no case 999"),
        ("out Own/0#0 -d nowhere.jsonl", "give it with -d"),
        (". Own/x", "names no sample"),
        ("nothing Own/0#0", "nothing"),
    ):
        done = run("rerun", *arguments.split(), folder=folder)
        assert done.returncode == 2
        assert problem in done.stderr


def test_a_sample_of_several_models_is_named_by_model(folder: Path) -> None:
    """Each counts its samples from 0; the line that evaluate prints names both numbers."""
    right = {"task_id": "Own/0", "solution": "def f(x):\n    return x * 2\n"}
    kinds: dict[str, dict[str, object]] = {
        "5": {"model": "b"},
        "6": {"model": "b", "temperature": 0.5},
        "7": {},
    }
    wrong = [{**right, **kinds[n], "solution": f"def f(x): return {n}"} for n in kinds]
    write_rows(folder / "several.jsonl", [{**right, "model": "a b"}, *wrong])
    done = run("evaluate", *shlex.split("-d tasks.jsonl -s several.jsonl -o all"), folder=folder)
    line = next(each for each in done.stdout.splitlines() if " rerun " in each)
    printed = shlex.split(line.partition("evalplus-lite ")[2])
    again = ["rerun", "all", "Own/0#0", "--case", "0", "-d", "tasks.jsonl", "--json"]
    for command, answer in (
        ([*printed, "--json"], "5"),
        ([*again, "--model=a b"], None),
        ([*again, "--model=b"], "5"),
        ([*again, "--model=b", "--temperature=0.5"], "6"),
        ([*again, "--temperature=0.5"], "6"),
        ([*again, "--model="], "7"),
    ):
        found = json.loads(run(*command, folder=folder).stdout)
        assert found.get("actual") == answer
    for options, problem in (([], "several models"), (["--model=c"], "that model has no")):
        done = run(*again, *options, folder=folder)
        assert done.returncode == 2
        assert problem in done.stderr
        assert "--model b --temperature 0.5" in done.stderr
    right = {"model": "a", "task_id": "Own/0", "solution": PROGRAM.replace("x // (x - x)", "x")}
    write_rows(folder / "two.jsonl", [right, {**right, "model": "b", "solution": "f = None"}])
    done = run("evaluate", *shlex.split("-d tasks.jsonl -s two.jsonl -o two"), folder=folder)
    line = next(each for each in done.stdout.splitlines() if "report.html#" in each)
    words = shlex.split(next(each for each in done.stdout.splitlines() if "-lite rerun" in each))
    words = words[words.index("evalplus-lite") :]
    sample = words[words.index("rerun") + 2]
    assert line.startswith(f"after report, {sample} is its sample 0 of ")
    assert "report.html#task/Own/0/sample/0?model=" in line
