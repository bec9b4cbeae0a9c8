"""Tasks of programming contests: texts in and out, or calls of a function."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.programs import definitions
from evalplus_lite.store.parsing import parse_json
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.types import CALL, PYTHON, Case, Harness, Rule, Task
from evalplus_lite.values import wire

MOST_SOLUTIONS = 50
"""Solutions of a row that are looked at in search of one that compiles."""


MOST_PROGRAMS = 4
"""Of those that compile, so many are asked about new inputs: what they contradict is no test."""


@dataclass(frozen=True, slots=True)
class Tests:
    """Inputs, each the arguments of a case, and the outputs that belong to them."""

    inputs: list[tuple[Any, ...]]
    outputs: list[Any]


def contest_task(
    fields: Fields,
    id: str,
    prompt: str,
    tests: Tests,
    solutions: Sequence[str],
    *,
    function: str = "",
    starter: str = "",
    rule: Rule,
    extra: dict[str, Any],
) -> Task:
    """Return the task of a row; refused if it has no tests.

    The reference is the first solution that compiles (and defines the function), none if there is
    no such; then programs are judged by the outputs alone. Without a ``function`` programs are
    scripts; with one, it is a method of ``Solution`` if ``starter`` or the reference has it so.
    """
    if not tests.inputs or len(tests.inputs) != len(tests.outputs):
        raise fields.refuse(
            f"task {id}: {len(tests.inputs)} inputs and {len(tests.outputs)} outputs",
            remedy="without tests there is nothing to judge by",
        )
    is_method = bool(function) and "class Solution" in starter
    name = "Solution" if is_method else function
    usable = [each for each in solutions[:MOST_SOLUTIONS] if _is_program(each, name)]
    if not usable and function and not is_method:
        usable = [each for each in solutions[:MOST_SOLUTIONS] if _is_program(each, "Solution")]
        is_method = bool(usable)
    try:
        outputs = tuple(map(wire.encode, tests.outputs))
        inputs = [tuple(arguments) for arguments in tests.inputs]
        for arguments in inputs:
            wire.encode(list(arguments))
    except CodecError as error:
        raise fields.refuse(f"task {id}: {error}") from None
    script = Harness("script")
    return Task(
        id=id,
        prompt=prompt if not starter else f"{prompt.rstrip()}\n\n{starter}",
        entry_point=f"Solution.{function}" if is_method else function,
        harness=Harness("method") if is_method else CALL if function else script,
        reference=usable[0] if usable else "",
        programs=tuple(usable[1:MOST_PROGRAMS]),
        base=tuple(map(Case, inputs)),
        outputs=outputs,
        rule=PYTHON if function else rule,
        style="solution",
        extra=extra,
    )


def nested(fields: Fields, key: str, kind: type, *, default: Any = None) -> Any:
    """Return a field that holds JSON, as a string or as it is; refused if it is not a ``kind``."""
    value = fields.row.data.get(key, default)
    if type(value) is str:
        value = parsed(fields, value, key) if value.strip() else default
    if type(value) is not kind:
        raise fields.refuse(f"{key!r} does not hold a {kind.__name__}")
    return value


def parsed(fields: Fields, text: str, name: str) -> Any:
    """Return the value of a JSON text within a row."""
    try:
        return parse_json(text)
    except (InputError, ValueError, RecursionError) as error:
        raise fields.refuse(f"{name}: not JSON: {error}") from None


def texts(fields: Fields, items: Sequence[Any], name: str) -> list[str]:
    """Return the texts of a list; lists of lines are joined, as some rows have them."""
    found = []
    for item in items:
        lines = item if type(item) is list else [item]
        if not all(type(line) is str for line in lines):
            raise fields.refuse(f"{name} holds {type(item).__name__}, a text was expected")
        found.append("\n".join(lines))
    return found


def arguments(fields: Fields, items: Sequence[Any], name: str) -> list[tuple[Any, ...]]:
    """Return the arguments of calls, from lists of them."""
    if not all(type(item) is list for item in items):
        raise fields.refuse(f"{name}: a list of arguments was expected for each call")
    return [tuple(item) for item in items]


def _is_program(source: str, name: str) -> bool:
    tree = definitions.parse(source) if type(source) is str else None
    return isinstance(tree, ast.Module) and (not name or definitions.defines(tree, name))
