"""Tasks as trainers send them along with a program: assertions, texts in and out, or calls.

What is expected is taken out of them, so that it stays outside the program's process.
"""

from __future__ import annotations

import ast
import hashlib
import json
import marshal
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.execution.base import Row
from evalplus_lite.jobs.workers.verification import RequestedTask
from evalplus_lite.programs import parsing
from evalplus_lite.store.parsing import parse_json
from evalplus_lite.tasks.assertions import Assertion, divided, needed_name, whole
from evalplus_lite.tasks.loading import dataset_of
from evalplus_lite.types import CALL, PYTHON, Case, Harness, Rule, Task
from evalplus_lite.values import wire

MOST_TESTS = 100_000
NAME = "request"
"""The id of a task that came without one."""
SOLUTION = re.compile(r"^class Solution\b", re.MULTILINE)
Form = Literal["row", "assertions", "printed", "calls"]
"""The functions of this module that make a task of a request's data."""


def source_of(form: Form, data: Row) -> Row:
    """Return a task that came with a program in the form that ``ProgramJudge.submit`` takes."""
    # In the form without references to equal parts: equal tasks have equal bytes.
    body = marshal.dumps(data, 2)
    return f"{__name__}:{form}", hashlib.sha256(form.encode() + body).digest(), body


def is_method(program: str) -> bool:
    """Return whether a program, or an answer that holds one, has the class ``Solution``."""
    return SOLUTION.search(program) is not None


# What a trainer's data says of a task: an id, or tests in one of the forms in use.


@dataclass(frozen=True, slots=True)
class TaskData:
    """A task as a data set has it: ``data`` is its id, its row, or its tests."""

    form: Form | Literal["id"]
    data: Any

    def source(self, answer: str) -> Row:
        """Return the task as ``ProgramJudge`` takes it, unless it is an id."""
        assert self.form != "id"
        data = (*self.data, is_method(answer)) if self.form == "calls" else self.data
        return source_of(self.form, data)

    def row(self, answer: str) -> str | dict[str, Any]:
        """Return the task as a server takes it: an id, or a row of a task file."""
        if self.form in ("id", "row"):
            found: str | dict[str, Any] = self.data
            return found
        row: dict[str, Any] = {"id": "given", "prompt": ""}
        if self.form == "assertions":
            return {**row, "harness": "assertions", "tests": "\n".join(self.data)}
        if self.form == "printed":
            inputs, outputs, _ = self.data
            rule = {"kind": "numbers", "rtol": 0.0, "atol": 0.0}
            made = {"harness": "script", "inputs": inputs, "outputs": outputs, "rule": rule}
            return {**row, **made}
        name, inputs, outputs = self.data
        in_class = is_method(answer)
        arguments = [[parse_json(line) for line in text.split("\n")] for text in inputs]
        return {
            **row,
            "harness": "method" if in_class else "call",
            "entry_point": f"Solution.{name}" if in_class else name,
            "inputs": repr(arguments),
            "outputs": repr([parse_json(text) for text in outputs]),
        }


def task_data(tests: Any) -> TaskData:
    """Return the task that a cell of a data set holds, as JSON or as it is.

    A text that is no JSON is the id of a task. A list holds assertions (texts), or cases
    (``input``, ``output``; with ``fn_name``, or LiveCodeBench's ``metadata.func_name``, of a
    function). An object holds ``inputs`` and ``outputs`` (with ``fn_name`` of a function), or
    ``assert_case``, or is a row of a task file. InputError for anything else.
    """
    if isinstance(tests, str):
        if tests.lstrip()[:1] not in ("{", "["):
            return TaskData("id", tests)
        tests = _parsed(tests)
    if isinstance(tests, Mapping):
        return _of_object(dict(tests))
    if not isinstance(tests, Sequence) or not tests:
        raise InputError(f"the tests are a {type(tests).__name__}", remedy="give a list of tests")
    if all(isinstance(each, str) for each in tests):
        for number, text in enumerate(tests):
            try:
                parsing.parse(text)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                # Else it would be the fault of every program.
                raise InputError(f"test {number} is no Python: {text[:80]!r}") from None
        return TaskData("assertions", list(tests))
    if not all(isinstance(each, Mapping) and {"input", "output"} <= each.keys() for each in tests):
        raise InputError("a test has no input and output")
    metadata = tests[0].get("metadata") or {}
    name = tests[0].get("fn_name") or (
        metadata.get("func_name") if isinstance(metadata, Mapping) else None
    )
    found = {"inputs": [t["input"] for t in tests], "outputs": [t["output"] for t in tests]}
    return _of_object({**found, "fn_name": name} if name else found)


def _of_object(data: dict[str, Any]) -> TaskData:
    if data.get("assert_case"):
        return task_data(data["assert_case"])
    inputs, outputs = data.get("inputs"), data.get("outputs")
    if {"prompt", "reference", "task_id", "id"} & data.keys() or inputs is None or outputs is None:
        return TaskData("row", data)
    if data.get("fn_name"):
        return TaskData(
            "calls", (data["fn_name"], list(map(_text, inputs)), list(map(_one, outputs)))
        )
    return TaskData("printed", ([*inputs], [*outputs], 0.0))


