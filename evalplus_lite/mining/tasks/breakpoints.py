"""Predicting state instead of results: a function's variables when a line is about to run.

A task's case becomes a question about one stop: line, how many times it was reached before, and
the local variables there (those that are plain data).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evalplus_lite.mining.running.proof import Sandboxes
from evalplus_lite.mining.running.runs import CallableProgram, CallResult, Stop, stops
from evalplus_lite.mining.tasks.mined import MinedTask, TaskCase, read_tasks
from evalplus_lite.store import write_jsonl

MAX_STATE = 1500
"""Characters of a state's text: more is no fun to predict."""


def state_tasks(
    tasks: Sequence[MinedTask], sandboxes: Sandboxes, *, count: int, seed: int
) -> Iterator[MinedTask]:
    """Yield up to ``count`` tasks of one case each, spread over the functions."""
    rng = random.Random(f"{seed}:states")
    usable = [task for task in tasks if task.cases]
    rng.shuffle(usable)
    made = 0
    for task in usable:
        if made >= count:
            return
        case = rng.choice(task.cases)
        subject = CallableProgram(task.entry_point, task.signature, code=task.code)
        first = stops(sandboxes.plain, subject, case.call)
        again = stops(sandboxes.others[0], subject, case.call)
        fit = [s for s in first if len(s.state) > 1 and len(str(s.state)) <= MAX_STATE]
        if not fit or first != again:
            continue
        made += 1
        yield _task(task, case, rng.choice(fit))


def _task(task: MinedTask, case: TaskCase, stop: Stop) -> MinedTask:
    text = task.code.split("\n")[stop.line - 1].strip()
    facts: dict[str, Any] = {
        key: task.facts[key]
        for key in ("package", "version", "licence", "module", "function", "python", "static")
        if key in task.facts
    }
    facts["breakpoint"] = {
        "line": stop.line,
        "text": text,
        "hit": stop.hit,
        "variables": list(stop.state),
    }
    answer = CallResult("value", value=dict(stop.state))
    return MinedTask(
        f"{task.id}@{stop.line}#{stop.hit}",
        task.code,
        task.entry_point,
        (replace(case, answer=answer),),
        facts,
    )


def write_states(source: Path, out: Path, sandboxes: Sandboxes, *, count: int, seed: int) -> int:
    """Write state tasks of a file of tasks; return how many came of it."""
    made = list(state_tasks(list(read_tasks(source)), sandboxes, count=count, seed=seed))
    write_jsonl(out, (task.to_json() for task in made))
    return len(made)
