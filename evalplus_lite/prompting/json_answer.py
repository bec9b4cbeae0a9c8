"""Reading a model's answer: inputs out of JSON, cut-off JSON, or Python literals; never by eval."""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from evalplus_lite.programs import parsing
from evalplus_lite.prompting.json_form import InputForm
from evalplus_lite.prompting.misfits import FormError
from evalplus_lite.types import Value

LONGEST_ANSWER = 1 << 20
"""Characters of an answer that are looked at."""
MOST_INPUTS = 1000
"""Inputs that are taken from one answer, and lines that are looked at for literals."""

_MOST_OBJECTS = 4000
"""Places of an answer at which an object may begin."""

_BULLET = re.compile(r"^\s*(?:[-*+]|\(?\d{1,3}[.):])\s+")
_FAILURES = (ValueError, TypeError, SyntaxError, MemoryError, RecursionError)
"""What parsing a hostile text can raise."""


@dataclass(frozen=True, slots=True)
class InputAnswer:
    """The inputs found in an answer, in order, and what was wrong with the others."""

    inputs: tuple[tuple[Value, ...], ...]
    problems: tuple[str, ...]


def read_answer(text: str, form: InputForm, *, entry_point: str) -> InputAnswer:
    """Return the inputs in a model's answer: JSON as the schema asks, else literals in its lines.

    JSON may stand in a fence or among prose, and may end in its middle: its whole inputs count. A
    line with a literal list or tuple of the arguments is an input, and so is a call of the entry
    point with literal arguments. What is not of the observed types is a problem, never a guess.
    """
    text = text[:LONGEST_ANSWER]
    trees = _first(_json_inputs(text)) or _first(_literal_inputs(text, form, entry_point))
    inputs: list[tuple[Value, ...]] = []
    problems: list[str] = []
    for tree in trees:
        try:
            inputs.append(form.read(tree))
        except (FormError, RecursionError) as error:
            problems.append(f"{shorten(tree)}: {error}")
    if not trees:
        problems.append("the answer holds no input in the form asked for")
    if len(trees) == MOST_INPUTS:
        problems.append(f"the answer was read up to its input number {MOST_INPUTS}")
    return InputAnswer(tuple(inputs), tuple(problems))


def _first(trees: Iterator[Any]) -> list[Any]:
    return list(islice(trees, MOST_INPUTS))


def shorten(value: Any) -> str:
    """Return a value's text on one line of 120 characters at most."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer too long to write, or deep nesting
        text = f"a {type(value).__name__}"
    return text if len(text) <= 120 else f"{text[:117]}..."


def no_constant(name: str) -> Any:
    """Refuse NaN and the infinities."""
    raise ValueError(f"{name} is not JSON")


def _json_inputs(text: str) -> Iterator[Any]:
    """Yield the elements of the first array named ``inputs``, up to where its JSON ends."""
    found = re.search(r'"inputs"\s*:\s*\[', text)
    if found is None:
        return
    decoder = json.JSONDecoder()
    at = found.end()
    while True:
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        if at >= len(text) or text[at] == "]":
            return
        try:
            tree, at = decoder.raw_decode(text, at)
        except _FAILURES:
            return
        yield tree


def json_objects(
    text: str, *, constant: Callable[[str], Any] = no_constant, problems: list[str] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in a text, the outermost that are whole, whatever stands around them.

    ``constant`` reads NaN and the infinities, which JSON has not; why an object could not be read
    is added to ``problems``.
    """

    def number(written: str) -> Any:
        found = float(written)
        # 1e999 is JSON, and no number that can be written again.
        return found if math.isfinite(found) else constant("Infinity" if found > 0 else "-Infinity")

    decoder = json.JSONDecoder(parse_constant=constant, parse_float=number)
    at = 0
    for _ in range(_MOST_OBJECTS):
        at = text.find("{", at)
        if at < 0:
            return
        try:
            tree, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            at += 1
            if problems is not None:
                problems.append(str(error))
        else:
            yield tree


def _literal_inputs(text: str, form: InputForm, entry_point: str) -> Iterator[Any]:
    lines = (_BULLET.sub("", line).strip().rstrip(",;").strip("`") for line in text.splitlines())
    begins = ("[", "(", "{", entry_point)
    for line in islice((line for line in lines if line.startswith(begins)), MOST_INPUTS):
        try:
            node = parsing.parse(line, mode="eval").body
            if isinstance(node, ast.Compare) and isinstance(node.left, ast.Call):
                node = node.left  # an assert's or example's "f(1, 2) == 3": the call is the input
            tree = _called(node) if isinstance(node, ast.Call) else ast.literal_eval(node)
        except _FAILURES:
            continue
        yield from _rows(tree, form)


def _called(node: ast.Call) -> Any:
    """Return the literal arguments of a written call, as an object where all are named."""
    if node.keywords and not node.args:
        return {str(word.arg): ast.literal_eval(word.value) for word in node.keywords}
    if node.keywords:
        raise ValueError("mixed arguments")
    return [ast.literal_eval(argument) for argument in node.args]


def _rows(tree: Any, form: InputForm) -> Iterator[Any]:
    """Yield a literal as one input, or its elements where those are the inputs."""
    if not isinstance(tree, list):
        yield tree
        return
    try:
        form.read(tree)
    except FormError:
        rows = [row for row in tree if isinstance(row, (list, tuple, dict))]
        if rows and len(rows) == len(tree) and any(_fits(row, form) for row in rows):
            yield from rows
            return
    yield tree


def _fits(tree: Any, form: InputForm) -> bool:
    try:
        form.read(tree)
    except FormError:
        return False
    return True
