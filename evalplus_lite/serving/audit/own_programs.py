"""Programs for the user's own tasks, for ``audit_verifier``; tests decide the right verdict."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.grading.null import (
    CONSTANTS,
    ECHO,
    ENDS,
    ON_TESTS,
    PRINTED,
    PRINTED_ECHO,
    null_program,
)
from evalplus_lite.grading.subsets import subset
from evalplus_lite.jobs.datasets import load_dataset, with_suites
from evalplus_lite.jobs.evaluation import evaluate
from evalplus_lite.jobs.expected import SuiteSource
from evalplus_lite.jobs.session import Session, within
from evalplus_lite.programs.mutation.mutants import mutants
from evalplus_lite.serving.audit.auditing import AuditProgram, AuditTask, ProgramSet
from evalplus_lite.tasks.contracts import has_check
from evalplus_lite.types import Sample, Suite, Task
from evalplus_lite.values import wire

MOST_CASES = 50
"""Cases of a task sent to a verifier: thousands would not fit into a request."""
MOST_MUTANTS = 4


def own_programs(
    dataset: str | os.PathLike[str],
    *,
    tasks: Sequence[str] | None = None,
    session: Session | None = None,
) -> ProgramSet:
    """Return right, wrong and cheating programs for the tasks of a data set.

    *right* is each task's reference; *wrong* are trivial programs and mutants of the reference;
    *cheat* are programs that exit, or answer with an object that equals everything. Wrong and
    cheating ones count if the first ``MOST_CASES`` tests reject them here. A task is left out if
    it is not a function or script, its values are not JSON, or a check decides its answers. Raises
    InputError if no task is left.
    """
    with within(session) as opened:
        data = load_dataset(dataset, tasks=tasks, session=opened)
        source = SuiteSource(given=data.suites, cache=opened.cache)
        usable = [task for task in data.tasks if task.reference and not has_check(task)]
        problems: dict[str, AuditTask] = {}
        suites: list[Suite] = []
        for task, suite in zip(usable, source.suites(usable, opened.pool()), strict=True):
            if suite is None:
                continue
            few = subset(suite, range(min(MOST_CASES, len(suite.cases))))
            if (problem := _problem(task, few)) is not None:
                problems[task.id] = problem
                suites.append(few)
        if not problems:
            raise InputError(
                "no task is a function or a script whose inputs and answers JSON holds",
                path=dataset,
            )
        few_data = with_suites(data, suites)
        offered = {
            (task.id, index): AuditProgram(f"{task.id}: {name}", category, problems[task.id], text)
            for task in few_data.tasks
            for index, (category, name, text) in enumerate(_programs(task))
        }
        samples = [Sample(id, each.text, index=index) for (id, index), each in offered.items()]
        rows = evaluate(few_data, samples, session=opened).to_rows()
    programs = []
    for row in rows:
        program = offered[row["task_id"], row["index"]]
        # A weak suite passes some trivial programs, and a verifier cannot do better.
        if program.is_right == (row["base"] == "pass" and row["plus"] in ("pass", None)):
            programs.append(program)
    return ProgramSet(0, tuple(programs), len(data.tasks) + len(data.unusable) - len(problems))


def _programs(task: Task) -> Iterator[tuple[str, str, str]]:
    """Yield the class, name and text of each program."""
    is_script = task.harness.kind == "script"
    yield "right", "the reference", task.reference
    bodies = {**PRINTED, **PRINTED_ECHO} if is_script else {**CONSTANTS, **ECHO}
    for name, body in bodies.items():
        yield "wrong", name, null_program(task, body)
    changed = mutants(task.reference, mutmut=False, script=is_script)
    for mutant in changed[:: max(1, len(changed) // MOST_MUTANTS)][:MOST_MUTANTS]:
        name = f"a mutant of the reference ({mutant.operator}, line {mutant.line})"
        yield "wrong", name, mutant.source
    if not is_script:  # a script may end early
        for name, (head, body) in ENDS.items():
            if not name.startswith(ON_TESTS):
                yield "cheat", name, null_program(task, body, head)


def _problem(task: Task, suite: Suite) -> AuditTask | None:
    """Convert a task for a verifier; None if its form is not supported."""
    cases: list[tuple[Any, Any]] = []
    for case, expected in zip(suite.cases, map(wire.decode, suite.expected), strict=True):
        arguments: Any = list(case.arguments)
        if not _is_json([arguments, expected]):
            return None
        cases.append((arguments, expected))
    if task.harness.kind == "script":
        texts = tuple((str(arguments[0]), expected) for arguments, expected in cases)
        return AuditTask(task.id, "script", task.prompt, texts)
    is_plain = task.harness.kind == "call" and task.harness.observe == ("value",)
    if not is_plain or task.harness.keywords or task.harness.code or task.harness.awaited:
        return None
    return AuditTask(task.id, "function", task.prompt, tuple(cases), task.entry_point)


def _is_json(value: Any) -> bool:
    """Return whether a value survives a round trip through JSON unchanged."""
    try:
        return repr(json.loads(json.dumps(value, allow_nan=False))) == repr(value)
    except (TypeError, ValueError):
        return False
