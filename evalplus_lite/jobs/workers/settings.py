"""The settings of judging, and suites prepared for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InputError, UnusableTask
from evalplus_lite.execution.base import WorkerContext
from evalplus_lite.grading.evaluator import PreparedSuite
from evalplus_lite.grading.reference_runs import without_weak
from evalplus_lite.jobs.expected import SuiteSource
from evalplus_lite.sandbox import Preset
from evalplus_lite.types import Suite, Task


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings that decide verdicts, apart from tasks and samples; ``memory`` in bytes.

    ``total``: seconds that all cases of a program together may compute, and wait (None: by the
    preset).
    """

    preset: Preset
    memory: int = 1 << 30
    total: float | None = None
    details: bool = False
    has_plus: bool = True
    """Whether the data set has plus cases, and so verdicts on them."""
    stress: bool = False
    """Whether programs that pass are run on the stress cases, too."""
    weak_tests: bool = True
    """Whether tests count that a program could pass without knowing the task."""

    def __post_init__(self) -> None:
        if self.total is not None and not (type(self.total) in (int, float) and self.total > 0):
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
        self, place: WorkerContext, source: SuiteSource, task: Task, given: Suite | None
    ) -> PreparedSuite:
        """Return a task's suite, ready to be run; raises UnusableTask if there is none."""
        suite = source.usable(place.sandbox, task, given).suite
        if not self.weak_tests:
            suite = without_weak(task, suite)
        return self._of(task, suite, source)

    def strong(self, prepared: PreparedSuite, source: SuiteSource) -> PreparedSuite | None:
        """Return a suite without its weak tests, ready to be run; None if none is left."""
        try:
            suite = without_weak(prepared.task, prepared.suite)
        except UnusableTask:
            return None
        return self._of(prepared.task, suite, source)

    def _of(self, task: Task, suite: Suite, source: SuiteSource) -> PreparedSuite:
        return PreparedSuite.of(
            task,
            suite,
            self.preset,
            memory=self.memory,
            total=self.total,
            cache=source.cache,
            has_plus=self.has_plus,
        )

    def stressed(self, prepared: PreparedSuite, cache: Path | None) -> PreparedSuite | None:
        """Return the stress cases of a suite, ready to be run, if they are wanted and any."""
        stress = prepared.suite.stress
        if stress is None or not self.stress:
            return None
        return PreparedSuite.of(
            prepared.task, stress, self.preset, memory=self.memory, total=self.total, cache=cache
        )
