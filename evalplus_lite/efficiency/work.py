"""Counted work: run a program with the counter, and check the answers of these runs."""

from __future__ import annotations

import marshal
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from evalplus_lite.efficiency import guest
from evalplus_lite.errors import CodecError
from evalplus_lite.programs import TooLarge, helper
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.sandbox.sandbox import ProgramRun
from evalplus_lite.types import Outcome, Returned, Task, Value
from evalplus_lite.values import wire
from evalplus_lite.values.equality import equal

UNITS_A_SECOND = 7_500_000
"""Units of work that a counted program does per CPU second on a slow machine."""


@dataclass(frozen=True, slots=True)
class Work:
    """``units`` of work on one case; None if it failed for ``cause``.

    Causes: ``wrong`` (not the expected answer), ``late`` (more work than allowed), ``error``,
    ``memory``, ``crash``, ``hidden`` (far more CPU time than the counted work needs); within this
    module also ``kept`` (not called, because an earlier call may have stored data).
    """

    units: int | None
    cause: str = ""


def uncounted(source: str) -> str:
    """Return why a program's work cannot be counted; "" if it can.

    A program is counted only if it cannot reach the counter: it uses no frames, no ``eval``, no
    computed names, and only modules from a list of safe ones.
    """
    if guest.PREFIX in unicodedata.normalize("NFKC", source):
        return "names the counter"
    try:
        return str(helper.ask("reach", source=source))
    except TooLarge as error:
        return str(error)


def work(
    sandbox: Sandbox, task: Task, source: str, cases: Sequence[Sequence[Value]],
    expected: Sequence[bytes] | None, *, most: int, memory: int = 1 << 30,
) -> list[Work]:  # fmt: skip
    """Return a program's work on each case, including loading, up to the first failure.

    ``most`` is the maximum units of a case. Without ``expected``, any answer counts. The program
    is loaded again for each case; one that could store data outside its own names gets a process
    for each.
    """
    rights = [None] * len(cases) if expected is None else expected
    done: list[Work] = []
    step = len(cases)
    while len(done) < len(cases) and not (done and done[-1].cause):
        part = slice(len(done), len(done) + step)
        found: list[Work] = []

        def note(_: int, outcome: Outcome, first: int = part.start, some: Any = found) -> bool:
            some.append(_judged(task, outcome, rights[first + len(some)], most))
            return not some[-1].cause

        run = _run(sandbox, task, source, cases[part], most=most, memory=memory, on_outcome=note)
        total = sum(most if each.cause == "late" else each.units or 0 for each in found)
        if run.cpu > seconds(total):  # some case hides work, so run each separately
            if len(found) > 1:
                step = 1
                continue
            found = [Work(None, found[0].cause or "hidden")]
        elif len(found) > 1 and found[-1].cause in ("kept", "memory"):
            found.pop()  # earlier cases may be the reason
        done += found
    return done


def lines(
    sandbox: Sandbox, task: Task, source: str, case: Sequence[Value], *, most: int
) -> dict[int, int]:
    """Return a program's work on a case, by line; empty if it failed."""
    outcome = _run(sandbox, task, source, [case], most=most, by_line=True).outcomes[0]
    if not isinstance(outcome, Returned):
        return {}
    _, is_returned, units = wire.decode(outcome.data)
    return units if is_returned is True and isinstance(units, dict) else {}


def seconds(most: int) -> float:
    """Return the CPU seconds for ``most`` units on a slow machine; using more means hidden work."""
    return 1 + most / UNITS_A_SECOND


TRIES, NOISE = 3, 0.003
"""Runs, of which the shortest counts; CPU seconds by which equal processes may differ."""


def cpu(
    sandbox: Sandbox, task: Task, source: str, cases: Sequence[Sequence[Value]], limits: Limits
) -> list[int | None]:
    """Return a program's CPU microseconds on each case, from a clock that it cannot reach.

    Each case runs in its own process. CPU time beyond the call and an empty program, as reported by
    the kernel, is added, such as loading or threads. None: the process failed.
    """

    def spent(program: Program, case: Sequence[Value]) -> tuple[float, float] | None:
        runs = [sandbox.run(program, Inputs.of([case]), limits, timed=True) for _ in range(TRIES)]
        found = [(run.outcomes[0], run.cpu) for run in runs]
        pairs = [(one.cpu, whole) for one, whole in found if isinstance(one, Returned)]
        return min(pairs) if len(pairs) == TRIES else None

    empty = spent(Program("def f():\n    return 0\n", "f"), ())
    times = [spent(Program.of(task, source), case) for case in cases]
    base = (empty[1] if empty else 0.0) + NOISE
    return [
        None
        if each is None
        else max(1, round(1e6 * (each[0] + max(0.0, each[1] - each[0] - base))))
        for each in times
    ]


def _run(
    sandbox: Sandbox, task: Task, source: str, cases: Sequence[Sequence[Value]],
    *, most: int, memory: int = 1 << 30, by_line: bool = False, on_outcome: Any = None,
) -> ProgramRun:  # fmt: skip
    program = Program.of(task, source)
    facts = (source, task.entry_point, program.harness.row, most, by_line)
    text = f"{_text()}\nmeasured = worker(*{facts!r})\n"
    inputs, limits = Inputs.of(cases), Limits(cpu=seconds(most), load=6.0, memory=memory)
    return sandbox.run(program.around(text, "measured"), inputs, limits, on_outcome=on_outcome)


def _judged(task: Task, outcome: Outcome | None, expected: bytes | None, most: int) -> Work:
    if not isinstance(outcome, Returned):
        cause = {"TimedOut": "late", "OutOfMemory": "memory", "Raised": "error"}
        return Work(None, cause.get(type(outcome).__name__, "crash"))
    try:
        units, is_returned, answer = wire.decode(outcome.data)
    except (CodecError, ValueError, TypeError):
        return Work(None, "error")
    if type(units) is not int or not 0 <= units <= most:
        return Work(None, "kept" if units == guest.KEPT else "late")
    if is_returned is not True:
        return Work(None, "error")
    if expected is not None and not equal(wire.encode(answer), expected, task.rule):
        return Work(None, "wrong")
    return Work(units)


@cache
def _text() -> str:
    """Return the counter's source, with imports adapted to the sandbox."""
    text = Path(guest.__file__).read_text(encoding="utf-8")
    # In the sandbox, all guest modules are a single one.
    names = r"from evalplus_lite\.sandbox\.guest\.\w+ import"
    text = re.sub(names, "from sandbox_inside import", text)
    # Compiled here, once, because the sandbox has the same interpreter.
    code = marshal.dumps(compile(text, "<counter>", "exec", dont_inherit=True))
    return f"import marshal\nexec(marshal.loads({code!r}))"
