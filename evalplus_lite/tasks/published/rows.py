"""What the readers of published rows share."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from evalplus_lite.errors import CodecError
from evalplus_lite.programs import definitions, parsing
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.argument_types import repaired
from evalplus_lite.tasks.unit_tests import having_tests
from evalplus_lite.types import Case, Task, Value
from evalplus_lite.values import wire
from evalplus_lite.values.literals import literal, literal_calls

LEFT_OUT = "left_out"
"""Of a task's ``extra``: a line for each test of its row that cannot be a case, with the reason."""


def heading(fields: Fields) -> tuple[str, str, str]:
    """Return a row's id, entry point and prompt."""
    return fields.id("task_id"), fields.identifier("entry_point"), fields.text("prompt")


def cases(fields: Fields, examples: str, called: str) -> tuple[tuple[Case, ...], tuple[Case, ...]]:
    """Return base and plus cases with the types that the calls in ``examples`` show."""
    base, plus = (_argument_lists(fields, key) for key in ("base_input", "plus_input"))
    try:
        shown = list(literal_calls(parsing.parse(examples), called))
    except (SyntaxError, ValueError, RecursionError) as error:
        raise fields.refuse(f"its assertions are not Python: {error}") from None
    inputs = repaired(base + plus, shown)
    return as_cases(inputs[: len(base)], "base"), as_cases(inputs[len(base) :], "plus")


def _argument_lists(fields: Fields, key: str) -> list[list[Any]]:
    # One MBPP+ task without plus inputs has an empty object there.
    value = [] if fields.row.data.get(key) == {} else fields.items(key)
    for arguments in value:
        if type(arguments) is not list:
            raise fields.refuse(f"{key!r} holds something other than lists of arguments")
    return value


def with_tests(fields: Fields, task: Task) -> Task:
    """Return the task with the unit tests in the row's ``test`` as cases; refuses a row without."""
    try:
        return having_tests(task, fields.text("test"))
    except ValueError as error:
        raise fields.refuse(str(error)) from None


def as_cases(inputs: Iterable[Sequence[Value]], source: str) -> tuple[Case, ...]:
    """Return lists of arguments as cases."""
    return tuple(Case(tuple(arguments), source) for arguments in inputs)


def rest(fields: Fields, *keys: str) -> dict[str, Any]:
    """Return the row's fields of these names, those that are there, for a task's ``extra``."""
    return {key: fields.row.data[key] for key in keys if key in fields.row.data}


def arguments_of(text: str) -> tuple[Value, ...]:
    """Return the arguments that a text between parentheses means; ValueError if one is no literal.

    Nothing is run.
    """
    try:
        call = parsing.parse(f"f({text})", mode="eval").body
        if not isinstance(call, ast.Call) or call.keywords:
            raise ValueError("not a list of positional arguments")
        found = tuple(literal(argument) for argument in call.args)
        wire.encode(list(found))
    except (SyntaxError, RecursionError, MemoryError, CodecError) as error:
        raise ValueError(str(error)) from None
    return found


def called(asserts: Sequence[str], source: str) -> str:
    """Return the function of the program that the first assertion calls; ValueError if none."""
    program = definitions.parse(source) or parsing.parse("")
    for name in _called_names(asserts[0] if asserts else ""):
        if definitions.defines(program, name):
            return name
    raise ValueError("no assertion calls the program")


def _called_names(source: str) -> Iterator[str]:
    for node in ast.walk(parsing.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id
