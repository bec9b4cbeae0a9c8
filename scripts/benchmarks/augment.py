"""Measure augmented suites: wrong programs detected, right ones rejected, stability, and speed.

    python -m scripts.benchmarks.augment detection [--family mbpp] [--inputs 300] [--every 1]
    python -m scripts.benchmarks.augment fairness  [--family mbpp] [--most 15]
    python -m scripts.benchmarks.augment stability [--family mbpp] [--seeds 5]
    python -m scripts.benchmarks.augment speed --inputs 1000 --rival FOLDER [--tasks 0,10,22]

Tasks are split in two halves by the first byte of the SHA-1 of their id: the even half may be
looked at during development, the odd half may not. ``detection`` counts distinct programs of six
models (four on MBPP+) that pass a published set's base tests and fail its plus tests by an answer;
*in view* are those of the even half written by a model of ``VIEWED``, and *in contract* those that
fail on an input which the task's contract accepts; for the others the contract's most frequent
reason is printed beside the table. ``fairness`` counts programs that the published tests accept and
the new suite rejects: *left out* are all programs on the odd half written only by models with an
odd name, *seen* the others, at most ``--most`` a task. ``--every N`` takes each N-th task only.
``stability`` makes a suite with each of ``--seeds`` for the tasks of wrong programs in contract,
and counts those programs that it rejects; the *agreement* is the share of the programs rejected
with some seed that are rejected with every seed.
``speed`` counts valid new inputs per CPU second of this process and those below it, start-up
excluded, next to evalplus' type-aware mutation in the environment that ``--rival`` names.
Suites start from a set's base inputs. Samples are the shared ones; suites and verdicts in ``--out``
are reused.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import statistics
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evalplus_lite.jobs.augmented_task import Budget, augment_task
from evalplus_lite.jobs.outputs import Evaluation, read_evaluations
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.store.labels import stem
from evalplus_lite.tasks import load_dataset
from evalplus_lite.tasks.assertions import with_stated_contract
from evalplus_lite.tasks.contracts import Violation, violations
from evalplus_lite.tasks.published.base_cases import recover
from scripts.benchmarks.checkout import DATASETS, ROOT, SHARED, read_rows, sample_files, write_rows
from scripts.benchmarks.figures import Row, Table, arguments, wilson
from scripts.benchmarks.processes import evalplus_lite, tree_cpu
from scripts.benchmarks.rivals import EVALPLUS, rival_python

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

VIEWED = frozenset(("starcoder", "gpt", "codegen", "mchatgpt"))
"""Models whose wrong programs on the even half of the tasks were looked at."""
WRONG = ("fail", "error")
Key = tuple[str, str]
"""A task's id and a program's text."""
Owners = Mapping[Key, set[str]]
"""The models that wrote each program."""


@dataclass(frozen=True, slots=True)
class Work:
    """What is measured on, where, and how: ``tasks`` are the ids, ``suite`` the suite's file."""

    family: str
    folder: Path
    inputs: int
    workers: int
    tasks: tuple[str, ...]
    seed: int = 0

    @property
    def suite(self) -> Path:
        """The suite made of the tasks' base inputs, made at the first call."""
        folder = self.folder / "suite"
        if not (folder / "suite.jsonl.gz").is_file():
            size = ("--inputs", self.inputs, "--tasks", ",".join(self.tasks), "--seed", self.seed)
            options = ("--workers", self.workers, "-o", folder)
            evalplus_lite("augment", "-d", SETS[self.family], *size, *options)
        return folder / "suite.jsonl.gz"

    def judged(self, name: str, data: Path, samples: Path, *options: str) -> Evaluation:
        """Return what ``data`` says of samples, kept in the folder of that name."""
        folder = self.folder / name
        more = ("--workers", self.workers, "-o", folder, *options)
        evalplus_lite("evaluate", "-d", data, "-s", samples, *more)
        return read_evaluations([folder])[0]


def main() -> None:
    """Read the command line, measure, print."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("what", choices=["detection", "fairness", "stability", "speed"])
    add("--family", action="append", choices=SETS, help="default: both")
    add("--inputs", type=int, default=300, help="new inputs a task")
    add("--every", type=int, default=1, metavar="N", help="each N-th task only")
    add("--most", type=int, default=15, help="fairness: seen programs a task")
    add("--seeds", type=int, default=5, help="stability: how many seeds")
    add("--out", type=Path, default=ROOT / "out" / "left-out", help="working folder")
    add("--seed", type=int, default=0, help="speed: seed of the new inputs")
    add("--tasks", default="0,10,22,46,64,76", help="speed: numbers of HumanEval's tasks")
    add("--rival", type=Path, help="speed: folder of an environment with evalplus")
    add("--rival-seconds", type=int, default=60, help="speed: evalplus' seconds a task at most")
    options = parser.parse_args()
    table = Table()
    more: dict[str, Any] = {"inputs": options.inputs, "every": options.every}
    if options.what == "speed":
        for row in speed(options):
            table.add(row)
        more["note"] = medians(table.rows)
        print(more["note"])
    else:
        measure = {"detection": detection, "fairness": fairness, "stability": stability}[
            options.what
        ]
        for family in options.family or SETS:
            for row in measure(prepared(family, options), options):
                table.add(row)
    table.save(options.record, **more)


def prepared(family: str, options: argparse.Namespace) -> Work:
    """Return what to measure a family's programs by."""
    tasks = tuple(task.id for task in load_dataset(DATASETS[family]).tasks)[:: options.every]
    folder = options.out / f"{family}-{options.inputs}-{options.every}"
    folder.mkdir(parents=True, exist_ok=True)
    return Work(family, folder, options.inputs, options.workers, tasks)


