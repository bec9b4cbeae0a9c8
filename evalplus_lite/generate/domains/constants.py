"""Constants: values that occur in a task's reference and prompt."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from evalplus_lite.errors import CodecError
from evalplus_lite.generate.domains.text import tokens
from evalplus_lite.programs import parsing
from evalplus_lite.types import Task, Value
from evalplus_lite.values import codec
from evalplus_lite.values.identity import key

T = TypeVar("T")
N = TypeVar("N", int, float)

_MAX_BITS = 256
_MAX_TEXT = 200
_MAX_EACH = 200
"""Limit on constants of a type, since a reference may embed a whole table."""
_MAX_EXAMPLES = 50


@dataclass(frozen=True, slots=True)
class Constants:
    """Distinct constants by type, in order of appearance, followed by adjacent values."""

    integers: tuple[int, ...] = ()
    floats: tuple[float, ...] = ()
    strings: tuple[str, ...] = ()
    """Whole string constants."""
    tokens: tuple[str, ...] = ()
    """Words and characters of the string constants."""
    bytestrings: tuple[bytes, ...] = ()

    @classmethod
    def of_task(cls, task: Task) -> Constants:
        """Return the constants of the reference's code and the prompt's words."""
        return cls.of_values([*from_source(task.reference), *from_prompt(task.prompt)])

    @classmethod
    def of_values(cls, values: Iterable[Value]) -> Constants:
        """Return constants grouped by type; numbers get their neighbors and midpoints added."""
        values = list(values)
        integers = [value for value in values if type(value) is int]
        floats = [value for value in values if type(value) is float]
        strings = [value for value in values if type(value) is str]
        words = [token for text in strings for token in tokens(text)]
        characters = [letter for text in strings for letter in text]
        # Numbers count for both types, since an int argument may also hit a float threshold.
        whole = [int(value) for value in floats if value.is_integer() and abs(value) < 1e15]
        near = [number + step for number in integers for step in (1, -1)]
        reals = [*floats, *(float(number) for number in integers if abs(number) < 10**15)]
        beside = [round(number + step, 9) for number in floats for step in (1.0, -1.0)]
        return cls(
            # Constants come first, then neighbors and midpoints, because each type is cut off at
            # ``_MAX_EACH``.
            integers=_distinct([*integers, *whole, *near, *_between(integers)]),
            floats=_distinct([*floats, *_between(reals), *reals, *beside]),
            strings=_distinct(strings),
            tokens=_distinct(
                token for token in [*words, *characters] if token.strip() or " " in token
            ),
            bytestrings=_distinct(value for value in values if type(value) is bytes),
        )


def vocabulary(task: Task) -> frozenset[str]:
    """Return the strings in the reference's code, and those that the prompt quotes outside calls.

    The arguments of an example call are only examples.
    """
    said = [*from_source(task.reference), *from_prompt(_CALL.sub(" ", task.prompt))]
    return frozenset(value for value in said if type(value) is str)


_CALL = re.compile(r"\w\((?:[^()\n]|\([^()\n]*\))*\)")


def from_source(source: str) -> list[Value]:
    """Return the constants of a program except docstrings, in order of appearance.

    Arithmetic on constants (``10**9 + 7``) also counts as its result, if that is small. Empty if
    the program does not parse.
    """
    try:
        tree = parsing.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return list(_walk(tree))


def characters(source: str) -> str:
    """Return the characters of a program's string constants, which it may treat specially.

    ``\\s`` of a regular expression adds tab, newline and space.
    """
    texts = [value for value in from_source(source) if type(value) is str]
    blanks = "\t\n " if any("\\s" in text for text in texts) else ""
    return "".join(sorted({*"".join(texts), *blanks}))


def from_prompt(prompt: str) -> list[Value]:
    """Return the quoted strings and the numbers in the words of a prompt, in order."""
    constants: list[Value] = []
    for match in _SPOKEN.finditer(prompt):
        quoted, number = match.group(2), match.group(3)
        if quoted is not None:
            constants.append(quoted)
        elif number is not None and len(number) < 40:
            constants.append(float(number) if "." in number else int(number))
    return constants


# A quote opens after a blank, bracket, comma or equals sign (an apostrophe inside a word opens
# nothing) and closes on the same line.
_SPOKEN = re.compile(
    r"""(?<![^\s(\[{,=:])(["'`])(?!\1)([^"'`\n]{1,40})\1(?!\w)|(?<![\w.])(-?\d+(?:\.\d+)?)(?![\w.]\w|\w)"""
)


def examples(prompt: str, entry_point: str) -> list[tuple[Value, ...]]:
    """Return the arguments of the calls in a prompt that have only literals.

    Calls may have any form (``>>> f(1, 2)``, ``f([1]) == 2``, ``assert f("a")``); they are in
    order, without duplicates. Keyword arguments need a signature in the prompt to be positioned.
    """
    parameters = _parameters(prompt, entry_point)
    found: dict[bytes, tuple[Value, ...]] = {}
    _, dot, name = entry_point.rpartition(".")
    # A method is called on an object; a function's name must not be the end of another name.
    before = r"\." if dot else r"(?<![\w.])"
    for match in re.finditer(rf"{before}({re.escape(name)}|candidate)\(", prompt):
        # The signature looks like a call of names, not of values.
        if re.search(r"\bdef\s+$", prompt[: match.start(1)]):
            continue
        arguments = _call(prompt[match.start(1) :], parameters)
        if arguments is not None:
            found.setdefault(key(arguments), arguments)
            if len(found) >= _MAX_EXAMPLES:
                break
    return list(found.values())


def _call(text: str, parameters: tuple[str, ...]) -> tuple[Value, ...] | None:
    """Return the literal arguments of the call that the text starts with, if it is one."""
    # The call ends at the first closing parenthesis that completes an expression. Counting
    # parentheses would be misled by those in strings.
    for end in (match.end() for match in re.finditer(r"\)", text[:2000])):
        try:
            call = parsing.parse(text[:end].strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if not isinstance(call, ast.Call):
            return None
        try:
            positional = [ast.literal_eval(argument) for argument in call.args]
            named = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
            codec.dumps([positional, named])  # rejects ``...``, a literal but not a plain value
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError, CodecError):
            return None
        # Cases hold positional arguments, so keywords are put in the order of the signature. They
        # must not leave a gap.
        rest = parameters[len(positional) : len(positional) + len(named)]
        if set(rest) != named.keys():
            return None
        return (*positional, *(named[name] for name in rest))
    return None


def _parameters(prompt: str, entry_point: str) -> tuple[str, ...]:
    _, dot, name = entry_point.rpartition(".")
    match = re.search(rf"def\s+{re.escape(name)}\s*\(([^)]*)\)", prompt)
    if match is None:
        return ()
    names = (re.match(r"\s*(\w+)", part) for part in re.split(r",(?![^\[]*\])", match.group(1)))
    found = tuple(name.group(1) for name in names if name)
    return found[1:] if dot and found[:1] in (("self",), ("cls",)) else found


def _walk(node: ast.AST) -> Iterator[Value]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, (ast.BinOp, ast.UnaryOp)):
        folded = _fold(node)
        if folded is not None:
            yield folded
            # ``-1`` is one constant; of ``10**9 + 7`` both the result and the parts count.
            if isinstance(node, ast.UnaryOp):
                return
    if isinstance(node, ast.Constant) and _is_usable(node.value):
        yield node.value
    for child in ast.iter_child_nodes(node):
        yield from _walk(child)


def _is_usable(value: Value) -> bool:
    kind = type(value)
    if kind is int:
        return bool(value.bit_length() <= _MAX_BITS)
    if kind is str or kind is bytes:
        return 0 < len(value) <= _MAX_TEXT
    return kind is complex or (kind is float and value == value)


def _fold(node: ast.AST) -> int | float | None:
    """Return the value of arithmetic on number constants, if it is simple and small."""
    if isinstance(node, ast.Constant):
        value: Value = node.value
        return value if type(value) in (int, float) else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        operand = _fold(node.operand)
        return None if operand is None else -operand
    if not isinstance(node, ast.BinOp):
        return None
    left, right = _fold(node.left), _fold(node.right)
    # Bounded at each step, so that ``9**9**9`` in a reference is not computed.
    if left is None or right is None or abs(left) > 1e30 or abs(right) > 1e30:
        return None
    match node.op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Pow() if 0 <= right <= 64 and abs(left) <= 16:
            result: int | float = left**right
            return result
    return None


def _between(numbers: Iterable[N]) -> Iterator[N]:
    """Yield the midpoints of adjacent numbers, where programs with two thresholds differ."""
    for low, high in pairwise(sorted(set(numbers))):
        if isinstance(low, int) and isinstance(high, int):
            if high - low > 2:
                yield (low + high) // 2
        else:
            yield round((low + high) / 2, 6)


def _distinct(values: Iterable[T]) -> tuple[T, ...]:
    return tuple({key(value): value for value in values}.values())[:_MAX_EACH]
