"""Measure suites of contest problems without a contract: right programs rejected, wrong ones found.

    python -m scripts.benchmarks.wild [--half 0] [--half 1] [--inputs 100]
    python -m scripts.benchmarks.wild --write tasks.jsonl

The problems are LiveCodeBench's with programs of two models (``benchmarks/wild`` of the shared
material): AtCoder's, which read standard input, and LeetCode's methods. A program judged right
there is the reference, the statement's examples are the base inputs, the others are judged. Half 0
was read while the reader of statements was written; of half 1 only what a first run rejected.

*wrong*: programs judged wrong there whose recorded input is complete, and on it they differ from
the reference here, too; *right here*: those that do not, most of which print from a thread.
``--write`` measures nothing: it writes the problems as tasks, for ``evalplus-lite lint``.
"""

from __future__ import annotations

import ast
import gzip
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evalplus_lite import Session, augment, evaluate
from scripts.benchmarks.checkout import SHARED, write_rows
from scripts.benchmarks.figures import Row, Table, arguments, wilson

IMPORTED = ("typing", "collections", "functools", "heapq", "bisect", "itertools", "math")
HEADER = "".join(f"from {name} import *\n" for name in IMPORTED) + f"import {', '.join(IMPORTED)}\n"
"""What LeetCode's judge imports for every program."""


def main() -> None:
    """Read the command line, measure, print."""
    parser = arguments(__doc__)
    parser.add_argument("--half", type=int, action="append", choices=(0, 1))
    parser.add_argument("--inputs", type=int, default=100)
    parser.add_argument("--write", type=Path, metavar="FILE")
    options = parser.parse_args()
    if options.write:
        write_rows(options.write, (task for task, _ in problems()))
        return
    table = Table()
    with Session() as session:
        for half in options.half or (0, 1):
            for row in measured(half, options.inputs, session):
                table.add(row)
    table.save(options.record, inputs=options.inputs)


def measured(half: int, inputs: int, session: Session) -> Iterator[Row]:
    """Yield how many programs the suites of a half reject, by form."""
    tasks, samples = [], []
    failing: list[dict[str, Any]] = []
    seen: Counter[str] = Counter()
    for task, programs in problems():
        seen[task["harness"]] += 1
        if seen[task["harness"]] % 2 != half:
            continue
        tasks.append(task)
        for program in programs:
            name = f"{task['id']}/{len(failing)}"
            samples.append({"task_id": task["id"], "solution": program["code"], **program})
            single = failing_input(task, program)
            if single is not None:
                failing.append({**task, "id": name, "inputs": [single]})
                samples[-1]["failing"] = name
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tasks.jsonl"
        write_rows(path, tasks)
        suite = augment(path, inputs=inputs, session=session)
        write_rows(path, failing)
        alone = [{**each, "task_id": each["failing"]} for each in samples if "failing" in each]
        judged = evaluate(path, alone, session=session).to_rows()
    differs = {row["task_id"]: row["base"] == "fail" for row in judged}
    usable = {task.id for task in suite.dataset.tasks}
    samples = [row for row in samples if row["task_id"] in usable]
    rows = evaluate(suite.dataset, samples, session=session).to_rows()
    form = {task["id"]: task["harness"] for task in tasks}
    for harness in sorted(set(form.values())):
        counts: Counter[tuple[str, bool]] = Counter()
        for sample, row in zip(samples, rows, strict=True):
            if form[sample["task_id"]] != harness:
                continue
            found = differs.get(sample.get("failing", ""))
            kind = "right" if sample["passed"] else KINDS.get(found)
            is_rejected = row["base"] != "pass" or row["plus"] != "pass"
            if kind is not None:
                counts[kind, is_rejected] += 1
            if kind in ("right", "wrong") and is_rejected is sample["passed"]:
                print(f"{sample['task_id']}: {kind}, {row.get('failure')}", file=sys.stderr)
        yield {
            "half": half,
            "form": harness,
            "tasks": sum(form[name] == harness for name in usable),
            "right": counts["right", True] + counts["right", False],
            "rejected, % (95 %)": shown(counts["right", True], counts["right", False]),
            "wrong": counts["wrong", True] + counts["wrong", False],
            "found, % (95 %)": shown(counts["wrong", True], counts["wrong", False]),
            "right here": counts["right here", True] + counts["right here", False],
        }


def shown(yes: int, no: int) -> str:
    """Return a count, its share and interval."""
    low, high = wilson(yes, yes + no)
    share = 100 * yes / max(1, yes + no)
    return f"{yes}: {share:.1f} ({100 * low:.0f}-{100 * high:.0f})"


def failing_input(task: dict[str, Any], program: dict[str, Any]) -> Any:
    """Return the recorded input that a program failed on; None if it is not there in full."""
    text = (program.get("failure") or {}).get("inputs")
    if not isinstance(text, str) or "...(truncated)" in text:
        return None
    if task["harness"] == "script":
        return text
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return None


def problems() -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Yield each problem with a right program as a task, and its other programs."""
    with gzip.open(SHARED / "benchmarks" / "wild" / "livecodebench_o1.jsonl.gz", "rt") as file:
        for row in map(json.loads, file):
            programs = sorted(row["programs"], key=lambda each: not each["passed"])
            task = of_atcoder(row) if row["platform"] == "atcoder" else of_leetcode(row)
            if task is None or not task["inputs"] or not programs[0]["passed"]:
                continue
            header = HEADER if "entry_point" in task else ""
            reference, *others = [{**each, "code": header + each["code"]} for each in programs]
            yield {**task, "id": row["question_id"], "reference": reference["code"]}, others


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


KINDS = {True: "wrong", False: "right here", None: None}
CONSTANTS = {"null": "None", "true": "True", "false": "False"}

if __name__ == "__main__":
    main()
