"""Tests in the formats of RL trainers: rows of verl, open-instruct and SandboxFusion as tasks."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.programs import parsing
from evalplus_lite.store import Row
from evalplus_lite.store.parsing import parse_json
from evalplus_lite.tasks.assertions import (
    Assertion,
    divided,
    needed_name,
    whole,
    with_tolerances,
)
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.format import Background, Format
from evalplus_lite.tasks.published.rows import unwrapped
from evalplus_lite.types import CALL, PYTHON, Case, Harness, Rule, Task
from evalplus_lite.values import wire

SOLUTION = re.compile(r"^class Solution\b", re.MULTILINE)
Form = Literal["row", "assertions", "printed", "calls"]
"""The forms of tests; see ``task_of``."""


# A task in a trainer's data: an id, or tests in one of several formats.


@dataclass(frozen=True, slots=True)
class TaskData:
    """A task in a data set's own format: ``data`` is its id, its row, or its tests.

    ``dataset`` names the data set of an id, if several have it.
    """

    form: Form | Literal["id"]
    data: Any
    dataset: str | None = None

    def row(self, answer: str) -> str | dict[str, Any]:
        """Return the task for a server request: an id, a row, or tests that ``task_data`` reads."""
        tests: Any = self.of(answer)
        keys = {
            "assertions": ("functional",),
            "printed": ("inputs", "outputs"),
            "calls": ("fn_name", "inputs", "outputs"),
        }.get(self.form)
        if keys is None:
            return tests  # type: ignore[no-any-return]
        return dict(zip(keys, [tests] if len(keys) == 1 else tests, strict=False))

    def of(self, program: str) -> Any:
        """Return the tests for a program, which may define the function as a method."""
        if self.form != "calls" or not SOLUTION.search(program):
            return self.data
        return (f"Solution.{self.data[0]}", *self.data[1:])


def task_data(tests: Any) -> TaskData:
    """Return the task in a cell of a data set, parsed if it is a JSON text.

    Any other text is a task id, and so is an object of ``task_id`` and ``dataset``. A list holds
    assertions (strings), or cases (``input``, ``output``, and for functions ``fn_name`` or
    LiveCodeBench's ``metadata.func_name``). Any other object holds ``inputs`` and ``outputs`` (for
    functions with ``fn_name``), ``assert_case`` or ``functional``, or is a row of a task file.
    NumPy arrays count as lists. Raises InputError for anything else.
    """
    try:
        tests = _plain(tests)
    except RecursionError:
        raise InputError("the tests nest too deeply") from None
    if isinstance(tests, str):
        if tests.lstrip()[:1] not in ("{", "["):
            return TaskData("id", tests)
        tests = _parsed(tests)
    if isinstance(tests, Mapping):
        return _of_object(dict(tests))
    if not isinstance(tests, Sequence) or not tests:
        raise InputError(f"the tests are a {type(tests).__name__}", remedy="give a list of tests")
    if all(isinstance(each, str) for each in tests):
        return TaskData("assertions", list(tests))
    if not all(isinstance(each, Mapping) and {"input", "output"} <= each.keys() for each in tests):
        raise InputError("a test has no input and output")
    metadata = tests[0].get("metadata")
    if isinstance(metadata, str) and metadata.lstrip()[:1] == "{":
        metadata = _parsed(metadata)
    name = tests[0].get("fn_name") or (
        metadata.get("func_name") if isinstance(metadata, Mapping) else None
    )
    if not name and any(each.get("testtype") == "functional" for each in tests):
        raise InputError(
            "the tests are functional, and do not name the function",
            remedy="give fn_name, or metadata with a func_name",
        )
    cases = {"inputs": [t["input"] for t in tests], "outputs": [t["output"] for t in tests]}
    return _of_object({**cases, "fn_name": name} if name else cases)


def _plain(value: Any) -> Any:
    """Return a value with lists and numbers in place of NumPy's."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return type(value)(map(_plain, value)) if type(value) in (list, tuple) else value


