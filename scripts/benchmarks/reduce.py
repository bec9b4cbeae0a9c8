"""What requirements and reduction cost, mode by mode, with evalplus' way of coverage beside.

    python -m scripts.benchmarks.reduce --dataset FILE [--samples FILE ...] [--tasks IDS]

By the real command. Expected outputs are known, nothing else that was computed before is used.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import coverage

from evalplus_lite.tasks import load_dataset
from evalplus_lite.types import Task
from scripts.benchmarks.checkout import DATASETS
from scripts.benchmarks.figures import Row, Table, arguments
from scripts.benchmarks.processes import Cost, evalplus_lite

MODES = ("coverage", "shapes", "mutants", "samples", "full")
COVERAGE_TASKS = 3
COVERAGE_INPUTS = 40


def main() -> None:
    """Measure."""
    parser = arguments(__doc__)
    parser.add_argument("--dataset", default=str(DATASETS["humaneval"]))
    parser.add_argument("--samples", action="append", default=[])
    parser.add_argument("--tasks", help="ids, globs or ranges")
    options = parser.parse_args()
    tasks = load_dataset(options.dataset, only=[options.tasks] if options.tasks else None).tasks
    inputs = sum(len(task.cases) for task in tasks)
    chosen = ["--dataset", options.dataset, "--workers", options.workers]
    chosen += ["--tasks", options.tasks] if options.tasks else []
    samples = [word for path in options.samples for word in ("--samples", path)]
    table = Table()
    with tempfile.TemporaryDirectory() as folder:

        def run(mode: str, *more: str) -> tuple[Cost, dict[str, Any]]:
            out = Path(folder, str(time.monotonic()))
            cost = evalplus_lite("reduce", *chosen, *more, "--mode", mode, "-o", out)
            return cost, json.loads((out / "reduction.json").read_text())

        run("samples")  # computes the expected outputs
        base, _ = run("samples", "--no-cache")
        table.add(shown("none: reading, expected outputs", base, inputs))
        for mode in MODES:
            cost, _ = run(mode, "--no-cache", *samples)
            table.add(shown(mode, cost, inputs))
        run("full", *samples)
        again, found = run("full", *samples)
        table.add(shown("full, requirements known", again, inputs))
    for task in [task for task in tasks if len(task.cases) >= COVERAGE_INPUTS][:COVERAGE_TASKS]:
        each = evalplus_way(task)
        table.add({"mode": f"coverage as evalplus does, {task.id}", "CPU ms an input": each})
    table.save(options.record, inputs=inputs, tasks=len(tasks), reduction=found)


def shown(mode: str, cost: Cost, inputs: int) -> Row:
    """Return a row of the table."""
    each = {"wall s": cost.wall, "CPU s": cost.cpu, "CPU ms an input": 1000 * cost.cpu / inputs}
    return {"mode": mode, **each, "first process CPU s": cost.parent_cpu}


def evalplus_way(task: Task) -> float:
    """Return the CPU ms of one Coverage and one report an input, as evalplus' reduction does."""
    cases: Sequence[Any] = task.cases[:COVERAGE_INPUTS]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "reference.py")
        path.write_text(task.reference)
        names: dict[str, Any] = {}
        code = compile(task.reference, str(path), "exec")
        start = time.process_time()
        for case in cases:
            measured = coverage.Coverage(
                data_file=None, config_file=False, branch=True, include=[str(path)]
            )
            measured.start()
            exec(code, names)
            names[task.entry_point](*case.arguments)
            measured.stop()
            measured.lcov_report(outfile=str(Path(folder, "lcov.info")))
        return 1e3 * (time.process_time() - start) / len(cases)


if __name__ == "__main__":
    main()
