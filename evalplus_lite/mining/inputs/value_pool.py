"""What a function's own text offers as inputs: constants, patterns, examples, telling names."""

from __future__ import annotations

import ast
import functools
import re
import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import Any

from evalplus_lite.generate.domains.constants import from_source
from evalplus_lite.mining.running.runs import Call
from evalplus_lite.mining.selecting.static import MinedFunction
from evalplus_lite.types import Value

MAX_CONSTANTS = 300
_REGEX_CALLS = frozenset("compile match search fullmatch sub findall finditer split subn".split())


@dataclass(frozen=True, slots=True)
class Material:
    """Values to build inputs from, each list distinct and in order of appearance."""

    integers: tuple[int, ...] = ()
    floats: tuple[float, ...] = ()
    strings: tuple[str, ...] = ()
    pieces: tuple[str, ...] = ()
    """Words and single characters of the strings."""
    patterns: tuple[str, ...] = ()
    """Regular expressions that the code compiles."""
    examples: tuple[Call, ...] = ()
    """Calls that docstrings show."""

    @classmethod
    def of(cls, function: MinedFunction) -> Material:
        """Return the material of a mined function: its own constants first."""
        values = [*from_source(function.implementation), *from_source(function.code)]
        strings = [v for v in values if type(v) is str and 0 < len(v) <= 120]
        patterns = _patterns(function.code)
        words = [w for s in strings if s not in patterns for w in re.findall(r"\w+|[^\w\s]", s)]
        integers = [v for v in values if type(v) is int and abs(v) < 1 << 64]
        near = [v + step for v in integers for step in (0, 1, -1)]
        return cls(
            integers=_distinct(near),
            floats=_distinct([v for v in values if type(v) is float and v == v]),
            strings=_distinct(s for s in strings if s not in patterns),
            pieces=_distinct(words),
            patterns=_distinct(patterns),
            examples=_examples(function),
        )


def hints(name: str, table: str) -> tuple[Value, ...]:
    """Return what a parameter's name suggests, from ``data/hints.toml``; often nothing."""
    known: dict[str, list[Value]] = _hints()[table]
    found: list[Value] = []
    parts = [name.lower().strip("_"), *name.lower().split("_"), name.lower().rstrip("s")]
    for part in parts:
        found += known.get(part, [])
    return _distinct(found)


def _distinct(values: Any) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(values))[:MAX_CONSTANTS]


def _patterns(code: str) -> list[str]:
    found: list[str] = []
    for node in ast.walk(ast.parse(code)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute | ast.Name)
            and (node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id)
            in _REGEX_CALLS
            and node.args
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, str)
        ):
            found.append(node.args[0].value)
    return found


def _examples(function: MinedFunction) -> tuple[Call, ...]:
    """Read calls of the function with literal arguments out of its docstring."""
    found: list[Call] = []
    for match in re.finditer(rf"\b{re.escape(function.name)}\(", function.docstring):
        text = _balanced(function.docstring[match.start() :])
        try:
            node = ast.parse(text, mode="eval").body
            assert isinstance(node, ast.Call)
            args = tuple(ast.literal_eval(a) for a in node.args)
            kwargs = {k.arg: ast.literal_eval(k.value) for k in node.keywords if k.arg}
        except (SyntaxError, ValueError, AssertionError, TypeError, MemoryError):
            continue
        found.append(_placed(function, args, kwargs))
    return tuple({call.key: call for call in found}.values())


def _placed(function: MinedFunction, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Call:
    """Move keyword arguments of positional parameters into their places where there is no gap."""
    names = [p.name for p in function.signature.parameters if p.kind == "positional"]
    listed = list(args)
    while len(listed) < len(names) and names[len(listed)] in kwargs:
        listed.append(kwargs.pop(names[len(listed)]))
    return Call(tuple(listed), kwargs)


def _balanced(text: str) -> str:
    depth = 0
    quote = ""
    for position, letter in enumerate(text[:2000]):
        if quote:
            if letter == quote and text[position - 1] != "\\":
                quote = ""
        elif letter in "\"'":
            quote = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
            if not depth:
                return re.sub(r"\n\s*(\.\.\.\s*)?", " ", text[: position + 1])
    return ""


@functools.cache
def _hints() -> dict[str, Any]:
    data = resources.files("evalplus_lite.mining").joinpath("data/hints.toml")
    return tomllib.loads(data.read_text(encoding="utf-8"))
