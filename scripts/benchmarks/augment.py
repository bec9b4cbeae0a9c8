"""What augmentation is worth: wrong samples found, false rejections, pass@1, and speed.

    python -m scripts.benchmarks.augment detection --out FOLDER [--family humaneval] [--inputs 300]
    python -m scripts.benchmarks.augment speed --tasks 0,10,22 --rival FOLDER

``detection`` augments tasks, judges all samples that pass the base tests on the new suite, and
reports which are rejected: of those that the published plus tests find wrong (by recorded
verdicts), pooled with a 95 % interval, and of those that they pass, each with its smallest input.
Only tasks for which some sample is wrong are taken; ``--all`` takes all with a sample that passes
base, and adds pass@1. What the published tests reject is judged on them again, case by case: only
a sample that some case finds wrong, not late, counts as wrong. ``speed`` counts valid new inputs a
CPU second of this process and those below it once both have started, beside evalplus' type-aware
mutation in the environment that ``--rival`` names. Samples and verdicts are the shared ones.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from evalplus_lite.grading.oracle import answer
from evalplus_lite.grading.stability import same
from evalplus_lite.jobs.workers.augmentation import BASE_LIMITS, augment_task
from evalplus_lite.jobs.workers.budget import Budget
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.tasks import load_dataset
from evalplus_lite.tasks.published.base_cases import recover
from evalplus_lite.types import Outcome, Returned, TimedOut
from scripts.benchmarks.checkout import (
    DATASETS,
    ROOT,
    SHARED,
    read_rows,
    result_rows,
    sample_files,
    write_rows,
)
from scripts.benchmarks.figures import Row, Table, arguments, wilson
from scripts.benchmarks.processes import evalplus_lite, tree_cpu
from scripts.benchmarks.rivals import EVALPLUS, rival_python

MAX_LATE = 6
WRONG_ANSWERS = ("fail", "error", "unrepresentable", "crash", "memory")
"""Verdicts that say that an answer is wrong; a timeout is counted apart."""
SETS = {"humaneval": "humaneval", "mbpp": str(DATASETS["mbpp"])}
"""What is augmented: HumanEval's own inputs, and MBPP+'s base inputs."""

RIVAL = r"""
import json, sys, time
from evalplus.gen.type_mut import TypedMutGen
row = json.load(sys.stdin)
begun = time.process_time()
maker = TypedMutGen(row["base_input"], row["entry_point"], row["prompt"] + row["contract"]
                    + row["canonical_solution"])
maker.timeout = row["seconds"]
held = len(maker.new_inputs)
try:
    maker.generate(row["wanted"] + held)
except Exception:
    pass  # its own alarm went off in the wrong place: what it has by then counts
print(json.dumps([len(maker.new_inputs) - held, time.process_time() - begun]))
"""

Name = tuple[str, str, int]
"""A sample: model, task and index."""
Verdicts = Mapping[Name, tuple[str, str]]
"""Base and plus verdict of samples, by the published tests."""


def main() -> None:
    """Read the command line, measure, print."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("what", choices=["detection", "speed"])
    add("--family", action="append", choices=SETS, help="default: both")
    add("--inputs", action="append", type=int, help="new inputs a task; default: 300")
    add("--seed", type=int, default=0)
    add("--replay", action="store_true", help="add the recorded seeds of models in data/")
    add("--all", action="store_true", help="detection: every task that some sample passes base on")
    add("--out", type=Path, default=ROOT / "out" / "augment", help="detection: working folder")
    add("--tasks", default="0,10,22,46,64,76", help="speed: numbers of HumanEval's tasks")
    add("--rival", type=Path, help="speed: folder of an environment with evalplus")
    add("--rival-seconds", type=int, default=60, help="speed: evalplus' seconds a task at most")
    options = parser.parse_args()
    options.inputs = options.inputs or [300]
    table = Table()
    more: dict[str, Any] = {}
    if options.what == "speed":
        for row in speed(options):
            table.add(row)
        more["note"] = medians(table.rows)
        print(more["note"])
    else:
        found = [
            detection(family, inputs, options)
            for family in options.family or SETS
            for inputs in options.inputs
        ]
        for each in found:
            table.add(each.pop("row"))
        more["runs"] = found
    table.save(options.record, **more)


def published(family: str) -> dict[Name, tuple[str, str]]:
    """Return base and plus verdict of every sample, by model, task and index."""
    return {
        (path.stem, row["task_id"], row["index"]): (row["base"], row["plus"])
        for path in sorted((SHARED / "verdicts" / family).glob("*.jsonl"))
        for row in read_rows(path)
    }


