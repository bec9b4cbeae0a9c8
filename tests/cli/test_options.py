"""The list of commands, and options that go together or not."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import run

from evalplus_lite.cli import app


@pytest.mark.parametrize("name", app.COMMANDS)
def test_the_list_says_what_the_help_says(name: str) -> None:
    """A command's line in the list is the first paragraph of its help."""
    found = app.command(name)
    assert found.help.split("\n\n")[0] == app.COMMANDS[name]
    assert found.name == name


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("reduce -d t.jsonl --curve 2", ("--curve", "--cross-validate")),
        ("reduce -d t.jsonl --cross-validate --budget 3", ("--budget", "--cross-validate")),
        ("quality -d t.jsonl --show 3 --right r.jsonl", ("--show", "--survivors")),
        ("quality -d t.jsonl --survivors --seed 1", ("--seed", "--survivors")),
        ("quality -d t.jsonl -d u.jsonl --survivors", ("--survivors", "one --dataset")),
        ("compare a --rank --fail-if-worse", ("--fail-if-worse", "--rank")),
        ("compare a b -o board.txt", ("board.txt", ".html")),
        ("compare a b --fail-if-worse-by 120", ("--fail-if-worse-by", "120")),
        ("generate -d t.jsonl -m m --replay r.jsonl", ("--replay", "--draft-contracts")),
        ("generate -d t.jsonl --draft-contracts", ("--model", "--replay")),
        ("init --module a.py", ("--module", "--from-pytest")),
        ("init --from-module a.py --from-pytest b.py", ("--from-module", "--from-pytest")),
        ("export out --strict -o r.xml", ("--strict", "suite")),
        ("export -o r.xml", ("-d SUITE", "results")),
    ],
)
def test_options_of_another_form_are_refused(
    words: str, named: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An option that the form asked for would ignore is a mistake, and the line names both."""
    assert app.run(words.split()) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert all(each in line for each in named), line


def test_former_names_are_unknown(tmp_path: Path) -> None:
    """A command that there was is refused like any other word."""
    done = run("crossval", "-d", "tasks.jsonl", folder=tmp_path)
    assert done.returncode == 2
    assert "crossval" in done.stderr


def test_a_command_may_have_no_argument() -> None:
    """What needs none starts without any."""
    assert app.command("doctor").make_context("doctor", []).params["json"] is False
