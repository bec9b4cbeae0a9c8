"""Result rows to scores: counts by model and temperature, pass@k, and the form evalplus writes."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from operator import itemgetter
from pathlib import Path
from typing import Any

from evalplus_lite.execution.job import Defect
from evalplus_lite.jobs.datasets import now
from evalplus_lite.jobs.outputs import group_of
from evalplus_lite.statistics.means import intervals
from evalplus_lite.statistics.pass_at_k import DEFAULT_K, Count, estimate
from evalplus_lite.store import replacing
from evalplus_lite.store.labels import file_name
from evalplus_lite.store.scratch import filling, scratch_database
from evalplus_lite.tasks import Dataset
from evalplus_lite.types import VERDICTS, Sample, VerdictName

# Results in the form of evalplus, ``*_eval_results.json``, which other scripts read.
# Our verdicts in evalplus' words; ``infra`` has none, as it does not concern a program.
STATUSES: Mapping[VerdictName, str] = {
    "pass": "pass",
    "fail": "fail",
    "error": "fail",
    "crash": "fail",
    "memory": "fail",
    "unrepresentable": "fail",
    "timeout": "timeout",
}


def write_results(
    folder: Path,
    files: Mapping[Hashable, tuple[str, Mapping[str, Mapping[str, float]]]],
    rows: Iterable[tuple[Hashable, Mapping[str, Any]]],
    *,
    dataset_hash: str,
    solutions: Mapping[str, str] | None = None,
    date: datetime | None = None,
) -> None:
    """Write result rows as evalplus does, to several files at once: tasks by their first row.

    ``files`` has the name and the pass@k of the file of each group; each row comes with its group,
    and is passed over if that has no file. ``solutions`` holds the programs' texts by hash, if they
    are to be in the files.
    """
    numbers: dict[Hashable, int] = {group: number for number, group in enumerate(files)}
    tasks = [dict[str, int]() for _ in files]

    def texts() -> Iterator[tuple[int, int, bytes]]:
        for group, row in rows:
            if (number := numbers.get(group)) is not None:
                task = tasks[number].setdefault(row["task_id"], len(tasks[number]))
                yield number, task, _dumped(_result(row, solutions or {}))

    head = {"date": (date or datetime.now(UTC)).strftime("%Y-%m-%d %H:%M"), "hash": dataset_hash}
    schema = "create table results (file integer, task integer, text blob)"
    with contextlib.closing(scratch_database(schema)) as base:
        with filling("results"):
            base.executemany("insert into results values (?, ?, ?)", texts())
            base.execute("create index places on results (file, task)")
        query = "select task, text from results where file = ? order by task, rowid"
        for number, (name, pass_at_k) in enumerate(files.values()):
            ids = list(tasks[number])
            with replacing(folder / name) as file:
                file.write(_dumped(head)[:-1] + b',"eval":{')
                found = base.execute(query, (number,))
                for task, some in itertools.groupby(found, key=itemgetter(0)):
                    file.write(b"," * bool(task) + _dumped(ids[task]) + b":[")
                    for place, (_, text) in enumerate(some):
                        file.write(b"," * bool(place) + text)
                    file.write(b"]")
                file.write(b'},"pass_at_k":' + _dumped(pass_at_k) + b"}")


def _result(row: Mapping[str, Any], solutions: Mapping[str, str]) -> dict[str, Any]:
    failed = row.get("failure")
    in_base = row["base"] != "pass"
    shown = [] if failed is None else [failed.get("input")]
    return {
        "task_id": row["task_id"],
        "solution": solutions.get(row["program"], ""),
        "base_status": STATUSES[row["base"]],
        "plus_status": None if row["plus"] is None else STATUSES[row["plus"]],  # as evalplus does
        "base_fail_tests": shown if in_base else [],
        "plus_fail_tests": [] if in_base else shown,
    }


def _dumped(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


MOST_FILES = 200
"""Models and temperatures with a file of their own: rows may name any number."""
MOST_TRACES = 5
"""Places where our own code failed that are kept."""


@dataclass(frozen=True, slots=True)
class Group:
    """The samples of one model at one temperature; either is None where rows do not name it."""

    model: str | None = None
    temperature: float | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Group:
        """Return the group of a result row."""
        return cls(*group_of(row))

    @classmethod
    def of_sample(cls, sample: Sample) -> Group:
        """Return the group that the result row of a sample will be of."""
        return cls(sample.model or None, sample.temperature)

    @property
    def order(self) -> tuple[str, float]:
        """The sort key of groups."""
        return self.model or "", self.temperature or 0.0

    def __str__(self) -> str:
        """Return the group's name."""
        name = self.model or "no model named"
        return name if self.temperature is None else f"{name}, temperature {self.temperature:g}"


