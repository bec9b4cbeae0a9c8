"""Helpers shared by the readers of published rows."""

from __future__ import annotations

import ast
import base64
import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from evalplus_lite.errors import CodecError
from evalplus_lite.programs import definitions, parsing
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.format import Background, published_rule
from evalplus_lite.tasks.unit_tests import having_tests
from evalplus_lite.types import Case, Task, Value
from evalplus_lite.values import wire
from evalplus_lite.values.source import literal_calls, value_of


def unwrapped(outputs: Sequence[Any]) -> Sequence[Any]:
    """Return the expected outputs of a function, which some sets wrap in lists of one item.

    Only if all of them are such lists: otherwise the function itself returns lists.
    """
    is_wrapped = all(isinstance(each, list | tuple) and len(each) == 1 for each in outputs)
    return [each[0] for each in outputs] if is_wrapped else outputs


# Restoring the types that inputs lost in JSON.

RECURSIVE_LEVELS = 3  # nesting depth in examples from which a container may nest arbitrarily deep

_NUMBERS = frozenset({int, float, complex})


@dataclass(slots=True)
class ArgumentTypes:
    """The types that literals have at one position: containers, scalars, and nested types."""

    containers: set[type] = field(default_factory=set)
    scalars: set[type] = field(default_factory=set)
    items: ArgumentTypes | None = None
    keys: ArgumentTypes | None = None

    def show(self, value: Value) -> None:
        """Record a value seen at this position."""
        if isinstance(value, (list, tuple, set, frozenset)):
            self.containers.add(type(value))
            self.items = self.items or ArgumentTypes()
            for item in value:
                self.items.show(item)
        elif isinstance(value, dict):
            self.items, self.keys = self.items or ArgumentTypes(), self.keys or ArgumentTypes()
            for key, item in value.items():
                self.keys.show(key)
                self.items.show(item)
        else:
            self.scalars.add(type(value))

    def repair(self, value: Any, *, alike: int = 0, outside: type | None = None) -> Value:
        """Convert a JSON value to the types seen at this position; unchanged if ambiguous.

        ``alike`` counts the enclosing levels of the same container type, ``outside``.
        """
        if isinstance(value, dict):
            keys, items = self.keys or ArgumentTypes(), self.items or ArgumentTypes()
            return {keys.repair(key): items.repair(item) for key, item in value.items()}
        if isinstance(value, str) and self.is_number:
            return _number(value)
        if not isinstance(value, list):
            return value
        container = next(iter(self.containers)) if len(self.containers) == 1 else list
        alike = alike + 1 if container is outside else 1
        inner = self.items or ArgumentTypes()
        nested = self if not inner.containers and alike >= RECURSIVE_LEVELS else inner
        repaired = [
            (nested if isinstance(item, list) else inner).repair(
                item, alike=alike, outside=container
            )
            for item in value
        ]
        try:
            return container(repaired)
        except TypeError:  # a set of lists
            return repaired

    @property
    def is_number(self) -> bool:
        """Whether only numbers were seen at this position."""
        return bool(self.scalars) and self.scalars <= _NUMBERS and not self.containers

    @property
    def is_json(self) -> bool:
        """Whether JSON represents everything seen at this position without loss."""
        return (
            self.containers <= {list}
            and complex not in self.scalars
            and (self.keys is None or (self.keys.scalars <= {str} and not self.keys.containers))
            and (self.items is None or self.items.is_json)
        )


def repaired(
    inputs: Sequence[Sequence[Any]], shown: Iterable[Sequence[Value] | None]
) -> list[tuple[Value, ...]]:
    """Return each input (a list of arguments from JSON) with the types seen in ``shown``.

    ``shown`` has the arguments of the task's example calls. An input with the same JSON as one of
    them becomes that one; others are repaired position by position (``ArgumentTypes``).
    """
    examples = [tuple(call) for call in shown if call is not None]
    forms = [ArgumentTypes() for _ in range(max(map(len, examples), default=0))]
    for call in examples:
        for form, argument in zip(forms, call, strict=False):
            form.show(argument)
    _show_complex(inputs, forms)
    if all(form.is_json for form in forms):
        return [tuple(arguments) for arguments in inputs]
    exact = {_json_text(call): call for call in reversed(examples)}
    return [
        exact.get(_json_text(arguments))
        or (
            *(form.repair(item) for form, item in zip(forms, arguments, strict=False)),
            *arguments[len(forms) :],
        )
        for arguments in inputs
    ]


def _show_complex(inputs: Iterable[Sequence[Any]], forms: Sequence[ArgumentTypes]) -> None:
    """Record complex numbers where examples have only numbers but an input has "(1+2j)" or alike.

    The JSON file has strings in place of all numbers there.
    """
    numeric = [(place, form) for place, form in enumerate(forms) if form.is_number]
    for arguments in inputs if numeric else ():
        for place, form in numeric:
            argument = arguments[place] if place < len(arguments) else None
            if type(argument) is str and argument.endswith(("j", "j)")):
                form.show(_number(argument))


