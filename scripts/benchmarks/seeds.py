"""Measure what a model's seed inputs are worth: wrong programs rejected at equal numbers of inputs.

    python -m scripts.benchmarks.seeds --replay data/recorded/MODEL/seeds.jsonl.gz [--inputs 100]

Each suite has the base inputs of HumanEval (``--family mbpp``: of MBPP+) and new ones. *only*: the
model's valid inputs alone, next to as many inputs made without it. *and mutation*: ``--inputs`` new
inputs a task, with and without the model's.
Programs are the distinct ones of the shared models that pass the base tests and fail the published
plus tests by an answer on an input that the contract accepts; none of them is of the model that
wrote the seeds. Only tasks for which the model gave a valid seed count. *alone* are programs that
this suite rejects and its counterpart without a model does not.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from evalplus_lite.tasks import Dataset, load_dataset
from evalplus_lite.tasks.suite_file import write_suites
from evalplus_lite.types import Case, Suite
from scripts.benchmarks.augment import (
    SETS,
    WRONG,
    Key,
    Work,
    by_key,
    out_of_contract,
    pool,
    samples,
)
from scripts.benchmarks.augment import prepared as prepare
from scripts.benchmarks.checkout import DATASETS, ROOT
from scripts.benchmarks.figures import Row, Table, arguments, wilson
from scripts.benchmarks.processes import evalplus_lite


def main() -> None:
    """Read the command line, measure, print."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--replay", type=Path, required=True, help="recorded seeds, beside their plan.json")
    add("--family", choices=SETS, default="humaneval")
    add("--inputs", type=int, default=100, help="new inputs a task, where both kinds are mixed")
    add("--every", type=int, default=1, metavar="N", help="each N-th task only")
    add("--out", type=Path, default=ROOT / "out" / "seeds", help="working folder")
    options = parser.parse_args()
    table = Table()
    for row in measured(prepare(options.family, options), options):
        table.add(row)
    table.save(options.record, inputs=options.inputs, every=options.every)


def measured(work: Work, options: argparse.Namespace) -> Iterator[Row]:
    """Yield a row a suite: inputs a task, and how many of the wrong programs it rejects."""
    programs, _ = pool(work)
    wrong = [key for key, base, plus in programs if base == "pass" and plus in WRONG]
    path = samples(work.folder / "wrong.jsonl", wrong)
    published = work.judged("wrong", DATASETS[work.family], path, "--raw", "--details")
    outside = out_of_contract(work, published)
    plain = augmented(work, "mutation", options.inputs)
    mixed = augmented(work, "mixed", options.inputs, "--replay", options.replay)
    suites = dict(compared("seeds", plain, mixed, is_seed))
    for name, (without, suite, ids) in suites.items():
        chosen = [key for key in wrong if key not in outside and key[0] in ids]
        before = rejected(work, f"{name}-without", without, path)
        after = rejected(work, name, suite, path)
        for title, some, other in (
            (f"{name}: without the model", before, after),
            (name, after, before),
        ):
            count = sum(key in some for key in chosen)
            low, high = wilson(count, len(chosen))
            yield {
                "suite": title,
                "tasks": len(ids),
                "inputs a task": size(without if some is before else suite, ids),
                "programs": len(chosen),
                "rejected": count,
                "share, % (95 %)": f"{100 * count / max(1, len(chosen)):.1f} "
                f"({100 * low:.0f}-{100 * high:.0f})",
                "alone": sum(key in some - other for key in chosen),
            }


def augmented(work: Work, name: str, inputs: int, *options: object) -> Dataset:
    """Return the suites of the measured tasks that these options make."""
    folder = work.folder / name
    if not (folder / "suite.jsonl.gz").is_file():
        size = ("--inputs", inputs, "--tasks", ",".join(work.tasks), "--workers", work.workers)
        evalplus_lite("augment", "-d", SETS[work.family], *size, "-o", folder, *options)
    return load_dataset(folder / "suite.jsonl.gz")


def compared(
    name: str, plain: Dataset, mixed: Dataset, is_model: Callable[[Case], bool]
) -> Iterator[tuple[str, tuple[Dataset, Dataset, set[str]]]]:
    """Yield pairs of suites of equal sizes, without and with a model's inputs, and their tasks."""
    alone, equal = {}, {}
    for id, suite in mixed.suites.items():
        chosen = [at for at, case in enumerate(suite.cases) if is_model(case)]
        other = plain.suites.get(id)
        if chosen and other is not None:
            alone[id] = cut(suite, chosen)
            first = range(other.base_count, min(other.base_count + len(chosen), len(other.cases)))
            equal[id] = cut(other, list(first))
    yield f"{name} only", (replace(plain, suites=equal), replace(mixed, suites=alone), set(alone))
    yield f"{name} and mutation", (plain, mixed, set(alone))


def cut(suite: Suite, chosen: list[int]) -> Suite:
    """Return a suite's base cases and the chosen ones."""
    places = [*range(suite.base_count), *chosen]
    return replace(
        suite,
        cases=tuple(suite.cases[at] for at in places),
        expected=[suite.expected[at] for at in places],
        stress=None,
    )


def is_seed(case: Case) -> bool:
    """Say whether a model wrote an input."""
    return case.source == "llm"


def rejected(work: Work, name: str, data: Dataset, path: Path) -> set[Key]:
    """Return the programs that a suite rejects."""
    file = work.folder / f"{name.replace(' ', '-')}.jsonl.gz"
    write_suites(file, data.tasks, data.suites.values())
    found = work.judged(file.name.removesuffix(".jsonl.gz"), file, path, "--raw")
    return {key for key, row in by_key(found) if row["plus"] != "pass" or row["base"] != "pass"}


def size(data: Dataset, ids: set[str]) -> str:
    """Return the mean number of new inputs a task."""
    counts = [len(data.suites[id].cases) - data.suites[id].base_count for id in ids]
    return f"{sum(counts) / max(1, len(counts)):.1f}"


if __name__ == "__main__":
    main()
