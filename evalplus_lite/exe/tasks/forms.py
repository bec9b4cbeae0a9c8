"""Conversion of CRUXEval and LiveCodeBench rows to tasks, and of mined tasks to CRUXEval rows."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.exe.benchmark import located
from evalplus_lite.exe.reading.names import bound_names
from evalplus_lite.exe.running.runs import UNREADABLE, CallResult, Invocation
from evalplus_lite.exe.statistics.measures import static_statistics
from evalplus_lite.exe.tasks.mined import FACTS, MinedTask, TaskCase, problem, read_tasks
from evalplus_lite.store import read_jsonl
from evalplus_lite.values import codec
from evalplus_lite.values.source import literal

CRUXEVAL = "cruxeval"
ENTRY_POINT = "f"
"""The name of every function in CRUXEval."""
_ADDRESS = re.compile(r"<[^<>]* at 0x[0-9a-f]+>")
LONGEST_REASON = 160
JsonRow = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SkippedRow:
    """A row that cannot become a task: its would-be id, its line, and the reason."""

    task_id: str
    line: int
    reason: str


def published_tasks(path: Path, left_out: list[SkippedRow]) -> Iterator[MinedTask]:
    """Yield a task for each readable row; append the others to ``left_out``.

    Raise InputError for two rows with the same id.
    """
    lines: dict[str, int] = {}
    for row in read_jsonl(path):
        label = form_of(row.data)
        if label is None:
            raise InputError("has other fields than the first row", path=path, line=row.line)
        id = f"{label}/{row.data.get('id', f'sample_{row.line}')}"
        if lines.setdefault(id, row.line) != row.line:
            raise InputError(
                f"has the id of line {lines[id]}, {id.partition('/')[2]!r}",
                path=path,
                line=row.line,
                remedy="give each row an id of its own",
            )
        what = "call or output cannot be read"
        try:
            read = _read_cruxeval if label == CRUXEVAL else _read_livecodebench
            code, entry, case = read(row.data)
            what = "program cannot be asked about"
            static = static_statistics(code, entry)
            if entry not in bound_names(ast.parse(code).body):
                raise ValueError(f"there is no {entry}")
        except UNREADABLE as error:
            why = f"its {what}: {_ADDRESS.sub('', str(error))}"
            left_out.append(SkippedRow(id, row.line, why[:LONGEST_REASON]))
            continue
        facts = {"package": label, "static": static} | _facts(row.data)
        yield MinedTask(id, code, entry, (case,), facts)


_ORIGIN = ("package", "version", "licence", "origins", "python", "tags")


def _facts(row: JsonRow) -> JsonRow:
    """Return a row's facts about its origin, as written by ``written``."""
    found = {name: row[name] for name in _ORIGIN if name in row}
    found["function_id"] = row.get("task_id", row.get("question_id"))
    return {name: value for name, value in found.items() if not problem({name: value}, FACTS)}


def form_of(row: Mapping[str, Any]) -> str | None:
    """Return the name of a row's published form; None if it has another form."""
    if "cases" in row or not {"code", "input", "output"} <= row.keys():
        return None
    return "livecodebench" if "function_name" in row else CRUXEVAL


def _read_cruxeval(row: JsonRow) -> tuple[str, str, TaskCase]:
    given = str(row["input"])
    case = case_of(f"{ENTRY_POINT}({given})", given, str(row["output"]))
    return str(row["code"]), ENTRY_POINT, case


def _read_livecodebench(row: JsonRow) -> tuple[str, str, TaskCase]:
    call, entry = str(row["input"]).strip(), str(row["function_name"])
    given = call.removeprefix(entry).strip()
    if not (given.startswith("(") and given.endswith(")")):
        raise ValueError("no call")
    node = ast.parse(call, mode="eval").body
    if not isinstance(node, ast.Call) or ast.unparse(node.func) != entry:
        raise ValueError(f"no call of {entry}")
    return str(row["code"]), entry, case_of(call, given[1:-1], str(row["output"]))


def case_of(call: str, given: str, output: str) -> TaskCase:
    """Return a case from source text; raise one of ``UNREADABLE`` if that is impossible."""
    found = Invocation.from_source(call)
    value = ast.literal_eval(output)
    codec.dumps(value)
    answer = CallResult("value", value=value)
    return TaskCase(found or Invocation(()), answer, source="" if found else given)


def read_any_tasks(
    path: str | os.PathLike[str], *, left_out: list[SkippedRow] | None = None
) -> Iterator[MinedTask]:
    """Yield the tasks of a mined file, of a named set, or of rows in a published form.

    Append unusable rows to ``left_out``. Raise InputError for two rows with the same id.
    """
    path = located(path)
    first = next(iter(read_jsonl(path)), None)
    if first is not None and form_of(first.data) is not None:
        return published_tasks(path, [] if left_out is None else left_out)
    return read_tasks(path)


def written(tasks: Sequence[MinedTask]) -> tuple[list[JsonRow], int]:
    """Return tasks as CRUXEval rows, one per case, and the number of cases left out.

    The form cannot hold exceptions, nor values that are not literals.
    """
    rows: list[JsonRow] = []
    for task in tasks:
        # A program that returns a date or an iterator does not return its cases' plain data.
        if task.facts.get("read", "signature" in task.facts):
            continue
        try:
            tree = ast.parse(task.code)
        except UNREADABLE:  # the file was edited
            continue
        code = task.code
        if task.entry_point != ENTRY_POINT:
            if any(ENTRY_POINT in (getattr(n, "id", ""), getattr(n, "name", ""))
                   for n in ast.walk(tree)):  # fmt: skip
                continue  # the program already uses this name
            code = f"{code.rstrip()}\n\n\n{ENTRY_POINT} = {task.entry_point}\n"
        # Whoever redistributes code must credit its authors.
        origin = {name: task.facts[name] for name in _ORIGIN if name in task.facts}
        for number, given, output in _sources(task):
            row = {"code": code, "input": given, "output": output, "id": f"sample_{len(rows)}"}
            rows.append({**row, "case": number, "task_id": task.id, **origin})
    return rows, sum(len(task.cases) for task in tasks) - len(rows)


def _sources(task: MinedTask) -> Iterator[tuple[int, str, str]]:
    """Yield the number, arguments and value, as source, of each case that literals can hold."""
    for number, case in enumerate(task.cases):
        if case.answer.kind != "value":
            continue
        call, output = case.written(ENTRY_POINT), literal(case.answer.value, quote=repr)
        try:
            again = case_of(call, "", output)
        except UNREADABLE:
            continue
        if (again.answer.key, again.call.key) == (case.answer.key, case.call.key):
            yield number, call[len(ENTRY_POINT) + 1 : -1], output
