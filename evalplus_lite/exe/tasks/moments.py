"""Four questions about one moment of a run, each easier than the next (REval, Chen et al. 2024).

A moment is a stop before a line of the function runs for the n-th time. Asked is which of some
lines run at all, what the variables hold, which line comes next, and what the call gives. Whoever
follows the run answers all; ``consistency`` scores how far an answer's understanding goes.
"""

from __future__ import annotations

import ast
import functools
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from evalplus_lite.exe.running.proof import Sandboxes
from evalplus_lite.exe.running.runs import CallableProgram, CallResult, Stop, canonical, stops
from evalplus_lite.exe.statistics.counting import after_docstring, does_nothing
from evalplus_lite.exe.tasks.mined import MinedTask, TaskCase

Kind = Literal["coverage", "state", "next", "output"]
KINDS: tuple[Kind, ...] = ("coverage", "state", "next", "output")
"""In the order in which understanding grows."""
MOST_MOMENTS = 300
"""Moments that a trace holds: of a run that has so many, the end is not known."""
MOST_LINES = 6
"""Lines of a question about coverage."""
TRIED = 3
"""Cases of a function that are searched for an execution state worth asking about."""
MAX_STATE = 1500
"""Characters of a state's text."""
END = "end"
"""The answer where no line of the function comes next."""


def moment_tasks(
    tasks: Sequence[MinedTask], sandboxes: Sandboxes, *, count: int, seed: int
) -> Iterator[MinedTask]:
    """Yield the questions of up to ``count`` moments, spread over functions, then over their cases.

    Functions whose trace stops within a statement of several lines are passed over.
    """
    rng = random.Random(f"{seed}:moments")
    usable = [task for task in tasks if task.cases and "signature" in task.facts]
    rng.shuffle(usable)
    found = [_of_task(task, sandboxes, seed) for task in usable]
    made = 0
    while found:
        left = []
        for moments in found:
            if made >= count:
                return
            questions = next(moments, None)
            if questions is not None:
                left.append(moments)
                made += 1
                yield from questions
        found = left


def _of_task(task: MinedTask, sandboxes: Sandboxes, seed: int) -> Iterator[list[MinedTask]]:
    """Yield the questions of one moment after the other: of each case one, then second ones."""
    rng = random.Random(f"{seed}:moments:{task.id}")
    lines = statement_lines(task.code, task.entry_point)
    steady = steady_lines(task.code, task.entry_point)
    subject = CallableProgram(task.entry_point, code=task.code)
    runs: list[tuple[TaskCase, tuple[Stop, ...], list[int]]] = []
    for case in rng.sample(task.cases, min(TRIED, len(task.cases))):
        trace = stops(sandboxes.plain, subject, case.call)
        if not 0 < len(trace) < MOST_MOMENTS or any(stop.line not in lines for stop in trace):
            continue
        fit = worth_asking(trace, case)
        places = [
            at
            for at, stop in enumerate(trace)
            if stop in fit and stop.line in steady and _follows(trace, at) in {END, *steady}
        ]
        if places and trace == stops(sandboxes.others[0], subject, case.call):
            rng.shuffle(places)
            places.sort(key=functools.partial(_ease, trace, lines))
            runs.append((case, trace, places))
    while runs:
        for case, trace, places in runs:
            yield _questions(task, case, trace, places.pop(0), lines, rng)
        runs = [run for run in runs if run[2]]


def statement_lines(code: str, entry_point: str) -> list[int]:
    """Return the lines of a function's body on which a statement or a clause begins."""
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef) and node.name == entry_point:
            body = node.body[after_docstring(node.body) :]
            return sorted({line for statement in body for line in _begun(statement)})
    return []


def _begun(part: ast.AST) -> Iterator[int]:
    """Yield the lines of what a run of a function may come to; of a function or class in it only
    where that begins."""
    if isinstance(part, ast.match_case):
        yield part.pattern.lineno  # a clause of match has no place of its own
    elif isinstance(part, ast.stmt | ast.ExceptHandler):
        if not (isinstance(part, ast.stmt) and does_nothing(part)):
            yield part.lineno
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return
    for inner in ast.iter_child_nodes(part):
        yield from _begun(inner)


