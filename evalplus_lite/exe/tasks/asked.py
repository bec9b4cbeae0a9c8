"""Selection of tasks for a frozen set: programs without comments, and calls that run much of them.

All rules are counts of runs and lengths of texts; no task is judged by hand.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Collection, Iterable
from dataclasses import replace
from statistics import median_low

from evalplus_lite.exe.inputs.validators import Executed, balanced
from evalplus_lite.exe.running.proof import Sandboxes
from evalplus_lite.exe.running.runs import (
    CallableProgram,
    Invocation,
    Measured,
    measure,
    parts_of,
    run,
)
from evalplus_lite.exe.selecting.static import MAX_CODE
from evalplus_lite.exe.statistics.counting import COUNTERS, instrument
from evalplus_lite.exe.statistics.measures import is_bare_string, static_statistics, variation
from evalplus_lite.exe.tasks.mined import MinedTask, TaskCase
from evalplus_lite.exe.tasks.worth import (
    FEW_ANSWERS,
    counted_cases,
    has_long_number,
    shows,
    tags_of,
)
from evalplus_lite.types import Value

CASES = 5
"""Minimum number of cases in a task."""
LINES, STATEMENTS, BRANCHES = 12, 5, 3
"""Minimum counts of a case: lines executed, distinct statements, and branch sides or loop
iterations."""
SHARE = 0.5
"""Minimum share of the program's statements that a case executes."""
MOST_LINES, MOST_TEXT = 150, 300
"""Maximum lines that a case executes; maximum characters of its call, and of its answer."""
_DIGITS = re.compile(
    r"\d{10}|[0-9a-f]{32}|(?=[a-zA-Z]*\d+[a-zA-Z]+\d)\w{24}|(?:\\x[0-9a-f]{2}[^\\]{0,3}){8}"
)
"""A number, digest or encoded text that is too long to work out, or eight escaped bytes."""
_STEPS = ("lines", "conditionals", "calls", "builtin_calls", "loop_iterations")


def without_comments(code: str) -> str:
    """Remove comments, docstrings and other bare strings from a program.

    A program that reads ``__doc__`` is not changed.
    """
    if "__doc__" in code:
        return code
    lines = code.split("\n")
    gone: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT:
            at, column = token.start[0] - 1, token.start[1]
            lines[at] = lines[at][:column].rstrip()
            if not lines[at]:
                gone.add(at)
    for node in ast.walk(ast.parse(code)):
        body = getattr(node, "body", None)
        idle = [*filter(is_bare_string, body)] if isinstance(body, list) else []
        for statement in idle:
            start, end = statement.lineno - 1, statement.end_lineno or 0
            indent = lines[start][: statement.col_offset]
            rest = lines[end - 1].encode()[statement.end_col_offset or 0 :]
            if indent.strip() or rest.strip():
                continue  # other code is on the line
            gone.update(range(start, end))
            if body and statement is body[0]:
                if len(idle) == len(body):
                    gone.remove(start)
                    lines[start] = f"{indent}pass"
                elif not lines[end]:
                    gone.add(end)  # the empty line after a docstring
    return "\n".join(line for at, line in enumerate(lines) if at not in gone)


