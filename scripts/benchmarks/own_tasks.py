"""Measure suites of tasks as people write them down: right programs rejected, wrong ones found.

    python -m scripts.benchmarks.own_tasks [--inputs 200]
    python -m scripts.benchmarks.own_tasks --contracts
    python -m scripts.benchmarks.own_tasks --replay data/recorded/MODEL/textbook/seeds.jsonl.gz

The tasks have a prompt, a reference and 2 to 5 examples, and no contract; 3 right programs of other
designs (fewer in *textbook* and *a*) and 3 to 5 plausible wrong ones each, which pass the examples
and fail on an input that the words allow. Whoever wrote the others knew neither this project's code
nor what it makes of the tasks. Rules were made of what each set showed, after it was measured:
``docs/measurements/augmentation.md`` has what each gave at first sight.

With ``--contracts`` the sets *o* to *w* are measured with contracts that a language model (Claude)
wrote when asked as ``augment --contracts`` asks, with no second try.
``--replay`` measures instead what a model's seeds are worth on *textbook*: wrong programs rejected
by equal numbers of inputs with and without them, on tasks for which the model gave a valid one.
"""

from __future__ import annotations

import gzip
import json
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evalplus_lite import Session, augment, evaluate
from evalplus_lite.jobs.augmentation import seed_source
from evalplus_lite.jobs.datasets import with_suites
from scripts.benchmarks.checkout import ROOT, write_rows
from scripts.benchmarks.figures import Row, Table, arguments
from scripts.benchmarks.seeds import compared, is_seed, size
from scripts.benchmarks.wild import shown

FOLDER = ROOT / "tests" / "jobs"


def main() -> None:
    """Read the command line, measure, print."""
    parser = arguments(__doc__)
    parser.add_argument("--inputs", type=int, default=200)
    parser.add_argument("--contracts", action="store_true", help="those of a language model")
    parser.add_argument("--replay", type=Path, help="recorded seeds, beside their plan.json")
    options = parser.parse_args()
    table = Table()
    with Session(workers=options.workers) as session:
        if options.replay:
            for row in seeded(sets()["textbook"], options.replay, session):
                table.add(row)
        else:
            for name, rows in sets(options.contracts).items():
                table.add(measured(name, rows, options.inputs, session))
    table.save(options.record, inputs=options.inputs)


def sets(with_contracts: bool = False) -> dict[str, list[dict[str, Any]]]:
    """Return the tasks of each set, with their ``right`` and ``wrong`` programs.

    ``with_contracts``: only those tasks for which a language model wrote contracts, with these.
    """
    contracts = {
        (row["set"], row["id"]): row["contract"] for row in _rows("own_contracts.jsonl.gz")
    }
    found: dict[str, list[dict[str, Any]]] = {}
    if not with_contracts:
        found["textbook"] = tomllib.loads((FOLDER / "textbook.toml").read_text())["task"]
    for row in _rows("own_tasks.jsonl.gz"):
        name = row.pop("set")
        if with_contracts:
            row["contract"] = contracts.get((name, row["id"]))
        if row.get("contract") or not with_contracts:
            found.setdefault(name, []).append(row)
    return found


def _rows(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(FOLDER / name, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def measured(name: str, rows: list[dict[str, Any]], inputs: int, session: Session) -> Row:
    """Return how many programs the suites of a set reject, and of how many tasks right ones."""
    made = suites(rows, inputs, session)
    verdicts = {
        kind: list(judged(made.dataset, rows, kind, session)) for kind in ("right", "wrong")
    }
    unfair = {row["task_id"] for row in verdicts["right"] if row["plus"] != "pass"}
    rejected = sum(row["plus"] != "pass" for row in verdicts["right"])
    caught = sum(row["plus"] != "pass" for row in verdicts["wrong"])
    return {
        "set": name,
        "tasks": len(rows),
        "right": len(verdicts["right"]),
        "rejected, % (95 %)": shown(rejected, len(verdicts["right"]) - rejected),
        "tasks with one": len(unfair),
        "wrong": len(verdicts["wrong"]),
        "found, % (95 %)": shown(caught, len(verdicts["wrong"]) - caught),
        "no new input": len(made.summary["without_new"]),
    }


def suites(
    rows: list[dict[str, Any]], inputs: int, session: Session, replay: Path | None = None
) -> Any:
    """Return the result of augmenting a set's tasks, with recorded seeds or without."""
    tasks = [{key: row[key] for key in row if key not in ("right", "wrong")} for row in rows]
    seeds = seed_source([replay], model=None, base_url=None, seed=0) if replay else None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tasks.jsonl"
        write_rows(path, tasks)
        return augment(path, inputs=inputs, seeds=seeds, session=session)


def seeded(rows: list[dict[str, Any]], replay: Path, session: Session) -> Iterator[Row]:
    """Yield how many wrong programs suites of equal sizes reject, with seeds and without."""
    for inputs in (10, 30, 100):
        plain = suites(rows, inputs, session).dataset
        mixed = suites(rows, inputs, session, replay).dataset
        for name, (without, suite, ids) in compared("seeds", plain, mixed, is_seed):
            chosen = [row for row in rows if row["id"] in ids]
            found = {}
            for data in (without, suite):
                kept = with_suites(data, [data.suites[id] for id in ids])
                verdicts = judged(kept, chosen, "wrong", session)
                found[data is suite] = {
                    (row["task_id"], row["index"])
                    for row in verdicts
                    if row["base"] != "pass" or row["plus"] not in ("pass", None)
                }
            yield {
                "new inputs": inputs,
                "suite": name,
                "tasks": len(ids),
                "inputs a task": size(suite, ids),
                "wrong": sum(len(row["wrong"]) for row in chosen),
                "found without": len(found[False]),
                "found": len(found[True]),
                "with seeds alone": len(found[True] - found[False]),
            }


def judged(
    dataset: Any, rows: list[dict[str, Any]], kind: str, session: Session
) -> Iterator[dict[str, Any]]:
    """Yield the verdict on each program of a kind."""
    programs = [{"task_id": row["id"], "solution": text} for row in rows for text in row[kind]]
    yield from evaluate(dataset, programs, session=session).to_rows()


if __name__ == "__main__":
    main()
