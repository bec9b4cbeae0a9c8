"""Measure how many right programs suites reject on contest problems that have no contract.

    python -m scripts.benchmarks.wild [--half 0] [--half 1] [--inputs 100]

The problems are LiveCodeBench's with programs of two models (``benchmarks/wild`` of the shared
material): AtCoder's, which read standard input, and LeetCode's methods. A program judged right
there is the reference, the statement's examples are the base inputs, the others are judged. Half 0
was read while the reader of statements was written; of half 1 only what a first run rejected.

*wrong*: rejected of the programs judged wrong there; many print from a thread, and are right.
"""

from __future__ import annotations

import ast
import gzip
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evalplus_lite import Session, augment, evaluate
from scripts.benchmarks.checkout import SHARED
from scripts.benchmarks.figures import Row, Table, arguments, wilson

IMPORTED = ("typing", "collections", "functools", "heapq", "bisect", "itertools", "math")
HEADER = "".join(f"from {name} import *\n" for name in IMPORTED) + f"import {', '.join(IMPORTED)}\n"
"""What LeetCode's judge imports for every program."""


def main() -> None:
    """Read the command line, measure, print."""
    parser = arguments(__doc__)
    parser.add_argument("--half", type=int, action="append", choices=(0, 1))
    parser.add_argument("--inputs", type=int, default=100)
    options = parser.parse_args()
    table = Table()
    with Session() as session:
        for half in options.half or (0, 1):
            table.add(measured(half, options.inputs, session))
    table.save(options.record, inputs=options.inputs)


def measured(half: int, inputs: int, session: Session) -> Row:
    """Return how many programs the suites of a half reject."""
    tasks, samples = [], []
    seen: Counter[str] = Counter()
    for task, programs in problems():
        seen[task["harness"]] += 1
        if seen[task["harness"]] % 2 != half:
            continue
        tasks.append(task)
        samples += [
            {"task_id": task["id"], "solution": code, "is_right": is_right}
            for code, is_right in programs
        ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tasks.jsonl"
        path.write_text("".join(json.dumps(task) + "\n" for task in tasks))
        suite = augment(path, inputs=inputs, session=session)
    usable = {task.id for task in suite.dataset.tasks}
    samples = [row for row in samples if row["task_id"] in usable]
    rows = evaluate(suite.dataset, samples, session=session).to_rows()
    rejected = {True: [0, 0], False: [0, 0]}
    for sample, row in zip(samples, rows, strict=True):
        counts = rejected[sample["is_right"]]
        counts[0] += row["base"] != "pass" or row["plus"] != "pass"
        counts[1] += 1
    (right, of_right), (wrong, of_wrong) = rejected[True], rejected[False]
    low, high = wilson(right, of_right)
    return {
        "half": half,
        "tasks": len(usable),
        "right programs": of_right,
        "rejected": right,
        "share, % (95 %)": f"{100 * right / of_right:.1f} ({100 * low:.0f}-{100 * high:.0f})",
        "wrong": f"{wrong} of {of_wrong}",
    }


def problems() -> Iterator[tuple[dict[str, Any], list[tuple[str, bool]]]]:
    """Yield each problem with a right program as a task, and its other programs."""
    with gzip.open(SHARED / "benchmarks" / "wild" / "livecodebench_o1.jsonl.gz", "rt") as file:
        for row in map(json.loads, file):
            programs = sorted(row["programs"], key=lambda each: not each["passed"])
            task = of_atcoder(row) if row["platform"] == "atcoder" else of_leetcode(row)
            if task is None or not task["inputs"] or not programs[0]["passed"]:
                continue
            header = HEADER if "entry_point" in task else ""
            reference, *others = [(header + each["code"], each["passed"]) for each in programs]
            yield {**task, "id": row["question_id"], "reference": reference[0]}, others


def of_atcoder(row: dict[str, Any]) -> dict[str, Any]:
    """Return a script's task with the sample inputs of its statement."""
    parts = re.split(r"\n\s*Sample (Input|Output) \d+\s*\n", row["question_content"])
    pairs = zip(parts[1::2], parts[2::2], strict=True)
    inputs = [text.strip("\n").split("\n\n")[0] + "\n" for kind, text in pairs if kind == "Input"]
    return {"harness": "script", "prompt": row["question_content"], "inputs": inputs}


def of_leetcode(row: dict[str, Any]) -> dict[str, Any] | None:
    """Return a method's task with the arguments of its examples; None if one cannot be read."""
    head = re.search(r"def (\w+)\(self,\s*(.*?)\)", row["starter_code"], re.S)
    if head is None:
        return None
    names = re.findall(r"(\w+)\s*:", head[2])
    inputs = []
    for line in re.findall(r"Input:\s*(.*)", row["question_content"]):
        text = re.sub(r"\b(null|true|false)\b", lambda m: CONSTANTS[m[1]], line.strip())
        try:
            call: Any = ast.parse(f"f({text})", mode="eval").body
            given = {each.arg: ast.literal_eval(each.value) for each in call.keywords}
            inputs.append([given[name] for name in names])
        except (SyntaxError, ValueError, KeyError):
            return None
    return {
        "harness": "method",
        "entry_point": f"Solution.{head[1]}",
        "prompt": f"{row['question_content']}\n{row['starter_code']}",
        "inputs": inputs,
    }


CONSTANTS = {"null": "None", "true": "True", "false": "False"}

if __name__ == "__main__":
    main()
