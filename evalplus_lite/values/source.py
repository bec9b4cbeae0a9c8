"""Values as exact Python source, and their display in messages."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from evalplus_lite.types import SHOWN, Value
from evalplus_lite.values import wire
from evalplus_lite.values.kinds.registry import BY_TYPE, KINDS

# Display: values, and answers in wire form, as one short line for a message.

# Larger answers are described by type and size only: a value can have as many parts as bytes, and
# each part takes up to a few hundred bytes here.
SHOWN_BYTES = 1 << 16
MAX_HASHED = 1 << 14  # maximum elements of a set, or keys of a dict, to decode for a message


def shown(data: bytes) -> str:
    """Return one line for an answer in wire form; a large one is not decoded."""
    if len(data) <= SHOWN_BYTES:
        return shorten(decode_answer(data))
    kind, unit = _KINDS.get(data[:1], ("value", "bytes"))
    size = len(data) if unit == "bytes" else int.from_bytes(data[1:5], "little")
    return f"a {kind} of {size} {unit}"


def decode_answer(data: bytes) -> Value:
    """Decode a sample's answer for display; raise CodecError if it is malformed or slow to hash."""
    return wire.decode(data, hash_limit=MAX_HASHED)


def shorten(value: Value) -> str:
    """Return a value's repr, truncated in the middle if it is long."""
    try:
        text = repr(value)
    except ValueError:  # an integer of more than 4,300 digits
        text = "a value with integers too long to print"
        if isinstance(value, int):
            text = f"an integer of {value.bit_length()} bits"
    if len(text) <= SHOWN:
        return text
    return f"{text[: SHOWN // 2]} ... {text[-SHOWN // 3 :]}"


# Descriptions of a large answer by its tag; most tags are followed by the length.
_KINDS = {
    b"[": ("list", "items"),
    b"(": ("tuple", "items"),
    b"<": ("set", "elements"),
    b">": ("frozenset", "elements"),
    b"{": ("dict", "bytes"),
    b"u": ("str", "bytes"),
    b"s": ("bytes object", "bytes"),
    b"l": ("long integer", "bytes"),
}


# Reading values in Python source from the syntax tree, without executing it.

MAX_ITEMS = 1_000_000  # maximum items of a repetition such as ``[0] * n``
MAX_BITS = 1_000_000  # maximum bits of an arithmetic result

_NAMES = {"inf": math.inf, "nan": math.nan}
_CALLS: dict[str, Callable[..., Any]] = {
    "set": set,
    "frozenset": frozenset,
    "tuple": tuple,
    "list": list,
    "dict": dict,
    "float": float,
    "complex": complex,
} | {name: call for kind in KINDS for name, call in kind.constructors.items()}


def value_of(node: ast.expr) -> Value:
    """Return the value of an expression made of literals.

    Accepts more than ``ast.literal_eval``: ``+ - * **`` of literals, ``inf`` and ``nan``, and calls
    such as ``set([1])``, ``float("inf")``, ``Decimal("1.5")``, ``datetime.date(2024, 2, 29)``.
    Raises ValueError for anything else.
    """
    try:
        return _value(node)
    except (TypeError, ValueError, ArithmeticError, RecursionError) as error:
        problem = str(error)
        problem = problem if problem.startswith("not a literal") else f"not a literal: {problem}"
        raise ValueError(problem) from None


def literal_calls(tree: ast.Module, name: str) -> Iterator[tuple[Value, ...] | None]:
    """Yield the positional arguments of each call of ``name`` in the program, in source order.

    Yields None for a call whose arguments are not all positional literals.
    """
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    ]
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        try:
            yield (None if call.keywords else tuple(value_of(argument) for argument in call.args))
        except ValueError:
            yield None


def assigned(tree: ast.Module, name: str) -> Value:
    """Return the value assigned to ``name`` at the program's top level.

    Raises ValueError without such an assignment, or if its right side is not a literal.
    """
    for node in tree.body:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id == name
        ):
            return value_of(node.value)
    raise ValueError(f"nothing is assigned to {name}")


