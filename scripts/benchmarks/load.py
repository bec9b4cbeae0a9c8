"""Whether verdicts hang on load: the same samples judged with and without busy processes beside.

    python -m scripts.benchmarks.load --samples FILE [--samples FILE ...] [--runs 5] [--busy 6]
    python -m scripts.benchmarks.load --references [--limits paper]

Judges each sample file once as the machine is, then ``--runs`` times with ``--busy`` processes
beside that do nothing but burn their processor's time, by the real command, and compares the
verdicts row by row. ``--references`` judges the data set's references instead: none may time out.
``--rival`` is a folder of an environment with evalplus, which is then put to the same.
Exits with 1 if one of our verdicts differs, or a reference does not pass.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from evalplus_lite.tasks import load_dataset
from scripts.benchmarks.checkout import DATASETS, result_rows, write_rows
from scripts.benchmarks.figures import Table, arguments
from scripts.benchmarks.processes import burning, evalplus_lite
from scripts.benchmarks.rivals import EVALPLUS, SECONDS, EvalPlus, rival_python

Verdicts = dict[tuple[str, int], tuple[str, str]]
"""Base and plus verdict by task id and index."""


def main() -> int:
    """Judge with and without load; print a line a run."""
    parser = arguments(__doc__)
    parser.add_argument("--dataset", default=DATASETS["humaneval"], type=Path)
    parser.add_argument("--samples", action="append", default=[], type=Path)
    parser.add_argument("--references", action="store_true")
    parser.add_argument("--limits", default="default", choices=SECONDS)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--busy", type=int, default=6)
    parser.add_argument("--rival", type=Path)
    options = parser.parse_args()
    table, failed = Table(), False
    with contextlib.ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if options.references:
            options.samples.append(references(options.dataset, work / "references.jsonl"))
        verifiers = {"evalplus_lite": lambda path: ours(path, options)}
        if options.rival:
            python = rival_python(options.rival, EVALPLUS)
            rival = EvalPlus(
                python, options.dataset, limits=options.limits, workers=options.workers
            )
            stack.enter_context(rival)
            verifiers["evalplus"] = lambda path: theirs(rival, path)
        for path in options.samples:
            for who, judge in verifiers.items():
                failed |= compare(table, path, options, who, judge) and who == "evalplus_lite"
    table.save(options.record)
    return 1 if failed else 0


def compare(
    table: Table,
    path: Path,
    options: argparse.Namespace,
    who: str,
    judge: Callable[[Path], Verdicts],
) -> bool:
    """Judge a file with and without load; return whether something is not as it must be."""
    quiet: Verdicts = {}
    failed = False
    for number in range(options.runs + 1):
        start = time.monotonic()
        with burning(options.busy if number else 0):
            found = judge(path)
        quiet = quiet or found
        differ = [key for key in quiet if found.get(key) != quiet[key]]
        row = {"samples": path.name.removesuffix(".gz").removesuffix(".jsonl")}
        row |= {"limits": options.limits, "verifier": who}
        table.add(
            {
                **row,
                "run": f"{options.busy} busy beside" if number else "as it is",
                "wall s": time.monotonic() - start,
                "load": os.getloadavg()[0],
                "differ": f"{len(differ)} of {len(quiet)}",
                "timeouts": sum("timeout" in pair for pair in found.values()),
            }
        )
        wrong = [key for key, pair in found.items() if pair != ("pass", "pass")]
        if path.name != "references.jsonl":
            wrong = []
        for key in differ + wrong:
            print(f"{key}: {quiet[key]}, then {found.get(key)}", file=sys.stderr)
        failed |= bool(differ or wrong) or len(found) != len(quiet)
    return failed


def references(dataset: Path, path: Path) -> Path:
    """Write the references of a data set as samples."""
    tasks = load_dataset(str(dataset)).tasks
    return write_rows(path, ({"task_id": t.id, "solution": t.reference} for t in tasks))


def ours(path: Path, options: argparse.Namespace) -> Verdicts:
    """Return our verdicts, by the real command."""
    with tempfile.TemporaryDirectory() as folder:
        chosen = ("--dataset", options.dataset, "--samples", path, "--limits", options.limits)
        evalplus_lite("evaluate", *chosen, "--out", folder, "--workers", options.workers, "--json")
        rows = result_rows(Path(folder))
    return {(row["task_id"], row["index"]): (row["base"], row["plus"]) for row in rows}


def theirs(rival: EvalPlus, path: Path) -> Verdicts:
    """Return evalplus' verdicts on HumanEval+ samples."""
    return {
        (task, index): (row["base_status"], row["plus_status"])
        for task, rows in rival.evaluate(path)[1].items()
        for index, row in enumerate(rows)
    }


if __name__ == "__main__":
    raise SystemExit(main())
