"""A user's mistake is one line that names the place, the value and the way out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.commands import run, run_process, sample_rows, write_rows, write_tasks

from evalplus_lite.cli import main
from evalplus_lite.store.labels import label

GOOD = {"task_id": "Own/0", "solution": "def f(x): return x * 2"}


def rows(*changes: dict[str, Any]) -> Callable[[Path], object]:
    """Return a maker of a sample file: a good row, then good rows with these changes."""
    return lambda path: write_rows(path, [GOOD, *({**GOOD, **change} for change in changes)])


def data(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


LINE = json.dumps(GOOD).encode() + b"\n"
SAMPLES: dict[str, tuple[Callable[[Path], object], str]] = {
    "absent": (lambda path: None, r"samples\.jsonl: does not exist .check the path"),
    "blank": (data(b"\n \n"), r"samples\.jsonl: holds no rows"),
    "lacks": (data(b'{"solution": "x"}\n'), r"samples\.jsonl:1: missing 'task_id'"),
    "neither": (data(b'{"task_id": "Own/0"}\n'), r"samples\.jsonl:1: has neither 'solution' nor"),
    "folder": (lambda path: path.mkdir(), r"samples\.jsonl: holds no samples"),
    "csv": (data(b"task_id,solution\nOwn/0,x\n"), r"samples\.jsonl:1: is not valid JSON.*a line"),
    "deep": (data(b"[" * 100_000 + b"\n"), r"samples\.jsonl:?1?: .*nest|expected"),
}
ROWS: dict[str, tuple[Callable[[Path], object], str]] = {
    "not json": (data(LINE * 2 + b'{"task_id": \n'), r"samples\.jsonl:3: is not valid JSON: .*col"),
    "number": (rows({"task_id": 2}), r"samples\.jsonl:2: 'task_id' is '2', .*did you mean 'Own/2'"),
    "misspelt": (
        data(LINE + b'{"taskid": "Own/0", "solution": ""}\n'),
        r"samples\.jsonl:2: missing 'task_id' .rename 'taskid'",
    ),
    "list": (rows({"solution": ["x"]}), r"samples\.jsonl:2: 'solution' is a list .*a row for each"),
}
TASK = {
    "id": "A/1",
    "prompt": "",
    "entry_point": "f",
    "reference": "def f(x): pass",
    "inputs": [[1]],
}
DATASETS: dict[str, tuple[list[Any], str]] = {
    "no known format": (
        [{"a": 1}],
        r"data\.jsonl:1: its first row is not a task of a known for",
    ),
    "not compiled": ([{**TASK, "reference": "def f(:"}], r"data\.jsonl:1: reference does not comp"),
    "twice": ([TASK, TASK], r"data\.jsonl:2: duplicate task 'A/1'"),
    "misspelt": ([{**TASK, "input": []}], r"data\.jsonl:1: .*'input'"),
}
EVALUATE = ["evaluate", "-d", "tasks.jsonl", "-s", "samples.jsonl", "-o", "out"]
OPTIONS: dict[str, tuple[list[str], str]] = {
    "dataset": (
        ["evaluate", "-d", "humanevl", "-s", "x"],
        r"no dataset named 'humanevl'.*humaneval",
    ),
    "preset": ([*EVALUATE, "--limits", "quick"], r"no limits preset named 'quick' .one of default"),
    "tier": ([*EVALUATE, "--sandbox", "docker"], r"no sandbox tier named 'docker' .one of auto"),
    "k": ([*EVALUATE, "--k", "0"], r"--k 0 .give whole numbers"),
    "k text": ([*EVALUATE, "--k", "one"], r"--k one .give whole numbers"),
    "tasks": ([*EVALUATE, "--tasks", "Own/77"], r"'Own/77' chooses no task of tasks"),
    "workers": ([*EVALUATE, "-w", "0"], r"-w.*: '0' .see --help"),
    "many workers": ([*EVALUATE, "-w", "10000"], r"10000 workers on \d+ processors .at most \d+"),
    "memory": ([*EVALUATE, "--memory", "lots"], r"--memory lots .*MiB.*2GiB"),
    "little memory": ([*EVALUATE, "--memory", "4"], r"--memory 4 .*MiB"),
    "total": ([*EVALUATE, "--total", "inf"], r"total is inf"),
    "long name": ([*EVALUATE[:-1], "x" * 300], r"xxx: has too long a name"),
    "bytes": ([*EVALUATE, "--memory", "4294967296"], r"--memory 4294967296 is .*MiB"),
    "no samples": (["evaluate", "-d", "tasks.jsonl"], r"(?i)missing option.*--samples.*see --help"),
    "option": ([*EVALUATE, "--fast"], r"(?i)no such option.*--fast"),
    "command": (["judge"], r"(?i)no such command.*judge"),
    "seed": (["augment", "-d", "tasks.jsonl", "--seed", "a"], r"--seed.*: 'a' .see --help"),
    "out": (["augment", "-d", "tasks.jsonl", "-o", "tasks.jsonl/out"], r"out: cannot be made"),
    "out is a file": (
        ["augment", "-d", "tasks.jsonl", "-o", "tasks.jsonl"],
        r"tasks\.jsonl: cannot",
    ),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with three tasks and a good sample file; the command runs in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVALPLUS_LITE_CACHE", str(tmp_path / "cache"))
    write_tasks(tmp_path)
    write_rows(tmp_path / "samples.jsonl", [GOOD])
    return tmp_path


def refused(arguments: list[str], pattern: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Have the command refuse: exit code 2, one line on stderr that matches, nothing on stdout."""
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    lines = shown.err.splitlines()
    assert len(lines) == 1, shown.err
    assert lines[0].startswith("evalplus-lite: ")
    assert re.search(pattern, lines[0]), lines[0]
    assert len(lines[0]) < 600


