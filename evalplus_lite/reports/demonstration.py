"""The whole pipeline once: a dataset augmented, a recorded model judged, a small suite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evalplus_lite.jobs.augmentation import augment
from evalplus_lite.jobs.datasets import load_dataset, run_facts
from evalplus_lite.jobs.evaluation import evaluate
from evalplus_lite.jobs.generation import replayed
from evalplus_lite.jobs.reduction import Measured, reduce
from evalplus_lite.jobs.samples import SampleStream
from evalplus_lite.jobs.seeds import seed_source
from evalplus_lite.jobs.session import Result, Session
from evalplus_lite.reduction.set_cover import members
from evalplus_lite.reports.reporting import report
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.contracts import bundled
from evalplus_lite.types import Sample

ROUNDS = ("base", "plus", "mini")
"""The suites that samples are judged by."""


@dataclass(frozen=True, slots=True)
class DemonstrationResult(Result):
    """Sizes, scores and rejected mutants of each of the ``ROUNDS``."""

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each of the suites."""
        found = self.summary
        return [
            {
                "suite": name,
                "inputs": found["sizes"][name],
                "mutants": found["mutants"][name],
                **found["pass_at_k"][name],
            }
            for name in ROUNDS
        ]


def demonstrate(
    data: Dataset, folder: Path, *, inputs: int, seed: int, force: bool, session: Session
) -> DemonstrationResult:
    """Augment, judge a recorded model on base and new cases, reduce, judge again, and report.

    Everything is written below the folder; the same call goes on there, unless ``force`` drops it.
    """
    record = recorded()
    seeds = [record / "seeds.jsonl.gz"] if record and (record / "seeds.jsonl.gz").exists() else []
    source = seed_source(seeds, model=None, base_url=None, seed=seed)
    augmented = augment(
        data, inputs=inputs, seed=seed, seeds=source, out=folder, force=force, session=session
    )
    found = _judge_and_reduce(folder, record, session, force=force)
    run = run_facts(data, pool=session.pool(), seed=seed)
    page = folder / "report.html"
    title = f"evalplus-lite demo: {data.name}"
    report([folder], out=page, title=title, session=session)
    summary = {"run": run, "augmented": augmented.to_json(), **found, "report": str(page)}
    return DemonstrationResult(summary)


def recorded() -> Path | None:
    """Return the folder of the recorded model, the first by name; None where there is none."""
    folders = sorted(path.parent for path in bundled("data").glob("recorded/*/samples.jsonl.gz"))
    return folders[0] if folders else None


def _judge_and_reduce(
    folder: Path, record: Path | None, session: Session, *, force: bool
) -> dict[str, Any]:
    data = load_dataset(folder / "suite.jsonl.gz", session=session)
    samples: list[Sample] = []
    if record:
        path = folder / "samples.jsonl"
        replayed(record, data.tasks, path, force=force)
        samples = list(SampleStream(path, data, is_named=True))
    full, sure = _evaluated(data, samples, folder / "plus", session, force=force)
    small = reduce(data, samples, out=folder / "mini", session=session)
    few = replace(small.dataset, name="mini")
    mini, sure_of_mini = _evaluated(few, samples, folder / "mini", session, force=force)
    size = small.size
    return {
        "model": record.name if record else None,
        "samples": len(samples),
        "sizes": {
            "base": size.base,
            "plus": small.summary["cases"],
            "mini": size.base + size.chosen,
        },
        "pass_at_k": {"base": full["base"], "plus": full["plus"], "mini": mini["plus"]},
        "intervals": {**sure, "mini": sure_of_mini["plus"]},
        "mutants": _mutants(small.measured, [set(row["chosen"]) for row in small.to_rows()]),
    }


def _evaluated(
    data: Dataset, samples: list[Sample], folder: Path, session: Session, *, force: bool
) -> list[dict[str, Any]]:
    """Return pass@k, and its intervals, each by the names of the suites."""
    summary = evaluate(data, samples, out=folder, force=force, pooled=True, session=session).summary
    return [
        {name: found or {} for name, found in summary[key].items()}
        for key in ("pass_at_k", "intervals")
    ]


def _mutants(measured: Sequence[Measured], chosen: list[set[int]]) -> dict[str, int]:
    """Count the mutants of the references that each of the suites rejects."""
    counts = {"base": 0, "plus": 0, "mini": 0, "all": 0}
    for one, cases in zip(measured, chosen, strict=True):
        base = set(range(one.matrix.base_count))
        for requirement, killers in one.matrix.rows.items():
            if requirement.kind != "mutant":
                continue
            found = set(members(killers))
            counts["all"] += 1
            counts["plus"] += bool(found)
            counts["base"] += bool(found & base)
            counts["mini"] += bool(found & (base | cases))
    return counts