def _value(node: ast.expr) -> Value:
    match node:
        case ast.Constant(value=value) if value is not ...:
            return value
        case ast.List(elts=items):
            return [_value(item) for item in items]
        case ast.Tuple(elts=items):
            return tuple(_value(item) for item in items)
        case ast.Set(elts=items):
            return {_value(item) for item in items}
        case ast.Dict(keys=keys, values=values) if None not in keys:
            return {_value(k): _value(v) for k, v in zip(keys, values, strict=True) if k}
        case ast.Name(id=name) if name in _NAMES:
            return _NAMES[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return +_value(operand)
        case ast.BinOp(left=left, op=op, right=right):
            return _arithmetic(op, _value(left), _value(right))
        case ast.Call(func=ast.Name() | ast.Attribute() as function, args=args, keywords=named):
            call = _CALLS.get(ast.unparse(function))
            if call is not None and all(each.arg for each in named):
                arguments = [*map(_value, args)]
                if call is not range and any(map(_is_long, arguments)):
                    raise ValueError("not a literal: a range of too many numbers")
                by_name = {str(each.arg): _value(each.value) for each in named}
                return call(*arguments, **by_name)
    raise ValueError(f"not a literal: {ast.unparse(node)[:60]}")


def _is_long(value: Value) -> bool:
    return type(value) is range and len(value) > MAX_ITEMS


def _arithmetic(op: ast.operator, left: Value, right: Value) -> Value:
    numbers = isinstance(left, (int, float, complex)) and isinstance(right, (int, float, complex))
    match op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            if not numbers:
                items, times = (right, left) if isinstance(left, int) else (left, right)
                if len(items) * times > MAX_ITEMS:
                    raise ValueError(f"not a literal: a repetition of {times}")
            return left * right
        case ast.Pow() if numbers:
            integers = isinstance(left, int) and isinstance(right, int)
            if integers and left.bit_length() * right > MAX_BITS:
                raise ValueError(f"not a literal: a power of {right}")
            return left**right
    raise ValueError(f"not a literal: {type(op).__name__}")


# Longer integers are written in hexadecimal, as Python cannot read longer decimal ones.
DIGITS = 4000


# Maximum nesting of brackets: Python's tokenizer accepts 199, and values are inside some.
MAX_BRACKETS = 190


def is_readable(value: Value, *, max_brackets: int = MAX_BRACKETS) -> bool:
    """Return whether Python can read ``literal(value)``, which limits nested brackets to 199.

    It cannot if a value's class is declared by a program.
    """
    level, depth = [value], 0
    while level and depth <= max_brackets:
        if any((kind := BY_TYPE.get(type(part))) and not kind.call for part in level):
            return False
        # A frozenset has two brackets.
        depth += 2 if any(type(part) is frozenset for part in level) else 1
        level = [item for part in level for item in _parts(part)]
    return not level


def _parts(value: Value) -> Iterable[Value]:
    if type(value) is dict:
        return [*value, *value.values()]
    if type(value) in BY_TYPE:
        return BY_TYPE[type(value)].split(value)
    return value if type(value) in (list, tuple, set, frozenset) else ()


def literal(value: Value, *, quote: Callable[[str], str] = ascii) -> str:
    """Return an expression that evaluates to the value, without imports.

    ``quote`` writes strings: use ``repr`` for people, who can read non-ASCII letters. Equal values
    have the same text, as the elements of a set are sorted.
    """
    kind = type(value)
    part = partial(literal, quote=quote)
    if kind is float:
        return repr(value) if math.isfinite(value) else f"float({str(value)!r})"
    if kind is complex:
        if math.isfinite(value.real) and math.isfinite(value.imag):
            return f"complex({value.real!r}, {value.imag!r})"
        return f"complex({literal(value.real)}, {literal(value.imag)})"
    if kind is int:
        return repr(value) if value.bit_length() < 3 * DIGITS else hex(value)
    if kind is str:
        return quote(value)
    if kind is list:
        return f"[{_items(value, part)}]"
    if kind is tuple:
        return f"({_items(value, part)}{',' if len(value) == 1 else ''})"
    if kind is dict:
        return "{" + ", ".join(f"{part(k)}: {part(v)}" for k, v in value.items()) + "}"
    if kind is set or kind is frozenset:
        # Sorted, so that equal sets give equal text regardless of iteration order.
        items = ", ".join(sorted(map(part, value)))
        if kind is frozenset:
            return f"frozenset({{{items}}})" if items else "frozenset()"
        return f"{{{items}}}" if items else "set()"
    if kind in BY_TYPE:
        return BY_TYPE[kind].source(value, part)
    return repr(value)


def call(name: str, arguments: tuple[Value, ...]) -> str:
    """Return the call of a function with these arguments, as source."""
    return f"{name}({', '.join(map(literal, arguments))})"


def _items(values: Iterable[Value], part: Callable[[Value], str]) -> str:
    return ", ".join(map(part, values))
