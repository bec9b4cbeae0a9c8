"""Questions about the values of local variables at a breakpoint (the paper's section 6)."""

from __future__ import annotations

import ast
import itertools
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from evalplus_lite.exe.running.proof import Sandboxes
from evalplus_lite.exe.running.runs import CallableProgram, CallResult, Stop, canonical, stops
from evalplus_lite.exe.tasks.mined import MinedTask, TaskCase
from evalplus_lite.generate.engine.pool import in_turn

TRIED = 3
"""Number of a function's cases to search for a program state worth asking about."""
MAX_STATE = 1500
"""Maximum length of a state's text in characters."""


def breakpoint_tasks(
    tasks: Sequence[MinedTask], sandboxes: Sandboxes, *, count: int, seed: int
) -> Iterator[MinedTask]:
    """Yield up to ``count`` questions, spread over functions, then over their cases."""
    usable = [task for task in tasks if task.cases and "signature" in task.facts]
    random.Random(f"{seed}:breakpoints").shuffle(usable)
    found = in_turn([_of_task(task, sandboxes, seed) for task in usable])
    yield from itertools.islice(found, count)


def _of_task(task: MinedTask, sandboxes: Sandboxes, seed: int) -> Iterator[MinedTask]:
    """Yield one question per case, then a second one per case, and so on."""
    rng = random.Random(f"{seed}:breakpoints:{task.id}")
    steady = steady_lines(task.code, task.entry_point)
    subject = CallableProgram(task.entry_point, code=task.code)
    runs: list[Iterator[MinedTask]] = []
    for case in rng.sample(task.cases, min(TRIED, len(task.cases))):
        trace = stops(sandboxes.plain, subject, case.call)
        fit = [stop for stop in worth_asking(trace, case) if stop.line in steady]
        if fit and trace == stops(sandboxes.others[0], subject, case.call):
            runs.append(_questions(task, case, rng.sample(fit, len(fit))))
    yield from in_turn(runs)


def _questions(task: MinedTask, case: TaskCase, found: Sequence[Stop]) -> Iterator[MinedTask]:
    kept = ("package", "version", "licence", "origins", "module", "function", "python", "signature",
            "static", "tags", "difficulty")  # fmt: skip
    facts = {key: task.facts[key] for key in kept if key in task.facts}
    for stop in found:
        place = f"{task.id}@{stop.line}#{stop.hit}/{task.cases.index(case)}"
        text = task.code.split("\n")[stop.line - 1].strip()
        shown = {"line": stop.line, "text": text, "hit": stop.hit, "variables": list(stop.state)}
        asked = replace(case, answer=CallResult("value", value=dict(stop.state)))
        yield MinedTask(
            place, task.code, task.entry_point, (asked,), {**facts, "breakpoint": shown}
        )


def worth_asking(found: Sequence[Stop], case: TaskCase) -> list[Stop]:
    """Return the stops at which a variable holds a value that is not among the arguments.

    Other states can be copied from the call.
    """
    given = {canonical(value) for value in case.call.values}
    # The state before the first line counts as arguments: defaults, or converted values.
    given |= {canonical(value) for stop in found[:1] for value in stop.state.values()}
    return [
        stop
        for stop in found
        if len(stop.state) > 1
        and len(str(stop.state)) <= MAX_STATE
        and any(canonical(value) not in given for value in stop.state.values())
    ]


def steady_lines(code: str, entry_point: str) -> frozenset[int]:
    """Return the lines of a function that are reached exactly once per run of their statement.

    The interpreter returns to other lines: in statements over several lines, on leaving ``with``,
    and in comprehensions since Python 3.12. A reader could not count such hits.
    """
    found: Counter[int] = Counter()
    odd: set[int] = set()
    pending: list[ast.stmt] = []
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef) and node.name == entry_point:
            pending = [*node.body]
    while pending:
        statement = pending.pop()
        found[statement.lineno] += 1
        head: list[ast.AST] = [statement]
        if isinstance(statement, ast.If | ast.While):
            head = [statement.test]
        elif isinstance(statement, ast.For):
            head = [statement.target, statement.iter]
        elif hasattr(statement, "body"):
            odd.add(statement.lineno)
        if any(getattr(each, "end_lineno", 0) != statement.lineno for each in head) or any(
            isinstance(part, _COMPREHENSIONS) for each in head for part in ast.walk(each)
        ):
            odd.add(statement.lineno)
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            blocks = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
            clauses = [*getattr(statement, "handlers", []), *getattr(statement, "cases", [])]
            # A clause's line is reached when it is tried, even if it is not taken.
            odd.update(getattr(each, "pattern", each).lineno for each in clauses)
            pending += [each for block in blocks for each in block if isinstance(each, ast.stmt)]
            pending += [each for clause in clauses for each in clause.body]
    return frozenset(line for line, count in found.items() if count == 1) - odd


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
