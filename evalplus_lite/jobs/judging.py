"""Judging in a supervisor: settings, prepared suites, and verdicts as rows of results."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from evalplus_lite.errors import (
    CodecError,
    InfrastructureError,
    InputError,
    SandboxUnavailable,
    UnusableTask,
)
from evalplus_lite.execution.base import Ref, Row, WorkerContext
from evalplus_lite.execution.records import from_row
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.grading.reference_runs import weak_places, without_weak
from evalplus_lite.jobs.expected import Prepared, SuiteSource, found_evidence, source_of, staged
from evalplus_lite.jobs.outputs import FAILURES
from evalplus_lite.programs import program_hash
from evalplus_lite.sandbox import Preset
from evalplus_lite.store.writing import dump_row
from evalplus_lite.tasks.unit_tests import in_words
from evalplus_lite.types import Failure, Suite, Task, Verdict, clip
from evalplus_lite.values import wire
from evalplus_lite.values.codec import to_json
from evalplus_lite.values.source import decode_answer, shown

if TYPE_CHECKING:
    from evalplus_lite.jobs.minimize import Shrinker

# Settings, and suites prepared with them.


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings that decide verdicts, apart from tasks and samples; ``memory`` in bytes.

    ``total``: the seconds that all cases of a program may compute, and also that they may wait
    (None: the preset's).
    """

    preset: Preset
    memory: int = 1 << 30
    total: float | None = None
    details: bool = False
    has_plus: bool = True
    """Whether the data set has plus cases."""
    stress: bool = False
    """Whether passing programs also run on the stress cases."""
    weak_tests: bool = True
    """Whether to count tests that a program can pass by guessing."""

    def __post_init__(self) -> None:
        total = self.total
        if total is not None and not (type(total) in (int, float) and 0 < total < float("inf")):
            raise InputError(f"total is {self.total!r}", remedy="give seconds, such as 60, or None")

    def facts(self, name: str) -> dict[str, Any]:
        """Return the limits for a summary; ``name`` is the preset's."""
        return {
            "preset": name,
            "floor_seconds": self.preset.floor,
            "factor": self.preset.factor,
            "total_seconds": self.total,
            "memory_bytes": self.memory,
        }

    def prepared(
        self, context: WorkerContext, source: SuiteSource, task: Task, given: Suite | None
    ) -> PreparedSuite:
        """Return a task's suite, ready to run; raise UnusableTask if there is none."""
        suite = source.usable(context.sandbox, task, given).suite
        if not self.weak_tests:
            suite = without_weak(task, suite)
        return PreparedSuite.of(
            task,
            suite,
            self.preset,
            memory=self.memory,
            total=self.total,
            cache=source.cache,
            has_plus=self.has_plus,
        )


# Programs of one task against its suite, as rows of results.


WHOLE_BYTES = 1 << 16
"""Maximum bytes of an input or output in a result row; larger ones are shortened."""


Judged: TypeAlias = tuple[str, Any, dict[str, Any] | str, Any, Any]
"""Verdicts on base and plus; the row without its sample's name, or the cause; verdicts on stress
cases and without weak tests; and the program's cost."""


Suites: TypeAlias = tuple[PreparedSuite, PreparedSuite | None, bool]
"""A suite, its stress cases, and whether all its tests are weak."""


