"""Examples in doctest's form: calls of a function with literals, and the literals they give."""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Iterator
from dataclasses import dataclass

from evalplus_lite.errors import CodecError
from evalplus_lite.programs import parsing
from evalplus_lite.types import Value
from evalplus_lite.values import wire
from evalplus_lite.values.literals import literal

LONGEST = 100_000
"""Characters of a text that is searched."""


@dataclass(frozen=True, slots=True)
class Example:
    """A call and what it gives, or why it cannot be a case, with its line in the text (from 1)."""

    source: str
    line: int
    arguments: tuple[Value, ...] = ()
    output: bytes = b""
    """In wire form."""
    problem: str = ""


def examples(text: str, name: str) -> Iterator[Example]:
    """Yield the examples in a text that call ``name``, those that cannot be cases too.

    The text may be a program, whose docstrings are searched then. Nothing is run.
    """
    if len(text) > LONGEST:
        return
    try:
        tree = parsing.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield from _examples(text, name)
        return
    places = [tree, *(node for node in ast.walk(tree) if isinstance(node, _DOCUMENTED))]
    for node in places:
        if (docstring := ast.get_docstring(node, clean=False)) is not None:
            yield from _examples(docstring, name, after=node.body[0].lineno - 1)


_QUOTES = re.compile(r'"""|\'\'\'')
_DOCUMENTED = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _examples(text: str, name: str, *, after: int = 0) -> Iterator[Example]:
    try:
        found = doctest.DocTestParser().get_examples(text)
    except ValueError:  # its lines are indented in another way than doctest wants
        return
    for each in found:
        source, line = each.source.strip(), after + each.lineno + 1
        try:
            call = parsing.parse(source, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if not (
            isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == name
        ):
            continue
        if each.exc_msg is not None:
            yield Example(source, line, problem="it raises")
            continue
        try:
            if call.keywords:
                raise ValueError("an argument is given by name")
            arguments = tuple(literal(argument) for argument in call.args)
            wire.encode(list(arguments))
        except (ValueError, CodecError) as error:
            yield Example(source, line, problem=str(error))
            continue
        # The quotes that end a docstring may follow at once, where the text is no program.
        wanted = _QUOTES.split(each.want)[0].strip() or "None"
        try:
            value = literal(parsing.parse(wanted, mode="eval").body)
            yield Example(source, line, arguments, wire.encode(value))
        except (SyntaxError, ValueError, RecursionError, MemoryError, CodecError):
            yield Example(source, line, problem="what it gives is no literal")
