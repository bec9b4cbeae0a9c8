"""The demo: augment a dataset, rank recorded models on it, and reduce it to a small suite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evalplus_lite.jobs.augmentation import augment, seed_source
from evalplus_lite.jobs.datasets import SUITE, load_dataset, run_facts
from evalplus_lite.jobs.evaluation import EvaluationResult, evaluate
from evalplus_lite.jobs.generation import replayed
from evalplus_lite.jobs.reduction import MeasuredTask, reduce
from evalplus_lite.jobs.samples import SampleStream
from evalplus_lite.jobs.session import Result, Session
from evalplus_lite.models.recording import SEEDS, Recording
from evalplus_lite.reduction.set_cover import members
from evalplus_lite.reports.reporting import report
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.contracts import bundled
from evalplus_lite.types import Sample

ROUNDS = ("base", "plus", "mini")
"""The suites on which samples are judged."""


@dataclass(frozen=True, slots=True)
class DemonstrationResult(Result):
    """The ranked models, and the size and rejected mutants of each suite in ``ROUNDS``."""

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each model, best on the augmented tests first."""
        return list(self.summary["models"])


def demonstrate(
    data: Dataset, folder: Path, *, inputs: int, seed: int, force: bool, session: Session
) -> DemonstrationResult:
    """Augment, judge recorded models on base and new cases, reduce, judge again, and report.

    Everything is written to the folder; the same call resumes there, unless ``force`` starts over.
    """
    records = recorded(data)
    seeds = [record / SEEDS for record in records if (record / SEEDS).exists()][:1]
    source = seed_source(seeds, model=None, base_url=None, seed=seed)
    augmented = augment(
        data, inputs=inputs, seed=seed, seeds=source, out=folder, force=force, session=session
    )
    judged = _judge_and_reduce(folder, records, session, force=force)
    run = run_facts(data, pool=session.pool(), seed=seed)
    page = folder / "report.html"
    title = f"evalplus-lite demo: {data.name}"
    report([folder], out=page, title=title, session=session)
    summary = {"run": run, "augmented": augmented.to_json(), **judged, "report": str(page)}
    return DemonstrationResult(summary)


def recorded(data: Dataset) -> list[Path]:
    """Return the folders of models recorded on a data set, by name."""
    folders = sorted(path.parent for path in bundled("data").glob("recorded/*/plan.json"))
    return [path for path in folders if Recording.open(path).dataset == data.name]


def _judge_and_reduce(
    folder: Path, records: Sequence[Path], session: Session, *, force: bool
) -> dict[str, Any]:
    data = load_dataset(folder / SUITE, session=session)
    samples: list[Sample] = []
    missing: dict[str, int] = {}
    for record in records:
        # A partial recording is judged on the tasks it covers, and never ranked.
        recording = Recording.open(record)
        tasks = [task for task in data.tasks if task.id not in recording.missing]
        missing[recording.model] = len(data) - len(tasks)
        path = folder / "samples" / f"{record.name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        replayed(record, tasks, path, force=force)
        samples += SampleStream(path, data, is_named=True)
    plus = evaluate(data, samples, out=folder / "plus", force=force, session=session)
    small = reduce(data, samples, out=folder / "mini", session=session)
    few = replace(small.dataset, name="mini")
    mini = evaluate(few, samples, out=folder / "mini", force=force, session=session)
    sizes = small.summary
    return {
        "models": _ranked(plus, mini, missing),
        "samples": len(samples),
        "sizes": {
            "base": sizes["base"],
            "plus": sizes["cases"],
            "mini": sizes["base"] + sizes["chosen"],
        },
        "mutants": _mutants(small.measured, [set(row["chosen"]) for row in small.to_rows()]),
    }


def _ranked(
    plus: EvaluationResult, mini: EvaluationResult, missing: Mapping[str, int]
) -> list[dict[str, Any]]:
    """Return pass@1 of each model on each suite, best first.

    Partial recordings come last, since they were scored on other tasks.
    """
    small = {(one["model"], one["temperature"]): one for one in mini.summary["groups"]}
    models = []
    for one in plus.summary["groups"]:
        name = one["model"], one["temperature"]
        scored = {"base": (one, "base"), "plus": (one, "plus"), "mini": (small[name], "plus")}
        models.append(
            {
                "model": one["model"],
                "temperature": one["temperature"],
                "tasks": one["tasks"],
                "missing": missing.get(one["model"], 0),
                "samples": one["samples"],
                "pass@1": {key: of["pass_at_k"][at]["pass@1"] for key, (of, at) in scored.items()},
                "intervals": {
                    key: list(of["intervals"][at]["pass@1"]) for key, (of, at) in scored.items()
                },
            }
        )
    return sorted(models, key=lambda one: (one["missing"] > 0, -one["pass@1"]["plus"]))


def _mutants(measured: Sequence[MeasuredTask], chosen: list[set[int]]) -> dict[str, int]:
    """Count the mutants of the references that each suite rejects."""
    counts = {"base": 0, "plus": 0, "mini": 0, "all": 0}
    for one, cases in zip(measured, chosen, strict=True):
        base = set(range(one.matrix.base_count))
        for requirement, killers in one.matrix.rows.items():
            if requirement.kind == "mutant":
                killing = set(members(killers))
                counts["all"] += 1
                counts["plus"] += bool(killing)
                counts["base"] += bool(killing & base)
                counts["mini"] += bool(killing & (base | cases))
    return counts