def _follows(trace: Sequence[Stop], at: int) -> int | str:
    return trace[at + 1].line if at + 1 < len(trace) else END


def _ease(trace: Sequence[Stop], lines: Sequence[int], at: int) -> int:
    """Return 0 where the line that comes next is worth asking for, 1 where it is the one below,
    and 2 where the run ends."""
    following = _follows(trace, at)
    if following == END:
        return 2
    below = lines.index(trace[at].line) + 1
    return int(below < len(lines) and following == lines[below])


def _questions(
    task: MinedTask,
    case: TaskCase,
    trace: Sequence[Stop],
    at: int,
    lines: Sequence[int],
    rng: random.Random,
) -> list[MinedTask]:
    stop = trace[at]
    reached = {each.line for each in trace}
    others = [line for line in lines if line != stop.line]
    asked = sorted([stop.line, *rng.sample(others, min(MOST_LINES - 1, len(others)))])
    moment = f"{task.id}@{stop.line}#{stop.hit}/{task.cases.index(case)}"
    answers: Mapping[Kind, tuple[CallResult, dict[str, Any]]] = {
        "coverage": (
            CallResult("value", value=[line in reached for line in asked]),
            {"lines": asked},
        ),
        "state": (CallResult("value", value=dict(stop.state)), {}),
        "next": (CallResult("value", value=_follows(trace, at)), {}),
        "output": (case.answer, {}),
    }
    kept = ("package", "version", "licence", "origins", "module", "function", "python", "signature",
            "static", "tags", "difficulty")  # fmt: skip
    facts = {key: task.facts[key] for key in kept if key in task.facts}
    facts["breakpoint"] = stop_facts(task.code, stop)
    return [
        MinedTask(
            f"{moment}?{kind}",
            task.code,
            task.entry_point,
            (replace(case, answer=answer),),
            {**facts, "question": {"kind": kind, "moment": moment, **more}},
        )
        for kind, (answer, more) in answers.items()
    ]


def worth_asking(found: Sequence[Stop], case: TaskCase) -> list[Stop]:
    """Return the stops at which a variable holds what the call did not give.

    A state of arguments that nothing has changed, or of names for them, can be copied.
    """
    given = {canonical(value) for value in (*case.call.args, *case.call.kwargs.values())}
    # What the first line finds came with the call, by default or converted.
    given |= {canonical(value) for stop in found[:1] for value in stop.state.values()}
    return [
        stop
        for stop in found
        if len(stop.state) > 1
        and len(str(stop.state)) <= MAX_STATE
        and any(canonical(value) not in given for value in stop.state.values())
    ]


def steady_lines(code: str, entry_point: str) -> frozenset[int]:
    """Return the lines of a function to which a run comes once each time their statement runs.

    To others the interpreter comes back: to statements over several lines, to ``with`` on leaving,
    and on newer versions to comprehensions. A reader could not count that.
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
            # A clause's line is come to wherever it is tried, and not only where it is taken.
            odd.update(getattr(each, "pattern", each).lineno for each in clauses)
            pending += [each for block in blocks for each in block if isinstance(each, ast.stmt)]
            pending += [each for clause in clauses for each in clause.body]
    return frozenset(line for line, count in found.items() if count == 1) - odd


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def stop_facts(code: str, stop: Stop) -> dict[str, Any]:
    """Return what a question says of a stop: line, its text, how often, names of variables."""
    text = code.split("\n")[stop.line - 1].strip()
    return {"line": stop.line, "text": text, "hit": stop.hit, "variables": list(stop.state)}


def consistency(marks: Mapping[str, bool]) -> float:
    """Return REval's incremental consistency of the answers on one moment, from 0 to 1.

    ``marks`` say of each kind whether it is right. All four right are 1; only the first three 1/2,
    the first two 1/4, the first alone 1/8; anything else, such as a right output of a run that was
    not followed, is 0.
    """
    known = [marks.get(kind, False) for kind in KINDS]
    right = known.index(False) if False in known else len(known)
    if any(known[right:]) or not right:
        return 0.0
    return float(2.0 ** (right - len(KINDS)))
