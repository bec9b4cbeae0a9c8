"""What a cluster costs: beside processes of one machine, and how many workers one driver feeds.

    python -m scripts.benchmarks.cluster --pairs 5
    python -m scripts.benchmarks.cluster --simulate 64 --simulate 256 --simulate 1024

``--pairs`` judges the same programs with ``processes`` and on a Ray cluster of this machine, one
after the other, so many times, each in a process of its own that has everything started before the
clock runs. ``--simulate`` judges distinct programs of HumanEval+ with so many workers, ``--node`` a
node, that are simulated: each program takes as long as a real one of its task took here (of all
``--samples``, which are judged first), and the driver does all that it does for real ones. There
are as many programs as the workers need ``--seconds`` for. ``fed`` is the share of their time that
the workers worked until the last program was dealt, ``efficiency`` until the last row was written,
which the slowest programs decide in a short run, and ``whole`` from the first line read to the last
file written; ``driver us`` is the driver's processor time a program.
"""

from __future__ import annotations

import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from evalplus_lite import Sample, Session, evaluate, load_dataset
from evalplus_lite.execution.base import Row
from evalplus_lite.execution.channel import encoded
from evalplus_lite.execution.processes import Processes
from scripts.benchmarks.checkout import SHARED, write_rows
from scripts.benchmarks.figures import Row as Cells
from scripts.benchmarks.figures import Table, arguments
from scripts.benchmarks.processes import environment, memory
from scripts.benchmarks.simulated import Simulated

DATASET = SHARED / "datasets" / "HumanEvalPlus.jsonl.gz"
SAMPLES = SHARED / "samples" / "humaneval"


def main() -> None:
    """Measure what the command line asks for."""
    parser = arguments(__doc__)
    parser.add_argument("--dataset", default=str(DATASET))
    parser.add_argument("--samples", default=str(next(SAMPLES.glob("gpt-3.5*.jsonl.gz"), "")))
    parser.add_argument("--pairs", type=int, default=0)
    parser.add_argument("--simulate", type=int, action="append", default=[])
    parser.add_argument("--seconds", type=float, default=120, help="that the workers have work for")
    parser.add_argument("--node", type=int, default=16, help="workers of a simulated node")
    parser.add_argument("--one", metavar="BACKEND", help="judge once, and print what it took")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(judged(given.one, given.dataset, given.samples)))
        return
    pairs, simulated = Table(), Table()
    for number in range(given.pairs):
        order = ("processes", "ray") if number % 2 == 0 else ("ray", "processes")
        for name in order:
            pairs.add(alone(name, given.dataset, given.samples))
    if given.simulate:
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder, "table")
            mean = calibrated(table, given.dataset, given.samples)
            for workers in given.simulate:
                count = round(given.seconds * workers / mean)
                simulated.add(simulate(given.dataset, table, workers, given.node, count))
    simulated.save(given.record, pairs={"columns": pairs.columns, "rows": pairs.rows})


def judged(backend: str, dataset: str, samples: str) -> Cells:
    """Judge samples with a backend that has been at work before; return what that took."""
    options: dict[str, Any] = {"workers": 2} if backend == "processes" else {}
    with tempfile.TemporaryDirectory() as folder, Session(backend=backend, **options) as session:
        data = load_dataset(dataset, session=session)
        references = [Sample(task.id, task.reference) for task in data.tasks]
        evaluate(data, references, session=session)  # the cache is filled, suites are prepared
        wall, cpu = time.monotonic(), time.process_time()
        result = evaluate(data, samples, out=Path(folder, "out"), session=session)
        wall, cpu = time.monotonic() - wall, time.process_time() - cpu
    count = result.summary["samples"]
    return {
        "backend": backend,
        "programs": count,
        "wall s": round(wall, 2),
        "driver us": round(cpu / count * 1e6),
        "MiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
    }


