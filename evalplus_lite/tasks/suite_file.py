"""Suite files: tasks with their cases and expected outputs, one JSONL row a task.

Values are tagged JSON (``codec``), so a file says exactly what ran.
docs/reference/formats.md has the schema.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.store import Row, parse_json, read_jsonl, write_jsonl
from evalplus_lite.tasks.custom import MAKING, read_harness, read_task
from evalplus_lite.tasks.dataset import Dataset
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.types import CALL, Case, Cause, Suite, Task, Unusable, clip
from evalplus_lite.values import wire
from evalplus_lite.values.codec import to_json

# Reading rows one by one: an unusable row does not stop the others.

T = TypeVar("T", Task, tuple[Task, Suite])
ID_KEYS = ("id", "task_id")
LONGEST_ID = 200


@dataclass(slots=True)
class Reading(Generic[T]):
    """The result of reading a file's rows: ``found`` by id, and the faults of all other rows."""

    path: object
    found: dict[str, T] = field(default_factory=dict)
    faults: dict[str, Unusable] = field(default_factory=dict)
    errors: list[InputError] = field(default_factory=list)
    _places: dict[str, int] = field(default_factory=dict)

    def add(self, row: Row, read: Callable[[Fields], T]) -> None:
        """Read one row; duplicate tasks are all dropped, as any of them may be the intended one."""
        fields = Fields(self.path, row)
        name = _name(row)
        try:
            item = read(fields)
            name = (item if isinstance(item, Task) else item[0]).id
            if name in self._places:
                raise fields.refuse(f"duplicate task {name!r}")
        except InputError as error:
            self._leave_out(name, row.line, error)
        else:
            self._places[name] = row.line
            self.found[name] = item

    def pass_over(self, error: InputError) -> None:
        """Record a line that is not a row at all: not JSON, not UTF-8, too long."""
        line = error.line or 0
        self._leave_out(f"line {line}", line, error)

    def _leave_out(self, name: str, line: int, error: InputError) -> None:
        if len(self.errors) == MOST_FAULTS:
            first = self.errors[0]
            raise InputError(
                f"{first.problem}; nor can {MOST_FAULTS} other rows be used",
                path=self.path,
                line=first.line,
                remedy="is this the right file?",
            )
        cause: Cause = "duplicate" if name in self._places else "unreadable"
        start = self._places.setdefault(name, line)
        where = f"lines {start} and {line}" if cause == "duplicate" else f"line {line}"
        remedy = f" ({error.remedy})" if error.remedy else ""
        place = "" if name == where else f"{where}: "
        self.found.pop(name, None)
        self.errors.append(error)
        detail = clip(f"{place}{error.problem}{remedy}")
        self.faults.setdefault(name, Unusable(name, cause, detail))

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all rows in file order; empty if every row is usable."""
        return tuple(self._places) if self.faults else ()

    def unusable(self) -> tuple[Unusable, ...]:
        """Return the unusable tasks; raise InputError if there are no others."""
        if not self.found and self.errors:
            first = self.errors[0]
            if len(self.errors) == 1:
                raise first
            rest = "; ".join(each.detail for each in list(self.faults.values())[1:SHOWN])
            if all(each.problem == first.problem for each in self.errors):
                rest = "all have the same fault"
            raise InputError(
                f"{first.problem}; nor can any other row be used: {rest}",
                path=self.path,
                line=first.line,
                remedy=first.remedy,
            )
        return tuple(self.faults.values())


SHOWN = 20  # faults that one error lists
# Limit on unusable rows of a file: each is kept for listing, at about 1 KB.
MOST_FAULTS = 10_000


def _name(row: Row) -> str:
    """Return a row's own id if it is printable, otherwise its line."""
    for key in ID_KEYS:
        given = row.data.get(key)
        if type(given) is str and given and given.isprintable() and len(given) <= LONGEST_ID:
            return given
    return f"line {row.line}"


FORMAT = 1  # the version of the schema; files of other versions are rejected
KEYS = (
    *("format", "id", "prompt", "entry_point", "harness", "reference", *MAKING, "contract"),
    *("rule", "style", "extra", "base_count", "cases", "stress", "provenance"),
)
CASE_KEYS = ("arguments", "expected", "source", "parent", "operators", "reason")


def write_suites(
    path: str | os.PathLike[str], tasks: Iterable[Task], suites: Iterable[Suite]
) -> int:
    """Write each task that has a suite, in task order, and return the number written.

    The same tasks and suites produce the same bytes.
    """
    by_id = {suite.task_id: suite for suite in suites}
    return write_jsonl(
        path, (suite_row(task, by_id[task.id]) for task in tasks if task.id in by_id)
    )


def read_suites(path: str | os.PathLike[str]) -> Dataset:
    """Return the tasks and suites of a suite file.

    A task's base and plus cases are its suite's, split at ``base_count``. A row that
    ``write_suites`` would not write goes to ``Dataset.unusable`` with the reason.
    """
    reading = Reading[tuple[Task, Suite]](path)
    return suites_of(read_jsonl(path, on_fault=reading.pass_over), reading)


