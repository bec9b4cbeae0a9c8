"""The rerun job: run a judged program on one case again."""

from __future__ import annotations

import difflib
import os
import shlex
from dataclasses import replace
from typing import Any

from evalplus_lite.errors import CodecError, EvalPlusLiteError, InputError
from evalplus_lite.execution.base import Call, Row, Work, WorkerContext
from evalplus_lite.execution.records import to_row
from evalplus_lite.grading.evaluator import evaluate_program
from evalplus_lite.grading.subsets import subset
from evalplus_lite.jobs.datasets import content_hash, load_dataset
from evalplus_lite.jobs.expected import SharedData, SuiteSource
from evalplus_lite.jobs.judging import Settings, failure_row, words_of
from evalplus_lite.jobs.outputs import RunGroup, group_of, read_evaluation
from evalplus_lite.jobs.session import Session, within
from evalplus_lite.jobs.verification import Verification
from evalplus_lite.sandbox import Inputs, Program, preset
from evalplus_lite.tasks import Dataset
from evalplus_lite.types import Returned
from evalplus_lite.values import wire
from evalplus_lite.values.source import decode_answer, shown

MOST_PRINTED = 4000
"""Maximum length of a program's output, and of its traceback, in characters."""
MOST_NAMED = 10
"""Maximum number of samples that an error names."""
RECORDER = f"""

def _recorded(function):
    import contextlib, io, traceback
    def call(*arguments, **keywords):
        text, trace = io.StringIO(), ""
        with contextlib.redirect_stdout(text):
            try:
                function(*arguments, **keywords)
            except BaseException:
                trace = traceback.format_exc()
        return [text.getvalue()[:{MOST_PRINTED}], trace[-{MOST_PRINTED}:]]
    return call
"""


def rerunning(context: WorkerContext, settings: Row) -> Work:
    """Return the verdict on (staged task, program, case) in readable form."""
    judging = Verification(context, settings)

    def work(item: Row) -> dict[str, Any]:
        ref, source, number = item
        own = judging.settings
        whole = judging.ready(("staged", ref, own.has_plus), own).suite
        # The parent does not know the suite, so an invalid number is detected here.
        if not 0 <= number < len(whole.suite.cases):
            return {"cases": len(whole.suite.cases)}
        task = whole.task
        # A suite of one case, because on the whole suite the run may end at an earlier failure.
        suite = subset(whole.suite, [number])
        prepared = own.limited(task, suite)
        failure = evaluate_program(context.sandbox, prepared, source).failure
        row = {
            "verdict": "pass" if failure is None else failure.verdict,
            "detail": "" if failure is None else failure_row(suite, failure)["detail"],
            "input": ", ".join(shown(wire.encode(each)) for each in suite.cases[0].arguments),
            "expected": (words_of(suite.expected[0]) or [shown(suite.expected[0])])[0],
            "printed": "",
            "traceback": "",
        }
        if failure is not None and failure.actual is not None:
            try:
                words = words_of(suite.expected[0], failure.actual)
                row["actual"] = words[1] if words else shown(failure.actual)
            except CodecError as error:
                row["actual"] = f"a value that cannot be read ({error})"
        # Printed output is not part of a verdict, so a second run records it.
        if task.harness.kind == "call":
            wrapped = f"{source}{RECORDER}\n_record = _recorded({task.entry_point})\n"
            inputs = Inputs.of([suite.cases[0].arguments])
            (outcome,) = context.sandbox.run(
                Program.of(replace(task, entry_point="_record"), wrapped), inputs, prepared.limits
            ).outcomes
            if isinstance(outcome, Returned):
                try:
                    # The program may have replaced the recorder, so its result is decoded like any
                    # other answer.
                    value = decode_answer(outcome.data)
                except CodecError:
                    value = None
                if type(value) is list and [type(each) for each in value] == [str, str]:
                    row["printed"], row["traceback"] = (text[:MOST_PRINTED] for text in value)
        return row

    return work


