"""Recovery of base inputs from test programs, by running them on a recorder.

HumanEval has its inputs inside ``check(candidate)``, some in loops or drawn at random. The check
runs in the sandbox with the reference as candidate, wrapped to record a copy of each call's
arguments.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evalplus_lite.errors import CodecError, EvalPlusLiteError, ReferenceSolutionError, UnusableTask
from evalplus_lite.execution.base import Call, Row, Work, WorkerContext
from evalplus_lite.execution.processes import Processes
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.store.cache import KEEPER, mark_used
from evalplus_lite.store.writing import replacing
from evalplus_lite.tasks.contracts import as_text
from evalplus_lite.tasks.dataset import Dataset
from evalplus_lite.types import Case, Outcome, Returned, Task, Unusable, clip
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


@dataclass(frozen=True, slots=True)
class Recovered:
    """A task with the base cases recovered from its test program.

    ``problem`` is the error if the reference fails its own test: then reference or test is wrong,
    and later calls are missing.
    """

    task: Task
    problem: str | None = None


def has_hidden_cases(task: Task) -> bool:
    """Return whether the task's base cases are only in a test program, ``extra["test"]``."""
    return not task.base and "def check(" in str(task.extra.get("test", ""))


def recover(sandbox: Sandbox, task: Task) -> Recovered:
    """Return the task with a case for each call that its test makes, in order.

    Keyword arguments become positional. The ``random`` module always gets the same seed. Raises
    ReferenceSolutionError if reference or test do not load or finish, or make no call.
    """
    source = task.reference + "\n\n" + str(task.extra["test"])
    source += _RECORDER.format(entry_point=task.entry_point)
    run = sandbox.run(Program(source, "_record_calls"), Inputs.of([(RANDOM_SEED,)]), LIMITS)
    calls, problem = _answer(task, run.outcomes[0])
    if not calls:
        raise ReferenceSolutionError(
            f"task {task.id}: its test calls nothing: {problem or 'it passes'}"
        )
    cases = tuple(Case(tuple(arguments)) for arguments in calls)
    return Recovered(replace(task, base=cases), problem)


def with_base_cases(dataset: Dataset, backend: Processes, cache: Path | None = None) -> Dataset:
    """Return the dataset with the hidden base cases of all its tasks, kept in ``cache``.

    A task whose test or reference does not run, or whose reference fails the test, is unusable.
    """
    hidden = [task for task in dataset.tasks if has_hidden_cases(task)]
    found: dict[str, Task] = {}
    unusable: list[Unusable] = []
    items = [
        (task.id, task.entry_point, task.reference, str(task.extra["test"])) for task in hidden
    ]
    for task, (calls, problem) in zip(hidden, _recovered(items, backend, cache), strict=True):
        if problem is None:
            base = tuple(Case(arguments) for arguments in calls)
            found[task.id] = replace(task, base=base)
        else:
            detail = clip(f"the reference fails the task's own test: {problem}")
            unusable.append(Unusable(task.id, "test", detail))
    tasks = tuple(found.get(task.id, task) for task in dataset.tasks)
    whole = replace(dataset, tasks=tasks)
    return whole.without(unusable) if unusable else whole


def _recovered(items: Sequence[Row], backend: Processes, cache: Path | None) -> list[Any]:
    """Return the result of ``recovering`` for each item, cached as a whole."""
    path = None
    if cache is not None and items:
        packages = sorted({*backend.config.packages})
        facts = json.dumps([CACHE_VERSION, sys.version_info[:2], packages, *items])
        key = hashlib.sha256(facts.encode("utf-8", "surrogatepass")).hexdigest()
        path = cache / "expected" / key[:2] / f"{key[2:]}.calls"
        with contextlib.suppress(OSError, CodecError):
            rows = wire.decode(path.read_bytes())
            if isinstance(rows, list) and len(rows) == len(items):
                mark_used(path)
                return rows
    rows = list(backend.map(Call(f"{__name__}:{recovering.__name__}"), items))
    if cache is not None and path is not None:
        # A cache that cannot be written only costs time.
        with contextlib.suppress(OSError, EvalPlusLiteError), replacing(path) as file:
            file.write(wire.encode(rows))
        KEEPER.wrote(cache, path)
    return rows


def recovering(place: WorkerContext, _: Row) -> Work:
    """Map (id, entry point, reference, test) to the arguments of all calls, and a problem."""

    def work(item: Row) -> Row:
        id, entry_point, reference, test = item
        try:
            found = recover(
                place.sandbox, Task(id, "", entry_point, reference, extra={"test": test})
            )
        except ReferenceSolutionError as error:
            return [], str(error).removeprefix(f"task {id}: ")
        return [case.arguments for case in found.task.base], found.problem

    return work


def require_recovered(recovered: Recovered) -> Task:
    """Return the task; raise UnusableTask if its reference failed its test."""
    if recovered.problem is None:
        return recovered.task
    detail = clip(f"the reference fails the task's own test: {recovered.problem}")
    raise UnusableTask(recovered.task.id, "test", detail)


def _answer(task: Task, outcome: Outcome | None) -> tuple[list[tuple[object, ...]], str | None]:
    if not isinstance(outcome, Returned):
        raise ReferenceSolutionError(
            f"task {task.id}: its test does not run to an end: {as_text(outcome)}"
        )
    calls, problem = wire.decode(outcome.data)
    return calls, problem
