"""The real command: help, version, exit codes, JSON, and an end by Ctrl-C."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.commands import (
    COMMAND,
    environment,
    interruptible,
    run,
    run_process,
    sample_rows,
    write_rows,
    write_tasks,
)

from evalplus_lite import __version__
from evalplus_lite.cli import main
from evalplus_lite.cli.app import app

NAMES = [command.name for command in app.registered_commands]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with three tasks and eight samples."""
    write_tasks(tmp_path)
    write_rows(tmp_path / "samples.jsonl", sample_rows(24))
    return tmp_path


def test_help_teaches(tmp_path: Path) -> None:
    """The first steps and every command; --version prints the version alone."""
    for arguments in (["--help"], []):
        done = run(*arguments, folder=tmp_path, variables={"COLUMNS": "100"})
        assert (done.returncode, done.stderr) == (0, "")
        text = done.stdout
        assert "evalplus-lite demo" in text
        assert "evalplus-lite evaluate --dataset humaneval --samples samples.jsonl" in text
        for name in NAMES:
            assert name is not None
            assert name in text
    done = run_process("--version", folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{__version__}\n", "")


@pytest.mark.parametrize("name", NAMES)
def test_each_command_has_help(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The help of a command says what it does and explains every option."""
    monkeypatch.setenv("COLUMNS", "100")
    assert main([name, "--help"]) == 0
    text = capsys.readouterr().out
    assert f"{name} " in text
    assert "--help" in text


def test_evaluate_prints_a_table(folder: Path) -> None:
    """pass@1 for base and plus, where the verdicts are, and the tasks without a sample."""
    arguments = ("evaluate", "-d", "tasks.jsonl", "-s", "samples.jsonl", "-o", "out")
    done = run(*arguments, folder=folder, variables={"COLUMNS": "160"})
    assert done.returncode == 0, done.stderr
    assert "24 samples of 3 tasks" in done.stdout
    assert "base" in done.stdout
    assert "out/results.jsonl" in done.stdout
    assert "unrepresentable" in done.stdout
    written = {path.name for path in (folder / "out").iterdir()}
    settings = "results.settings.json"
    texts = {"results.jsonl", "costs.jsonl", "programs.jsonl.gz"}
    assert written == {*texts, settings, "summary.json", "eval_results.json"}
    rows = [row for row in sample_rows(24) if row["task_id"] != "Own/2"]
    write_rows(folder / "samples.jsonl", rows)
    done = run("evaluate", "-d", "tasks.jsonl", "-s", "samples.jsonl", "-o", "few", folder=folder)
    assert done.returncode == 0
    assert "1 of 3 tasks have no sample (Own/2)" in done.stderr


def test_a_reader_that_leaves_does_no_harm(tmp_path: Path) -> None:
    """A pipe that closes early ends the command without a traceback."""
    process = subprocess.Popen(
        [*COMMAND, "--help"],
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stdout.close()
    text = process.stderr.read()
    process.stderr.close()
    assert process.wait(120) in (0, 1)
    assert "Traceback" not in text


@pytest.mark.parametrize(
    "module", ["typer", "evalplus_lite.cli.run", "evalplus_lite.tasks.samples"]
)
def test_ctrl_c_while_loading(folder: Path, module: str) -> None:
    """Ctrl-C at an import is no traceback either."""
    hook = f"""
import os, sys
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder)
"""
    options = ("-d", "tasks.jsonl", "-s", "samples.jsonl", "-o", "out")
    with interruptible(folder, hook, "evaluate", *options) as process:
        _, text = process.communicate(timeout=60)
    assert process.returncode == 130, text
    assert "Traceback" not in text
    assert text.splitlines()[-1].startswith("evalplus-lite: interrupted")