def is_even(text: str) -> bool:
    """Say in which half a task's id or a model's name is."""
    return hashlib.sha1(text.encode()).digest()[0] % 2 == 0


def pool(work: Work) -> tuple[list[tuple[Key, str, str]], Owners]:
    """Return the models' distinct programs with base and plus verdict, and who wrote them."""
    path = write_rows(work.folder / "pool.jsonl", only(models_rows(work.family), work))
    found = work.judged("pool", DATASETS[work.family], path)
    texts = dict(found.programs())
    owners: dict[Key, set[str]] = defaultdict(set)
    verdicts: dict[Key, tuple[str, str]] = {}
    for row in found.rows():
        key = (row["task_id"], texts[row["program"]])
        owners[key].add(row["model"])
        verdicts[key] = (row["base"], row["plus"])
    return [(key, *both) for key, both in sorted(verdicts.items())], owners


def models_rows(family: str) -> Iterator[dict[str, str]]:
    """Yield each model's programs and raw answers; raw ones are of a model whose name has an m."""
    for path in sample_files(family):
        for row in read_rows(path):
            model = stem(path).split("-")[0]
            yield {"task_id": row["task_id"], "solution": row["solution"], "model": model}
    for row in read_rows(SHARED / "samples" / "raw" / f"{family}_mapcoder.jsonl.gz"):
        model = "m" + row["model"].split(":")[1].split("-")[0].lower()
        yield {"task_id": row["task_id"], "solution": row["solution"], "model": model}


def only(rows: Iterable[Mapping[str, str]], work: Work) -> list[Mapping[str, str]]:
    """Return the rows of the tasks that are measured."""
    return [row for row in rows if row["task_id"] in frozenset(work.tasks)]


def samples(path: Path, keys: Iterable[Key]) -> Path:
    """Write programs as samples and return the path."""
    return write_rows(path, ({"task_id": id, "solution": text} for id, text in keys))


def by_key(evaluation: Evaluation) -> Iterator[tuple[Key, Mapping[str, object]]]:
    """Yield each program with its row."""
    texts = dict(evaluation.programs())
    for row in evaluation.rows():
        yield (row["task_id"], texts[row["program"]]), row


def detection(work: Work, options: argparse.Namespace) -> Iterator[Row]:
    """Yield a row a half: how many wrong programs there are, and how many the suite rejects."""
    wrong, path, outside, owners = wrong_programs(work)
    for (id, _), reason in outside.items():
        print(f"{id}: fails only where {reason}", file=sys.stderr)
    own = {key: row["plus"] for key, row in by_key(work.judged("ours", work.suite, path, "--raw"))}
    for half in ("in view", "left out"):
        some = [
            k for k in wrong if (is_even(k[0]) and bool(owners[k] & VIEWED)) == (half == "in view")
        ]
        held = [key for key in some if key not in outside]
        caught = sum(own[key] != "pass" for key in held)
        low, high = wilson(caught, len(held))
        yield {
            "set": work.family,
            "half": half,
            "programs (tasks)": counted(some),
            "in contract": counted(held),
            "of those rejected": f"{caught} ({100 * caught / max(1, len(held)):.0f} %)",
            "95 %": f"{100 * low:.0f}-{100 * high:.0f}",
            "all rejected": sum(own[key] != "pass" for key in some),
        }


def stability(work: Work, options: argparse.Namespace) -> Iterator[Row]:
    """Yield one row: how many wrong programs the suite of each seed rejects, and which all do."""
    wrong, _, outside, _ = wrong_programs(work)
    held = [key for key in wrong if key not in outside]
    tasks = tuple(sorted({id for id, _ in held}))
    rejected: list[set[Key]] = []
    for seed in range(options.seeds):
        other = replace(work, folder=work.folder / f"seed-{seed}", tasks=tasks, seed=seed)
        other.folder.mkdir(exist_ok=True)
        path = samples(other.folder / "wrong.jsonl", held)
        found = by_key(other.judged("ours", other.suite, path, "--raw"))
        rejected.append({key for key, row in found if row["plus"] != "pass"})
    some, all_of = set.union(*rejected), set.intersection(*rejected)
    for id, text in sorted(some - all_of):
        print(f"{id}: rejected with some seeds only: {text[-200:]}", file=sys.stderr)
    yield {
        "set": work.family,
        "in contract": counted(held),
        "rejected, by seed": ", ".join(str(len(each)) for each in rejected),
        "with some": len(some),
        "with every": len(all_of),
        "agreement, %": f"{100 * len(all_of) / max(1, len(some)):.1f}",
    }


