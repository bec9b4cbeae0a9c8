"""Hold counted work against the speed clusters that EvalPerf published, task by task.

    python -m scripts.benchmarks.evalperf [--suite mbpp] [--programs 16]
    python -m scripts.benchmarks.evalperf --models 1 [--tasks 30]

Programs that pass HumanEval+ or MBPP+ (``samples/passing_plus`` of the shared material) are drawn
evenly from the clusters of each task; those that EvalPerf put into several are left out. The figure
of a task is Spearman's rank correlation between cluster and the worst work on the largest size.

With ``--models`` that many programs of each model and task are drawn instead, of both suites.
DPS by counted work stands against DPS by EvalPerf's clusters on the same programs and pool, and
against the DPS that EvalPerf published for the same tasks; the last rows have Kendall's tau.
"""

from __future__ import annotations

import gzip
import json
import random
import statistics
import sys
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
    parser.add_argument("--tasks", type=int, default=0, help="of --models (default: all)")
    parser.add_argument("--draw", type=int, default=0, help="seed of --models")
    options = parser.parse_args()
    if options.models:
        models(options.models, options.tasks, options.draw, options.workers).save(
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


def models(most: int, few: int, draw: int, workers: int | None) -> Table:
    """Return DPS of each model: counted, by cluster, and published."""
    by_task: dict[str, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for row in rows_of(SHARED / "benchmarks" / "evalperf" / "rows.jsonl.gz"):
        by_task[row["task_id"]][row["model"]].append(row)
    order = sorted(by_task)
    random.Random(draw).shuffle(order)
    suites = {}
    for suite, name in DATASETS.items():
        texts = rows_of(SHARED / "samples" / "passing_plus" / f"{suite}.jsonl.gz")
        sources = {(row["task_id"], program_hash(row["solution"])): row["solution"]
                   for row in texts}  # fmt: skip
        suites[suite] = load_dataset(name), sources
    figures: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    table, columns = Table(), ("counted", "by cluster", "published")
    with Session(workers=workers) as session:
        for id in order[:few] if few else order:
            data, sources = suites["mbpp" if id.startswith("Mbpp") else "humaneval"]
            drawn = [
                (model, row, sources[id, row["solution"]])
                for model, rows in sorted(by_task[id].items())
                for row in random.Random(f"{draw}:{model}").sample(rows, min(most, len(rows)))
            ]
            for model, *three, units, cluster in compared(data.only([id]), id, drawn, session):
                print(id, model, *three, units, cluster, file=sys.stderr, flush=True)
                figures[model].append(tuple(three))
    for model, triples in sorted(figures.items()):
        means = map(statistics.fmean, zip(*triples, strict=True))
        table.add({"model": model, "programs": len(triples),
                   **dict(zip(columns, means, strict=True))})  # fmt: skip
    for one, other in (columns[:2], columns[::2], columns[1:]):
        pairs = [(row[one], row[other]) for row in table.rows if one in row and other in row]
        tau = kendalltau(*zip(*pairs, strict=True)).statistic
        table.add({"model": f"Kendall's tau: {one}, {other}", "programs": len(pairs), one: tau})
    return table


def compared(
    data: Dataset, id: str, drawn: list[tuple[str, dict[str, Any], str]], session: Session
) -> Iterator[tuple[Any, ...]]:
    """Yield model, the three DPS, units and cluster of each program that was counted and right."""
    samples = [
        Sample(id, extract(source, data[id]).source, index=at, model=model)
        for at, (model, _, source) in enumerate(drawn)
    ]
    counted = {row["program"]: row
               for row in efficiency(data, samples, session=session).to_rows()}  # fmt: skip
    pairs = [
        (model, row, work)
        for sample, (model, row, _) in zip(samples, drawn, strict=True)
        if (work := counted.get(program_hash(sample.source))) and work["dps"] is not None
    ]
    pool = [row["cluster"] for _, row, _ in pairs]
    for model, row, work in pairs:
        share = 100 * sum(each <= row["cluster"] for each in pool) / len(pool)
        units = "" if work["reason"] else max(work["units"][-1])
        yield model, work["dps"], share, row["task_dps"], units, row["cluster"]


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
