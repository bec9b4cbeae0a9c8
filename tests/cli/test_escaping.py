"""Nothing that a file, a program or a server says reaches a screen as more than letters."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from pathlib import Path

import pytest
from support.commands import COMMAND, on_terminal, run, write_rows

from evalplus_lite.cli.escaping import LONGEST, printable, printable_json

HOSTILE = (
    "\x1b]0;owned\x07\x1b[31m[red]:smile:\r\b\x9b2J\u202egnp.exe\u2066\u200b\ufe0f\u2028\x7f\ud800"
)
HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def hidden(text: str) -> set[str]:
    """Return the characters of a text that a screen would obey or not show, line ends aside."""
    return {c for c in text if unicodedata.category(c) in HIDDEN and c not in "\r\n"}


def test_every_character() -> None:
    """Of all characters none that hides is left, and letters of every script stay as they are."""
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    assert hidden(printable(everything, longest=2 * len(everything))) == set()
    for text in ("naïve", "数学", "नमस्ते", "Ω[/x]", "a b\\n"):
        assert printable(text) == text


def test_a_text_without_end_is_cut() -> None:
    """A line on a screen is not a megabyte."""
    assert len(printable("x" * 10**6)) == LONGEST


def test_json_reads_back() -> None:
    """JSON output holds no hidden character, and is the value again."""
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
