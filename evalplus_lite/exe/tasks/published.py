"""Rows of CRUXEval, of LiveCodeBench's execution part and of CodeI/O as tasks.

What is source text there is read as literals and never executed; an input that is no literal stays
text, and a row whose output is none is left out, and told.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.exe.reading.names import bound_names
from evalplus_lite.exe.running.runs import CallResult, Invocation
from evalplus_lite.exe.statistics.static import static_statistics
from evalplus_lite.exe.tasks.mined import FACTS, MinedTask, TaskCase, problem
from evalplus_lite.store import read_jsonl
from evalplus_lite.values import codec

ENTRY_POINT = "f"
"""What CRUXEval calls each of its functions."""
_ADDRESS = re.compile(r"<[^<>]* at 0x[0-9a-f]+>")
UNREADABLE = (
    ValueError, SyntaxError, TypeError, LookupError, CodecError, RecursionError, MemoryError,
)  # fmt: skip
"""What reading somebody's literals or program may end in."""
LONGEST_REASON = 160
JsonRow = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RowForm:
    """A published form of rows: the ``keys`` that tell it, and how rows are read.

    ``read`` gives code, entry point and cases; it raises ValueError for what cannot be used.
    ``name`` names the row of a line.
    """

    keys: frozenset[str]
    read: Callable[[JsonRow], tuple[str, str, list[TaskCase]]]
    name: Callable[[JsonRow, int], str] = lambda row, line: str(row.get("id", f"sample_{line}"))


@dataclass(frozen=True, slots=True)
class SkippedRow:
    """A row that cannot be asked about, as a task would be named; its line; why."""

    id: str
    line: int
    reason: str

    def to_json(self) -> JsonRow:
        """Return it as a summary lists it."""
        return {"task_id": self.id, "line": self.line, "reason": self.reason}


@dataclass(slots=True)
class PublishedFile:
    """Reads one file; ``left_out`` takes the rows that cannot be asked about."""

    path: Path
    left_out: list[SkippedRow] = field(default_factory=list)

    def tasks(self) -> Iterator[MinedTask]:
        """Yield a task for each row that can be read; InputError names two rows of one id."""
        lines: dict[str, int] = {}
        for row in read_jsonl(self.path):
            label = form_of(row.data)
            if label is None:
                raise InputError(
                    "has other fields than the first row", path=self.path, line=row.line
                )
            form = FORMS[label]
            id = f"{label}/{form.name(row.data, row.line)}"
            if lines.setdefault(id, row.line) != row.line:
                raise InputError(
                    f"has the id of line {lines[id]}, {id.partition('/')[2]!r}",
                    path=self.path,
                    line=row.line,
                    remedy="give each row an id of its own",
                )
            try:
                code, entry, cases = form.read(row.data)
            except UNREADABLE as error:
                why = f"its call or output cannot be read: {_ADDRESS.sub('', str(error))}"
                self.left_out.append(SkippedRow(id, row.line, why[:LONGEST_REASON]))
                continue
            try:
                static = static_statistics(code, entry)
                if entry not in bound_names(ast.parse(code).body):
                    raise ValueError(f"there is no {entry}")
            except UNREADABLE as error:
                why = f"its program cannot be asked about: {error}"
                self.left_out.append(SkippedRow(id, row.line, why[:LONGEST_REASON]))
                continue
            facts = {"package": label, "static": static.to_json()} | _facts(row.data)
            yield MinedTask(id, code, entry, tuple(cases), facts)


def _facts(row: JsonRow) -> JsonRow:
    """Return what a row says of its origin, as ``publishing`` writes it."""
    names = ("package", "version", "licence", "origins", "python", "tags")
    found = {name: row[name] for name in names if name in row}
    found = {name: value for name, value in found.items() if not problem({name: value}, FACTS)}
    function = row.get("task_id", row.get("question_id"))
    return found | ({"function_id": function} if isinstance(function, str) else {})


def form_of(row: Mapping[str, Any]) -> str | None:
    """Return the name of the form that a row has; None if it has none of these."""
    if "cases" in row:
        return None
    return next((name for name, form in FORMS.items() if form.keys <= row.keys()), None)


def _read_cruxeval(row: JsonRow) -> tuple[str, str, list[TaskCase]]:
    code, given = str(row["code"]), str(row["input"])
    case = case_of(f"{ENTRY_POINT}({given})", given, str(row["output"]))
    return code, ENTRY_POINT, [case]


def _read_livecodebench(row: JsonRow) -> tuple[str, str, list[TaskCase]]:
    call, entry = str(row["input"]).strip(), str(row["function_name"])
    given = call.removeprefix(entry).strip()
    if not (given.startswith("(") and given.endswith(")")):
        raise ValueError("no call")
    node = ast.parse(call, mode="eval").body
    if not isinstance(node, ast.Call) or ast.unparse(node.func) != entry:
        raise ValueError(f"no call of {entry}")
    case = case_of(call, given[1:-1], str(row["output"]))
    return str(row["code"]), entry, [case]


def _read_codeio(row: JsonRow) -> tuple[str, str, list[TaskCase]]:
    cases = []
    for each in row["ios"]:
        given, output = each["input"], each["output"]
        codec.dumps([given, output])
        names = given if isinstance(given, dict) else ()
        if not isinstance(given, dict | list) or not all(map(_is_name, names)):
            raise ValueError("an input is an object of arguments by name, or a list of them")
        call = Invocation((), given) if isinstance(given, dict) else Invocation(tuple(given))
        cases.append(TaskCase(call, CallResult("value", value=output)))
    return str(row["refcode"]), str(row["funcname"]), cases


def _is_name(text: str) -> bool:
    return text.isidentifier() and not keyword.iskeyword(text)


def case_of(call: str, given: str, output: str) -> TaskCase:
    """Return a case of source text; one of ``UNREADABLE`` where it is no literal."""
    found = _call(call)
    value = ast.literal_eval(output)
    codec.dumps(value)
    answer = CallResult("value", value=value)
    return TaskCase(found or Invocation(()), answer, source="" if found else given)


def _call(text: str) -> Invocation | None:
    """Return the call that a text is; None if its arguments are not all plain values."""
    node = ast.parse(text, mode="eval").body
    if not isinstance(node, ast.Call):
        raise ValueError("no call")
    named_twice = Counter(k.arg for k in node.keywords if k.arg).most_common(1)
    if named_twice and named_twice[0][1] > 1:
        raise ValueError(f"{named_twice[0][0]} is given twice")
    try:
        args = tuple(ast.literal_eval(argument) for argument in node.args)
        named = {str(k.arg): ast.literal_eval(k.value) for k in node.keywords}
        codec.dumps([list(args), named])
    except (ValueError, TypeError, CodecError):
        return None
    return Invocation(args, named)


FORMS: Mapping[str, RowForm] = {
    "livecodebench": RowForm(
        frozenset({"code", "input", "output", "function_name"}), _read_livecodebench
    ),
    "cruxeval": RowForm(frozenset({"code", "input", "output"}), _read_cruxeval),
    "codeio": RowForm(
        frozenset({"refcode", "funcname", "ios"}), _read_codeio, lambda _, line: f"row_{line}"
    ),
}
"""Forms of others by name; of two that a row has, the first counts."""
