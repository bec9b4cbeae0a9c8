"""Tables are whole on any screen: through a real terminal, and through COLUMNS."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from support.commands import COMMAND, environment, run, sample_rows, write_rows, write_tasks

from evalplus_lite.cli.console import print_table

WIDTHS = (50, 80, 160)
TABLE = """
from evalplus_lite.cli.console import print_table
print_table("A title of several words that does not fit into a narrow screen at all", [
    "task", "cause", "unrepresentable", "pass@100 %", "inputs", "timeout", "memory", "crash"],
    [["HumanEval/100", "a cause of [bold]words[/bold] in /a/path/without/a/blank/in/it", 123456,
      "100.0", 7654321, 9, None, 0.5]] * 2, left=2)
"""


def through_a_terminal(folder: Path, width: int, *command: str) -> str:
    """Return what a command shows on a terminal of that width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    variables = {k: v for k, v in environment(folder / "cache").items() if k != "COLUMNS"}
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=variables | {"TERM": "xterm"},
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    )
    os.close(theirs)
    found = b""
    while True:
        try:
            data = os.read(ours, 1 << 16)
        except OSError:  # Linux's word for the end of a terminal
            break
        if not data:
            break
        found += data
    os.close(ours)
    assert process.wait(300) == 0
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", found.decode()).replace("\r", "")


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut(tmp_path: Path, width: int) -> None:
    """Every heading, number and word of a table can be read at any width."""
    text = through_a_terminal(tmp_path, width, sys.executable, "-c", TABLE)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    for word in ("unrepresentable", "pass@100", "timeout", "123456", "100.0", "7654321", "0.500"):
        assert word in text
    assert "/a/path/without/a/blank/in/it" in re.sub(r"[\s│]", "", text) or width < 100
    assert "[bold]" in text  # a cell is text, never markup


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("how", ["terminal", "pipe"])
def test_verdicts_at_any_width(tmp_path: Path, width: int, how: str) -> None:
    """evaluate's table names each verdict that occurs in full, with its number."""
    write_tasks(tmp_path)
    write_rows(tmp_path / "samples.jsonl", sample_rows(24))
    arguments = ("evaluate", "-d", "tasks.jsonl", "-s", "samples.jsonl", "-o", "out")
    if how == "terminal":
        text = through_a_terminal(tmp_path, width, *COMMAND, *arguments)
    else:
        text = run(*arguments, folder=tmp_path, variables={"COLUMNS": str(width)}).stdout
    assert "…" not in text
    for word in ("pass@1", "fail", "error", "crash", "unrepresentable", "base"):
        assert word in text
    assert "memory" not in text  # no program met it


@pytest.mark.parametrize("name", ["evaluate", "cache", "exe mine", "init"])
def test_help_shows_no_type_for_a_switch(tmp_path: Path, name: str) -> None:
    """An option without a value is shown without one, in each command and group."""
    done = run(*name.split(), "--help", folder=tmp_path, variables={"COLUMNS": "100"})
    assert done.returncode == 0
    assert "--json" in done.stdout
    assert "bool" not in done.stdout


def test_a_traceback_for_whoever_asks(tmp_path: Path) -> None:
    """EVALPLUS_LITE_DEBUG=1 shows where an error arose; exit code and last line stay."""
    arguments = ("evaluate", "-d", "humanevl", "-s", "x")
    plain = run(*arguments, folder=tmp_path)
    done = subprocess.run(
        [*COMMAND, *arguments],
        cwd=tmp_path,
        env=environment(tmp_path) | {"EVALPLUS_LITE_DEBUG": "1"},
        capture_output=True,
        text=True,
    )
    assert (plain.returncode, done.returncode) == (2, 2)
    assert "Traceback" not in plain.stderr
    assert "Traceback" in done.stderr
    assert done.stderr.splitlines()[-1] == plain.stderr.splitlines()[-1]
    assert "did you mean 'humaneval'" in plain.stderr


@pytest.mark.parametrize("width", range(70, 110))
def test_no_table_is_cut(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever the screen's width: every number is whole, and no line is longer than it."""
    monkeypatch.setenv("COLUMNS", str(width))
    columns = ["model", "rank on plus", "plus % [95 %]", "base % [95 %]", "tasks", "samples"]
    row = ["careful", 1, "91.7 [64.6, 98.5]", "100.0 [75.8, 100.0]", 12, 345]
    print_table("t", columns, [row])
    shown = capsys.readouterr().out
    assert "100.0 [75.8, 100.0]" in shown
    assert "345" in shown
    assert all(len(line) <= width for line in shown.splitlines())
