"""Tiny tasks with their suites."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from evalplus_lite.tasks import load_dataset
from evalplus_lite.types import Case, Rule, Suite, Task
from evalplus_lite.values import wire
from support.commands import write_rows

DOUBLE = "def f(x):\n    return x * 2\n"


def make_task(
    base: Iterable[Sequence[Any]] = ((1,), (2,)),
    plus: Iterable[Sequence[Any]] = (),
    *,
    reference: str = DOUBLE,
    id: str = "Tiny/0",
    entry_point: str = "f",
    contract: str | None = None,
    rule: Rule = Rule(),  # noqa: B008 - frozen
) -> Task:
    """Return a task whose cases have these arguments."""
    return Task(
        id=id,
        prompt=f'def {entry_point}(x):\n    """Do what the task says."""\n',
        entry_point=entry_point,
        reference=reference,
        base=tuple(Case(tuple(arguments)) for arguments in base),
        plus=tuple(Case(tuple(arguments), "plus") for arguments in plus),
        contract=contract,
        rule=rule,
    )


def own_task(folder: Path, **row: Any) -> Task:
    """Return the task of a file of one's own that holds this row."""
    (task,) = load_dataset(write_rows(folder / "own.jsonl", [row]), strict=True).tasks
    return task


def make_suite(task: Task, expected: Iterable[Any]) -> Suite:
    """Return the suite of a task's cases with these right answers."""
    data = tuple(wire.encode(value) for value in expected)
    return Suite(task.id, task.cases, data, len(task.base))