def unpacked_suites(rows: Iterable[bytes]) -> Dataset:
    """Return the tasks and suites of a suite file's rows, each one compressed with gzip."""
    lines = (parse_json(gzip.decompress(row).decode("ascii")) for row in rows)
    reading = Reading[tuple[Task, Suite]](Path("suite.jsonl.gz"))
    return suites_of((Row(number, data) for number, data in enumerate(lines, 1)), reading)


def suites_of(rows: Iterable[Row], reading: Reading[tuple[Task, Suite]]) -> Dataset:
    """Return the tasks and suites of a file's rows; ``reading`` may have faults of other lines.

    An unusable row goes to ``Dataset.unusable``; raises InputError if all are.
    """
    for row in rows:
        reading.add(row, _task_and_suite)
    tasks = tuple(task for task, _ in reading.found.values())
    suites = {suite.task_id: suite for _, suite in reading.found.values()}
    return Dataset("", tasks, suites, of=reading.ids, unusable=reading.unusable())


def suite_row(task: Task, suite: Suite) -> dict[str, Any]:
    """Return a task and its suite as the row of a suite file."""
    row: dict[str, Any] = {
        "format": FORMAT,
        "id": task.id,
        "prompt": task.prompt,
        "entry_point": task.entry_point,
        "reference": task.reference,
        "rule": task.rule.row,
        "style": task.style,
        "base_count": suite.base_count,
        "cases": list(_case_rows(suite)),
    }
    if suite.stress is not None:
        row["stress"] = list(_case_rows(suite.stress))
    if task.harness != CALL:
        row["harness"] = task.harness.row
    row |= {key: text for key in MAKING if (text := getattr(task, key))}
    if task.contract is not None:
        row["contract"] = task.contract
    others = {"extra": dict(task.extra), "provenance": dict(suite.provenance)}
    return row | {key: other for key, other in others.items() if other}


def _case_rows(suite: Suite) -> Iterator[dict[str, Any]]:
    for case, expected in zip(suite.cases, suite.expected, strict=True):
        row: dict[str, Any] = {
            "arguments": [to_json(argument) for argument in case.arguments],
            "expected": to_json(wire.decode(expected)),
            "source": case.source,
        }
        if case.parent is not None:
            row["parent"] = case.parent
        if case.operators:
            row["operators"] = list(case.operators)
        if case.reason:
            row["reason"] = case.reason
        yield row


def _task_and_suite(fields: Fields) -> tuple[Task, Suite]:
    fields.known(KEYS)
    if fields.count("format") != FORMAT:
        raise fields.refuse(
            f"is of format {fields.count('format')}, this version reads format {FORMAT}",
            remedy="write it again with this version",
        )
    cases, expected = _cases(fields, fields.items("cases"))
    base_count = fields.count("base_count")
    if base_count > len(cases):
        raise fields.refuse(f"'base_count' is {base_count}, but there are {len(cases)} cases")
    task = read_task(
        fields,
        read_harness(fields),
        reference=fields.text("reference"),
        base=cases[:base_count],
        plus=cases[base_count:],
        extra=fields.data("extra"),
        **{key: fields.text(key, default="") for key in MAKING},
    )
    stress = _cases(fields, fields.items("stress", default=[]), of="stress case")
    suite = Suite(
        task_id=task.id,
        cases=cases,
        expected=expected,
        base_count=base_count,
        provenance=fields.data("provenance"),
        stress=Suite(task.id, *stress, base_count=0) if stress[0] else None,
    )
    return task, suite


def _cases(
    fields: Fields, items: list[Any], *, of: str = "case"
) -> tuple[tuple[Case, ...], tuple[bytes, ...]]:
    """Return the cases of a list in a row, and their expected outputs."""
    cases, expected = [], []
    for number, item in enumerate(items, 1):
        name = f"{of} {number}"
        if type(item) is not dict:
            raise fields.refuse(f"{name} is not an object")
        row = Fields(fields.path, Row(fields.row.line, item))
        row.known(CASE_KEYS, what=f" in {name}")
        cases.append(_case(row, name, count=len(items)))
        if "expected" not in item:
            raise row.refuse("a case is missing 'expected'")
        try:
            expected.append(wire.encode(row.value(item["expected"], name="expected")))
        except CodecError as error:
            raise row.refuse(f"expected: {error}") from None
    return tuple(cases), tuple(expected)


def _case(row: Fields, name: str, *, count: int) -> Case:
    parent = row.count("parent") if "parent" in row.row.data else None
    if parent is not None and parent >= count:
        raise row.refuse(f"{name}: 'parent' is {parent}, but there are {count} cases")
    operators = row.items("operators", default=[])
    if any(type(each) is not str for each in operators):
        raise row.refuse(f"{name}: operators must be strings")
    return Case(
        tuple(row.value(item, name="arguments") for item in row.items("arguments")),
        row.text("source", default="base"),
        parent,
        tuple(operators),
        row.text("reason", default=""),
    )