def _text(arguments: Any) -> str:
    """Return a call's arguments as JSON a line; some data sets hold a list of them."""
    if isinstance(arguments, str):
        return arguments
    if not isinstance(arguments, Sequence):
        raise InputError(f"an input of a function is a {type(arguments).__name__}")
    return "\n".join(_json(each) for each in arguments)


def _one(output: Any) -> str:
    """Return a call's answer as JSON; some data sets hold it in a list."""
    if isinstance(output, str):
        return output
    return _json(output[0] if isinstance(output, Sequence) and len(output) == 1 else output)


def _json(value: Any) -> str:
    try:
        return json.dumps(value)
    except (TypeError, ValueError):
        raise InputError(f"a value of a function's tests is no JSON: {value!r:.60}") from None


def _parsed(text: str) -> Any:
    """Return what a cell's text holds: JSON, or a Python literal, as some data sets have it."""
    with suppress(InputError):
        return parse_json(text)
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        raise InputError("the tests are neither JSON nor a literal") from None


# Such tests as tasks, read where programs are judged.


def row(data: dict[str, Any]) -> RequestedTask:
    """Return the task of a row of a known format."""
    dataset = dataset_of([data], name="task")
    task = dataset.tasks[0]
    suite = dataset.suites.get(task.id)
    return RequestedTask(task, suite=suite, has_plus=dataset.has_plus)


def assertions(tests: Sequence[str]) -> RequestedTask:
    """Return the task of tests that are texts of Python, most of them one ``assert``.

    Of ``assert f(1) == 2`` the value of ``f(1)`` is seen and compared outside, after what the test
    does before it. A test whose assertions stand within loops or functions is run beside the
    program as it is, and counts as ``inside``, as does what compares two computed values.
    """
    found: list[Assertion] = []
    ranges, inside = [], 0
    for number, text in enumerate(_counted(tests)):
        if type(text) is not str:
            raise InputError(f"test {number} is a {type(text).__name__}, no text")
        parts = _divided(text)
        if parts is None:
            parts = [whole(text)]
        inside += any(each.inside for each in parts)
        ranges.append(range(len(found), len(found) + len(parts)))
        found += parts
    rule = Rule(
        rtol=max((each.rtol for each in found), default=0.0),
        atol=max((each.atol for each in found), default=0.0),
    )
    task = _task(
        _name(tests),
        Harness("assertions"),
        [(each.expression,) for each in found],
        [each.expected for each in found],
        rule,
    )
    return RequestedTask(task, tuple(ranges), inside)


def printed(data: tuple[Sequence[str], Sequence[str], float]) -> RequestedTask:
    """Return the task of programs that read an input and print an output, of (inputs, outputs,
    tolerance).

    Words are compared, and numbers by their value: those with a fraction within ``tolerance``,
    absolute and relative.
    """
    inputs, outputs, tolerance = data
    _paired(inputs, outputs)
    for number, text in enumerate([*inputs, *outputs]):
        if type(text) is not str:
            raise InputError(f"text {number} is a {type(text).__name__}, no text")
    rule = Rule("numbers", tolerance, tolerance)
    return RequestedTask(_task("", Harness("script"), [(text,) for text in inputs], outputs, rule))


def calls(data: tuple[str, Sequence[str], Sequence[str], bool]) -> RequestedTask:
    """Return the task of a function, or of a method of ``Solution``, of (name, inputs, outputs,
    whether it is a method).

    An input holds an argument as JSON on each line, an output the right answer as JSON.
    """
    name, inputs, outputs, in_class = data
    _paired(inputs, outputs)
    if type(name) is not str or not name.isidentifier():
        raise InputError(f"fn_name {str(name)[:60]!r} is not a Python name")
    arguments = [tuple(_value(line) for line in str(text).split("\n")) for text in inputs]
    answers = [_value(text) for text in outputs]
    harness = Harness("method") if in_class else CALL
    entry_point = f"Solution.{name}" if in_class else name
    return RequestedTask(_task(entry_point, harness, arguments, answers, PYTHON))


def _divided(text: str) -> list[Assertion] | None:
    try:
        return divided(text) or None
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


def _name(tests: Sequence[str]) -> str:
    try:
        return needed_name(map(parsing.parse, tests))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return ""


def _value(text: Any) -> Any:
    return parse_json(text) if type(text) is str else text


def _paired(inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
    if len(_counted(inputs)) != len(outputs):
        raise InputError(f"there are {len(inputs)} inputs, but {len(outputs)} outputs")


def _counted(tests: Sequence[Any]) -> Sequence[Any]:
    if not 0 < len(tests) <= MOST_TESTS:
        raise InputError(f"there are {len(tests)} tests", remedy=f"give 1 to {MOST_TESTS}")
    return tests


def _task(
    entry_point: str,
    harness: Harness,
    inputs: Sequence[tuple[Any, ...]],
    outputs: Sequence[Any],
    rule: Rule,
) -> Task:
    try:
        answers = tuple(map(wire.encode, outputs))
    except CodecError as error:
        raise InputError(f"an output: {error}") from None
    return Task(
        id=NAME,
        prompt="",
        entry_point=entry_point,
        reference="",
        harness=harness,
        base=tuple(map(Case, inputs)),
        outputs=answers,
        rule=rule,
        style="solution",
    )
