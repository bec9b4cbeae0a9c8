"""Judging in a supervisor: settings, prepared suites, and verdicts as rows of results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalplus_lite.errors import (
    CodecError,
    InfrastructureError,
    InputError,
    SandboxUnavailable,
    UnusableTask,
)
from evalplus_lite.execution.base import Ref, Row, WorkerContext
from evalplus_lite.execution.records import from_row, to_rows
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.grading.reference_runs import weak_places, without_weak
from evalplus_lite.jobs.expected import Prepared, SuiteSource, found_evidence, source_of, staged
from evalplus_lite.jobs.outputs import FAILURES
from evalplus_lite.programs import program_hash
from evalplus_lite.sandbox import Preset
from evalplus_lite.store.writing import dump_row
from evalplus_lite.tasks.unit_tests import in_words
from evalplus_lite.types import Failure, Suite, Task, clip
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
        return self.limited(task, suite, source.cache)

    def limited(self, task: Task, suite: Suite, cache: Path | None = None) -> PreparedSuite:
        """Return a suite with these limits, ready to run."""
        return PreparedSuite.of(
            task,
            suite,
            self.preset,
            memory=self.memory,
            total=self.total,
            cache=cache,
            has_plus=self.has_plus,
        )


# Programs of one task against its suite, as rows of results.

WHOLE_BYTES = 1 << 16
"""Maximum bytes of an input or output in a result row; larger ones are shortened."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The verdicts on a sample.

    ``plus`` is None without plus cases, ``stress`` if the program did not run on stress cases.
    ``strong``, the verdict without weak tests, is None if all are weak.
    """

    base: str
    plus: str | None
    stress: str | None
    strong: str | None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Verdicts:
        """Return the verdicts in a result row."""
        # A row has ``strong`` (None) only if all tests of its task are weak.
        strong = row.get("strong", row["plus"] or row["base"])
        return cls(row["base"], row["plus"], row.get("stress"), strong)


@dataclass(frozen=True, slots=True)
class JudgedSample:
    """A judged sample: its verdicts, and the lines of its row and its cost, in JSON.

    Without verdicts, ``problem`` is a failure of the machine, or "" for an unusable task.
    """

    verdicts: Verdicts | None
    row: str = ""
    cost: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class JudgedProgram:
    """A judged program: the parts of its samples' rows and costs, or ``problem`` (as there)."""

    row: Mapping[str, Any] | None
    cost: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""

    @property
    def is_shared(self) -> bool:
        """Whether equal programs with other layouts share the row, which names no line then."""
        row = self.row
        return row is not None and not any("line" in row.get(key, ()) for key in FAILURES)


