"""Comparisons of named values, such as ``1 <= nums[i] < n``: read from text, tested, as code.

Names stand for values of an input. One with an index (``nums[i]``, ``grid[i][j]``) stands for all
its items, and a comparison holds if it holds for each; two rows are compared item by item.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

from evalplus_lite.programs import parsing

Names: TypeAlias = Mapping[str, Any]
"""The values of an input by name."""
LARGEST = 10**40
"""Numbers that are computed stay below this, whatever a text asks for."""


class Unreadable(Exception):
    """A text is no formula."""


class Unclear(Exception):
    """A formula means nothing for an input: a name has no value, rows differ in length."""


class Items(list[Any]):
    """The values that a name with an index stands for."""


def of(names: Names, name: str) -> Any:
    """Return the value of a name; Unclear if it has none."""
    if name not in names:
        raise Unclear
    return names[name]


def base_name(name: str) -> str:
    """Return a name without its indices."""
    return name.partition("[")[0]


_SIGN = re.compile(r"(<=|>=|==|!=|<|>|(?<![<>=!])=(?!=))")
_TESTS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
    "==": operator.eq,
    "!=": operator.ne,
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """A chain: ``operands`` with ``signs`` between them; one operand may be a list of several."""

    operands: tuple[tuple[ast.expr, ...], ...]
    signs: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> Comparison:
        """Return the chain that a text is; raises Unreadable."""
        parts = _SIGN.split(text)
        if len(parts) < 3:
            raise Unreadable(text)
        operands = tuple(tuple(map(expression, _commas(part))) for part in parts[::2])
        return cls(operands, tuple("==" if sign == "=" else sign for sign in parts[1::2]))

    def _links(self) -> Iterator[tuple[ast.expr, str, ast.expr]]:
        for (lefts, rights), sign in zip(pairwise(self.operands), self.signs, strict=True):
            yield from ((left, sign, right) for left in lefts for right in rights)

    def _results(self, names: Names) -> Iterator[bool]:
        for left, sign, right in self._links():
            for a, b in _aligned(value(left, names), value(right, names)):
                yield _TESTS[sign](a, b)

    def holds(self, names: Names) -> bool:
        """Return whether it holds for all items; raises Unclear."""
        return all(self._results(names))

    def holds_somewhere(self, names: Names) -> bool:
        """Return whether it holds for some item; raises Unclear."""
        return any(self._results(names))

    def bounds(self) -> Iterator[tuple[str, str, str]]:
        """Yield (name, low, high) for each name: its plain neighbors in the chain, "" for none."""
        for at, each in enumerate(self.operands):
            low = self._bound(at - 1, at - 1, step=1) if at else ""
            high = self._bound(at + 1, at, step=-1) if at < len(self.signs) else ""
            for node in each if low or high else ():
                while isinstance(node, ast.Subscript):
                    node = node.value
                if isinstance(node, ast.Name):
                    yield node.id, low, high

    def _bound(self, operand: int, sign: int, *, step: int) -> str:
        nodes = self.operands[operand]
        if len(nodes) > 1 or self.signs[sign] not in ("<=", "<"):
            return ""
        text = ast.unparse(nodes[0])
        return f"{text} + {step}" if self.signs[sign] == "<" else text

    def lengths(self) -> Iterator[tuple[str, str]]:
        """Yield (name, length) of the names whose texts or lists are of one length."""
        for left, sign, right in self._links():
            if sign == "==" and isinstance(left, ast.Call) and len(left.args) == 1:
                yield base_name(ast.unparse(left.args[0])), ast.unparse(right)

    def code(self, names: Sequence[str]) -> str | None:
        """Return it as an expression of Python over arguments of these names.

        None unless its operands are numbers, these names, lengths, and at most one indexed name.
        """
        if any(len(each) > 1 for each in self.operands):
            return None
        nodes = [node for (each,) in self.operands for node in ast.walk(each)]
        subscripts = [node for node in nodes if isinstance(node, ast.Subscript)]
        indexed = {ast.unparse(node) for node in subscripts}
        indices = {node.slice.id for node in subscripts if isinstance(node.slice, ast.Name)}
        known = {*names, *_CALLS, *indices}
        if {node.id for node in nodes if isinstance(node, ast.Name)} - known or len(indexed) > 1:
            return None
        pairs = zip(self.operands, (*self.signs, ""), strict=True)
        code = " ".join(f"{ast.unparse(each)} {sign}" for (each,), sign in pairs).strip()
        for each in indexed:
            if each.count("[") > 1:
                return None
            code = f"all({code.replace(each, 'each')} for each in {base_name(each)})"
        return code


def number(text: str) -> int | None:
    """Return the integer that a text is, None where it is none or names something."""
    try:
        found = value(expression(text), {})
    except (Unreadable, Unclear, TypeError, ArithmeticError):
        return None
    return found if type(found) is int else None


# Reading an expression.

_CALLS: dict[str, Callable[..., Any]] = {"len": len, "min": min, "max": max}
_ALLOWED = (
    ast.Name, ast.Load, ast.Constant, ast.Subscript, ast.Call, ast.BinOp, ast.UnaryOp, ast.USub,
    ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow,
)  # fmt: skip


def expression(text: str) -> ast.expr:
    """Return an expression of names, indices, numbers and lengths; Unreadable if it is none."""
    text = re.sub(r"(?<=\d)\s+(?=\d{3}\b)|(?<=\d),(?=\d{3}\b)", "", text.strip())
    if re.match(r"\d", text):  # ``2N`` is a product
        text = re.sub(r"(?<=[\d)])\s*(?=[A-Za-z(])", "*", text)
    whole = parsing.tree_or_none(text, mode="eval")
    if whole is None:
        raise Unreadable(text)
    tree: ast.expr = whole.body
    for node in ast.walk(tree):
        is_odd_call = isinstance(node, ast.Call) and not (
            isinstance(node.func, ast.Name) and node.func.id in _CALLS
        )
        if is_odd_call or not isinstance(node, _ALLOWED):
            raise Unreadable(text)
    return tree


def _commas(part: str) -> list[str]:
    """Return what commas outside brackets separate."""
    found, depth, at = [], 0, 0
    for place, letter in enumerate(part):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and not depth:
            found.append(part[at:place])
            at = place + 1
    return [*found, part[at:]]


# The value of an expression for an input.

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def value(node: ast.expr, names: Names) -> Any:
    """Return what an expression stands for: a value, or Items for an index; raises Unclear."""
    match node:
        case ast.Constant(value=int() | float() as plain):
            return plain
        case ast.Name(id=name):
            found = of(names, name)
            return Items(found) if isinstance(found, list | tuple) else found
        case ast.Subscript(value=ast.Name() | ast.Subscript()):
            return _item(node, names)
        case ast.UnaryOp(operand=operand):
            found = value(operand, names)
            return Items(-each for each in found) if isinstance(found, Items) else -found
        case ast.BinOp(left=left, op=sign, right=right):
            sides = value(left, names), value(right, names)
            made = [_computed(sign, a, b) for a, b in _aligned(*sides)]
            return Items(made) if any(isinstance(each, Items) for each in sides) else made[0]
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
            return len(of(names, name))
        case ast.Call(func=ast.Name(id="len"), args=[about]):
            found = value(about, names)
            return Items(map(len, found)) if isinstance(found, Items) else len(found)
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in _CALLS:
            values = [value(each, names) for each in arguments]
            if not any(isinstance(each, Items) for each in values):
                return _CALLS[name](values)
    raise Unclear


def _item(node: ast.Subscript, names: Names) -> Any:
    """Return the items that an index runs over, or the one at a number or at a named number."""
    inner, index = node.value, node.slice
    items = value(inner, names)
    if isinstance(items, str):
        items = Items(items)
    if not isinstance(items, Items):
        raise Unclear
    at = index.value if isinstance(index, ast.Constant) else None
    if isinstance(inner, ast.Name):
        at = names.get(index.id) if isinstance(index, ast.Name) else at
        if type(at) is int:  # the rows of a contest's text are counted from 1
            at -= isinstance(names[inner.id], Items)
    if type(at) is int:
        if not 0 <= at < len(items):
            raise Unclear
        return items[at]
    is_inner = isinstance(inner, ast.Subscript) and not isinstance(inner.slice, ast.Constant)
    if is_inner and all(isinstance(each, list | tuple | str) for each in items):
        return Items(one for each in items for one in each)
    return items


def _aligned(left: Any, right: Any) -> Iterator[tuple[Any, Any]]:
    """Yield what is compared with what; Unclear for rows of different lengths."""
    sizes = {len(each) for each in (left, right) if isinstance(each, Items)}
    if len(sizes) > 1:
        raise Unclear
    size = sizes.pop() if sizes else 1
    lefts, rights = (each if isinstance(each, Items) else [each] * size for each in (left, right))
    return zip(lefts, rights, strict=True)


def _computed(sign: ast.operator, left: Any, right: Any) -> Any:
    if not isinstance(left, int | float) or not isinstance(right, int | float):
        raise Unclear
    if isinstance(sign, ast.Pow):
        if not 0 <= right <= 40 or abs(left) > 1000:
            raise Unclear
        return left**right
    if isinstance(sign, ast.LShift):
        return _computed(ast.Mult(), left, _computed(ast.Pow(), 2, right))
    if type(sign) not in _BINARY:
        raise Unclear
    found = _BINARY[type(sign)](left, right)
    if abs(found) > LARGEST:
        raise Unclear
    return found
