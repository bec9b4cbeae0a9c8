"""What a long command says while it runs: on a terminal, in a pipe; and its last line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.cells import cell_len
from support.commands import COMMAND, on_terminal, run, sample_rows, write_rows, write_tasks

from evalplus_lite.cli.app import COMMANDS, command
from evalplus_lite.cli.console import ProgressRate, Screen, duration
from evalplus_lite.jobs.session import ProgressEvent

CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
COLOUR = re.compile(r"\x1b\[[0-9;]*3[0-9][0-9;]*m")
EVALUATE = ("evaluate", "-d", "tasks.jsonl", "-s", "samples.jsonl", "-w", "1", "-o")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("live")
    write_tasks(made)
    write_rows(made / "samples.jsonl", sample_rows(24))
    return made


def test_a_narrow_terminal_has_a_line_that_fits(folder: Path) -> None:
    """Progress stays in one line, whatever there is to tell, and is gone in the end."""
    text = on_terminal([*COMMAND, *EVALUATE, "narrow"], folder, width=40)
    drawn = [CONTROL.sub("", part) for part in re.split(r"[\r\n]+", text)]
    shown = [line for line in drawn if "evaluate" in line and "of 24" in line]
    assert shown
    assert max(map(cell_len, shown)) <= 40
    assert COLOUR.search(text)
    assert "\x1b[?25h" in text  # the cursor is back


def test_no_colour_and_no_bar_where_none_can_be(folder: Path) -> None:
    """With NO_COLOR, on a dumb terminal, in a pipe; --quiet leaves results and notes."""
    text = on_terminal([*COMMAND, *EVALUATE, "plain"], folder, width=100, NO_COLOR="1")
    assert "of 24" in text
    assert "━" in text
    assert not COLOUR.search(text)
    text = on_terminal([*COMMAND, *EVALUATE, "dumb"], folder, width=100, TERM="dumb")
    assert "\x1b" not in text
    assert "pass@1" in text
    quiet = run(*EVALUATE, "piped", "--quiet", folder=folder)
    assert quiet.returncode == 0, quiet.stderr
    assert "evaluate" not in quiet.stderr
    assert "\x1b" not in quiet.stdout + quiet.stderr
    again = run(*EVALUATE, "piped", folder=folder)
    assert "results were there already" in again.stderr

    line = quiet.stdout.splitlines()[-1]
    assert re.fullmatch(
        r"tasks \(evalplus_lite \S+, \w+\): samples pass@1 base \S+ % \[\S+, \S+\], 3 tasks x 8",
        line,
    )


SILENT = {"audit-verifier", "cache", "doctor", "merge", "serve"}
"""Commands that open no session of their own."""


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_long_command_takes_them(name: str) -> None:
    """Whatever opens a session of sandboxes has the options, also as one of a group."""
    made = command(name)
    for each in getattr(made, "commands", {name: made}).values():
        names = {parameter.name for parameter in each.params}
        assert ("quiet" in names) == (name not in SILENT)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_pace_is_that_of_the_last_minute(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow beginning is forgotten; without a terminal a line comes now and then."""
    clock = Clock()
    pace = ProgressRate(1000, clock)
    assert pace.words() == "0 of 1000"
    pace.advance(100, {"pass": 60, "fail": 40}, known=True)
    assert pace.words() == "100 of 1000; 60 pass, 40 fail"
    for _ in range(100):
        clock.now += 1.0
        pace.advance(1, {})
    assert pace.words() == "200 of 1000, 1.0/s, 13 min to go; 60 pass, 40 fail"
    for _ in range(61):
        clock.now += 1.0
        pace.advance(10, {"pass": 70, "fail": 0})
    assert pace.words() == "810 of 1000, 10.0/s, 19 s to go; 70 pass"
    for _ in range(40):  # the rate falls: nothing is promised until it is steady again
        clock.now += 1.0
        pace.advance(1, {})
    assert "to go" not in pace.words()
    for _ in range(61):
        clock.now += 1.0
        pace.advance(1, {})
    assert pace.words() == "911 of 1000, 1.0/s, 89 s to go; 70 pass"
    pace.advance(89, {})
    assert "to go" not in pace.words()
    assert ProgressRate(None, clock).words() == "0"
    young = ProgressRate(100, clock)
    clock.now += 5.0
    young.advance(1, {})
    assert young.words() == "1 of 100, 12.0/min"
    assert [duration(s) for s in (0.4, 99, 100, 5_000, 12_000)] == [
        "0 s", "99 s", "2 min", "83 min", "3 h 20 min",
    ]  # fmt: skip
    monkeypatch.setattr("evalplus_lite.cli.console.QUIET_SECONDS", -1.0)
    with Screen() as screen:
        screen(ProgressEvent("a\x1bb", 0, 9))
        screen(ProgressEvent("a\x1bb", 3, 9, counts={"pass": 2, "fail": 1}))
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(r"a\x1bb: 3 of 9")
    assert line.endswith("; 2 pass, 1 fail")
