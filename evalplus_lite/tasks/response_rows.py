"""Responses from rows: ``task_id``, and ``solution`` (a whole program) or ``completion``.

Rows are JSONL, Parquet, Arrow, or in memory.
A completion follows its task's prompt. docs/reference/formats.md describes the other keys.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.programs.extraction import Kind
from evalplus_lite.store import Row, read_jsonl, read_raw
from evalplus_lite.store.locations import Place
from evalplus_lite.store.reading import NoRows
from evalplus_lite.store.tables import is_table, read_table
from evalplus_lite.tasks.dataset import Dataset
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.responses import Faults, Response, brief, family, nearest, tasks_of

MAX_ROW = 8 << 20  # bytes of a row: room for the longest response with every byte escaped
MAX_INDEX = 1 << 20  # samples that a task may have
COLUMNS = ("task_id", "solution", "completion", "index", "model", "temperature")
PARTS = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".ndjson", ".ndjson.gz", ".parquet", ".arrow")
"""How files end that may be parts of a folder of rows."""
IN_MEMORY = "the rows given"
MAX_MODEL = 500  # characters that a model's name may have


def read_rows(
    parts: Sequence[Place] | Iterable[Mapping[str, Any]],
    dataset: Dataset,
    faults: Faults | None,
) -> Iterator[Response]:
    """Yield the responses of files that are parts of one, or of rows in memory.

    See ``samples.read_responses`` for what is raised.
    """
    rows = _Rows(dataset)
    first: InputError | None = None
    found = False
    path: Place = ""

    def leave_out(error: InputError) -> None:
        nonlocal first
        if faults is None:
            raise error
        first = first or error
        faults.leave_out(error)

    for path, row in _rows_of(parts, leave_out):
        try:
            response = rows.response(path, row)
        except InputError as error:
            leave_out(error)
        else:
            if response is not None:
                found = True
                yield response
    if first is not None and not found:
        raise first
    if not found:
        raise InputError(
            f"none of its {rows.aside.total()} rows is for a task of {dataset.name}",
            path=path,
            remedy=tasks_of(dataset),
        )
    if faults is not None:
        faults.aside.update(rows.aside)


def _rows_of(
    parts: Sequence[Place] | Iterable[Mapping[str, Any]], on_fault: Callable[[InputError], None]
) -> Iterator[tuple[Place, Row]]:
    """Yield the rows, each with the file that it stands in; of several files some may be empty."""
    count, empty = 0, list[NoRows]()
    for count, part in enumerate(parts, 1):
        if isinstance(part, Mapping):
            yield IN_MEMORY, Row(count, dict(part))
            continue
        is_column = is_table(read_raw(part, max_bytes=8))
        rows = (
            read_table(part, COLUMNS)
            if is_column
            else read_jsonl(part, max_line=MAX_ROW, on_fault=on_fault)
        )
        try:
            for row in rows:
                if is_column and row.data.get("solution") is None is not row.data.get("completion"):
                    row.data.pop("solution", None)  # a column that other rows use
                yield part, row
        except NoRows as error:
            empty.append(error)
    if len(empty) == count:
        raise empty[0] if empty else InputError("no rows are given", path=IN_MEMORY)


def parts_in(names: Iterable[str]) -> list[str]:
    """Return which names of files are those of rows, in their order."""
    return sorted(
        name for name in names if name.endswith(PARTS) and not name.startswith((".", "_"))
    )


class _Rows:
    """The indices that files have used of each task."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self.known = frozenset(dataset.all_ids)
        self.families = {family(id) for id in self.known} if dataset.suites else set()
        self.used: Counter[object] = Counter()  # one bit an index, so that memory stays flat
        self.aside: Counter[str] = Counter()

    def response(self, path: Place, row: Row) -> Response | None:
        """Return a row's response; None if its task belongs to the suite's family only."""
        fields, data = Fields(path, row), row.data
        task_id = _typed(fields, "task_id", str)
        if task_id not in self.known:
            if family(task_id) in self.families:
                self.aside[task_id] += 1
                return None
            shown = task_id[:100]  # the search for near misses takes time that grows with it
            raise fields.refuse(
                f"unknown task {shown!r}", remedy=nearest(shown, self.dataset.all_ids, self.dataset)
            )
        kind: Kind = "solution" if "solution" in data else "completion"
        if kind not in data:
            keys = ", ".join(sorted(data))[:200]
            raise fields.refuse(
                "has neither 'solution' nor 'completion'", remedy=f"its keys are {keys}"
            )
        given = None if data.get("index") is None else _typed(fields, "index", int)
        if given is not None and not 0 <= given < MAX_INDEX:
            raise fields.refuse(f"index {brief(given)} is not from 0 to {MAX_INDEX - 1}")
        model = "" if data.get("model") is None else _typed(fields, "model", str)
        if len(model) > MAX_MODEL:
            raise fields.refuse(f"'model' is longer than {MAX_MODEL} characters")
        temperature = _temperature(data.get("temperature"))
        index = self._index(given, (task_id, model, temperature), fields)
        return Response.of(
            data[kind],
            task_id=task_id,
            index=index,
            kind=kind,
            model=model,
            temperature=temperature,
        )

    def _index(self, given: int | None, of: tuple[object, ...], fields: Fields) -> int:
        """Return a sample's index among those ``of`` the same task, model and temperature.

        That is the given one, or the first that is free.
        """
        used = self.used[of]
        index = given if given is not None else (~used & (used + 1)).bit_length() - 1
        if used >> index & 1:
            raise fields.refuse(f"duplicate index {index} of task {of[0]!r}")
        self.used[of] = used | 1 << index
        return index


def _temperature(value: object) -> float | None:
    """Return a temperature; None for whatever is not one, as any tool may have written the row."""
    is_number = type(value) in (int, float) and 0 <= value <= 1000  # type: ignore[operator]
    return float(value) + 0.0 if is_number else None  # type: ignore[arg-type]  # -0.0 is 0.0


def _typed(fields: Fields, key: str, kind: type) -> Any:
    if key not in fields.row.data:
        raise fields.refuse(f"missing {key!r}")
    value = fields.row.data[key]
    if type(value) is not kind:
        wanted = "a string" if kind is str else "an integer"
        raise fields.refuse(f"{key!r} is {brief(value)!r}, {wanted} was expected")
    return value
