"""Result rows to scores: counts by model and temperature, pass@k, and the form evalplus writes."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any

from evalplus_lite.execution.job import Defect
from evalplus_lite.jobs.datasets import now
from evalplus_lite.jobs.outputs import RunGroup, group_of
from evalplus_lite.statistics.means import intervals
from evalplus_lite.statistics.pass_at_k import DEFAULT_K, Count, estimate
from evalplus_lite.store import replacing
from evalplus_lite.store.labels import file_name
from evalplus_lite.store.rows import filling, scratch_database
from evalplus_lite.tasks import Dataset
from evalplus_lite.types import VERDICTS

MOST_TRACES = 5
"""Tracebacks of failures of our own code that are kept."""


@dataclass
class SuiteTally:
    """Samples by verdict on one suite; by task, how many there are and how many pass."""

    verdicts: Counter[str | None] = field(default_factory=Counter)
    total: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)

    def add(self, task: str, verdict: str | None) -> None:
        """Count one verdict."""
        self.verdicts[verdict] += 1
        self.total[task] += 1
        self.right[task] += verdict == "pass"

    def by_task(self) -> dict[str, Count]:
        """Return how many samples each task has, and how many of them pass."""
        return {task: Count(number, self.right[task]) for task, number in self.total.items()}


@dataclass
class Tally:
    """Counts that need no more memory for more samples: by task, and by verdict.

    ``unusable`` counts the samples of each task that has no usable case: they are in no other
    count. ``infra`` are samples that the machine or our own code failed on, ``traces`` where our
    own code did. ``groups`` has the counts of each model and temperature. Without ``has_plus`` the
    data set has no plus cases, and no verdicts on them; without ``has_stress`` no verdicts on
    stress cases were requested.
    """

    has_plus: bool = True
    has_stress: bool = False
    has_weak: bool = False
    """Whether a task has only tests that a program could pass without knowing it: ``strong`` counts
    verdicts on the other tasks."""
    base: SuiteTally = field(default_factory=SuiteTally)
    plus: SuiteTally = field(default_factory=SuiteTally)
    strong: SuiteTally = field(default_factory=SuiteTally)
    stress: Counter[str] = field(default_factory=Counter)
    unusable: Counter[str] = field(default_factory=Counter)
    infra: list[str] = field(default_factory=list)
    traces: list[str] = field(default_factory=list)
    groups: dict[RunGroup, Tally] = field(default_factory=dict)

    def blame(self, error: Exception) -> None:
        """Keep the traceback if our own code failed: the first few that differ."""
        if isinstance(error, Defect) and len(self.traces) < MOST_TRACES:
            self.traces += [] if error.trace in self.traces else [error.trace]

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one result row."""
        strong = row.get("strong", row["plus"] or row["base"])
        verdicts = row["base"], row["plus"], row.get("stress"), strong, "strong" in row
        self.count(group_of(row), row["task_id"], *verdicts)

    def count(
        self,
        group: RunGroup,
        task: str,
        base: str,
        plus: str | None,
        stress: str | None,
        strong: str | None,
        is_weak: bool,
    ) -> None:
        """Count the verdicts on one sample of a group, in all and in its group.

        ``stress`` is None if it met no such case, ``strong`` if all tests are weak.
        """
        if group not in self.groups:
            self.groups[group] = Tally(self.has_plus, self.has_stress)
        self.has_weak |= is_weak
        # Counted twice: over all samples, and for the model at its temperature.
        for each in (self, self.groups[group]):
            each.base.add(task, base)
            each.plus.add(task, plus)
            if strong is not None:
                each.strong.add(task, strong)
            if stress is not None:
                each.stress[stress] += 1

    @property
    def verdicts(self) -> dict[str, int]:
        """Samples by verdict on all cases there are."""
        counts = (self.plus if self.has_plus else self.base).verdicts
        return {name: counts[name] for name in VERDICTS if name in counts}

    def counts(self) -> dict[str, dict[str, Count]]:
        """Return, for each suite that there is, ``SuiteTally.by_task``."""
        suites = {"base": self.base}
        suites |= {"plus": self.plus} if self.has_plus else {}
        suites |= {"strong": self.strong} if self.has_weak else {}
        return {name: suite.by_task() for name, suite in suites.items()}

    def pass_at_k(self, ks: Sequence[int] = DEFAULT_K) -> dict[str, dict[str, float]]:
        """Return pass@k on each suite, for each k for which every task has enough samples."""
        return {name: estimate(counts, ks) for name, counts in self.counts().items()}


def grouped(tally: Tally) -> dict[RunGroup, Tally]:
    """Return the counts of each model and temperature, in the order of names and temperatures."""
    # Without any sample there is still a row.
    if not tally.groups:
        return {(None, None): tally}
    # Unusable tasks and weak tests are facts of the data set, so each group has all of them.
    for each in tally.groups.values():
        each.unusable, each.has_weak = tally.unusable, tally.has_weak
    return dict(sorted(tally.groups.items(), key=lambda item: (item[0][0] or "", item[0][1] or 0)))