def _number(text: str) -> Value:
    """Return the number written in a string, or the string if it is not a number."""
    if not any(character.isdecimal() for character in text):
        return text  # "inf" and "j" may be words
    try:
        number = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError):
        return text
    return number if type(number) in _NUMBERS else text


def _json_text(arguments: Sequence[Value]) -> str:
    """Return arguments as JSON, which loses types; sets are sorted by their elements' JSON."""
    return json.dumps(_json_form(arguments))


def _json_form(value: Value) -> Any:
    if isinstance(value, (set, frozenset)):
        return sorted((_json_form(item) for item in value), key=json.dumps)
    if isinstance(value, (list, tuple)):
        return [_json_form(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _json_form(item) for key, item in value.items()}
    return str(value) if isinstance(value, complex) else value


LEFT_OUT = "left_out"
"""Key of a task's ``extra``: a line with the reason for each test that cannot be a case."""


def heading(fields: Fields) -> tuple[str, str, str]:
    """Return a row's id, entry point and prompt."""
    return fields.id("task_id"), fields.identifier("entry_point"), fields.text("prompt")


def published(
    fields: Fields,
    background: Background,
    names: tuple[str, str, str],
    reference: str,
    *keys: str,
    **own: Any,
) -> Task:
    """Return a published task with its known contract and rule, unless it has ``own`` ones.

    ``names`` are its id, entry point and prompt; fields of these ``keys`` are kept in ``extra``.
    """
    id, entry_point, prompt = names
    usual = {
        "contract": background.contracts.get(id),
        "rule": published_rule(id, fields.number("atol", default=0.0)),
        "extra": rest(fields, *keys),
    }
    return Task(id, prompt, entry_point, reference, **{**usual, **own})


def cases(fields: Fields, examples: str, called: str) -> tuple[tuple[Case, ...], tuple[Case, ...]]:
    """Return base and plus cases with the types seen in the calls of ``examples``."""
    found: list[list[list[Any]]] = []
    for key in ("base_input", "plus_input"):
        # One MBPP+ task without plus inputs has an empty object here.
        inputs = [] if fields.row.data.get(key) == {} else fields.items(key)
        if not all(type(arguments) is list for arguments in inputs):
            raise fields.refuse(f"{key!r} holds something other than lists of arguments")
        found.append(inputs)
    base, plus = found
    try:
        shown = list(literal_calls(parsing.parse(examples), called))
    except (SyntaxError, ValueError, RecursionError) as error:
        raise fields.refuse(f"its assertions are not Python: {error}") from None
    inputs = repaired(base + plus, shown)
    return as_cases(inputs[: len(base)], "base"), as_cases(inputs[len(base) :], "plus")


def with_tests(fields: Fields, task: Task) -> Task:
    """Return the task with the unit tests of the row's ``test`` as cases; InputError without."""
    try:
        return having_tests(task, fields.text("test"))
    except ValueError as error:
        raise fields.refuse(str(error)) from None


def as_cases(inputs: Iterable[Sequence[Value]], source: str) -> tuple[Case, ...]:
    """Return lists of arguments as cases."""
    return tuple(Case(tuple(arguments), source) for arguments in inputs)


def rest(fields: Fields, *keys: str) -> dict[str, Any]:
    """Return those fields of the row that exist, for a task's ``extra``."""
    return {key: fields.row.data[key] for key in keys if key in fields.row.data}


def arguments_of(text: str) -> tuple[Value, ...]:
    """Parse a call's arguments without running anything; ValueError if one is not a literal."""
    try:
        call = parsing.parse(f"f({text})", mode="eval").body
        if not isinstance(call, ast.Call) or call.keywords:
            raise ValueError("not a list of positional arguments")
        found = tuple(value_of(argument) for argument in call.args)
        wire.encode(list(found))
    except (SyntaxError, RecursionError, MemoryError, CodecError) as error:
        raise ValueError(str(error)) from None
    return found


def inflated(text: str, most: int) -> bytes:
    """Decompress base64-encoded data; ValueError if it has more than ``most`` bytes."""
    unpacking = zlib.decompressobj()
    try:
        data = unpacking.decompress(base64.b64decode(text, validate=True), most)
    except (zlib.error, TypeError) as error:
        raise ValueError(str(error)) from None
    if unpacking.unconsumed_tail or not unpacking.eof:
        raise ValueError(f"it unpacks to over {most} bytes, or is cut")
    return data


def called(asserts: Sequence[str], source: str) -> str:
    """Return the program's function that the first assertion calls; ValueError if none."""
    program = definitions.parse(source) or parsing.parse("")
    for node in ast.walk(parsing.parse(asserts[0] if asserts else "")):
        name = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
        if name and definitions.defines(program, name):
            return str(name)
    raise ValueError("no assertion calls the program")
