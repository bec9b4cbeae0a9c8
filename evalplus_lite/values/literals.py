"""Values written as Python source, read from the syntax tree and never executed."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator
from typing import Any

from evalplus_lite.types import Value
from evalplus_lite.values.kinds.registry import KINDS

MAX_ITEMS = 1_000_000  # items that a repetition such as ``[0] * n`` may make
MAX_BITS = 1_000_000  # bits that an arithmetic result may have

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


def literal(node: ast.expr) -> Value:
    """Return the value of an expression made of literals.

    Beyond what ``ast.literal_eval`` takes: ``+ - * **`` of literals, ``inf`` and ``nan``, and calls
    such as ``set([1])``, ``float("inf")``, ``Decimal("1.5")``, ``datetime.date(2024, 2, 29)``.
    ValueError for anything else.
    """
    try:
        return _value(node)
    except (TypeError, ValueError, ArithmeticError, RecursionError) as error:
        problem = str(error)
        problem = problem if problem.startswith("not a literal") else f"not a literal: {problem}"
        raise ValueError(problem) from None


def literal_calls(tree: ast.Module, name: str) -> Iterator[tuple[Value, ...] | None]:
    """Yield the positional arguments of each call of ``name`` in the program, in source order.

    None is for a call whose arguments are not all literals, or are not all positional.
    """
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    ]
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        try:
            yield None if call.keywords else tuple(literal(argument) for argument in call.args)
        except ValueError:
            yield None


def assigned(tree: ast.Module, name: str) -> Value:
    """Return the value that the program assigns to ``name`` at its top level.

    ValueError if there is no such assignment, or its right side is not a literal.
    """
    for node in tree.body:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id == name
        ):
            return literal(node.value)
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
