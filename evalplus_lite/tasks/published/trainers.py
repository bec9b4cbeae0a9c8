"""Rows of trainers: verl's, open-instruct's and SandboxFusion's, with their tests."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal

from evalplus_lite.errors import InputError
from evalplus_lite.programs import parsing
from evalplus_lite.store import Row
from evalplus_lite.store.parsing import parse_json
from evalplus_lite.tasks.custom import own_task
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.format import Background, Format
from evalplus_lite.types import Task

SOLUTION = re.compile(r"^class Solution\b", re.MULTILINE)
Form = Literal["row", "assertions", "printed", "calls"]
"""The forms of tests, and the functions of ``serving.requests`` that make tasks of them."""


def is_method(program: str) -> bool:
    """Return whether a program, or an answer that holds one, has the class ``Solution``."""
    return SOLUTION.search(program) is not None


# What a trainer's data says of a task: an id, or tests in one of the forms in use.


@dataclass(frozen=True, slots=True)
class TaskData:
    """A task as a data set has it: ``data`` is its id, its row, or its tests."""

    form: Form | Literal["id"]
    data: Any

    def row(self, answer: str) -> str | dict[str, Any]:
        """Return the task as a server takes it: an id, or a row of a task file."""
        if self.form in ("id", "row"):
            found: str | dict[str, Any] = self.data
            return found
        row: dict[str, Any] = {"id": "given", "prompt": ""}
        if self.form == "assertions":
            return {**row, "harness": "assertions", "tests": "\n".join(self.data)}
        if self.form == "printed":
            inputs, outputs, tolerance = self.data
            rule = {"kind": "numbers", "rtol": tolerance, "atol": tolerance}
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


# SandboxFusion's problems: texts in and out, or code that asserts.

TOLERANCE = 1e-6
"""Numbers with a fraction that a program prints may differ by so much, as there."""


def problem_data(row: Mapping[str, Any]) -> TaskData:
    """Return the tests of a row of SandboxFusion's; InputError for what cannot be judged here."""
    test, labels = (
        parse_json(value) if type(value := row.get(key)) is str else value
        for key in ("test", "labels")
    )
    if type(test) is list:
        inputs, outputs = [], []
        for number, each in enumerate(test):
            case = each if type(each) is dict else {}
            into, out = case.get("input"), case.get("output")
            if type(into) is not dict or type(out) is not dict or "stdout" not in out:
                raise InputError(f"test {number} lacks input.stdin or output.stdout")
            if into.keys() - {"stdin"} or out.keys() - {"stdout"}:
                raise InputError(f"test {number} uses files, which are not judged here")
            inputs.append(str(into.get("stdin", "")))
            outputs.append(str(out["stdout"]))
        return TaskData("printed", (inputs, outputs, TOLERANCE))
    if type(test) is not dict or type(test.get("code")) is not str:
        raise InputError(
            "test is not understood",
            remedy="give a list of {input: {stdin}, output: {stdout}}, or {code}",
        )
    language = labels.get("programming_language") if type(labels) is dict else None
    if language not in (None, "python") or test.get("asset") or "#<INSERT>" in test["code"]:
        raise InputError(
            "test is of another language, or has files",
            remedy="such tests can be run with /run_code, which judges nothing",
        )
    return TaskData("assertions", [test["code"]])


# The rows as tasks. None has a reference that is known to be one: the tests judge.


def _task(fields: Fields, id: Any, prompt: str, data: TaskData) -> Task:
    if data.form in ("id", "row"):
        raise fields.refuse("it does not hold tests", remedy="load the data set that it names")
    row = data.row(prompt)
    if type(row) is not dict:
        raise fields.refuse("it does not hold tests")
    row |= {"id": str(id), "prompt": prompt}
    return own_task(replace(fields, row=Row(fields.row.line, row)))


def _said(messages: Any) -> str:
    """Return the text of the last message of a user, or a text as it is."""
    if type(messages) is str:
        return messages
    rows = [each for each in messages or [] if type(each) is dict and each.get("role") == "user"]
    return str(rows[-1].get("content", "")) if rows else ""


def trainer_task(fields: Fields, background: Background) -> Task:
    """Return the task of a row of a trainer, named by its own id, else by its line, from 0."""
    row = fields.row.data
    try:
        if "reward_model" in row:
            about = row.get("extra_info") or {}
            name, prompt = row.get("data_source", "verl"), _said(row["prompt"])
            index = about.get("index", fields.row.line - 1)
            id, tests = f"{name}/{index}", fields.object("reward_model").row.data["ground_truth"]
            data = task_data(tests)
        elif "messages" in row:
            id, prompt = (
                row.get("id", f"open-instruct/{fields.row.line - 1}"),
                _said(row["messages"]),
            )
            tests = row["ground_truth"]
            if type(tests) is list and len(tests) == 1 and str(tests[0]).lstrip()[:1] == "[":
                (tests,) = tests
            data = task_data(tests)
        else:
            id, prompt, data = row["id"], fields.text("content"), problem_data(row)
    except InputError as error:
        raise fields.refuse(error.problem, remedy=error.remedy) from None
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise fields.refuse(f"it does not hold tests: {type(error).__name__}: {error}") from None
    return _task(fields, id, prompt, data)


FORMATS = tuple(
    Format(name, keys, trainer_task)
    for name, keys in (
        ("verl", {"data_source", "prompt", "reward_model"}),
        ("open-instruct", {"messages", "ground_truth", "dataset"}),
        ("SandboxFusion", {"id", "content", "labels", "test"}),
    )
)
