"""Suites against programs known to be right or wrong: the field's figures, side by side."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.execution.base import Call
from evalplus_lite.pipelines.comparison import ComparedSuite, compared, judge_suite
from evalplus_lite.pipelines.context import Session, made_folder, within
from evalplus_lite.pipelines.datasets import prepared
from evalplus_lite.pipelines.equivalence import mutation_scores
from evalplus_lite.pipelines.expected import SuiteSource
from evalplus_lite.pipelines.facts import run_facts
from evalplus_lite.pipelines.results import Result
from evalplus_lite.pipelines.samples import Samples
from evalplus_lite.pipelines.truth import Given, told_apart
from evalplus_lite.pipelines.work.quality import costing
from evalplus_lite.pipelines.work.settings import Settings
from evalplus_lite.pipelines.work.staging import Staging
from evalplus_lite.sandbox import preset
from evalplus_lite.sandbox.limits import memory_bytes
from evalplus_lite.store import write_jsonl, write_text
from evalplus_lite.store.labels import file_name
from evalplus_lite.tasks import Dataset

POOL = 1000
"""Random inputs a task by which a mutant that survives every suite must agree with its reference to
count as equivalent."""


@dataclass(frozen=True, slots=True)
class QualityResult(Result):
    """How well suites tell right programs from wrong ones.

    ``false_alarms`` are the right programs that a suite rejects, each with the smallest input found
    for it; ``missed`` the wrong ones that a suite accepts. ``seconds`` is, for each suite, the CPU
    time that a right program takes on a task's cases here: the one figure that is measured anew.
    """

    false_alarms: tuple[dict[str, Any], ...]
    missed: tuple[dict[str, Any], ...]
    seconds: Mapping[str, float]

    @property
    def left_out(self) -> int:
        """How many rows of the sample files are no answers to any task."""
        return int(self.summary["left_out"])

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row a suite, and one for its base cases: ``suite``, ``cases``, ``tpr``, ..."""
        return [
            {
                "suite": suite["name"],
                "cases": kind,
                "cases_a_task": suite["cases_a_task"][kind],
                "tpr": found["tpr"]["value"],
                "tnr": found["tnr"]["value"],
                "tnr_past_base": found["tnr_past_base"]["value"],
                "detection_rate": found["detection_rate"]["value"],
                "verifier_accuracy": found["verifier_accuracy"]["value"],
                "coverage_area": found["coverage"]["area"],
                "mutation_score": None if mutants is None else mutants["score"]["value"],
            }
            for suite in self.summary["suites"]
            for kind in ("all", "base")
            if (found := suite[kind]) is not None
            for mutants in [suite["mutants"] and suite["mutants"][kind]]
        ]


def quality(
    datasets: Dataset | str | os.PathLike[str] | Sequence[Dataset | str | os.PathLike[str]],
    *,
    names: Sequence[str] = (),
    right: Samples = (),
    wrong: Samples = (),
    samples: Samples = (),
    truth: Dataset | str | os.PathLike[str] | None = None,
    mutants: bool = True,
    pool: int = POOL,
    limits: str = "default",
    memory: int | str = 1 << 30,
    extract: bool = True,
    seed: int = 0,
    strict: bool = False,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    session: Session | None = None,
) -> QualityResult:
    """Measure how well suites tell right programs from wrong ones, on the tasks that all have.

        result = quality("tasks.jsonl", samples=["samples.jsonl"], truth="tasks.jsonl", pool=50)
        result.to_rows()[0]["tnr"]

    ``right`` and ``wrong`` are programs known to be so; ``samples`` are told apart by a stronger
    suite, ``truth`` (one that fails only by time or memory is neither). Equal programs count once.
    Each figure stands beside that of the suite's base cases alone; docs/guide/quality.md says what
    they are. With ``mutants``, small faults are planted in the references, too: one that no suite
    notices and that answers ``pool`` random inputs as its reference does counts as equivalent.
    ``names`` are what the suites are called (default: by their files).

    ``limits``, ``memory`` and ``extract`` are those of ``evaluate``; ``seed`` draws pool and
    bootstrap. With ``out``, a folder, quality.json, false_alarms.jsonl, missed.jsonl, timing.json
    and all verdicts are written there, and the same call goes on after a kill, unless ``force``
    drops what is there. Raises InputError for what cannot be used, as a program that is both.
    """
    judged = {"limits": limits, "memory": memory}
    settings = Settings(preset(limits), memory_bytes(memory))
    given = Given(right, wrong, samples, extract=extract)
    if all(map(_is_none, (right, wrong, samples))):
        raise InputError("no program is given", remedy="give right or wrong ones, or samples")
    if (truth is None) != _is_none(samples):
        raise InputError(
            "samples and truth belong together", remedy="give both: the truth tells samples apart"
        )
    with within(session) as opened:
        suites = compared(datasets, opened, names=names, strict=strict)
        if truth is not None:
            given = replace(given, truth=prepared(truth, opened, strict=strict))
        folder = None if out is None else made_folder(out)
        places = [folder and folder / file_name(suite.name) for suite in suites]
        with told_apart(
            given, suites[0].data, opened, limits=judged, out=folder and folder / "truth",
            force=force,
        ) as programs:  # fmt: skip
            found = [
                judge_suite(suite, programs, opened, limits=judged, seed=seed, out=at, force=force)
                for suite, at in zip(suites, places, strict=True)
            ]
        scores: Sequence[dict[str, Any] | None] = [None] * len(suites)
        if mutants:
            sets = [suite.data for suite in suites]
            scores = mutation_scores(sets, opened, seed=seed, inputs=pool, out=folder, force=force)
        summary = {
            "run": run_facts(
                pool=opened.pool(),
                samples=programs.files,
                limits=settings.facts(limits),
                seed=seed,
            ),
            "tasks": len(suites[0].data.tasks),
            "programs": dict(programs.counts),
            "truth": given.truth and given.truth.name,
            "suites": [
                {**each.row, "mutants": score} for each, score in zip(found, scores, strict=True)
            ],
            "unusable": [row for suite in suites for row in suite.unusable],
            "notes": [row for suite in suites for row in suite.notes],
            "infra": [*programs.infra, *(line for each in found for line in each.infra)],
            "left_out": programs.left_out,
        }
        seconds = {suite.name: _seconds(suite, settings, opened) for suite in suites}
    alarms = tuple(row for each in found for row in each.false_alarms)
    missed = tuple(row for each in found for row in each.missed)
    result = QualityResult(summary, alarms, missed, seconds)
    if folder is not None:
        result.write_summary(folder / "quality.json")
        write_jsonl(folder / "false_alarms.jsonl", alarms)
        write_jsonl(folder / "missed.jsonl", missed)
        write_text(folder / "timing.json", json.dumps({"seconds_a_task": seconds}, indent=2) + "\n")
    return result


def _is_none(samples: Samples) -> bool:
    return isinstance(samples, Sequence) and not samples


def _seconds(suite: ComparedSuite, settings: Settings, session: Session) -> float:
    """Return the mean CPU seconds a task in which the suite accepts its own references."""
    staging = Staging(session.pool(), suite.data.suites)
    row = SuiteSource(cache=session.cache).settings, settings.to_row()
    call = Call(f"{costing.__module__}:{costing.__name__}", row)
    session.stage(f"{suite.name}: references", len(suite.data.tasks))
    total = 0.0
    for seconds in session.pool().map(call, map(staging.ref, suite.data.tasks)):
        session.advance()
        total += seconds
    return total / len(suite.data.tasks)
