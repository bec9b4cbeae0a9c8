"""One program on one case of its task, with its output, for ``rerun``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from evalplus_lite.errors import CodecError
from evalplus_lite.execution.base import Row, Work, WorkerContext
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.grading.subsets import subset
from evalplus_lite.jobs.workers.evaluation import failure_row
from evalplus_lite.jobs.workers.verification import Verification
from evalplus_lite.sandbox import Inputs, Program
from evalplus_lite.types import Returned
from evalplus_lite.values import wire
from evalplus_lite.values.source import decode_answer, shown

MOST_PRINTED = 4000
"""Characters shown of a program's output, and of its traceback."""
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


def rerunning(place: WorkerContext, settings: Row) -> Work:
    """Return the verdict on (staged task, program, case), in words."""
    judging = Verification(place, settings)

    def work(item: Row) -> dict[str, Any]:
        ref, source, number = item
        own = judging.settings
        whole = judging.ready(("staged", ref, own.has_plus), own).suite
        if not 0 <= number < len(whole.suite.cases):
            return {"cases": len(whole.suite.cases)}
        task = whole.task
        suite = subset(whole.suite, [number])
        prepared = PreparedSuite.of(task, suite, own.preset, memory=own.memory, total=own.total)
        verdict = evaluate_program(place.sandbox, prepared, source)
        failure = failure_row(suite, verdict) or {}
        row = {
            "verdict": "pass" if verdict.failure is None else verdict.failure.verdict,
            "detail": failure.get("detail", ""),
            "input": ", ".join(shown(wire.encode(each)) for each in suite.cases[0].arguments),
            "expected": shown(suite.expected[0]),
            "printed": "",
            "traceback": "",
        }
        if verdict.failure is not None and verdict.failure.actual is not None:
            try:
                row["actual"] = shown(verdict.failure.actual)
            except CodecError as error:
                row["actual"] = f"a value that cannot be read ({error})"
        # Output is not part of a verdict: a second run records it.
        if task.harness.kind == "call":
            wrapped = f"{source}{RECORDER}\n_record = _recorded({task.entry_point})\n"
            inputs = Inputs.of([suite.cases[0].arguments])
            (outcome,) = place.sandbox.run(
                Program.of(replace(task, entry_point="_record"), wrapped), inputs, prepared.limits
            ).outcomes
            if isinstance(outcome, Returned):
                try:
                    value = decode_answer(outcome.data)
                except CodecError:
                    value = None
                if type(value) is list and [type(each) for each in value] == [str, str]:
                    row["printed"], row["traceback"] = (text[:MOST_PRINTED] for text in value)
        return row

    return work