@dataclass(frozen=True, slots=True)
class Suites:
    """A task's suite, its stress cases, and whether all its tests are weak."""

    main: PreparedSuite
    stress: PreparedSuite | None
    is_weak: bool


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
        self.reported: set[Ref] = set()

    @cached_property
    def shrinker(self) -> Shrinker:
        """Minimizes failing inputs; imported on first use, as it loads many modules."""
        from evalplus_lite.jobs.minimize import Shrinker

        return Shrinker(self.context.load(self.contracts))

    def __call__(self, item: Row) -> Row:
        """Take (task, its id, groups) and return (evidence, judged samples).

        ``task`` refers to shared data, groups come from ``samples.group_row``, evidence from
        ``found_evidence`` (None if this worker has returned it before), and samples are rows of
        ``JudgedSample``.
        """
        ref, task_id, groups = item
        judged: list[JudgedSample] = []
        for source, members in groups:
            programs = {source: self._judged(ref, source)}
            for index, text, model, temperature in members:
                program = programs[source]
                if text is not None and not program.is_shared:
                    if text not in programs:
                        programs[text] = self._judged(ref, text)
                    program = programs[text]
                if program.row is None:
                    judged.append(JudgedSample(None, problem=program.problem))
                    continue
                # Each sample keeps the hash of its own text, even if an equal program was run
                # instead.
                name = program_hash(source if text is None else text)
                row: dict[str, Any] = {"task_id": task_id, "index": index, "program": name}
                if model:
                    row["model"] = model
                if temperature is not None:
                    row["temperature"] = temperature
                line, cost = dump_row({**row, **program.row}), dump_row({**row, **program.cost})
                judged.append(JudgedSample(Verdicts.of(program.row), line, cost))
        # Evidence is the same for all items of a task, so it is returned only once; the cause of an
        # unusable task always, because a later job of the session has no verdicts to ask about.
        is_unusable = any(each.verdicts is None and not each.problem for each in judged)
        is_new = is_unusable or ref not in self.reported
        evidence = found_evidence(self.source, task_id) if is_new else None
        self.reported.add(ref)
        return evidence, to_rows(judged)

    def _judged(self, ref: Ref, source: str) -> JudgedProgram:
        # Three ends without a verdict: no usable case; no sandbox at all, which ends the run; and
        # a failure of the machine, which only affects this sample.
        try:
            suites = self.suites.under(ref, ref[1], lambda: self._prepared(ref))
            return self._run(suites, source)
        except UnusableTask:
            return JudgedProgram(None)
        except SandboxUnavailable:
            raise
        except InfrastructureError as error:
            return JudgedProgram(None, problem=str(error))

    def _run(self, suites: Suites, source: str) -> JudgedProgram:
        # Order: judge by the suite; minimize the failing input; run stress cases.
        sandbox, suite = self.context.sandbox, suites.main
        verdict = evaluate_program(sandbox, suite, source, details=self.settings.details)
        row: dict[str, Any] = {"base": verdict.base, "plus": verdict.plus}
        if verdict.failure is not None:
            row["failure"] = failure_row(suite.suite, verdict.failure)
            if self.contracts is not None:
                smallest = self.shrinker.smallest(sandbox, suite, source, verdict.failure)
                if smallest is not None:
                    row["smallest"] = failure_row(*smallest)
        if verdict.details is not None:
            row["details"] = list(verdict.details)
        if suites.is_weak:
            row["strong"] = None
        # Stress cases are meaningful only for right programs.
        if suites.stress is not None and verdict.passed:
            stress = evaluate_program(sandbox, suites.stress, source)
            # Stress cases are never base cases, so ``plus`` is the verdict on all of them.
            row["stress"] = stress.plus
            if stress.failure is not None:
                row["stress_failure"] = failure_row(suites.stress.suite, stress.failure)
        return JudgedProgram(row, {"cpu": round(verdict.cpu, 6), "memory": verdict.memory})

    def _prepared(self, ref: Ref) -> Suites:
        # Done once for all programs of the task: encode inputs, set limits, find weak tests.
        task, suite = staged(self.context, ref)
        main = self.settings.prepared(self.context, self.source, task, suite)
        is_weak = len(weak_places(task, main.suite)) == len(main.suite.cases)
        stress = None
        if self.settings.stress and main.suite.stress is not None:
            # Stress cases form a separate suite with its own total time.
            stress = replace(self.settings, has_plus=True).limited(
                task, main.suite.stress, self.source.cache
            )
        return Suites(main, stress, is_weak)


def failure_row(suite: Suite, failure: Failure) -> dict[str, Any]:
    """Return the deciding case of a verdict, with its input, expected and actual output."""
    case, expected = suite.cases[failure.case], suite.expected[failure.case]
    row: dict[str, Any] = {"case": failure.case, "verdict": failure.verdict}
    row["detail"] = failure.detail
    if failure.line is not None:
        row["line"] = failure.line
    row["input"] = whole(wire.encode(list(case.arguments)), WHOLE_BYTES)
    row["expected"] = whole(expected, WHOLE_BYTES)
    if failure.actual is not None:
        row["actual"] = whole(failure.actual, WHOLE_BYTES)
        if pair := words_of(expected, failure.actual):
            row["detail"] = f"got {pair[1]}, expected {pair[0]}"
    return row


def words_of(expected: bytes, actual: bytes = b"") -> tuple[str, str] | None:
    """Describe an expected and an actual output of unit tests; None for others, and unreadable."""
    if max(len(expected), len(actual)) > WHOLE_BYTES:
        return None
    try:
        text = in_words(decode_answer(expected), expected=True)
        answer = in_words(decode_answer(actual)) if text and actual else ""
    except CodecError:
        return None
    return (clip(text), clip(answer)) if text else None


def whole(data: bytes, most: int) -> Any:
    """Return a value as JSON, shortened if over ``most`` bytes, or why it cannot be read.

    It may be hostile, so it is decoded within bounds.
    """
    try:
        return {"$shortened": shown(data)} if len(data) > most else to_json(decode_answer(data))
    except CodecError as error:
        return {"$unreadable": str(error)}
