"""``evalplus-lite cache`` shows and clears what commands left."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from support.commands import (
    run,
    run_process,
    sample_rows,
    write_rows,
    write_tasks,
)

from evalplus_lite.cli import main


def asked(folder: Path, *arguments: str) -> Any:
    done = run("cache", *arguments, "--json", folder=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_what_a_command_left(tmp_path: Path) -> None:
    """It is counted and cleared, and the run can be repeated; with room for nothing too."""
    write_tasks(tmp_path)
    write_rows(tmp_path / "samples.jsonl", sample_rows(3))
    arguments = ("evaluate", "-d", "tasks.jsonl", "-s", "samples.jsonl", "-o")
    assert run(*arguments, "a", folder=tmp_path).returncode == 0
    (tmp_path / "cache" / "v9-Some.jsonl.gz").write_bytes(b"a data set")
    found = asked(tmp_path)
    assert found["folder"] == str(tmp_path / "cache")
    # Of each of three tasks the expected outputs, and what null programs did.
    assert found["kinds"]["expected"]["files"] == 6
    assert found["kinds"]["datasets"] == {"files": 1, "bytes": 10}
    files = [path for path in (tmp_path / "cache" / "expected").rglob("*") if path.is_file()]
    assert found["kinds"]["expected"]["bytes"] == sum(path.stat().st_size for path in files)
    assert asked(tmp_path, "clear", "--kind", "expected")["removed"] == 6
    assert asked(tmp_path)["kinds"]["expected"]["files"] == 0
    assert asked(tmp_path)["kinds"]["datasets"]["files"] == 1
    assert asked(tmp_path, "clear", "--kind", "datasets")["removed"] == 1
    assert run(*arguments, "b", folder=tmp_path).returncode == 0
    results = [(tmp_path / name / "results.jsonl").read_bytes() for name in "ab"]
    assert results[0] == results[1]
    assert asked(tmp_path, "clear", "--kind", "expected")["removed"] == 6
    variables = {"EVALPLUS_LITE_CACHE_SIZE": "0"}
    done = run_process(*arguments, "c", folder=tmp_path, variables=variables)
    assert done.returncode == 0, done.stderr
    assert asked(tmp_path)["kinds"]["expected"]["files"] <= 1


@pytest.mark.parametrize(("kind", "named"), [("expectd", "expected"), ("../home", "../home")])
def test_a_kind_that_is_not_one_is_refused(tmp_path: Path, kind: str, named: str) -> None:
    done = run("cache", "clear", "--kind", kind, folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert named in done.stderr
    assert done.stderr.count("\n") == 1


# Files given: pipes, standard input, and the same file twice.


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with three tasks and six samples; the command runs in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVALPLUS_LITE_CACHE", str(tmp_path / "cache"))
    write_tasks(tmp_path)
    write_rows(tmp_path / "samples.jsonl", sample_rows(6))
    return tmp_path


def test_standard_input_and_pipes_are_files(folder: Path) -> None:
    """Samples and tasks from stdin and a named pipe; errors name what the user gave."""
    text = (folder / "samples.jsonl").read_bytes()
    base = ("evaluate", "-d", "tasks.jsonl", "-o")
    assert run(*base, "file", "-s", "samples.jsonl", folder=folder).returncode == 0
    done = run(*base, "stdin", "-s", "-", folder=folder, stdin=text)
    assert done.returncode == 0, done.stderr
    os.mkfifo(folder / "pipe")
    writer = threading.Thread(target=(folder / "pipe").write_bytes, args=(text,))
    writer.start()
    assert run(*base, "fifo", "-s", "pipe", folder=folder).returncode == 0
    writer.join()
    results = {(folder / out / "results.jsonl").read_bytes() for out in ("file", "stdin", "fifo")}
    assert len(results) == 1
    left = {path.name for path in folder.iterdir()}
    assert left == {"cache", "tasks.jsonl", "samples.jsonl", "pipe", "file", "stdin", "fifo"}
    good = (folder / "samples.jsonl").read_bytes()
    words = ("evaluate", "-d", "tasks.jsonl", "-s", "-", "-o", "out")
    done = run(*words, folder=folder, stdin=good + b"{\n")
    assert done.returncode == 1
    assert "<stdin>:7: " in done.stderr
    assert "<stdin>:7: " in (folder / "out" / "summary.json").read_text()
    done = run(*words, folder=folder, stdin=b"{\n")
    assert done.returncode == 2
    assert "<stdin>:1: " in done.stderr
    text = (folder / "tasks.jsonl").read_bytes()
    words = ("evaluate", "-d", "-", "-s", "samples.jsonl", "--json")
    done = run(*words, folder=folder, stdin=text)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["tasks"] == 3
    done = run("evaluate", "-d", "-", "-s", "-", folder=folder)
    assert done.returncode == 2
    assert "<stdin>" in done.stderr


@pytest.mark.parametrize("command", ["evaluate", "reduce", "lint"])
def test_the_same_file_twice(
    folder: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file given twice, by whatever names, would be counted twice: it is refused."""
    (folder / "link.jsonl").symlink_to("samples.jsonl")
    data = ["tasks.jsonl"] if command == "lint" else ["-d", "tasks.jsonl"]
    for other in ("samples.jsonl", "./samples.jsonl", "link.jsonl"):
        code = main([command, *data, "-s", "samples.jsonl", "-s", other])
        assert code == 2
        assert "is given twice" in capsys.readouterr().err


def test_a_budget_is_in_place_of_folds(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Options that contradict each other are refused by name."""
    assert main(["reduce", "-d", "tasks.jsonl", "--budget", "3", "--multiplicity", "2"]) == 2
    shown = capsys.readouterr().err
    assert "--multiplicity" in shown
    assert "--budget" in shown


def test_default_outputs_do_not_collide(folder: Path) -> None:
    """Suites of one name, sample files of one name: each gets an output of its own."""
    for name, count in (("a", 3), ("b", 2)):
        (folder / name).mkdir()
        rows = [json.loads(line) for line in (folder / "tasks.jsonl").read_text().splitlines()]
        write_rows(folder / name / "suite.jsonl", rows[:count])
        write_rows(folder / name / "samples.jsonl", [sample_rows(2)[0]])
    for data in "ab":
        for samples in "ab":
            given = ["-d", f"{data}/suite.jsonl", "-s", f"{samples}/samples.jsonl"]
            assert run("evaluate", *given, folder=folder).returncode == 0
    found = sorted(path.name for path in (folder / "out").iterdir())
    assert len(found) == 4
    assert [name.rpartition("-")[0] for name in found] == [
        f"evaluate-{samples}-{data}" for samples in "ab" for data in "ab"
    ]


@pytest.mark.parametrize("command", ["evaluate", "augment"])
def test_force_begins_anew(folder: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Other settings are refused with the remedy; --force drops the old rows, and only then."""
    options = {"evaluate": ["-s", "samples.jsonl"], "augment": ["-n", "5"]}[command]
    change = {"evaluate": ["--limits", "paper"], "augment": ["--seed", "1"]}[command]
    arguments = [command, "-d", "tasks.jsonl", "-o", "out", *options]
    journal = {"evaluate": "results.jsonl", "augment": "augment.journal.jsonl"}[command]
    assert main(arguments) == 0
    before = (folder / "out" / journal).read_bytes()
    capsys.readouterr()
    assert main([*arguments, *change]) == 2
    assert "--force" in capsys.readouterr().err
    assert (folder / "out" / journal).read_bytes() == before
    assert main([*arguments, *change, "--force"]) == 0
    assert main([*arguments, "--force"]) == 0
    assert (folder / "out" / journal).read_bytes() == before
