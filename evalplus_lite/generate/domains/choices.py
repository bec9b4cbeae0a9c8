"""Choices: constraints that the user takes on or leaves off, on the command line or in a task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches

from evalplus_lite.errors import InputError
from evalplus_lite.generate.domains.evidence import Constraint
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.tasks.assertions import with_stated_contract
from evalplus_lite.types import Task

ALL = "all"


def with_choices(
    tasks: Sequence[Task], *, on: Sequence[str] = (), off: Sequence[str] = ()
) -> tuple[Task, ...]:
    """Return the tasks with the choices, each ``TASK:NAME`` or ``TASK:all``, besides their own.

    Raises InputError if there is no such task, or no such constraint of it: a task's own choices,
    too, are looked up here, before anything is computed.
    """
    chosen = {task.id: dict(task.constraints) for task in tasks}
    known = {task.id: task for task in tasks}
    for option, texts, is_on in (("--constraint", on, True), ("--no-constraint", off, False)):
        for text in texts:
            task, name = _parted(text, known, option)
            names = [constraint.name for constraint in _found(task)] if name == ALL else [name]
            chosen[task.id].update(dict.fromkeys(names, is_on))
    made = tuple(replace(task, constraints=chosen[task.id]) for task in tasks)
    for task in made:
        if task.constraints and task.base:
            _found(task)
    return made


def _found(task: Task) -> Sequence[Constraint]:
    return InputFilter.of_task(with_stated_contract(task)).found if task.base else ()


def _parted(text: str, known: dict[str, Task], option: str) -> tuple[Task, str]:
    """Return task and name: both may hold colons, so the task is one that there is."""
    fits = [id for id in known if text.startswith(f"{id}:")]
    if not fits:
        id = text.rpartition(":")[0] or text
        close = get_close_matches(id, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else "TASK is an id of the data set"
        raise InputError(f"{option} {text}: no task {id!r}", remedy=f"TASK:NAME; {hint}")
    id = max(fits, key=len)
    return known[id], text[len(id) + 1 :]