class SampleJudge:
    """Judges programs for staged tasks: work by name (``Call``).

    Its settings are (suite source, ``Settings``, where contracts to minimize under are staged).
    """

    def __init__(self, context: WorkerContext, row: Row) -> None:
        source, settings, contracts = row
        self.context, self.source = context, source_of(source)
        self.settings = from_row(Settings, settings)
        self.contracts = contracts
        self.suites: Prepared[Suites] = Prepared()
        self.reported: set[str] = set()

    @cached_property
    def shrinker(self) -> Shrinker:
        """Minimizes failing inputs; imported on first use, as it loads many modules."""
        from evalplus_lite.jobs.minimize import Shrinker

        return Shrinker(self.context.load(self.contracts))

    def __call__(self, item: Row) -> Row:
        """Take (task, its id, groups) and return (evidence, judged samples).

        ``task`` refers to shared data, groups come from ``samples.group_row``, and evidence from
        ``found_evidence`` (None if this worker has returned it before). A judged sample is (base,
        plus, line, others, cost): the verdicts, the lines of its row and of its cost, and the
        verdicts on stress cases and without weak tests. If it could not be judged, the third is
        the cause.
        """
        ref, task_id, groups = item
        judged = []
        for source, members in groups:
            # Equal programs share a verdict, unless it names a line: layouts differ.
            verdicts = {source: self._verdict(ref, source)}
            for index, text, model, temperature in members:
                verdict = verdicts[source]
                said = verdict[2]
                if text is not None and (
                    isinstance(said, str) or any("line" in said.get(key, ()) for key in FAILURES)
                ):  # the line number is specific to its text
                    verdict = verdicts.get(text) or self._verdict(ref, text)
                    verdicts[text] = verdict
                base, plus, rest, others, cost = verdict
                if isinstance(rest, str):
                    judged.append(verdict)
                    continue
                # Each sample keeps the hash of its own text, even if an equal program was run
                # instead.
                name = program_hash(source if text is None else text)
                row: dict[str, Any] = {"task_id": task_id, "index": index, "program": name}
                if model:
                    row["model"] = model
                if temperature is not None:
                    row["temperature"] = temperature
                lines = dump_row({**row, **rest}), dump_row({**row, **cost})
                judged.append((base, plus, lines[0], others, lines[1]))
        # Evidence is the same for all items of a task, so it is returned only once.
        evidence = None if task_id in self.reported else found_evidence(self.source, task_id)
        self.reported.add(task_id)
        return evidence, judged

    def _verdict(self, ref: Ref, source: str) -> Judged:
        try:
            suites = self.suites.under(ref, ref[1], lambda: self._prepared(ref))
            row, cost = self._judged(*suites, source)
        # Three ends without a verdict: no usable case; no sandbox at all, which ends the run; and
        # a failure of the machine, which only affects this sample.
        except UnusableTask:
            return "unusable", None, "", None, {}
        except SandboxUnavailable:
            raise
        except InfrastructureError as error:
            return "infra", None, str(error), None, {}
        # The verdicts on stress cases and without weak tests; whether all tests are weak.
        strong = row.get("strong", row["plus"] or row["base"])
        return row["base"], row["plus"], row, (row.get("stress"), strong, "strong" in row), cost

    def _judged(
        self,
        suite: PreparedSuite,
        stress: PreparedSuite | None,
        is_weak: bool,
        source: str,
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        # Order: judge by the suite; minimize the failing input; run stress cases.
        sandbox = self.context.sandbox
        verdict = evaluate_program(sandbox, suite, source, details=self.settings.details)
        row: dict[str, Any] = {"base": verdict.base, "plus": verdict.plus}
        failure = failure_row(suite.suite, verdict)
        if failure is not None:
            row["failure"] = failure
        if verdict.failure is not None and self.contracts is not None:
            smallest = self.shrinker.smallest(sandbox, suite, source, verdict.failure)
            if smallest is not None:
                row["smallest"] = _explained(*smallest)
        if verdict.details is not None:
            row["details"] = list(verdict.details)
        if is_weak:
            row["strong"] = None
        # Stress cases are meaningful only for right programs.
        if stress is not None and verdict.passed:
            strain = evaluate_program(sandbox, stress, source)
            # Stress cases are never base cases, so ``plus`` is the verdict on all of them.
            row["stress"] = strain.plus
            if (failure := failure_row(stress.suite, strain)) is not None:
                row["stress_failure"] = failure
        return row, {"cpu": round(verdict.cpu, 6), "memory": verdict.memory}

    def _prepared(self, ref: Ref) -> Suites:
        # Done once for all programs of the task: encode inputs, set limits, find weak tests.
        task, suite = staged(self.context, ref)
        prepared = self.settings.prepared(self.context, self.source, task, suite)
        is_weak = len(weak_places(task, prepared.suite)) == len(prepared.suite.cases)
        strain, settings = None, self.settings
        if settings.stress and (stress := prepared.suite.stress) is not None:
            # Stress cases form a separate suite with its own total time.
            strain = PreparedSuite.of(
                task,
                stress,
                settings.preset,
                memory=settings.memory,
                total=settings.total,
                cache=self.source.cache,
            )
        return prepared, strain, is_weak


def failure_row(suite: Suite, verdict: Verdict) -> dict[str, Any] | None:
    """Return the deciding case of a verdict, with its input, expected and actual output."""
    return None if verdict.failure is None else _explained(suite, verdict.failure)


def _explained(suite: Suite, failure: Failure) -> dict[str, Any]:
    # The answer may be hostile: it is decoded within bounds, or reported as unreadable.
    case, expected = suite.cases[failure.case], suite.expected[failure.case]
    row: dict[str, Any] = {"case": failure.case, "verdict": failure.verdict}
    row["detail"] = failure.detail
    if failure.line is not None:
        row["line"] = failure.line
    row["input"] = whole(wire.encode(list(case.arguments)), WHOLE_BYTES)
    row["expected"] = whole(expected, WHOLE_BYTES)
    if failure.actual is not None:
        try:
            row["actual"] = whole(failure.actual, WHOLE_BYTES)
            if pair := words_of(expected, failure.actual):
                row["detail"] = f"got {pair[1]}, expected {pair[0]}"
        except CodecError as error:
            row["actual"] = {"$unreadable": str(error)}
    return row


def words_of(expected: bytes, actual: bytes = b"") -> tuple[str, str] | None:
    """Describe an expected and an actual output of unit tests; None for other outputs."""
    if max(len(expected), len(actual)) > WHOLE_BYTES:
        return None
    text = in_words(decode_answer(expected), expected=True)
    return (clip(text), clip(in_words(decode_answer(actual)) if actual else "")) if text else None


def whole(data: bytes, most: int) -> Any:
    """Return a value as JSON, shortened if over ``most`` bytes; may raise CodecError."""
    return {"$shortened": shown(data)} if len(data) > most else to_json(decode_answer(data))