def detection(family: str, inputs: int, options: argparse.Namespace) -> dict[str, Any]:
    """Return how the samples that pass base fare on a fresh suite; ``row`` is the table's."""
    verdicts = published(family)
    passing = {name for name, (base, _) in verdicts.items() if base == "pass"}
    wrong = {name for name in passing if verdicts[name][1] != "pass"}
    tasks = {task for _, task, _ in (passing if options.all else wrong)}
    out = options.out / f"{family}-{inputs}-{options.seed}"
    more: list[object] = ["--workers", options.workers]
    replays = sorted(ROOT.glob("data/recorded/*/seeds.jsonl.gz")) if options.replay else []
    seeds = [word for path in replays for word in ("--replay", path)]
    size = ("--inputs", inputs, "--seed", options.seed, "--tasks", ",".join(sorted(tasks)))
    begun = time.monotonic()
    cost = evalplus_lite("augment", "-d", SETS[family], *size, *seeds, "-o", out / "suite", *more)
    seconds = time.monotonic() - begun
    ours: dict[Name, dict[str, Any]] = {}
    for path in sample_files(family):
        model = path.name.removesuffix(".jsonl.gz")
        (out / model).mkdir(parents=True, exist_ok=True)
        chosen = (r for n, r in of_model(family, model) if n in passing and n[1] in tasks)
        samples = write_rows(out / model / "samples.jsonl", chosen)
        judged = ("-d", out / "suite/suite.jsonl.gz", "-s", samples, "-o", out / model)
        evalplus_lite("evaluate", *judged, *more, "--minimize")
        judgements = result_rows(out / model)
        ours |= {(model, each["task_id"], each["index"]): each for each in judgements}
    known = options.out / f"answering-wrong-{family}.json"
    if not known.is_file():  # it takes minutes, and depends on nothing that is measured here
        known.write_text(json.dumps(sorted(answering_wrong(family, wrong))))
    answers = {(model, task, index) for model, task, index in json.loads(known.read_text())}
    row: dict[str, Any] = {"samples of": family, "inputs": inputs, "seed": options.seed}
    row |= {"tasks": len(tasks), **counts(verdicts, ours, answers)}
    row |= {"augment CPU s": cost.cpu, "augment wall s": seconds}
    found: dict[str, Any] = {"row": row, **lists(verdicts, ours, answers)}
    if options.all:
        found["pass@1, %"] = pass_at_1(verdicts, ours, tasks)
    return found


def answering_wrong(family: str, wrong: Collection[Name]) -> set[Name]:
    """Return those of the samples that fail a published case with a wrong answer, not for time.

    Small inputs come first, and a sample is given up after ``MAX_LATE`` late answers.
    """
    sources = {n: row["solution"] for m, _, _ in wrong for n, row in of_model(family, m)}
    ids = sorted({task for _, task, _ in wrong})
    found = set()
    with Sandbox() as sandbox:
        for task in load_dataset(str(DATASETS[family]), only=ids).tasks:
            cases = sorted(task.cases, key=lambda case: len(repr(case.arguments)))
            answers = answer(
                sandbox, task, cases, base_count=0, limits=BASE_LIMITS, twice=False, contract=False
            )
            inputs = Inputs.of(case.arguments for case in answers.suite.cases)
            for name in sorted(name for name in wrong if name[1] == task.id):
                late = 0

                def goes_on(number: int, outcome: Outcome) -> bool:
                    nonlocal late
                    late += isinstance(outcome, TimedOut)
                    return late < MAX_LATE

                run = sandbox.run(Program.of(task, sources[name]), inputs, Limits(), judge=goes_on)
                for outcome, expected in zip(run.outcomes, answers.suite.expected, strict=True):
                    if outcome is None or isinstance(outcome, TimedOut):
                        continue
                    if not isinstance(outcome, Returned) or not same(outcome.data, expected, task):
                        found.add(name)
                        break
    return found


def of_model(family: str, model: str) -> list[tuple[Name, dict[str, Any]]]:
    """Return a model's samples by name, each row with its index."""
    counts: Counter[str] = Counter()
    found = []
    for row in read_rows(SHARED / "samples" / family / f"{model}.jsonl.gz"):
        index = row.get("index", counts[row["task_id"]])
        counts[row["task_id"]] += 1
        found.append(((model, row["task_id"], index), {**row, "index": index}))
    return found