def _of_object(data: dict[str, Any]) -> TaskData:
    if data.keys() == {"task_id", "dataset"} and all(isinstance(v, str) for v in data.values()):
        return TaskData("id", data["task_id"], data["dataset"])
    for key in ("assert_case", "functional"):  # code appended to a program, perhaps in parts
        if text := data.get(key):
            return task_data([text] if isinstance(text, str) and text[:1] != "[" else text)
    for key in ("pytest", "solution_file"):
        if key in data:
            raise InputError(
                f"the tests are under {key!r}, which is not supported",
                remedy="give them as 'functional' (assertions), or as inputs and outputs",
            )
    inputs, outputs = data.get("inputs"), data.get("outputs")
    if {"prompt", "reference", "task_id", "id"} & data.keys() or inputs is None or outputs is None:
        return TaskData("row", data)
    for each in (inputs, outputs):
        if isinstance(each, str | Mapping) or not isinstance(each, Iterable):
            raise InputError(f"inputs or outputs are a {type(each).__name__}, not a list")
    if data.get("fn_name"):
        outputs = list(outputs)
        answers = [
            own if isinstance(own, str) else _json(value)
            for own, value in zip(outputs, unwrapped(outputs), strict=True)
        ]
        calls = []  # the arguments of each, one JSON value a line; some sets have a list of them
        for each in inputs:
            if not isinstance(each, Sequence):
                raise InputError(f"an input of a function is a {type(each).__name__}")
            calls.append(each if isinstance(each, str) else "\n".join(map(_json, each)))
        return TaskData("calls", (data["fn_name"], calls, answers))
    return TaskData("printed", ([*inputs], [*outputs], 0.0))


def _json(value: Any) -> str:
    try:
        return json.dumps(value)
    except (TypeError, ValueError):
        raise InputError(f"a value of a function's tests is not JSON: {value!r:.60}") from None


def _parsed(text: str) -> Any:
    """Parse a cell's text as JSON, or as a Python literal, which some data sets use."""
    with suppress(InputError):
        return parse_json(text)
    try:
        return ast.literal_eval(text)
    except parsing.UNREADABLE:
        raise InputError("the tests are neither JSON nor a literal") from None


# SandboxFusion's problems: standard input and output, or code with assertions.

TOLERANCE = 1e-6
"""Tolerance for printed numbers with a fraction; SandboxFusion's own."""


def problem_data(row: Mapping[str, Any]) -> TaskData:
    """Return the tests of a SandboxFusion row; InputError if they are unsupported."""
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


# Tests as tasks. They have no reference, so the tests decide. Expected values are extracted from
# them, to keep these outside the program's process.

MOST_TESTS = 100_000
NAME = "request"
"""The id of a task without one."""


@dataclass(frozen=True, slots=True)
class JudgedTests:
    """A task made from tests, and the range of cases of each test, which may have several.

    ``inside`` counts the tests decided, at least in part, in the program's own process.
    """

    task: Task
    tests: tuple[range, ...] = ()
    inside: int = 0


def task_of(form: str, data: Any) -> JudgedTests:
    """Return the task of tests in the form ``assertions``, ``printed`` or ``calls``."""
    makers = {"assertions": _assertions, "printed": _printed, "calls": _calls}
    return makers[form](data)


def _assertions(tests: Sequence[str]) -> JudgedTests:
    """Return the task of tests in Python, most of them a single ``assert``.

    For ``assert f(1) == 2`` the test's earlier statements run, then ``f(1)``, whose value is
    compared outside the process. A test with assertions in loops or functions runs unchanged in
    the program's process and counts as ``inside``, as do comparisons of two computed values.
    """
    assertions: list[Assertion] = []
    ranges, inside = [], 0
    for number, text in enumerate(_counted(tests)):
        # Otherwise every program would fail.
        if type(text) is not str or parsing.tree_or_none(text) is None:
            raise InputError(f"test {number} is not Python: {text!r:.80}")
        parts: list[Assertion] = []
        with suppress(*parsing.UNREADABLE):
            parts = divided(text)
        parts = parts or [whole(text)]
        inside += any(each.inside for each in parts)
        ranges.append(range(len(assertions), len(assertions) + len(parts)))
        assertions += parts
    assertions, rule = with_tolerances(assertions, Rule(atol=0.0, rtol=0.0))
    name = ""
    with suppress(*parsing.UNREADABLE):
        name = needed_name(map(parsing.parse, tests))
    task = _task(
        name,
        Harness("assertions"),
        [(each.expression,) for each in assertions],
        [each.expected for each in assertions],
        rule,
    )
    return JudgedTests(task, tuple(ranges), inside)


