"""Recovery of base inputs from test programs, by running them on a recorder.

HumanEval has its inputs inside ``check(candidate)``, some in loops or drawn at random. The check
runs in the sandbox with the reference as candidate, wrapped to record a copy of each call's
arguments.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from evalplus_lite.errors import ReferenceSolutionError, UnusableTask
from evalplus_lite.execution.base import Call, Row, Work, WorkerContext
from evalplus_lite.execution.processes import Processes
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.store.cache import cache_path, read_cached, write_cached
from evalplus_lite.tasks.contracts import as_text
from evalplus_lite.tasks.dataset import Dataset
from evalplus_lite.types import Case, Returned, Task, Unusable, clip
from evalplus_lite.values import wire

# Generous: a check runs the reference on every base input at once.
LIMITS = Limits(cpu=20.0, load=5.0)
RANDOM_SEED = 0
CACHE_VERSION = 1  # part of every cache key: raise it when the computation changes

_RECORDER = """

def _record_calls(seed):
    import copy, inspect, random

    signature = inspect.signature({entry_point})
    calls = []

    def candidate(*positional, **named):
        arguments = signature.bind(*positional, **named).args
        calls.append(copy.deepcopy(arguments))
        return {entry_point}(*positional, **named)

    random.seed(seed)
    try:
        check(candidate)
    except BaseException as error:
        return calls, f"{{type(error).__name__}}: {{error}}"
    return calls, None
"""


def has_hidden_cases(task: Task) -> bool:
    """Return whether the task's base cases are only in a test program, ``extra["test"]``."""
    return not task.base and "def check(" in str(task.extra.get("test", ""))


def recover(sandbox: Sandbox, task: Task) -> Task:
    """Return the task with a case for each call that its test makes, in order.

    Keyword arguments become positional. The ``random`` module always gets the same seed. Raises
    ReferenceSolutionError if reference or test do not load or finish, or make no call, and
    UnusableTask if the reference fails the test: then one of them is wrong.
    """
    return _with_calls(task, *_calls(sandbox, *_item(task)))


def _item(task: Task) -> tuple[str, str, str, str]:
    return task.id, task.entry_point, task.reference, str(task.extra["test"])


def _with_calls(task: Task, calls: Sequence[tuple[Any, ...]], problem: str | None) -> Task:
    if problem is not None:
        detail = clip(f"the reference fails the task's own test: {problem}")
        raise UnusableTask(task.id, "test", detail)
    return replace(task, base=tuple(map(Case, calls)))


def with_base_cases(dataset: Dataset, backend: Processes, cache: Path | None = None) -> Dataset:
    """Return the dataset with the hidden base cases of all its tasks, kept in ``cache``.

    A task whose test or reference does not run, or whose reference fails the test, is unusable.
    """
    hidden = [task for task in dataset.tasks if has_hidden_cases(task)]
    found: dict[str, Task] = {}
    unusable: list[Unusable] = []
    results = _recovered(list(map(_item, hidden)), backend, cache)
    for task, (calls, problem) in zip(hidden, results, strict=True):
        try:
            found[task.id] = _with_calls(task, calls, problem)
        except UnusableTask as error:
            unusable.append(Unusable(task.id, "test", error.detail))
    tasks = tuple(found.get(task.id, task) for task in dataset.tasks)
    whole = replace(dataset, tasks=tasks)
    return whole.without(unusable) if unusable else whole


def _recovered(items: Sequence[Row], backend: Processes, cache: Path | None) -> list[Any]:
    """Return the result of ``recovering`` for each item, cached as a whole."""
    if not items:
        return []
    facts = [CACHE_VERSION, sys.version_info[:2], sorted({*backend.config.packages}), *items]
    path = cache_path(cache, "expected", facts, ".calls")

    def parse(file: BinaryIO) -> list[Any]:
        rows = wire.decode(file.read())
        if not isinstance(rows, list) or len(rows) != len(items):
            raise ValueError("a result for each item was expected")
        return rows

    rows = read_cached(path, parse)
    if rows is None:
        rows = list(backend.map(Call(f"{__name__}:{recovering.__name__}"), items))
        write_cached(path, [wire.encode(rows)])
    return rows


def recovering(place: WorkerContext, _: Row) -> Work:
    """Map (id, entry point, reference, test) to the arguments of all calls, and a problem."""

    def work(item: Row) -> Row:
        try:
            return _calls(place.sandbox, *item)
        except ReferenceSolutionError as error:
            return [], str(error).removeprefix(f"task {item[0]}: ")

    return work


def _calls(
    sandbox: Sandbox, id: str, entry_point: str, reference: str, test: str
) -> tuple[list[tuple[Any, ...]], str | None]:
    """Return the arguments of a test's calls, and the error if the reference fails the test."""
    source = f"{reference}\n\n{test}{_RECORDER.format(entry_point=entry_point)}"
    run = sandbox.run(Program(source, "_record_calls"), Inputs.of([(RANDOM_SEED,)]), LIMITS)
    outcome = run.outcomes[0]
    if not isinstance(outcome, Returned):
        raise ReferenceSolutionError(
            f"task {id}: its test does not run to an end: {as_text(outcome)}"
        )
    calls, problem = wire.decode(outcome.data)
    if not calls:
        raise ReferenceSolutionError(f"task {id}: its test calls nothing: {problem or 'it passes'}")
    return [tuple(arguments) for arguments in calls], problem