@dataclass
class Tally:
    """Counts that need no more memory for more samples: by task, and by verdict.

    ``unusable`` counts the samples of each task that has no usable case: they are in no other
    count. ``infra`` are samples that the machine or our own code failed on, ``traces`` where our
    own code did. ``groups`` counts those of each model and temperature apart. Without ``has_plus``
    the data set has no plus cases, and no verdicts on them; without ``has_stress`` no verdicts on
    stress cases were asked for.
    """

    base: Counter[str] = field(default_factory=Counter)
    plus: Counter[str | None] = field(default_factory=Counter)
    total: Counter[str] = field(default_factory=Counter)
    base_right: Counter[str] = field(default_factory=Counter)
    plus_right: Counter[str] = field(default_factory=Counter)
    infra: list[str] = field(default_factory=list)
    traces: list[str] = field(default_factory=list)
    unusable: Counter[str] = field(default_factory=Counter)
    has_plus: bool = True
    strong: Counter[str] = field(default_factory=Counter)
    strong_total: Counter[str] = field(default_factory=Counter)
    strong_right: Counter[str] = field(default_factory=Counter)
    has_weak: bool = False
    """Whether a task has tests that a program could pass without knowing it: ``strong`` counts
    verdicts without these, for tasks that have others."""
    stress: Counter[str] = field(default_factory=Counter)
    has_stress: bool = False
    groups: dict[Group, Tally] = field(default_factory=dict)

    def blame(self, error: Exception) -> None:
        """Keep where our own code failed, if it did: the first few places that differ."""
        if isinstance(error, Defect) and len(self.traces) < MOST_TRACES:
            self.traces += [] if error.trace in self.traces else [error.trace]

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one result row."""
        strong = row.get("strong", row["base"])
        verdicts = row["base"], row["plus"], row.get("stress"), strong, "strong" in row
        self.count_of(Group.of(row), row["task_id"], *verdicts)

    def count_of(
        self,
        group: Group,
        task: str,
        base: str,
        plus: str | None,
        stress: str | None,
        strong: str | None,
        is_weak: bool,
    ) -> None:
        """Count one verdict on a sample of a group, in all and in its group."""
        if group not in self.groups:
            self.groups[group] = Tally(has_plus=self.has_plus, has_stress=self.has_stress)
        self.has_weak |= is_weak
        for each in (self, self.groups[group]):
            each.count(task, base, plus, stress, strong)

    def count(
        self, task: str, base: str, plus: str | None, stress: str | None, strong: str | None
    ) -> None:
        """Count one verdict on a sample of a task; ``stress`` is None if it met no such case.

        ``strong`` is None if all tests are weak.
        """
        if strong is not None:
            self.strong[strong] += 1
            self.strong_total[task] += 1
            self.strong_right[task] += strong == "pass"
        self.base[base] += 1
        self.plus[plus] += 1
        self.total[task] += 1
        self.base_right[task] += base == "pass"
        self.plus_right[task] += plus == "pass"
        if stress is not None:
            self.stress[stress] += 1

    @property
    def verdicts(self) -> dict[str, int]:
        """Samples by verdict on all cases there are."""
        counts = self.plus if self.has_plus else self.base
        return {name: counts[name] for name in VERDICTS if name in counts}

    def pass_at_k(self, ks: Iterable[int] = DEFAULT_K) -> dict[str, dict[str, float]]:
        """Return pass@k for base and plus, for each k that every task has samples enough for.

        There is none for plus where the data set has no plus cases.
        """
        ks = tuple(ks)
        return {name: estimate(counts, ks) for name, counts in self.counts().items()}

    def counts(self) -> dict[str, dict[str, Count]]:
        """Return the samples of each task that pass, for base and, if there is such, plus."""
        rights = {"base": self.base_right} | ({"plus": self.plus_right} if self.has_plus else {})
        row = {
            name: {task: Count(number, right[task]) for task, number in self.total.items()}
            for name, right in rights.items()
        }
        if self.has_weak:
            row["strong"] = {
                task: Count(number, self.strong_right[task])
                for task, number in self.strong_total.items()
            }
        return row


def grouped(tally: Tally, *, pooled: bool) -> dict[Group, Tally]:
    """Return the counts of each model and temperature, or those of all samples as one.

    They are in the order of the groups' names and temperatures.
    """
    if pooled or not tally.groups:
        return {Group(): tally}
    for each in tally.groups.values():
        each.unusable, each.has_weak = tally.unusable, tally.has_weak
    return dict(sorted(tally.groups.items(), key=lambda found: found[0].order))


def summarized(
    data: Dataset, groups: Mapping[Group, Tally], tally: Tally, ks: Sequence[int]
) -> dict[str, Any]:
    """Return the scores of each group, and the counts of all.

    There is no pass@k of several models or temperatures together, unless they were pooled before.
    """
    rows = [_row(data, group, each, ks) for group, each in groups.items()]
    whole = _row(data, None, tally, ks)
    if len(rows) > 1:
        whole["pass_at_k"] = whole["intervals"] = None
    return {"dataset": data.name, **whole, "groups": rows}


def _row(data: Dataset, group: Group | None, tally: Tally, ks: Sequence[int]) -> dict[str, Any]:
    scores, counts = tally.pass_at_k(ks), tally.counts()
    sure = {name: {k: list(each) for k, each in intervals(found, ks).items()}
            for name, found in counts.items()}  # fmt: skip
    has = ["strong"] if "strong" in scores else []
    names = {} if group is None else {"model": group.model, "temperature": group.temperature}
    return {
        **names,
        "tasks": len(tally.total),
        "samples": sum(tally.total.values()),
        "pass_at_k": {"base": scores["base"], "plus": scores.get("plus")}
        | {name: scores[name] for name in has},
        "intervals": {"base": sure["base"], "plus": sure.get("plus")}
        | {name: sure[name] for name in has},
        "base": dict(sorted(tally.base.items())),
        "plus": dict(sorted(tally.plus.items())) if tally.has_plus else None,
        **(
            {"strong": dict(sorted(tally.strong.items())), "strong_tasks": len(tally.strong_total)}
            if has
            else {}
        ),
        **({"stress": dict(sorted(tally.stress.items()))} if tally.has_stress else {}),
        "tasks_without_samples": [
            id for id in data.ids if not tally.total[id] and not tally.unusable[id]
        ],
    }


def write_all(
    folder: Path,
    groups: Mapping[Group, Tally],
    rows: Iterable[Mapping[str, Any]],
    ks: Sequence[int],
    *,
    content: str,
    solutions: Mapping[str, str] | None,
) -> None:
    """Write ``eval_results.json``, as evalplus does: a file for each model and temperature.

    Of very many, as rows may name them, the first ``MOST_FILES`` get one.
    """
    first = dict(itertools.islice(groups.items(), MOST_FILES))
    names = _file_names(first)
    only = next(iter(groups)) if len(groups) == 1 else None
    write_results(
        folder,
        {group: (names[group], tally.pass_at_k(ks)) for group, tally in first.items()},
        ((only or Group.of(row), row) for row in rows),
        dataset_hash=content,
        solutions=solutions,
        date=now(),
    )


def _file_names(groups: Mapping[Group, Tally]) -> dict[Group, str]:
    if len(groups) == 1:
        return dict.fromkeys(groups, "eval_results.json")
    names: dict[Group, str] = {}
    for number, group in enumerate(groups):
        name = f"eval_results-{file_name(str(group))}.json"
        if name in names.values():
            name = f"eval_results-{file_name(str(group))}-{number}.json"
        names[group] = name
    return names
