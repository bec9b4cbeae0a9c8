"""The first lines of the README work as they stand, with what a fresh checkout holds."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest
from support.commands import ROOT, run


def commands() -> list[list[str]]:
    """Return the commands of the README's first steps, in order."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.partition("## Your own tasks")[2].partition("\n## ")[0]
    lines = [line.strip() for line in section.splitlines() if line.startswith("    ")]
    return [shlex.split(line, comments=True)[1:] for line in lines if "evalplus-lite " in line]


@pytest.mark.slow
def test_the_first_steps(tmp_path: Path) -> None:
    """Every command ends well, on the files that the README names, and finds what it promises."""
    shutil.copytree(ROOT / "docs" / "examples", tmp_path / "docs" / "examples")
    found = commands()
    assert [arguments[0] for arguments in found] == [
        "evaluate",
        "augment",
        "evaluate",
        "reduce",
        "export",
    ]
    shown = []
    for arguments in found:
        done = run(*arguments, folder=tmp_path, variables={"COLUMNS": "120"})
        assert done.returncode == 0, (arguments, done.stderr)
        shown.append(done.stdout)
    assert "70.0" in shown[0]
    assert "50.0" in shown[2]
    assert (tmp_path / "out" / "pytest").is_dir()
