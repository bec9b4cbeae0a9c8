"""How many processors one command can keep at work: what its own process does, of all there is.

    python -m scripts.benchmarks.parent --record docs/measurements/parent.json

Each job runs as the real command, twice: with a small and a large part of the work. ``cores`` is
the processor time of all processes over that of the first, which deals and collects: so many
processors it can feed at most. ``beyond start`` leaves out what both runs have in common, such as
imports. First comes what a busy caller costs: a ``Verifier`` beside a thread that never waits, and
beside a process that does the same.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from evalplus_lite import Verifier
from evalplus_lite.tasks import load_dataset
from scripts.benchmarks.checkout import SHARED, write_rows
from scripts.benchmarks.figures import Row, Table, arguments
from scripts.benchmarks.processes import Cost, evalplus_lite

MINI = SHARED / "datasets" / "HumanEvalPlus-Mini.jsonl.gz"
SAMPLES = SHARED / "samples" / "humaneval" / "codegen-16b-temp0.8-n10.jsonl.gz"
BURN = "while True: sum(i * i for i in range(10**5))"
PROGRAMS = 600


def main() -> None:
    """Measure what the command line asks for."""
    parser = arguments(__doc__)
    parser.add_argument("--mini", type=Path, default=MINI, help="HumanEval+-Mini")
    parser.add_argument("--samples", type=Path, default=SAMPLES, help="samples for it")
    parser.add_argument("--busy", type=int, default=1, help="runs of a busy caller")
    options = parser.parse_args()
    table, beside = Table(), Table()
    for _ in range(options.busy):
        beside.add(busy(options.workers))
    with tempfile.TemporaryDirectory() as folder:
        for row in jobs(Path(folder), options.mini, options.samples):
            table.add(row)
    table.save(options.record, busy={"columns": beside.columns, "rows": beside.rows})


def jobs(folder: Path, mini: Path, samples: Path) -> Iterator[Row]:
    """Yield a row a job."""
    counts = (2_000, 8_000)
    tasks = quick_tasks(folder / "quick.jsonl")
    parts = [quick_samples(folder / f"quick-{count}.jsonl", count) for count in counts]
    few = folder / "suite" / "suite.jsonl.gz"
    yield measured(
        "evaluate: programs that return at once",
        *(("evaluate", "-d", tasks, "-s", part) for part in parts),
    )
    yield measured(
        "evaluate: HumanEval+-Mini",
        ("evaluate", "-d", mini, "-s", samples, "--tasks", "0-40"),
        ("evaluate", "-d", mini, "-s", samples),
    )
    yield measured(
        "augment: HumanEval",
        ("augment", "-d", "humaneval", "-n", 300, "--tasks", "0-40"),
        ("augment", "-d", "humaneval", "-n", 300),
    )
    evalplus_lite("augment", "-d", "humaneval", "-n", 300, "--tasks", "0-40", "-o", few.parent)
    yield measured(
        "reduce: HumanEval, augmented",
        ("reduce", "-d", few, "-s", samples, "--no-cache", "--tasks", "0-9"),
        ("reduce", "-d", few, "-s", samples, "--no-cache"),
    )


def measured(name: str, small: tuple[object, ...], large: tuple[object, ...]) -> Row:
    """Return what a job's two sizes cost."""
    with tempfile.TemporaryDirectory() as folder:
        less, more = (
            evalplus_lite(*job, "-o", Path(folder, str(n))) for n, job in enumerate((small, large))
        )
    return {
        "job": name,
        "cpu": round(more.cpu, 2),
        "parent": round(more.parent_cpu, 2),
        "cores": round(more.cpu / more.parent_cpu, 1),
        "beyond start": round(beyond(less, more), 1),
        "wall": round(more.wall, 1),
    }


def beyond(less: Cost, more: Cost) -> float:
    """Return the ratio of what the larger job took more."""
    parent = more.parent_cpu - less.parent_cpu
    return (more.cpu - less.cpu) / parent if parent > 0 else float("inf")


def quick_tasks(path: Path) -> Path:
    """Write twenty tasks that any program answers at once."""
    write_rows(
        path,
        (
            {
                "id": f"Quick/{number}",
                "prompt": "Double.",
                "entry_point": "f",
                "inputs": [[1], [2]],
                "reference": f"def f(x):\n    return x * 2 + {number}\n",
            }
            for number in range(20)
        ),
    )
    return path


def quick_samples(path: Path, count: int) -> Path:
    """Write so many programs for them, all different."""
    write_rows(
        path,
        (
            {
                "task_id": f"Quick/{number % 20}",
                "solution": f"def f(x):\n    y = {number}\n    return x * 2 + {number % 20}\n",
            }
            for number in range(count)
        ),
    )
    return path


def busy(workers: int | None) -> Row:
    """Return how many verdicts a second there are beside a burning thread and a process."""
    with tempfile.TemporaryDirectory() as folder:
        data = load_dataset(quick_tasks(Path(folder, "quick.jsonl")))
        rows = quick_samples(Path(folder, "samples.jsonl"), PROGRAMS).read_text().splitlines()
    pairs = [(row["task_id"], row["solution"]) for row in map(json.loads, rows)]
    with Verifier(data, workers=workers) as verifier:
        list(verifier.verify_many(pairs[:50]))
        process = subprocess.Popen([sys.executable, "-c", BURN])
        beside_process = rate(verifier, pairs)
        process.kill()
        process.wait()
        done = threading.Event()
        threading.Thread(target=burn, args=(done,), daemon=True).start()
        beside_thread = rate(verifier, pairs)
        done.set()
    lost = 100 * (1 - beside_thread / beside_process)
    return {
        "verdicts/s beside a process": round(beside_process, 1),
        "verdicts/s beside a thread": round(beside_thread, 1),
        "lost %": round(lost, 1),
    }


def burn(done: threading.Event) -> None:
    """Never wait until told."""
    while not done.is_set():
        sum(i * i for i in range(10**5))


def rate(verifier: Verifier, pairs: list[tuple[str, str]]) -> float:
    """Return verdicts a second."""
    start = time.monotonic()
    count = sum(1 for _ in verifier.verify_many(pairs))
    return count / (time.monotonic() - start)


if __name__ == "__main__":
    main()
