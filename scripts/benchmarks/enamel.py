"""Score programs by counted work on the inputs and references that ENAMEL published.

    python -m scripts.benchmarks.enamel [--helpers datautils.py] [--cases 8 4 4 4]

ENAMEL's files (``benchmarks/enamel`` of the shared material) have a reference, an input generator
and four sizes for each task; the first size is for correctness alone. Its canonical solutions are
scored by the same rule as there, with work in place of time. Some generators call functions of
ENAMEL's module ``datautils``, which ``--helpers`` names; without it their tasks are left out.
"""

from __future__ import annotations

import csv
import json
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from evalplus_lite.efficiency.work import Work, uncounted, work
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.statistics.efficiency import ALPHA, score
from evalplus_lite.types import Returned, Rule, Task
from evalplus_lite.values import wire
from scripts.benchmarks.checkout import SHARED
from scripts.benchmarks.figures import Row, Table, arguments

FOLDER = SHARED / "benchmarks" / "enamel"
FILES = ("humanevalplus-canonical", "humaneval-canonical")
LEFT_OUT = {2, 23, 41, 45, 53, 60, 71, 92, 97, 99, 102, 123, 124, 135, 137, 138, 144, 148,
            156, 157, 159, 160}  # fmt: skip
"""Tasks that ENAMEL leaves out: their work cannot grow."""
SEED = 998244353
MAKER = """
import math, random, string
{helpers}
{prompt}
    pass
{generator}
def make(seed, size, level, number):
    random.seed(seed)
    return tuple(generate_input(size=size, lid=level, cid=number))
"""
LIMITS = Limits(cpu=20.0, memory=4 << 30, output=256 << 20)
MOST = 2_000_000_000
"""Units of the reference on one input; a task that needs more is left out."""
TOLERANCE = 8_000_000
"""ENAMEL ends a program 0.01 s after its limit: about 32 million instructions."""


def main() -> None:
    """Read the command line, measure, print."""
    parser = arguments(__doc__, workers=False)
    parser.add_argument("--helpers", type=Path, help="ENAMEL's enam/datautils.py")
    parser.add_argument("--cases", type=int, nargs=4, default=[8, 4, 4, 4], help="of each size")
    parser.add_argument("--tasks", type=int, nargs="*", help="numbers of tasks (default: all)")
    options = parser.parse_args()
    helpers = "" if options.helpers is None else options.helpers.read_text()
    programs = {name: json.loads((FOLDER / f"{name}.json").read_text()) for name in FILES}
    table = Table()
    with Sandbox() as sandbox:
        for number, row in enumerate(rows()):
            if number in LEFT_OUT or number not in (options.tasks or range(164)):
                continue
            sources = {name: texts[number][0] for name, texts in programs.items()}
            if judged := measured(sandbox, number, row, sources, helpers, options.cases):
                table.add({"task": row["task_id"], **judged})
    for name in FILES:
        scores = [row[name] for row in table.rows if isinstance(row.get(name), float)]
        passed = sum(row.get(f"{name} note") in ("", "late", "memory") for row in table.rows)
        table.add({"task": "mean", name: statistics.fmean(scores),
                   f"{name} note": f"{passed} of {len(scores)} pass"})  # fmt: skip
    table.save(options.record, cases=options.cases)


def rows() -> Iterator[dict[str, str]]:
    """Yield the rows of ENAMEL's tasks."""
    csv.field_size_limit(sys.maxsize)
    with (FOLDER / "enamel.csv").open(encoding="utf-8", newline="") as stream:
        yield from csv.DictReader(stream)


def measured(
    sandbox: Sandbox, number: int, row: dict[str, str], sources: dict[str, str],
    helpers: str, cases: Sequence[int],
) -> Row:  # fmt: skip
    """Return the score of each program on a task; nothing where there are no inputs."""
    inputs = [made for made in levels(sandbox, number, row, helpers, cases) if made is not None]
    head = f"{row['prompt']}\n"
    reference = head + row["reference_solution"]
    is_close = "1e-4" in row["checker"]
    rule = Rule(atol=1e-4) if is_close else Rule()
    task = Task(row["task_id"], "", row["entry_point"], reference, rule=rule)
    if len(inputs) < len(cases):
        return {}
    known = [counted(sandbox, task, reference, made, None, MOST) for made in inputs]
    answers = [answered(sandbox, task, made) for made in inputs]
    if any(each.units is None for level in known for each in level) or None in answers:
        return {}
    units = [[each.units or 0 for each in level] for level in known]
    most = int(ALPHA * max(map(max, units[1:]))) + TOLERANCE
    judged: dict[str, Any] = {}
    for name, source in sources.items():
        whole = f"{head}    pass\n{source}"
        judged[name], judged[f"{name} note"] = None, uncounted(whole)
        if judged[f"{name} note"]:
            continue
        counts: list[list[int | None]] = []
        cause = ""
        for made, right in zip(inputs, answers, strict=True):
            level = counted(sandbox, task, whole, made, right, most)
            counts.append([each.units for each in level])
            cause = next((each.cause for each in level if each.cause), "")
            if cause:
                break
        is_failed = cause not in ("", "late", "memory") or None in counts[0]
        judged[name] = 0.0 if is_failed else score(counts[1:], units[1:])
        judged[f"{name} note"] = cause if len(counts) > 1 else f"{cause} on the first size"
    return judged


def levels(
    sandbox: Sandbox, number: int, row: dict[str, str], helpers: str, cases: Sequence[int]
) -> Iterator[list[tuple[Any, ...]] | None]:
    """Yield the inputs of each size, None where the generator failed."""
    text = MAKER.format(helpers=helpers, prompt=row["prompt"], generator=row["input_generator"])
    program = Program(text, "make")
    before = 0
    for level, (size, count) in enumerate(zip(row["input_levels"].split(), cases, strict=True)):
        calls = [(SEED ^ number ^ (before + at), int(size), level, at) for at in range(count)]
        outcomes = sandbox.run(program, Inputs.of(calls), LIMITS).outcomes
        before += (8, 4, 4, 4)[level]
        made = [wire.decode(each.data) for each in outcomes if isinstance(each, Returned)]
        yield made if len(made) == count else None


def counted(
    sandbox: Sandbox, task: Task, source: str, made: Sequence[Sequence[Any]],
    expected: Sequence[bytes] | None, most: int,
) -> list[Work]:  # fmt: skip
    """Return the work on the inputs of a size, up to the first that fails."""
    found: list[Work] = []
    for at, each in enumerate(made):
        right = None if expected is None else expected[at : at + 1]
        found += work(sandbox, task, source, [each], right, most=most, memory=4 << 30)
        if found[-1].units is None:
            break
    return found


def answered(sandbox: Sandbox, task: Task, made: Sequence[Sequence[Any]]) -> list[bytes] | None:
    """Return the reference's answers, None if one is missing."""
    run = sandbox.run(Program.of(task), Inputs.of(made), LIMITS)
    data = [each.data for each in run.outcomes if isinstance(each, Returned)]
    return data if len(data) == len(made) else None


if __name__ == "__main__":
    main()
