"""APPS, and TACO in its form: problems with tests as one JSON text, for scripts or a function."""

from __future__ import annotations

from typing import Any

from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.contest import Tests, arguments, contest_task, nested, texts
from evalplus_lite.tasks.published.format import Background, Format
from evalplus_lite.types import Rule, Task

RULE = Rule("numbers", 1e-6, 1e-6)
"""Its own judge takes words, and numbers that are near, in most of the ways it tries."""


def apps_task(fields: Fields, background: Background) -> Task:
    """Return a task of APPS, named by its number."""
    number = fields.row.data.get("problem_id", fields.row.data.get("id"))
    if type(number) not in (int, str):
        raise fields.refuse("'problem_id' is missing")
    return judged_by_tests(fields, f"APPS/{number}")


def judged_by_tests(fields: Fields, id: str) -> Task:
    """Return the task of a row with ``question``, ``input_output`` and ``solutions``."""
    held: dict[str, Any] = nested(fields, "input_output", dict, default={})
    inputs, outputs = held.get("inputs", []), held.get("outputs", [])
    function = held.get("fn_name") or ""
    if type(inputs) is not list or type(outputs) is not list or type(function) is not str:
        raise fields.refuse("'input_output' does not hold lists of inputs and outputs")
    if function and not function.isidentifier():
        raise fields.refuse(f"fn_name {function[:60]!r} is not a Python name")
    if function:
        # A list of one item is the item, wrapped: so the set's own judge has it.
        returned = [each[0] if type(each) is list and len(each) == 1 else each for each in outputs]
        tests = Tests(arguments(fields, inputs, "inputs"), returned)
    else:
        given = [(text,) for text in texts(fields, inputs, "inputs")]
        tests = Tests([*given], texts(fields, outputs, "outputs"))
    solutions = nested(fields, "solutions", list, default=[])
    return contest_task(
        fields,
        id,
        fields.text("question"),
        tests,
        solutions,
        function=function,
        starter=fields.text("starter_code", default=""),
        rule=RULE,
        extra={
            key: fields.row.data[key]
            for key in ("difficulty", "url", "source", "tags")
            if type(fields.row.data.get(key)) is str
        },
    )


def taco_task(fields: Fields, background: Background) -> Task:
    """Return a task of TACO, named by its line, from 0: rows have no names of their own."""
    return judged_by_tests(fields, f"TACO/{fields.row.line - 1}")


FORMATS = (
    Format("APPS", {"problem_id", "question", "input_output", "solutions"}, apps_task),
    Format("TACO", {"question", "input_output", "solutions", "raw_tags"}, taco_task),
)
