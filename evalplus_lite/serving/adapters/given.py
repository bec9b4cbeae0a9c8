"""What a trainer's data says of a task: an id, or tests in one of the forms that are about."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from evalplus_lite.errors import InputError
from evalplus_lite.programs import parsing
from evalplus_lite.store.parsing import parse_json

Form = Literal["id", "row", "assertions", "printed", "calls"]
ID = "given"


@dataclass(frozen=True, slots=True)
class Given:
    """A task as it was given: ``data`` is its id, its row, or its tests (``tasks.requests``)."""

    form: Form
    data: Any

    @property
    def name(self) -> str:
        """The id, "" for a task without."""
        return str(self.data) if self.form == "id" else ""

    def row(self, answer: str) -> str | dict[str, Any]:
        """Return the task as a server takes it: an id, or a row of a task file."""
        if self.form in ("id", "row"):
            found: str | dict[str, Any] = self.data
            return found
        row: dict[str, Any] = {"id": ID, "prompt": ""}
        if self.form == "assertions":
            return {**row, "harness": "assertions", "tests": "\n".join(self.data)}
        if self.form == "printed":
            inputs, outputs, _ = self.data
            rule = {"kind": "numbers", "rtol": 0.0, "atol": 0.0}
            made = {"harness": "script", "inputs": inputs, "outputs": outputs, "rule": rule}
            return {**row, **made}
        name, inputs, outputs = self.data
        is_method = re.search(r"^class Solution\b", answer, re.MULTILINE) is not None
        arguments = [[parse_json(line) for line in text.split("\n")] for text in inputs]
        return {
            **row,
            "harness": "method" if is_method else "call",
            "entry_point": f"Solution.{name}" if is_method else name,
            "inputs": repr(arguments),
            "outputs": repr([parse_json(text) for text in outputs]),
        }


def given(tests: Any) -> Given:
    """Return the task that a cell of a data set holds, as JSON or as it is.

    A text that is no JSON is the id of a task. A list holds assertions (texts), or cases
    (``input``, ``output``; with ``fn_name``, or LiveCodeBench's ``metadata.func_name``, of a
    function). An object holds ``inputs`` and ``outputs`` (with ``fn_name`` of a function), or
    ``assert_case``, or is a row of a task file. InputError for anything else.
    """
    if isinstance(tests, str):
        if tests.lstrip()[:1] not in ("{", "["):
            return Given("id", tests)
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
        return Given("assertions", list(tests))
    if not all(isinstance(each, Mapping) and {"input", "output"} <= each.keys() for each in tests):
        raise InputError("a test has no input and output")
    metadata = tests[0].get("metadata") or {}
    name = tests[0].get("fn_name") or (
        metadata.get("func_name") if isinstance(metadata, Mapping) else None
    )
    found = {"inputs": [t["input"] for t in tests], "outputs": [t["output"] for t in tests]}
    return _of_object({**found, "fn_name": name} if name else found)


def _of_object(data: dict[str, Any]) -> Given:
    if data.get("assert_case"):
        return given(data["assert_case"])
    inputs, outputs = data.get("inputs"), data.get("outputs")
    if {"prompt", "reference", "task_id", "id"} & data.keys() or inputs is None or outputs is None:
        return Given("row", data)
    if data.get("fn_name"):
        return Given("calls", (data["fn_name"], list(map(_text, inputs)), list(map(_one, outputs))))
    return Given("printed", ([*inputs], [*outputs], 0.0))


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
