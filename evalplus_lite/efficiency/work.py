"""Counted work: a program's work on a case, with the answer that it gave while counting."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from evalplus_lite.efficiency import guest
from evalplus_lite.errors import CodecError
from evalplus_lite.programs import TooLarge, helper
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.sandbox.sandbox import ProgramRun
from evalplus_lite.types import Outcome, Returned, Task, Value
from evalplus_lite.values import wire
from evalplus_lite.values.equality import equal

UNITS_A_SECOND = 150_000_000
"""Units of work that a counted program does in a CPU second, on a slow machine."""
FREE_SECONDS, FACTOR = 1.0, 20
"""A program that uses more CPU seconds, and so many times those of its units, has hidden work."""


@dataclass(frozen=True, slots=True)
class Work:
    """``units`` of work on one case; None if it failed for ``cause``.

    Causes: ``wrong`` (another answer than expected), ``late`` (more work than allowed), ``error``,
    ``memory``, ``crash``, ``hidden`` (far more CPU time than the counted work needs).
    """

    units: int | None
    cause: str = ""


def uncounted(source: str) -> str:
    """Return why a program's work cannot be counted, "" if it can.

    A program is counted only if it can reach nothing of the counter: no frame, no evaluated text,
    no computed name, no module beyond a list of plain ones.
    """
    if guest.PREFIX in unicodedata.normalize("NFKC", source):
        return "names the counter"
    try:
        return str(helper.ask("reach", source=source))
    except TooLarge as error:
        return str(error)


def work(
    sandbox: Sandbox,
    task: Task,
    source: str,
    cases: Sequence[Sequence[Value]],
    expected: Sequence[bytes] | None,
    *,
    most: int,
    memory: int = 1 << 30,
) -> list[Work]:
    """Return a program's work on each case, each in a process of its own, loading included.

    Without ``expected``, any answer will do. ``most`` units are allowed on a case.
    """
    results = []
    for number, arguments in enumerate(cases):
        # A process for each case: no state of one call can save another one's work.
        run = _run(sandbox, task, source, arguments, most=most, memory=memory)
        right = None if expected is None else expected[number]
        found = _judged(task, run.outcomes[0], right, most)
        usual = FREE_SECONDS + FACTOR * (found.units or 0) / UNITS_A_SECOND
        is_hidden = found.units is not None and run.cpu > usual
        results.append(Work(None, "hidden") if is_hidden else found)
    return results


def lines(
    sandbox: Sandbox, task: Task, source: str, case: Sequence[Value], *, most: int
) -> dict[int, int]:
    """Return a program's work on a case by line; empty if it failed."""
    outcome = _run(sandbox, task, source, case, most=most, by_line=True).outcomes[0]
    if not isinstance(outcome, Returned):
        return {}
    _, is_returned, units = wire.decode(outcome.data)
    return units if is_returned is True and isinstance(units, dict) else {}


def seconds(most: int) -> float:
    """Return the CPU seconds in which a program does so many units on a slow machine."""
    return 2 + most / UNITS_A_SECOND


def _run(
    sandbox: Sandbox,
    task: Task,
    source: str,
    case: Sequence[Value],
    *,
    most: int,
    memory: int = 1 << 30,
    by_line: bool = False,
) -> ProgramRun:
    program = Program.of(task, source)
    facts = (source, task.entry_point, program.harness.row, most, by_line)
    text = f"{_text()}\nmeasured = worker(*{facts!r})\n"
    limits = Limits(cpu=seconds(most), load=6.0, memory=memory)
    return sandbox.run(program.around(text, "measured"), Inputs.of([case]), limits)


def _judged(task: Task, outcome: Outcome | None, expected: bytes | None, most: int) -> Work:
    if not isinstance(outcome, Returned):
        cause = {"TimedOut": "late", "OutOfMemory": "memory", "Raised": "error"}
        return Work(None, cause.get(type(outcome).__name__, "crash"))
    try:
        units, is_returned, answer = wire.decode(outcome.data)
    except (CodecError, ValueError, TypeError):
        return Work(None, "error")
    if type(units) is not int or units > most:
        return Work(None, "late")
    if is_returned is not True:
        return Work(None, "error")
    if expected is not None and not equal(wire.encode(answer), expected, task.rule):
        return Work(None, "wrong")
    return Work(units)


@cache
def _text() -> str:
    """Return the counter as a program's text, with the names of the sandbox that it builds on."""
    text = Path(guest.__file__).read_text(encoding="utf-8")
    # Inside, the modules of the sandbox's own guest are one.
    names = r"from evalplus_lite\.sandbox\.guest\.\w+ import"
    return re.sub(names, "from sandbox_inside import", text)
