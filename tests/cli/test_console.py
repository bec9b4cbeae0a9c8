"""Tables are whole on any screen: through a real terminal, and through COLUMNS."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
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
from evalplus_lite.cli.escaping import LONGEST, printable, printable_json

WIDTHS = (50, 160)
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


# Nothing that a file, a program or a server says reaches a screen as more than letters.

HOSTILE = (
    "\x1b]0;owned\x07\x1b[31m[red]:smile:\r\b\x9b2J\u202egnp.exe\u2066\u200b\ufe0f\u2028\x7f\ud800"
)
HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def hidden(text: str) -> set[str]:
    """Return the characters of a text that a screen would obey or not show, line ends aside."""
    return {c for c in text if unicodedata.category(c) in HIDDEN and c not in "\r\n"}


def test_every_character() -> None:
    """None that hides is left, letters of every script are; a text without end is cut."""
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    assert hidden(printable(everything, longest=2 * len(everything))) == set()
    for text in ("naïve", "数学", "नमस्ते", "Ω[/x]", "a b\\n"):
        assert printable(text) == text
    assert len(printable("x" * 10**6)) == LONGEST
    value = {HOSTILE: [HOSTILE, "数学", 1.5]}
    text = printable_json(value)
    assert hidden(text) == set()
    assert "数学" in text
    assert json.loads(text) == value


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a task, and samples whose every text is hostile."""
    task = {"id": "A/0", "prompt": "", "entry_point": "f", "reference": "def f(x): return x"}
    write_rows(tmp_path / "tasks.jsonl", [{**task, "inputs": [[1]]}])
    good = {"task_id": "A/0", "solution": "def f(x): return x", "model": HOSTILE}
    bad = {"task_id": HOSTILE, "solution": ""}
    raising = {**good, "solution": f"def f(x): raise ValueError({HOSTILE!a})"}
    write_rows(tmp_path / "samples.jsonl", [good, bad, raising, {HOSTILE: 1}])
    return tmp_path


EVALUATE = ["evaluate", "-d", "tasks.jsonl", "-s", "samples.jsonl", "-o", "out"]
MISSING = ["evaluate", "-d", "tasks.jsonl", "-s", f"no-{HOSTILE[:-1]}"]
OPTION = ["evaluate", f"--{HOSTILE[:-1]}"]


@pytest.mark.parametrize("arguments", [EVALUATE, MISSING, OPTION], ids=["rows", "file", "option"])
def test_no_escape_reaches_a_terminal(folder: Path, arguments: list[str]) -> None:
    """On a terminal only colours and cursor movements of our own are left; in a pipe nothing."""
    shown = on_terminal([*COMMAND, *arguments], folder)
    assert "owned" in shown
    assert hidden(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)) == set()
    assert "\x1b]" not in shown
    assert "\x1b[31m[red]" not in shown
    done = run(*arguments, folder=folder)
    assert hidden(done.stdout + done.stderr) == set()


def test_json_output_of_hostile_rows(folder: Path) -> None:
    """With ``--json`` stdout is one JSON value, without a hidden character in it."""
    done = run(*EVALUATE, "--json", folder=folder)
    assert done.returncode == 1
    assert hidden(done.stdout) == set()
    summary = json.loads(done.stdout)
    assert summary["base"] == {"error": 1, "pass": 1}
    assert summary["rows"]["left_out"] == 2
