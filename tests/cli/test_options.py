"""The list of commands, and options by their former names."""

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


@pytest.mark.parametrize("former", app.FORMER)
def test_former_names_of_options_are_taken(former: str) -> None:
    """An option by its former name, with = or without, is read as by its new one."""
    taken = 0
    for name in app.COMMANDS:
        command, new = app.command(name), app.FORMER[former]
        for option in (each for each in command.params if new in each.opts):
            required = [each.opts[0] for each in command.params if each.required]
            needed = [
                word for each in required for word in ([each, "x"] if each[0] == "-" else "x")
            ]
            value = [] if option.is_flag else ["2"]
            spellings = [[new, *value], [former, *value]]
            spellings += [[f"{former}={each}"] for each in value]
            one, *others = (
                command.make_context(name, [*needed, *words]).params for words in spellings
            )
            assert one[option.name] != option.get_default(command.make_context(name, needed))
            assert all(each == one for each in others)
            taken += 1
    assert taken


def test_former_names_are_not_shown(tmp_path: Path) -> None:
    """The help names an option once, as it is called now; a stranger's option is refused."""
    shown = run("evaluate", "--help", folder=tmp_path).stdout
    assert "--minimize" in shown
    assert "--shrink" not in shown
    done = run("mutants", "-d", "tasks.jsonl", "--shrink", folder=tmp_path)
    assert done.returncode == 2
    assert "--shrink" in done.stderr


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["a", "b"], None),
        (["a", "--fail-if-worse"], "doubtless"),
        (["--fail-if-worse", "a"], "doubtless"),
        (["a", "--fail-if-worse", "2.5"], "2.5"),
        (["a", "--fail-if-worse=0"], "0"),
    ],
)
def test_an_option_may_stand_without_its_number(words: list[str], value: str | None) -> None:
    """--fail-if-worse takes the number after it, and never a folder."""
    context = app.command("compare").make_context("compare", words)
    assert context.params["fail_if_worse"] == value
    assert all(str(each) in ("a", "b") for each in context.params["folders"])


def test_a_command_may_have_no_argument() -> None:
    """What needs none starts without any."""
    assert app.command("doctor").make_context("doctor", []).params["json"] is False
