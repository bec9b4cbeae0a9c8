"""The list of commands, and options by their former names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import run, sample_rows, write_rows, write_tasks

from evalplus_lite.cli import app


@pytest.mark.parametrize("name", app.COMMANDS)
def test_the_list_says_what_the_help_says(name: str) -> None:
    """A command's line in the list is the first paragraph of its help."""
    found = app.command(name)
    assert found.help.split("\n\n")[0] == app.COMMANDS[name]
    assert found.name == name


def test_former_names_of_options_are_taken(tmp_path: Path) -> None:
    """An option by its former name, with = or without, does what it does by its new one."""
    write_tasks(tmp_path)
    write_rows(tmp_path / "samples.jsonl", sample_rows(6))
    both = ("-d", "tasks.jsonl", "-s", "samples.jsonl")
    found = []
    for number, option in enumerate(("--minimize", "--shrink")):
        done = run("evaluate", *both, option, "-o", f"e{number}", folder=tmp_path)
        assert done.returncode == 0, done.stderr
        found.append((tmp_path / f"e{number}" / "results.jsonl").read_text())
    assert found[0] == found[1]
    assert '"smallest"' in found[0]
    for option in (("--folds", "2"), ("--folds=2",), ("--multiplicity", "2"), ("-k", "2")):
        done = run("reduce", *both, *option, "--json", "-o", "r", folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert set(json.loads(done.stdout)["wants"].values()) == {2}


def test_former_names_are_not_shown(tmp_path: Path) -> None:
    """The help names an option once, as it is called now; a stranger's option is refused."""
    shown = run("evaluate", "--help", folder=tmp_path).stdout
    assert "--minimize" in shown
    assert "--shrink" not in shown
    done = run("mutants", "-d", "tasks.jsonl", "--shrink", folder=tmp_path)
    assert done.returncode == 2
    assert "--shrink" in done.stderr
