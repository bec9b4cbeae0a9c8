"""Hold counted work against the speed clusters that EvalPerf published, task by task.

    python -m scripts.benchmarks.evalperf [--suite mbpp] [--programs 16]
    python -m scripts.benchmarks.evalperf --models 1

Programs that pass HumanEval+ or MBPP+ (``samples/passing_plus`` of the shared material) are drawn
evenly from the clusters of each task; those that EvalPerf put into several are left out. The figure
of a task is Spearman's rank correlation between cluster and the worst work on the largest size.

With ``--models`` that many programs of each model and task are drawn instead, both suites together.
DPS by counted work stands against DPS by EvalPerf's clusters on the same programs and pool, and
against the DPS that EvalPerf published for the same tasks; the last rows have Kendall's tau.
"""

from __future__ import annotations

import gzip
import json
import random
import statistics
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scipy.stats import kendalltau, spearmanr

from evalplus_lite import Dataset, Sample, Session, load_dataset
from evalplus_lite.efficiency import efficiency
from evalplus_lite.programs import program_hash
from evalplus_lite.programs.extraction import extract
from scripts.benchmarks.checkout import DATASETS, SHARED
from scripts.benchmarks.figures import Table, arguments

LEAST = 5
"""Programs of a task, counted and right, that a correlation needs."""


def main() -> None:
    """Read the command line, measure, print."""
    parser = arguments(__doc__)
    parser.add_argument("--suite", choices=sorted(DATASETS), default="humaneval")
    parser.add_argument("--programs", type=int, default=16, help="of a task")
    parser.add_argument("--models", type=int, default=0, help="programs of each model and task")
    parser.add_argument("--draw", type=int, default=0, help="seed of --models")
    options = parser.parse_args()
    if options.models:
        models(options.models, options.draw, options.workers).save(
            options.record, programs=options.models, draw=options.draw
        )
        return
    data = load_dataset(DATASETS[options.suite])
    drawn = list(programs(data, options.suite, options.programs))
    samples = [
        Sample(task, source, index=index, model="all")
        for index, (task, source, _) in enumerate(drawn)
    ]
    with Session(workers=options.workers) as session:
        rows = efficiency(data, samples, session=session).to_rows()
    counted = {(row["task_id"], row["program"]): row for row in rows if not row["reason"]}
    pairs: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for task, source, cluster in drawn:
        if row := counted.get((task, program_hash(source))):
            pairs[task].append((cluster, -max(row["units"][-1])))
    table, correlations = Table(), []
    for task, found in pairs.items():
        clusters, work = zip(*found, strict=True)
        if len(found) >= LEAST and len(set(clusters)) > 1 and len(set(work)) > 1:
            correlations.append(float(spearmanr(clusters, work).statistic))
            table.add({"task": task, "programs": len(found), "correlation": correlations[-1]})
    table.add({"task": "median", "programs": len(drawn),
               "correlation": statistics.median(correlations)})  # fmt: skip
    table.save(options.record, suite=options.suite, programs=options.programs)


def models(most: int, draw: int, workers: int | None) -> Table:
    """Return DPS of each model: counted, by cluster, and published."""
    rows = list(rows_of(SHARED / "benchmarks" / "evalperf" / "rows.jsonl.gz"))
    by_model: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        by_model[row["model"], row["task_id"]].append(row)
    drawn: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for key, some in sorted(by_model.items()):
        rng = random.Random(f"{draw}:{key}")
        drawn[key] = rng.sample(some, min(most, len(some)))
    figures: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for suite, name in DATASETS.items():
        if (found := SHARED / "samples" / "passing_plus" / f"{suite}.jsonl.gz").exists():
            data = load_dataset(name)
            sources = {(row["task_id"], program_hash(row["solution"])): row["solution"]
                       for row in rows_of(found)}  # fmt: skip
            for model, *three in compared(data, drawn, sources, workers):
                figures[model].append(tuple(three))
    table, columns = Table(), ("counted", "by cluster", "published")
    for model, some in sorted(figures.items()):
        means = map(statistics.fmean, zip(*some, strict=True))
        table.add({"model": model, "programs": len(some), **dict(zip(columns, means, strict=True))})
    for one, other in (columns[:2], columns[::2], columns[1:]):
        pairs = [(row[one], row[other]) for row in table.rows if one in row]
        tau = kendalltau(*zip(*pairs, strict=True)).statistic
        table.add({"model": f"Kendall's tau: {one}, {other}", "programs": len(pairs), one: tau})
    return table


def compared(
    data: Dataset, drawn: dict[tuple[str, str], list[dict[str, Any]]],
    sources: dict[tuple[str, str], str], workers: int | None,
) -> Iterator[tuple[str, float, float, float]]:  # fmt: skip
    """Yield model and the three DPS of each drawn program that was counted and is right."""
    samples, origins = [], []
    for (model, task), some in drawn.items():
        for at, row in enumerate(some):
            if source := sources.get((task, row["solution"])):
                text = extract(source, data[task]).source
                samples.append(Sample(task, text, index=at, model=model))
                origins.append(row)
    with Session(workers=workers) as session:
        counted = {(row["task_id"], row["program"]): row
                   for row in efficiency(data, samples, session=session).to_rows()}  # fmt: skip
    pools: dict[str, list[int]] = defaultdict(list)
    pairs = []
    for sample, row in zip(samples, origins, strict=True):
        work = counted.get((sample.task_id, program_hash(sample.source)))
        if work is not None and work["dps"] is not None:
            pairs.append((sample, row, work["dps"]))
            pools[sample.task_id].append(row["cluster"])
    for sample, row, figure in pairs:
        pool = pools[sample.task_id]
        share = 100 * sum(each <= row["cluster"] for each in pool) / len(pool)
        yield sample.model, figure, share, row["task_dps"]


def programs(data: Dataset, suite: str, most: int) -> Iterator[tuple[str, str, int]]:
    """Yield task, program and cluster, at most so many of a task."""
    folder = SHARED / "benchmarks" / "evalperf"
    clusters: dict[tuple[str, str], set[int]] = defaultdict(set)
    for row in rows_of(folder / "rows.jsonl.gz"):
        clusters[row["task_id"], row["solution"]].add(row["cluster"])
    by_task: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    path = SHARED / "samples" / "passing_plus" / f"{suite}.jsonl.gz"
    for row in rows_of(path):
        key = row["task_id"], program_hash(row["solution"])
        if len(clusters[key]) == 1 and None not in clusters[key]:
            by_task[row["task_id"]][min(clusters[key])].append(row["solution"])
    for task, by_cluster in by_task.items():
        for sources in by_cluster.values():
            random.Random(f"0:{task}").shuffle(sources)
        # One of each cluster in turn, so that rare ones count.
        columns = [[(rank, number) for rank in range(len(by_cluster[number]))]
                   for number in sorted(by_cluster)]  # fmt: skip
        for rank, number in sorted(pair for column in columns for pair in column)[:most]:
            yield task, extract(by_cluster[number][rank], data[task]).source, number


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file of ours."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        yield from map(json.loads, stream)


if __name__ == "__main__":
    main()
