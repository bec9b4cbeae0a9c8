"""Tasks as trainers send them along with a program: assertions, texts in and out, or calls.

What is expected is taken out of them, so that it stays outside the program's process.
"""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Sequence
from typing import Any

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.execution.base import Row
from evalplus_lite.jobs.verification import RequestedTask
from evalplus_lite.programs import parsing
from evalplus_lite.store.parsing import parse_json
from evalplus_lite.tasks.assertions import Assertion, divided, needed_name, whole
from evalplus_lite.tasks.loading import dataset_of
from evalplus_lite.tasks.published.trainers import Form, TaskData, is_method
from evalplus_lite.types import CALL, PYTHON, Case, Harness, Rule, Task
from evalplus_lite.values import wire

MOST_TESTS = 100_000
NAME = "request"
"""The id of a task that came without one."""


def source_of(form: Form, data: Row) -> Row:
    """Return a task that came with a program in the form that ``ProgramJudge.submit`` takes."""
    # In the form without references to equal parts: equal tasks have equal bytes.
    body = marshal.dumps(data, 2)
    return f"{__name__}:{form}", hashlib.sha256(form.encode() + body).digest(), body


def task_source(task: TaskData, answer: str) -> Row:
    """Return a task in a trainer's form, other than an id, as ``ProgramJudge`` takes it."""
    assert task.form != "id"
    data = (*task.data, is_method(answer)) if task.form == "calls" else task.data
    return source_of(task.form, data)


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