def summarized(
    data: Dataset, groups: Mapping[RunGroup, Tally], tally: Tally, ks: Sequence[int]
) -> dict[str, Any]:
    """Return the scores of each group, and the counts of all.

    There is no pass@k of several models or temperatures together.
    """
    rows = [_row(data, group, each, ks) for group, each in groups.items()]
    whole = _row(data, None, tally, ks)
    # An average over models would depend on how many samples each happens to have.
    if len(rows) > 1:
        whole["pass_at_k"] = whole["intervals"] = None
    return {"dataset": data.name, **whole, "groups": rows}


def _row(data: Dataset, group: RunGroup | None, tally: Tally, ks: Sequence[int]) -> dict[str, Any]:
    scores = {"base": None, "plus": None, **tally.pass_at_k(ks)}
    ends: dict[str, Any] = {"base": None, "plus": None} | {
        name: {k: list(each) for k, each in intervals(counts, ks).items()}
        for name, counts in tally.counts().items()
    }
    row: dict[str, Any] = {} if group is None else {"model": group[0], "temperature": group[1]}
    row |= {
        "tasks": len(tally.base.total),
        "samples": tally.base.total.total(),
        "pass_at_k": scores,
        "intervals": ends,
        "base": _sorted(tally.base.verdicts),
        "plus": _sorted(tally.plus.verdicts) if tally.has_plus else None,
    }
    if tally.has_weak:
        row |= {"strong": _sorted(tally.strong.verdicts), "strong_tasks": len(tally.strong.total)}
    if tally.has_stress:
        row["stress"] = _sorted(tally.stress)
    row["tasks_without_samples"] = [
        id for id in data.ids if not tally.base.total[id] and not tally.unusable[id]
    ]
    return row


def _sorted(counts: Mapping[Any, int]) -> dict[str, int]:
    return dict(sorted(counts.items()))


# Results in the form of evalplus, ``*_eval_results.json``, which other scripts read.

MOST_FILES = 200
"""Models and temperatures with a file of their own: rows may name any number."""


def _result(row: Mapping[str, Any], solutions: Mapping[str, str]) -> dict[str, Any]:
    # Only the case that decided is known. It is a base case if the program fails on one.
    failed = row.get("failure")
    in_base = row["base"] != "pass"
    shown = [] if failed is None else [failed.get("input")]
    # evalplus knows three words; its plus status is None as well where there are no plus cases.
    base, plus = (
        each if each in (None, "pass", "timeout") else "fail" for each in (row["base"], row["plus"])
    )
    return {
        "task_id": row["task_id"],
        "solution": solutions.get(row["program"], ""),
        "base_status": base,
        "plus_status": plus,
        "base_fail_tests": shown if in_base else [],
        "plus_fail_tests": [] if in_base else shown,
    }


def _dumped(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def write_all(
    folder: Path,
    groups: Mapping[RunGroup, Tally],
    rows: Iterable[Mapping[str, Any]],
    ks: Sequence[int],
    *,
    content: str,
    solutions: Mapping[str, str] | None,
) -> None:
    """Write ``eval_results.json``, as evalplus does: a file for each model and temperature.

    Of very many, as rows may name them, the first ``MOST_FILES`` get one. ``solutions`` holds the
    programs' texts by hash, if they are to be in the files.
    """
    # One pass over the rows for all files: there may be millions of rows, and many groups.
    names = _file_names(list(groups)[:MOST_FILES])
    numbers = {group: number for number, group in enumerate(names)}
    only = next(iter(groups)) if len(groups) == 1 else None
    tasks = [dict[str, int]() for _ in names]

    def texts() -> Iterator[tuple[int, int, bytes]]:
        for row in rows:
            if (number := numbers.get(only or group_of(row))) is not None:
                task = tasks[number].setdefault(row["task_id"], len(tasks[number]))
                yield number, task, _dumped(_result(row, solutions or {}))

    head = _dumped({"date": now().strftime("%Y-%m-%d %H:%M"), "hash": content})
    schema = "create table results (file integer, task integer, text blob)"
    # Rows come in the order of judging; evalplus' form has them by task, tasks by their first row.
    with contextlib.closing(scratch_database(schema)) as base:
        with filling("results"):
            base.executemany("insert into results values (?, ?, ?)", texts())
            base.execute("create index places on results (file, task)")
        query = "select task, text from results where file = ? order by task, rowid"
        for group, number in numbers.items():
            ids = list(tasks[number])
            with replacing(folder / names[group]) as file:
                file.write(head[:-1] + b',"eval":{')
                rows_of = base.execute(query, (number,))
                for task, some in itertools.groupby(rows_of, key=itemgetter(0)):
                    file.write(b"," * bool(task) + _dumped(ids[task]) + b":[")
                    for place, (_, text) in enumerate(some):
                        file.write(b"," * bool(place) + text)
                    file.write(b"]")
                scores = _dumped(groups[group].pass_at_k(ks))
                file.write(b'},"pass_at_k":' + scores + b"}")


def _file_names(groups: Sequence[RunGroup]) -> dict[RunGroup, str]:
    if len(groups) == 1:
        return dict.fromkeys(groups, "eval_results.json")
    names: dict[RunGroup, str] = {}
    for number, (model, heat) in enumerate(groups):
        shown = (model or "no model named") + ("" if heat is None else f", temperature {heat:g}")
        name = f"eval_results-{file_name(shown)}.json"
        if name in names.values():
            name = f"eval_results-{file_name(shown)}-{number}.json"
        names[model, heat] = name
    return names
