"""Tables are whole on any screen: through a real terminal, and through COLUMNS."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.commands import (
    COMMAND,
    on_terminal,
    run,
    sample_rows,
    write_rows,
    write_tasks,
)

from evalplus_lite.cli.console import print_table

WIDTHS = (50, 80, 160)
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("how", ["terminal", "pipe"])
def test_verdicts_at_any_width(tmp_path: Path, width: int, how: str) -> None:
    """evaluate's table names each verdict that occurs in full, with its number."""
    write_tasks(tmp_path)
    write_rows(tmp_path / "samples.jsonl", sample_rows(24))
    arguments = ("evaluate", "-d", "tasks.jsonl", "-s", "samples.jsonl", "-o", "out")
    if how == "terminal":
        shown = on_terminal([*COMMAND, *arguments, "--quiet"], tmp_path, width=width)
        text = CONTROL.sub("", shown).replace("\r", "")
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
    done = run(*arguments, folder=tmp_path, variables={"EVALPLUS_LITE_DEBUG": "1"})
    assert (plain.returncode, done.returncode) == (2, 2)
    assert "Traceback" not in plain.stderr
    assert "Traceback" in done.stderr
    assert done.stderr.splitlines()[-1] == plain.stderr.splitlines()[-1]
    assert "did you mean 'humaneval'" in plain.stderr


PATH = "/a/path/without/a/blank/in/it"


@pytest.mark.parametrize("width", [50, *range(70, 110), 160])
def test_no_table_is_cut(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever the screen's width: every number and word is whole, and no line is longer."""
    monkeypatch.setenv("COLUMNS", str(width))
    columns = ["model", "rank on plus", "plus % [95 %]", "base % [95 %]", "tasks", "samples"]
    row = ["careful", 1, "91.7 [64.6, 98.5]", "100.0 [75.8, 100.0]", 12, 345]
    print_table("A title of several words that does not fit into a narrow screen", columns, [row])
    columns = ["task", "cause", "unrepresentable", "pass@100 %", "inputs", "timeout", "crash"]
    row = ["HumanEval/100", f"a [bold]word[/bold] {PATH}", 123456, "100.0", 7654321, None, 0.5]
    print_table("", columns, [row] * 2, left=2)
    shown = capsys.readouterr().out
    assert "100.0 [75.8, 100.0]" in shown
    for word in ("345", "unrepresentable", "pass@100", "123456", "7654321", "0.500"):
        assert word in shown
    assert "[bold]" in shown  # a cell is text, never markup
    assert "…" not in shown
    assert PATH in re.sub(r"[\s│]", "", shown) or width < 100
    assert all(len(line) <= width for line in shown.splitlines())
