"""Whether anything grows with the number of programs: memory, descriptors, processes.

    python -m scripts.benchmarks.scale --calls 20000
    python -m scripts.benchmarks.scale --programs 1640 --programs 164000

``--calls`` has one ``Verifier`` judge that many programs, all different, and shows after each tenth
part what this process and those below it hold. ``--programs`` has the real command judge that many
programs for the tasks of HumanEval+, all different, and shows the peak memory of its processes. The
programs return at once, and nearly all are wrong. Memory is resident, in MiB.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from evalplus_lite import Verdict, Verifier
from evalplus_lite.tasks import load_dataset
from scripts.benchmarks.checkout import DATASETS, write_rows
from scripts.benchmarks.figures import Row, Table, arguments
from scripts.benchmarks.processes import descendants, environment, memory

BATCH = 500


def main() -> None:
    """Measure what the command line asks for."""
    parser = arguments(__doc__)
    parser.add_argument("--dataset", default=str(DATASETS["humaneval"]))
    parser.add_argument("--calls", type=int, default=0)
    parser.add_argument("--programs", type=int, action="append", default=[])
    options = parser.parse_args()
    table = Table()
    if options.calls:
        for row in call(options.dataset, options.calls, options.workers):
            table.add(row)
    for count in options.programs:
        table.add(command(options.dataset, count, options.workers))
    table.save(options.record)


def call(dataset: str, calls: int, workers: int) -> Iterator[Row]:
    """Judge by the library; yield what it holds as it goes on."""
    with Verifier(dataset, workers=workers) as verifier:
        tasks = list(verifier.tasks.values())
        step = max(BATCH, calls // 10)
        for number in range(0, calls, BATCH):
            verdicts = verifier.verify_many(
                (tasks[n % len(tasks)].id, program(n, tasks[n % len(tasks)].entry_point))
                for n in range(number, number + BATCH)
            )
            assert all(isinstance(verdict, Verdict) for verdict in verdicts)
            if number == 0 or (number + BATCH) % step == 0:
                below = descendants(os.getpid())
                yield {
                    "calls": number + BATCH,
                    "MiB": round(memory(os.getpid())),
                    "MiB below": round(sum(map(memory, below))),
                    "descriptors": len(os.listdir("/proc/self/fd")),
                    "processes": len(below),
                    "threads": threading.active_count(),
                }


def command(dataset: str, count: int, workers: int) -> Row:
    """Judge by the command; return the most that its first process and all together held."""
    tasks = load_dataset(dataset).tasks
    chosen = ((number, tasks[number % len(tasks)]) for number in range(count))
    with tempfile.TemporaryDirectory() as folder:
        samples = write_rows(
            Path(folder, "samples.jsonl"),
            ({"task_id": t.id, "solution": program(n, t.entry_point)} for n, t in chosen),
        )
        ours = [sys.executable, "-m", "evalplus_lite", "evaluate", "--json"]
        ours += ["--dataset", dataset, "--samples", str(samples)]
        ours += ["--out", f"{folder}/out", "--workers", str(workers)]
        start, peak, whole = time.monotonic(), 0.0, 0.0
        process = subprocess.Popen(ours, env=environment(), stdout=subprocess.DEVNULL)
        while process.poll() is None:
            peak = max(peak, memory(process.pid, "VmHWM"))
            whole = max(whole, memory(process.pid) + sum(map(memory, descendants(process.pid))))
            time.sleep(0.1)
        wall = time.monotonic() - start
    assert process.returncode == 0, process.returncode
    return {
        "programs": count,
        "first process' peak MiB": round(peak),
        "all processes' peak MiB": round(whole),
        "wall s": wall,
        "programs a second": round(count / wall),
    }


def program(number: int, name: str) -> str:
    """Return a program that no other number gives."""
    answer = "arguments[0]" if number % 4 == 0 else f"[{number}] * (len(arguments) % 3)"
    return f"def {name}(*arguments):\n    return {answer}  # {number}\n"


if __name__ == "__main__":
    main()