def asked(task: MinedTask, sandboxes: Sandboxes) -> MinedTask | None:
    """Return a task with the cases that are worth asking, best first; None if there are too few.

    A case executes at least ``LINES``, ``STATEMENTS``, ``BRANCHES`` and ``SHARE``, and at most
    ``MOST_LINES``. Its answer is not empty, not visible in the call, and contains no long number or
    digest; call and answer are short. Cases drawn by type are left out if enough others remain. If
    enough runs are hard, more than half of the cases are. Cases that reach the most branches come
    first. Every case is run again, and must give the recorded answer.
    """
    written = instrument(task.code)
    if written is None or len(task.code) > MAX_CODE or "difficulty" not in task.facts:
        return None
    counting = CallableProgram(task.entry_point, code=written.code)
    counted = measure(sandboxes.plain, counting, [c.call for c in task.cases], COUNTERS).calls
    is_driven = _is_driven(task)
    runs: dict[str, Measured] = {}
    left: list[Executed] = []
    for case, source, measured in zip(task.cases, task.facts["sources"], counted, strict=True):
        if measured is not None and _is_worth(case, measured, written.wanted):
            runs[case.call.key] = measured
            steps, depth = (measured.steps[name] - is_driven for name in ("lines", "call_depth"))
            reached = measured.reached & written.wanted
            left.append(
                Executed(
                    case.call, case.answer, reached=reached, steps=steps, depth=depth, source=source
                )
            )
    own = [case for case in left if case.source != "types"]
    left = own if len(own) >= CASES else left
    left.sort(key=_rank)
    hard = [case for case in left if case.is_hard]
    if len(hard) >= CASES:
        light = [case for case in left if not case.is_hard]
        left = sorted([*hard, *light[: len(hard) - 1]], key=_rank)
    left = balanced(left)
    counted = tuple(runs[case.call.key] for case in left)
    paths = {tuple(map(each.steps.get, _STEPS)) for each in counted if each}
    answers = {case.answer.key for case in left}
    if len(left) < CASES or len(paths) < 2 or len(answers) <= FEW_ANSWERS:
        return None
    program = CallableProgram(task.entry_point, code=task.code)
    again = run(sandboxes.plain, program, [case.call for case in left], max_slow=1)
    if [each.key for each in again.answers] != [case.answer.key for case in left]:
        return None
    cases, facts = counted_cases(
        [(case.call, case.answer) for case in left], counted, is_driven=is_driven
    )
    iterations = [case.runtime["loop_iterations"] for case in cases]
    facts |= {
        "sources": [case.source for case in left],
        "tags": tags_of(task.code, iterations=iterations),
        "variation": variation([case.runtime for case in cases]),
        "static": static_statistics(task.code, task.entry_point),
    }
    return replace(task, cases=cases, facts={**task.facts, **facts})


def _rank(case: Executed) -> tuple[bool, int, str]:
    return case.source == "types", -len(case.reached), case.call.key


def _is_driven(task: MinedTask) -> bool:
    """Return whether the entry point was generated, so that its line and call are not counted."""
    lines = [case.runtime["lines"] for case in task.cases]
    return bool(median_low(lines) > task.facts["difficulty"]["lines"])


def _is_worth(case: TaskCase, measured: Measured, wanted: Collection[int]) -> bool:
    """Return whether a run does enough, and its call and answer can be worked out by a reader."""
    tests = {arm for arm in wanted if arm ^ 1 in wanted}
    statements = set(wanted) - tests
    executed = statements & measured.reached
    branches = len(tests & measured.reached)
    steps, answer = measured.steps, case.answer
    said = answer.message if answer.kind == "error" else repr(answer.value)
    return (
        LINES <= steps["lines"] <= MOST_LINES
        and len(executed) >= max(STATEMENTS, SHARE * len(statements))
        and max(branches, steps["loop_iterations"]) >= BRANCHES
        and max(len(said), len(case.written(""))) <= MOST_TEXT
        and not Executed(case.call, answer).is_trivial
        and (answer.kind == "error" or _is_answerable(case.call, answer.value, said))
    )


def _is_answerable(call: Invocation, value: Value, said: str) -> bool:
    """Return whether an answer is non-empty, not visible in the call, and free of long numbers.

    If a call has several decimals, one must be in the answer; otherwise the task is arithmetic.
    """
    is_number = isinstance(value, bool | int | float)
    given, held = _decimals(call.values), _decimals([value])
    return (
        bool(value or is_number)
        and not shows(call.values, value)
        and not has_long_number(value)
        and not _DIGITS.search(said)
        and (len(given) <= 1 or not given.isdisjoint(held))
    )


def _decimals(values: Iterable[Value]) -> set[float]:
    """Return the absolute values of the non-integer floats in values."""
    parts = (part for value in values for part in parts_of(value))
    return {abs(each) for each in parts if isinstance(each, float) and not each.is_integer()}