def counts(
    verdicts: Verdicts, ours: Mapping[Name, dict[str, Any]], answers: Collection[Name]
) -> dict[str, Any]:
    """Return how many samples the new suite rejects, of which kinds."""
    wrong = {name for name in ours if verdicts[name][1] != "pass"}
    found = {name for name in wrong if ours[name]["plus"] in WRONG_ANSWERS}
    late = {name for name in wrong - found if ours[name]["plus"] == "timeout"}
    only = [n for n in ours if verdicts[n][1] == "pass" and ours[n]["plus"] != "pass"]
    caught, of = len(found & set(answers)), len(answers)
    low, high = wilson(caught, of)
    return {
        "wrong ones rejected": f"{caught} of {of}",
        "share, % (95 %)": f"{100 * caught / max(1, of):.0f} ({100 * low:.0f} to {100 * high:.0f})",
        "late ones rejected": f"{len((found | late) - set(answers))} of {len(wrong) - of}",
        "by ours alone": f"{len(only)} of {len(ours)}",
    }


def lists(
    verdicts: Verdicts, ours: Mapping[Name, dict[str, Any]], answers: Collection[Name]
) -> dict[str, Any]:
    """Return which wrong samples are missed, and which ours alone rejects, each with its input."""
    missed = [name for name in answers if ours[name]["plus"] not in WRONG_ANSWERS]
    alone = {}
    for name, row in sorted(ours.items()):
        if verdicts[name][1] == "pass" != row["plus"]:
            shown = row.get("smallest") or row.get("failure") or {}
            facts = {"verdict": row["plus"], "input": shown.get("input")}
            alone[title(name)] = {**facts, "detail": shown.get("detail")}
    return {"missed": sorted(map(title, missed)), "rejected by ours alone": alone}


def title(name: Name) -> str:
    """Return a sample's name in a word or two."""
    return f"{name[0]} {name[1]}[{name[2]}]"


def pass_at_1(
    verdicts: Verdicts, ours: Mapping[Name, dict[str, Any]], tasks: Collection[str]
) -> dict[str, dict[str, float]]:
    """Return each model's pass@1 by base tests, by the published plus tests and by ours."""
    found: dict[str, dict[str, float]] = {}
    for model in sorted({model for model, _, _ in verdicts}):
        samples: dict[str, list[tuple[bool, bool, bool]]] = {}
        for name, (base, plus) in verdicts.items():
            if name[0] == model and name[1] in tasks:
                right = name in ours and ours[name]["plus"] == "pass"
                row = (base == "pass", plus == "pass", right)
                samples.setdefault(name[1], []).append(row)
        for at, column in enumerate(("base", "published plus", "ours")):
            means = [statistics.mean(row[at] for row in rows) for rows in samples.values()]
            found.setdefault(model, {})[column] = round(100 * statistics.mean(means), 1)
    return found


def speed(options: argparse.Namespace) -> Iterator[Row]:
    """Yield valid new inputs a CPU second for each task; start-up apart."""
    tasks = load_dataset("humaneval", only=[options.tasks]).tasks
    plus = {row["task_id"]: row for row in read_rows(DATASETS["humaneval"])}
    python = rival_python(options.rival, EVALPLUS) if options.rival else None
    with Sandbox() as sandbox:
        started = False
        for task in (recover(sandbox, each).task for each in tasks):
            if not started:
                augment_task(sandbox, task, seed=1, budget=Budget(inputs=20))
                started = True
            before = tree_cpu()
            budget = Budget(inputs=options.inputs[0])
            result = augment_task(sandbox, task, seed=options.seed, budget=budget)
            seconds = max(tree_cpu() - before, 1e-3)
            new = len(result.suite.cases) - result.suite.base_count
            row: dict[str, Any] = {"task": task.id, "new inputs": new, "CPU s": seconds}
            row["inputs a CPU s"] = new / seconds
            if python:
                wanted = {"wanted": options.inputs[0], "seconds": options.rival_seconds}
                theirs = by_evalplus(python, {**plus[task.id], **wanted})
                row["evalplus, inputs a CPU s"] = theirs
                row["ours/evalplus"] = new / seconds / theirs if theirs else None
            yield row


def by_evalplus(python: Path, asked: dict[str, Any]) -> float | None:
    """Return how many inputs evalplus' mutation makes in a CPU second; None if it fails."""
    done = subprocess.run(
        [python, "-c", RIVAL], input=json.dumps(asked), capture_output=True, text=True, check=False
    )
    made, cpu = json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else (0, 1)
    return made / cpu if made > 0 else None


def medians(rows: list[Row]) -> str:
    """Return the medians over tasks in a line."""
    found = []
    for column in ("inputs a CPU s", "evalplus, inputs a CPU s", "ours/evalplus"):
        numbers = [row[column] for row in rows if row.get(column) is not None]
        if numbers:
            found.append(f"{column}: {statistics.median(numbers):,.1f}")
    return f"Medians over {len(rows)} tasks: {'; '.join(found)}."


if __name__ == "__main__":
    main()
