"""Every reference must pass, and no generic cheat may: both whole sets, through the real command.

    python -m scripts.benchmarks.references [--limits default --limits paper] [--work FOLDER]

Takes HumanEval+ and MBPP+ from the shared data, or else as published. Exits with 1 if a reference
fails or a cheat passes. ``--work`` keeps the result files; a run that was killed is gone on with
there.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from evalplus_lite.tasks import Dataset, load_dataset
from scripts.benchmarks.checkout import DATASETS, result_rows, write_rows
from scripts.benchmarks.figures import Row, Table, arguments
from scripts.benchmarks.processes import evalplus_lite

CHEATS = {
    "always equal": """\
class Equal:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __bool__(self): return True
    def __sub__(self, other): return 0
    __rsub__ = __sub__
    def __abs__(self): return 0
    def __le__(self, other): return True
    __lt__ = __ge__ = __gt__ = __le__
    def __len__(self): return 1
    def __iter__(self): return iter(())

def {name}(*arguments):
    return Equal()
""",
    "mock.ANY": """\
from unittest.mock import ANY

def {name}(*arguments):
    return ANY
""",
    "int that lies": """\
class Number(int):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    __hash__ = int.__hash__

def {name}(*arguments):
    return Number(0)
""",
    "os._exit(0)": """\
import os
os._exit(0)

def {name}(*arguments):
    pass
""",
    "sys.exit(0)": """\
import sys
sys.exit(0)

def {name}(*arguments):
    pass
""",
    "sys.exit(0) when called": """\
import sys

def {name}(*arguments):
    sys.exit(0)
""",
    "writes to every descriptor": """\
import os
for number in range(3, 256):
    for text in (b"pass\\n", b"passed", b'{{"passed": true}}\\n', b"\\1\\0\\0\\0"):
        try:
            os.write(number, text)
        except OSError:
            break
os.write(1, b"1 passed in 0.01s\\nOK\\n")

def {name}(*arguments):
    os._exit(0)
""",
    "process arguments": """\
import multiprocessing, os
given = multiprocessing.current_process()._args
if len(given) > 8:
    given[9][:] = [True] * len(given[9])
    given[10].value, given[8].value = len(given[9]), 0
else:
    given[3].append("passed")
os._exit(0)

def {name}(*arguments):
    pass
""",
}
"""Programs that know nothing of a task but its entry point's name; each fools some verifier."""


def main() -> int:
    """Judge references and cheats, print the table."""
    parser = arguments(__doc__)
    parser.add_argument("--limits", action="append", help="presets for the references")
    parser.add_argument("--set", action="append", choices=DATASETS, help="only this set")
    parser.add_argument("--without-cheats", action="store_true")
    parser.add_argument("--work", type=Path)
    options = parser.parse_args()
    table = Table()
    bad: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        work = options.work or Path(folder)
        work.mkdir(parents=True, exist_ok=True)
        for family in options.set or DATASETS:
            path = DATASETS[family]
            dataset = str(path) if path.is_file() else f"{family}+"
            bad += check(f"{family}+", dataset, work, options, table)
    print(*bad, sep="\n", end="\n" if bad else "")
    table.save(options.record)
    return 1 if bad else 0


def check(
    name: str, dataset: str, work: Path, options: argparse.Namespace, table: Table
) -> Iterator[str]:
    """Judge a set's references, then every cheat on every task; yield what must not be."""
    data = load_dataset(dataset)
    workers = ("--dataset", dataset, "--workers", options.workers)
    samples = write_rows(
        work / f"{name}-references.jsonl",
        ({"task_id": task.id, "solution": task.reference} for task in data.tasks),
    )
    for limits in options.limits or ["default", "paper"]:
        out = work / f"{name}-references-{limits}"
        rows, cpu = judge(samples, out, *workers, "--limits", limits)
        table.add(shown(name, "references", limits, rows, cpu))
        if len(rows) != len(data.tasks):
            yield f"{name}: {len(rows)} of {len(data.tasks)} references judged"
        for row in rows:
            if row["plus"] != "pass":
                yield f"{name}: reference of {row['task_id']} at {limits}: {described(row)}"
    if options.without_cheats:
        return
    samples = write_rows(work / f"{name}-cheats.jsonl", cheat_rows(data))
    # Raw: what extraction might take out of a program is not to help here.
    rows, cpu = judge(samples, work / f"{name}-cheats", *workers, "--raw")
    for cheat in CHEATS:
        found = [row for row in rows if row["model"] == cheat]
        table.add(shown(name, cheat, "default", found, None))
        if len(found) != len(data.tasks):
            yield f"{name}: {cheat}: {len(found)} of {len(data.tasks)} programs judged"
        for row in found:
            if "pass" in (row["base"], row["plus"]):
                yield f"{name}: {cheat} passes {row['task_id']}"
    table.add(shown(name, "all cheats", "default", rows, cpu))


def cheat_rows(data: Dataset) -> Iterator[Row]:
    """Yield every cheat for every task."""
    for task in data.tasks:
        for index, (cheat, text) in enumerate(CHEATS.items()):
            program = text.format(name=task.entry_point)
            yield {"task_id": task.id, "index": index, "model": cheat, "solution": program}


def judge(samples: Path, out: Path, *options: object) -> tuple[list[dict[str, Any]], float]:
    """Return the result rows of the real command, and the CPU seconds of the run."""
    command = ("evaluate", "--samples", samples, "--out", out, "--json", *options)
    cost = evalplus_lite(*command, exit_codes=(0,))
    return result_rows(out), cost.cpu


def shown(
    name: str, programs: str, limits: str, rows: Sequence[dict[str, Any]], cpu: float | None
) -> Row:
    """Return a row of the table."""
    passed = {suite: sum(row[suite] == "pass" for row in rows) for suite in ("base", "plus")}
    others = Counter(row["plus"] for row in rows if row["plus"] != "pass")
    return {
        "set": name,
        "programs": programs,
        "limits": limits,
        "base pass": f"{passed['base']}/{len(rows)}",
        "plus pass": f"{passed['plus']}/{len(rows)}",
        "other verdicts": ", ".join(f"{n} {verdict}" for verdict, n in sorted(others.items())),
        "CPU s": cpu,
    }


def described(row: dict[str, Any]) -> str:
    """Return a failure in a line."""
    failure = row.get("failure") or {}
    return f"{row['plus']} in case {failure.get('case')}: {str(failure.get('detail'))[:200]}"


if __name__ == "__main__":
    raise SystemExit(main())