def rerun(
    folder: str | os.PathLike[str],
    sample: str,
    *,
    model: str | None = None,
    temperature: float | None = None,
    case: int | None = None,
    dataset: Dataset | str | os.PathLike[str] | None = None,
    session: Session | None = None,
) -> dict[str, Any]:
    """Run a judged program on a case again; return input, output, expected value and verdict.

    ``folder`` was written by ``evaluate``, ``sample`` is a task's id and a sample's index, such as
    ``HumanEval/0#3``, and ``case`` the position of a case (None: the deciding one). ``model`` and
    ``temperature`` are needed if several have a sample of that index, and ``dataset`` unless the
    summary names a published data set or an existing file.
    """
    # Order: find the sample, the case and the program; then the data set.
    evaluation = read_evaluation(folder)
    task_id, _, index = sample.rpartition("#")
    if not task_id or not index.isdecimal():
        raise InputError(f"{sample!r} names no sample", remedy="give TASK#INDEX")
    # Every model and temperature counts its samples from 0: find all rows of that index.
    names: dict[str, list[str]] = {}
    groups: dict[RunGroup, dict[str, Any]] = {}
    for each in evaluation.rows():
        others = names.setdefault(each["task_id"], [])
        if (each["task_id"], str(each["index"])) == (task_id, index):
            groups[group_of(each)] = each
        elif len(others) < MOST_NAMED:
            others.append(str(each["index"]))
    if task_id not in names:
        close = difflib.get_close_matches(task_id, names, n=1)
        remedy = f"did you mean {close[0]!r}?" if close else f"the first is {next(iter(names), '')}"
        raise InputError(f"no sample is for a task {task_id!r}", path=folder, remedy=remedy)
    if not groups:
        remedy = f"there are: {', '.join(names[task_id])}"
        raise InputError(f"{task_id} has no sample {index}", remedy=remedy)
    row = groups.get((model or None, temperature)) if model is not None else None
    if row is None:
        fitting = [
            each
            for (of, heat), each in groups.items()
            if model in (None, of or "") and temperature in (None, heat)
        ]
        if len({each["program"] for each in fitting}) != 1:
            options = [shlex.join(group_options(group)) for group in groups][:MOST_NAMED]
            problem = "several models or temperatures have" if fitting else "that model has no"
            raise InputError(f"{problem} {sample}", remedy=f"give one of: {'; '.join(options)}")
        row = fitting[0]
    number = row.get("failure", {}).get("case") if case is None else case
    if number is None:
        raise InputError(f"{sample} passed, no case decided", remedy="give --case")
    source = next((text for name, text in evaluation.programs() if name == row["program"]), None)
    if source is None:
        raise InputError(f"the program of {sample} is not there", path=folder)
    with within(session) as opened:
        data = judging_dataset(evaluation.data_path if dataset is None else dataset, opened)
        if content_hash(data) != evaluation.content:
            # After a run with --tasks, the whole data set differs, but its cases are the same.
            opened.note(f"{data.name} does not match the data set that judged: give that with -d")
        task = next((each for each in data.tasks if each.id == task_id), None)
        if task is None:
            raise InputError(f"{data.name} has no task {task_id!r}", remedy="give -d")
        # Use the run's limits, so that a timeout happens again.
        facts = evaluation.summary["run"]["limits"]
        settings = Settings(
            preset(facts["preset"]),
            facts["memory_bytes"],
            facts.get("total_seconds"),
            has_plus=data.has_plus,
        )
        pool = opened.pool()
        origin = SuiteSource(given=data.suites, cache=opened.cache)
        call = Call(f"{__name__}:rerunning", (origin.settings, to_row(settings), None))
        item = (SharedData(pool, data.suites).ref(task), source, number)
        result: dict[str, Any] = pool.submit(call, item, key=task_id, then=dict).result()
    if "cases" in result:
        most = result["cases"]
        raise InputError(f"{task_id} has no case {number}", remedy=f"give 0 to {most - 1}")
    return {"task_id": task_id, "index": row["index"], "case": number, **result}


def group_options(group: RunGroup) -> list[str]:
    """Return the options of ``rerun`` that name a model and a temperature."""
    model, heat = group
    return ["--model", model or "", *([] if heat is None else ["--temperature", str(heat)])]


def judging_dataset(dataset: Dataset | str | os.PathLike[str], session: Session) -> Dataset:
    """Return the data set named in a result; raise InputError if it cannot be read."""
    if isinstance(dataset, Dataset):
        return dataset
    try:
        return load_dataset(dataset, session=session)
    except EvalPlusLiteError as error:
        raise InputError(
            f"the data set {dataset} cannot be read: {error}", remedy="give it with -d"
        ) from error
