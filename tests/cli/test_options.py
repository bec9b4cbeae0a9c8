"""The list of commands, and options that may stand alone."""

from __future__ import annotations

import pytest

from evalplus_lite.cli import app


@pytest.mark.parametrize("name", app.COMMANDS)
def test_the_list_says_what_the_help_says(name: str) -> None:
    """A command's line in the list is the first paragraph of its help."""
    found = app.command(name)
    assert found.help.split("\n\n")[0] == app.COMMANDS[name]
    assert found.name == name


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