def wrong_programs(work: Work) -> tuple[list[Key], Path, dict[Key, str], Owners]:
    """Return the wrong programs, their file, which of them fail out of contract only, and whose
    they are."""
    programs, owners = pool(work)
    wrong = [key for key, base, plus in programs if base == "pass" and plus in WRONG]
    path = samples(work.folder / "wrong.jsonl", wrong)
    published = work.judged("wrong", DATASETS[work.family], path, "--raw", "--details")
    return wrong, path, out_of_contract(work, published), owners


def out_of_contract(work: Work, published: Evaluation) -> dict[Key, str]:
    """Return the programs that fail on inputs alone which their task's contract rejects, and why.

    Why: the reason for which it rejects most of them.
    """
    contracts = {
        task.id: with_stated_contract(task).contract
        for task in load_dataset(SETS[work.family], only=work.tasks).tasks
    }
    cases = {task.id: task.cases for task in load_dataset(DATASETS[work.family]).tasks}
    found: dict[Key, str] = {}
    reasons: list[Violation | None]
    with Sandbox() as sandbox:
        for key, row in by_key(published):
            id = key[0]
            verdicts = row["details"]
            assert isinstance(verdicts, list)
            failing = [c for c, v in zip(cases[id], verdicts, strict=False) if v in WRONG]
            contract = contracts.get(id)
            reasons = [None] * len(failing)
            if contract and failing:
                reasons = list(violations(sandbox, contract, failing))
            if all(reasons):
                counts = Counter(each.reason for each in reasons if each)
                found[key] = max(counts, key=counts.__getitem__, default="no failing case is known")
    return found


def counted(keys: Sequence[Key]) -> str:
    """Return how many programs there are, and of how many tasks."""
    return f"{len(keys)} ({len({id for id, _ in keys})})"


def fairness(work: Work, options: argparse.Namespace) -> Iterator[Row]:
    """Yield rows of right programs by whether they were left out: how many the suite rejects."""
    programs, known = pool(work)
    owners = {key: set(some) for key, some in known.items()}
    right = [key for key, _, plus in programs if plus == "pass"]
    large = only(read_rows(SHARED / "samples" / "passing_plus" / f"{work.family}.jsonl.gz"), work)
    for row in large:
        key = (row["task_id"], row["solution"])
        owners.setdefault(key, set()).add(row["model"])
        right.append(key)
    collected = {row["task_id"] for row in large}
    groups: dict[str, list[Key]] = {"left out": [], "seen, collected": [], "seen, other": []}
    for key in dict.fromkeys(right):
        is_left_out = not is_even(key[0]) and not any(map(is_even, owners[key]))
        seen = f"seen, {'collected' if key[0] in collected else 'other'}"
        groups["left out" if is_left_out else seen].append(key)
    for name, keys in groups.items():
        chosen = keys if name == "left out" else some_of_each(keys, options.most)
        path = samples(work.folder / f"right-{name.replace(', ', '-')}.jsonl", chosen)
        found = list(work.judged(path.stem, work.suite, path, "--raw").rows()) if chosen else []
        bad = [row["plus"] for row in found if row["plus"] != "pass"]
        low, high = wilson(len(bad), len(found))
        yield {
            "set": work.family,
            "programs are": name,
            "programs": len(found),
            "tasks": len({row["task_id"] for row in found}),
            "rejected": len(bad),
            "share, % (95 %)": f"{100 * len(bad) / max(1, len(found)):.2f} "
            f"({100 * low:.2f}-{100 * high:.2f})",
            "for time alone": bad.count("timeout"),
        }


def some_of_each(keys: Iterable[Key], most: int) -> list[Key]:
    """Return at most so many programs of each task, drawn by its id."""
    by_task: dict[str, list[Key]] = defaultdict(list)
    for key in keys:
        by_task[key[0]].append(key)
    found = []
    for id, some in sorted(by_task.items()):
        random.Random(id).shuffle(some)
        found += some[:most]
    return found


def speed(options: argparse.Namespace) -> Iterator[Row]:
    """Yield valid new inputs a CPU second for each task; start-up apart."""
    tasks = load_dataset("humaneval", only=[options.tasks]).tasks
    plus = {row["task_id"]: row for row in read_rows(DATASETS["humaneval"])}
    python = rival_python(options.rival, EVALPLUS) if options.rival else None
    with Sandbox() as sandbox:
        started = False
        for task in (recover(sandbox, each) for each in tasks):
            if not started:
                augment_task(sandbox, task, seed=1, budget=Budget(inputs=20))
                started = True
            before = tree_cpu()
            budget = Budget(inputs=options.inputs)
            result = augment_task(sandbox, task, seed=options.seed, budget=budget)
            seconds = max(tree_cpu() - before, 1e-3)
            new = len(result.suite.cases) - result.suite.base_count
            row: dict[str, Any] = {"task": task.id, "new inputs": new, "CPU s": seconds}
            row["inputs a CPU s"] = new / seconds
            if python:
                wanted = {"wanted": options.inputs, "seconds": options.rival_seconds}
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