@pytest.mark.parametrize("name", SAMPLES)
def test_samples(folder: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    """A sample file that cannot be used is refused by file, line and value; results stay whole."""
    make, pattern = SAMPLES[name]
    (folder / "samples.jsonl").unlink()
    make(folder / "samples.jsonl")
    refused(EVALUATE, pattern, capsys)
    assert not (folder / "out" / "summary.json").exists()


@pytest.mark.parametrize("name", ROWS)
def test_rows(folder: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    """A row that cannot be used is left out and named; the others are judged, and the code is 1."""
    make, pattern = ROWS[name]
    make(folder / "samples.jsonl")
    assert main(EVALUATE) == 1
    summary = json.loads((folder / "out" / "summary.json").read_text())
    assert summary["samples"] >= 1
    assert summary["rows"]["left_out"] == 1
    assert re.search(pattern, summary["rows"]["shown"][0])
    assert re.search(pattern, capsys.readouterr().err)


def test_a_json_array_of_rows(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As rows on lines; an answer that is too long, no text or holds NUL is an error alone."""
    (folder / "samples.jsonl").write_text(json.dumps([GOOD, {**GOOD, "task_id": "Own/9"}]))
    assert main([*EVALUATE, "--json"]) == 1
    summary = json.loads(capsys.readouterr().out)
    assert summary["base"] == {"pass": 1}
    assert "unknown task 'Own/9'" in summary["rows"]["shown"][0]
    (folder / "samples.jsonl").write_text(json.dumps([GOOD["solution"]]))
    refused(EVALUATE, r"task Own/0: a list of strings was expected, got str", capsys)
    changes = [{"solution": value} for value in (None, {}, "#" * (1 << 20) + "x", "x\0y")]
    write_rows(folder / "samples.jsonl", [GOOD, *({**GOOD, **change} for change in changes)])
    assert main([*EVALUATE, "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["base"] == {"error": 4, "pass": 1}
    assert (summary["rows"]["left_out"], summary["rows"]["unusable"]) == (0, 4)


def test_mistakes_in_the_form_of_a_command(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One model, a folder without a suite, nothing at all: each is said in a line."""
    arguments = ["reduce", "--cross-validate", "-d", "tasks.jsonl", "-s", "samples.jsonl"]
    refused([*arguments, "-o", "out"], r"two models or more, got 1: samples", capsys)
    assert not list((folder / "cache").glob("requirements*"))
    assert label(".") == Path.cwd().name
    (folder / "mine").mkdir()
    refused(
        ["quality", "--survivors", "-d", "mine"], r"mine: is a folder.*suite\.jsonl\.gz", capsys
    )
    (folder / "mine" / "suite.jsonl.gz").write_bytes(b"")
    refused(
        ["quality", "--survivors", "-d", "mine"], r"mine/suite\.jsonl\.gz: holds no rows", capsys
    )
    assert main(["report"]) == 2
    assert "OUT" in capsys.readouterr().err


@pytest.mark.parametrize("name", DATASETS)
def test_datasets(folder: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    """A file of tasks that cannot be used is refused by file, line and field."""
    content, pattern = DATASETS[name]
    write_rows(folder / "data.jsonl", content)
    refused(["augment", "-d", "data.jsonl", "-o", "out"], pattern, capsys)


@pytest.mark.parametrize("name", OPTIONS)
def test_options(folder: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    """An option that cannot be used is refused by name and value, with what could be given."""
    arguments, pattern = OPTIONS[name]
    refused(arguments, pattern, capsys)


def test_the_real_command_refuses_alike(folder: Path) -> None:
    """The exit code and one line reach the shell; memory may have a unit."""
    for given, bytes_ in (("512", 512 << 20), ("2GiB", 2 << 30), ("64 MiB", 64 << 20)):
        assert main([*EVALUATE, "--memory", given, "--force"]) == 0
        summary = json.loads((folder / "out" / "summary.json").read_text())
        assert summary["run"]["limits"]["memory_bytes"] == bytes_
    (folder / "samples.jsonl").write_bytes(b"{\n")
    done = run_process(*EVALUATE[:-1], "other", folder=folder)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("evalplus-lite: samples.jsonl:1: is not valid JSON")
    assert done.stderr.count("\n") == 1


def test_lines_that_are_no_rows_cost_a_data_set_themselves_only(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is not JSON, not UTF-8, no object or cut off is listed; the other tasks are judged."""
    good = (folder / "tasks.jsonl").read_bytes()
    bad = b"{not json}\n" + good + b'{"id": "\xe9"}\n[1]\n\n{"id": "cut", "prom'
    (folder / "tasks.jsonl").write_bytes(bad)
    assert main([*EVALUATE, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    number = good.count(b"\n")
    lines = [f"line {number + place}" for place in (2, 3, 5)]
    assert [row["task_id"] for row in found["unusable"]] == ["line 1", *lines]
    assert {row["cause"] for row in found["unusable"]} == {"unreadable"}
    assert found["base"] == {"pass": 1}
    refused([*EVALUATE, "--strict"], r"4 tasks cannot be used: line 1: is not valid JSON", capsys)


@pytest.mark.parametrize("line", [b"x,y\n", b"{}\n"])
def test_a_file_that_is_no_data_set_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], line: bytes
) -> None:
    """However many lines it has, it is refused by the first, and never kept whole."""
    (folder / "tasks.jsonl").write_bytes(line * 100_000)
    refused(EVALUATE, r"tasks\.jsonl:1: ", capsys)


DAMAGED: dict[str, tuple[Callable[[list[dict[str, Any]]], list[dict[str, Any]]], int, str]] = {
    "no verdict": (lambda rows: [rows[0] | {"base": "maybe"}, *rows[1:]], 1, "not a row of this"),
    "twice": (lambda rows: [*rows, rows[1]], 4, "result of Own/1.0. a second time"),
    "long name": (lambda rows: [rows[0], rows[1] | {"task_id": "x" * 40_000_000}], 2, "not a row"),
    "other": (lambda rows: [rows[0] | {"program": "0" * 16}], 1, "result of another program"),
}


@pytest.mark.parametrize("fault", DAMAGED)
def test_a_damaged_journal_is_one_line(tmp_path: Path, fault: str) -> None:
    """It names file and line, for whoever resumes or reads; nothing is counted twice."""
    change, line, words = DAMAGED[fault]
    write_tasks(tmp_path)
    write_rows(tmp_path / "samples.jsonl", sample_rows(3))
    evaluate = "evaluate", "-d", "tasks.jsonl", "-s", "samples.jsonl", "-o", "out"
    assert run(*evaluate, folder=tmp_path).returncode == 0
    path = tmp_path / "out" / "results.jsonl"
    write_rows(path, change([json.loads(text) for text in path.read_text().splitlines()]))
    done = run(*evaluate, folder=tmp_path)
    assert done.returncode == 2
    assert re.search(rf"results\.jsonl:{line}: .*{words}", done.stderr)
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 500
    if fault != "other":
        done = run("compare", "--rank", "out", folder=tmp_path)
        assert done.returncode == 2
        assert re.search(rf"results\.jsonl:{line}: ", done.stderr)
        assert done.stderr.count("\n") == 1


# Commands with nothing to work on say so in a line, and do not look like a success.


@pytest.mark.parametrize("count", [1, 3])
def test_lint_says_how_many_tasks_had_programs_to_compare(tmp_path: Path, count: int) -> None:
    """One program a task is compared with nothing: no finding, and exit code 1."""
    write_tasks(tmp_path)
    bodies = ("x * 2", "x + x", "2 * x")[:count]
    rows = [{"task_id": "Own/0", "solution": f"def f(x):\n    return {body}\n"} for body in bodies]
    write_rows(tmp_path / "samples.jsonl", rows)
    command = ["lint", "tasks.jsonl", "-s", "samples.jsonl", "-n", "20", "--fail-on", "error"]
    done = run(*command, "--json", folder=tmp_path)
    assert done.returncode == (1 if count == 1 else 0), done.stderr
    summary = json.loads(done.stdout)
    assert summary["polled"] == (0 if count == 1 else 1)
    assert "T203" not in summary["codes"]


def test_a_contract_that_does_not_load_is_told_in_plain_words(tmp_path: Path) -> None:
    """What happened is said as Python says it, without the names of our own types."""
    broken = "import nothing_of_this_name\n\ndef precondition(x):\n    assert x\n"
    row = {"id": "Own/0", "entry_point": "f", "reference": "def f(x):\n    return x\n"}
    rows = [{**row, "prompt": "P", "inputs": [[1]], "contract": broken}]
    write_rows(tmp_path / "tasks.jsonl", rows)
    done = run("augment", "-d", "tasks.jsonl", "-n", "5", "-o", "out", folder=tmp_path)
    said = done.stdout + done.stderr
    assert done.returncode in (1, 2), said
    assert "ModuleNotFoundError: No module named 'nothing_of_this_name'" in said
    assert "Raised(" not in said
    assert "cpu" not in said
