"""Which kinds of inputs reject wrong programs: every case of a suite against every program.

    python -m scripts.benchmarks.kinds SUITE [SAMPLES...] [--mutants 12] [--order 2] [--record FILE]

``SAMPLES`` hold wrong programs that pass the base cases; with ``--mutants`` so many mutants of each
reference are taken as well (``--order 2``: mutants of mutants), of which those count that pass the
base cases and fail a new one. For each kind of new cases (``Case.source``):

* *share*: of the new cases in the tasks that have such programs, how many are of the kind.
* *rejected*, *tasks*: the programs that at least one of its cases rejects by an answer or an
  exception (``--late``: or by time), and how many tasks those are of.
* *only it*, *its tasks*: the same for programs that no other kind rejects.
* *without it*: of the new cases in random order, how many more are needed until one rejects, when
  the kind is left out and the others stay as they are: the geometric mean over tasks. Above 1 the
  kind finds more than its share.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import mean

from evalplus_lite import evaluate, load_dataset
from evalplus_lite.programs.mutation.mutants import Mutant, mutants
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.samples import read_samples
from evalplus_lite.types import Sample, Task
from scripts.benchmarks.figures import Row, Table, arguments

WRONG = frozenset(("fail", "error", "unrepresentable"))
LATE = WRONG | {"timeout", "memory", "crash"}


@dataclass(frozen=True, slots=True)
class Rejected:
    """A wrong program: how many new cases of each kind its task has, and how many reject it."""

    task: str
    cases: Counter[str]
    hits: Counter[str]


def main() -> None:
    """Count for each kind what it finds."""
    parser = arguments(__doc__, workers=False)
    add = parser.add_argument
    add("suite", type=Path)
    add("samples", type=Path, nargs="*")
    add("--mutants", type=int, default=0, metavar="N", help="so many mutants of each reference")
    add("--order", type=int, choices=(1, 2), default=1)
    add("--late", action="store_true", help="who is rejected by time counts, too")
    options = parser.parse_args()
    data = load_dataset(options.suite)
    verdicts = LATE if options.late else WRONG
    programs = [each for path in options.samples for each in read_samples(path, data)]
    if options.mutants:
        programs += surviving(data, options.mutants, options.order)
    found = list(rejections(data, programs, verdicts))
    table = Table()
    for row in rows(found):
        table.add(row)
    table.save(options.record, programs=len(found), tasks=len({each.task for each in found}))


def surviving(data: Dataset, most: int, order: int) -> list[Sample]:
    """Return mutants that pass the base cases, at most so many of each task."""
    drawn = [
        Sample(task.id, mutant.source, index=number)
        for task in data.tasks
        for number, mutant in enumerate(some(task, most, order))
    ]
    judged = evaluate(data, drawn, extract=False, limits="paper").to_rows()
    passing = {(row["task_id"], row["index"]) for row in judged if row["base"] == "pass"}
    return [each for each in drawn if (each.task_id, each.index) in passing]


def some(task: Task, most: int, order: int) -> Iterator[Mutant]:
    """Yield mutants of a reference, drawn by their names; of second order: one of each parent."""
    for first in islice(shuffled(task.reference), most):
        yield from [first] if order == 1 else islice(shuffled(first.source), 1)


def shuffled(source: str) -> list[Mutant]:
    """Return a program's mutants in an order that says nothing."""
    return sorted(mutants(source), key=lambda each: each.key)


def rejections(
    data: Dataset, programs: Sequence[Sample], verdicts: frozenset[str]
) -> Iterator[Rejected]:
    """Yield the programs that the suite rejects, those of base cases left out."""
    judged = evaluate(data, programs, details=True, extract=False, total=20.0)
    for row in judged.to_rows():
        suite = data.suites[row["task_id"]]
        new = list(zip(suite.cases, row["details"], strict=True))[suite.base_count :]
        cases = Counter(case.source for case, _ in new)
        hits = Counter(case.source for case, verdict in new if verdict in verdicts)
        if hits and row["base"] == "pass":
            yield Rejected(row["task_id"], cases, hits)


def rows(found: Iterable[Rejected]) -> Iterator[Row]:
    """Yield a row for each kind, those that reject most first."""
    found = list(found)
    in_tasks = Counter[str]()
    for cases in {each.task: each.cases for each in found}.values():
        in_tasks += cases
    hit = {kind: [each for each in found if each.hits[kind]] for kind in in_tasks}
    for kind in sorted(in_tasks, key=lambda each: (-len(hit[each]), each)):
        only = [each for each in hit[kind] if len(each.hits) == 1]
        longer = defaultdict(list)
        for each in found:
            rest = needed(
                each.cases.total() - each.cases[kind], each.hits.total() - each.hits[kind]
            )
            whole = needed(each.cases.total(), each.hits.total())
            longer[each.task].append(math.log(rest / whole))
        yield {
            "kind": kind,
            "share": f"{100 * in_tasks[kind] / in_tasks.total():.1f} %",
            "rejected": len(hit[kind]),
            "tasks": len({each.task for each in hit[kind]}),
            "only it": len(only),
            "its tasks": len({each.task for each in only}),
            "without it": f"x{math.exp(mean(mean(logs) for logs in longer.values())):.2f}",
        }


def needed(cases: int, hits: int) -> float:
    """Return how many cases in random order are met, on average, until one of the hits comes."""
    return (cases + 1) / (hits + 1)


if __name__ == "__main__":
    main()