def alone(backend: str, dataset: str, samples: str) -> Cells:
    """``judged`` in a process of its own."""
    command = [sys.executable, "-m", "scripts.benchmarks.cluster", "--one", backend]
    command += ["--dataset", dataset, "--samples", samples]
    done = subprocess.run(command, env=environment(), stdout=subprocess.PIPE, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


class Seen(Processes):
    """Processes that keep what they were dealt, and the row of each item."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self.seen: list[tuple[Row, Row]] = []

    def map(self, call: Any, items: Iterable[Row], **options: Any) -> Iterator[Row]:
        """As the backend's, with a copy kept."""
        ours, theirs = itertools.tee(items)
        for item, row in zip(ours, super().map(call, theirs, **options), strict=True):
            self.seen.append((item, row))
            yield row


def calibrated(path: Path, dataset: str, samples: str) -> float:
    """Write by task its evidence and what real programs of it gave and took; return the mean."""
    data = load_dataset(dataset)
    known: dict[str, tuple[Any, list[Row]]] = {}
    found: dict[str, list[Row]] = defaultdict(list)
    backend = Seen(2)
    with backend, Session() as session:
        session._pool = backend
        evaluate(data, samples, session=session, extract=False)
    evidence: dict[str, Any] = {}
    for item, row in backend.seen:
        if not isinstance(item, tuple) or len(item) != 3 or not isinstance(row, tuple):
            continue
        _, task, _ = item
        said, rows = row
        evidence[task] = evidence.get(task) or said
        for verdicts, line, cost, problem in rows:
            if problem or verdicts is None:
                continue  # no verdict, so nothing to simulate
            seconds = json.loads(cost)["cpu"]
            found[task].append((seconds, verdicts, _indexed(line), _indexed(cost)))
    known = {task: (evidence[task], rows) for task, rows in found.items()}
    path.write_bytes(encoded(known))
    times: list[float] = [row[0] for rows in found.values() for row in rows]
    print(f"{len(times)} real programs took {1000 * sum(times) / len(times):.1f} ms on average")
    return sum(times) / len(times)


def _indexed(line: str) -> str:
    """Return a row's line with a mark in the place of its number."""
    row = json.loads(line)
    return line.replace(f'"index": {row["index"]}', '"index": @', 1)


def simulate(dataset: str, table: Path, workers: int, node: int, programs: int) -> Cells:
    """Judge so many distinct programs with simulated workers."""
    data = load_dataset(dataset)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tasks = data.tasks
        rows = (
            {"task_id": tasks[n % len(tasks)].id, "solution": program(n)} for n in range(programs)
        )
        samples = write_rows(folder / "samples.jsonl", rows)
        backend = Simulated(max(1, workers // node), min(node, workers), table)
        marks: list[tuple[float, float]] = []

        def mark(event: Any) -> None:
            if event.stage == "evaluate":
                marks.append((time.monotonic(), time.process_time()))

        with backend, Session(on_progress=mark) as session:
            session._pool = backend
            start = time.monotonic()
            evaluate(data, samples, out=folder / "out", session=session, extract=False)
            end = time.monotonic()
        begun, last = marks[0], marks[-1]
        wall, cpu = last[0] - begun[0], last[1] - begun[1]
        until, worked = backend.nodes.fed
        journal = sum(path.stat().st_size for path in (folder / "out").glob("results*"))
        return {
            "workers": workers,
            "programs": programs,
            "reading s": round(begun[0] - start, 1),
            "wall s": round(wall, 1),
            "a second": round(programs / wall),
            "fed": f"{100 * worked / (workers * (until - begun[0])):.1f} %",
            "efficiency": f"{100 * backend.nodes.busy / (workers * wall):.1f} %",
            "whole": f"{100 * backend.nodes.busy / (workers * (end - start)):.1f} %",
            "driver us": round(cpu / programs * 1e6),
            "tables s": round(end - last[0], 1),
            "MiB": round(memory(os.getpid(), "VmHWM")),
            "results MB": round(journal / 1e6),
        }


def program(number: int) -> str:
    """Return a program of common length that no other number gives."""
    lines = "".join(f"    x{n} = arguments[0] + {number + n}\n" for n in range(12))
    return f"def f(*arguments):\n{lines}    return x3\n"


if __name__ == "__main__":
    main()
