"""docs/guide/comparing.md does what it says: its commands are run, its figures held against."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

from support.commands import ROOT, run

PAGE = (ROOT / "docs" / "guide" / "comparing.md").read_text(encoding="utf-8")
COMMANDS = [
    shlex.split(line) for line in re.findall(r"^    evalplus-lite (.*)$", PAGE, re.MULTILINE)
]


def test_the_page(tmp_path: Path) -> None:
    """Every command of the page runs, and says what the page says that it does."""
    shutil.copytree(ROOT / "docs" / "examples", tmp_path / "docs" / "examples")
    said = []
    for command in COMMANDS:
        done = run(*command, folder=tmp_path, variables={"COLUMNS": "200"})
        assert done.returncode == 0, (command, done.stderr)
        said.append(done.stdout)
    assert "80.0 [37.6, 96.4]" in said[0]
    assert "60.0 [23.1, 88.2]" in said[1]
    row = re.search(r"^\| base \|.*$", PAGE, re.MULTILINE)
    assert row is not None
    cells = [cell.strip() for cell in row[0].strip("|").split("|")]
    assert any(
        [cell.strip() for cell in line.strip("│").split("│")][1:] == cells
        for line in said[2].splitlines()
    )
    again = next(text for text in said if "judged twice" in text)
    assert "2 verdicts changed" in again
    assert "input [121]: got (1, 121), expected (11, 11)" in again
    assert "input [121]: got (1, 121), expected (11, 11)" in PAGE
    assert (tmp_path / "out" / "leaderboard.html").is_file()