def _printed(data: tuple[Sequence[str], Sequence[str], float]) -> JudgedTests:
    """Return the task of scripts that read an input and print an output.

    ``data`` is (inputs, outputs, tolerance). Words are compared, and numbers by value: those with
    a fraction within ``tolerance``, absolute and relative.
    """
    inputs, outputs, tolerance = data
    _paired(inputs, outputs)
    for number, text in enumerate([*inputs, *outputs]):
        if type(text) is not str:
            raise InputError(f"text {number} is a {type(text).__name__}, not a text")
    rule = Rule("numbers", tolerance, tolerance)
    return JudgedTests(_task("", Harness("script"), [(text,) for text in inputs], outputs, rule))


def _calls(data: tuple[str, Sequence[str], Sequence[str]]) -> JudgedTests:
    """Return the task of a function or a method of ``Solution``, from (name, inputs, outputs).

    An input has one JSON argument a line; an output is the expected value in JSON.
    """
    name, inputs, outputs = data
    _paired(inputs, outputs)
    if type(name) is not str or not name.removeprefix("Solution.").isidentifier():
        raise InputError(f"fn_name {str(name)[:60]!r} is not a Python name")
    arguments = [tuple(parse_json(line) for line in str(text).split("\n")) for text in inputs]
    answers = [parse_json(text) if type(text) is str else text for text in outputs]
    harness = Harness("method") if "." in name else CALL
    return JudgedTests(_task(name, harness, arguments, answers, PYTHON))


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


def _said(messages: Any) -> str:
    """Return the last user message of a conversation, or a plain text unchanged."""
    if type(messages) is str:
        return messages
    rows = [each for each in messages or [] if type(each) is dict and each.get("role") == "user"]
    return str(rows[-1].get("content", "")) if rows else ""


def trainer_task(fields: Fields, background: Background) -> Task:
    """Return the task of a trainer's row, named by its own id, or else by its line from 0."""
    row = fields.row.data
    try:
        if "reward_model" in row:
            about = row.get("extra_info") or {}
            name, prompt = row.get("data_source", "verl"), _said(row["prompt"])
            index = about.get("index", fields.row.line - 1)
            if str(about.get("prefix") or "").strip():
                raise InputError(
                    "extra_info.prefix is code to prepend to programs, which is not supported",
                    remedy="put it in the prompt, so that programs include it",
                )
            id = f"{name}/{index}"
            data = task_data(fields.object("reward_model").row.data["ground_truth"])
        elif "messages" in row:
            id = row.get("id", f"open-instruct/{fields.row.line - 1}")
            prompt = _said(row["messages"])
            tests = row["ground_truth"]
            if type(tests) is list and len(tests) == 1 and str(tests[0]).lstrip()[:1] == "[":
                (tests,) = tests
            data = task_data(tests)
        else:
            id, prompt, data = row["id"], fields.text("content"), problem_data(row)
        if data.form in ("id", "row"):
            raise InputError("it does not hold tests", remedy="load the data set that it names")
        task = task_of(data.form, data.of(prompt)).task
    except InputError as error:
        raise fields.refuse(error.problem, remedy=error.remedy) from None
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise fields.refuse(f"it does not hold tests: {type(error).__name__}: {error}") from None
    own = replace(fields, row=Row(fields.row.line, {"id": str(id), "prompt": prompt}))
    return replace(task, id=own.id("id"), prompt=own.text("prompt"))


FORMATS = tuple(
    Format(name, keys, trainer_task)
    for name, keys in (
        ("verl", {"data_source", "prompt", "reward_model"}),
        ("open-instruct", {"messages", "ground_truth", "dataset"}),
        ("SandboxFusion", {"id", "content", "labels", "test"}),
    )
)
