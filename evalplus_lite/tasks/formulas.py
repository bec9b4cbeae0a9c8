"""Comparisons of named values, such as ``1 <= nums[i] < n``: parsed, evaluated, turned into code.

Names refer to values of an input. A name with an index (``nums[i]``, ``grid[i][j]``) refers to all
items, and a comparison must hold for each; two rows are compared item by item. Where indices cross
(``a[i][j] == a[j][i]``, ``a[i] != a[i + 1]``), every combination of index values is tried.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias, cast

from evalplus_lite.programs import parsing

Names: TypeAlias = Mapping[str, Any]
"""The values of an input by name."""
MOST_CHOICES = 20_000
"""Limit on combinations of index values that are tried."""
LARGEST = 10**40
"""Limit on the magnitude of computed numbers, since texts are not trusted."""


class Unreadable(Exception):
    """A text is not a formula."""


class Unclear(Exception):
    """A formula is undefined for an input: a name has no value, or rows differ in length."""


class Items(list[Any]):
    """The values that a name with an index refers to."""


class Counted(dict[str, Any]):
    """The values of a contest's input text, whose items are counted from 1."""


def of(names: Names, name: str) -> Any:
    """Return the value of a name: ``H * W`` for ``HW``, each item of ``scores`` for ``score``.

    Raises Unclear if it has none.
    """
    name = name if name in names else name.removesuffix("_")
    if name in names:
        return names[name]
    if len(name) == 2 and name.isupper() and all(isinstance(names.get(n), int) for n in name):
        return names[name[0]] * names[name[1]]
    several = names.get(f"{name}s") if len(name) > 1 else None
    if isinstance(several, list | tuple | Mapping):
        return Items(several.values() if isinstance(several, Mapping) else several)
    raise Unclear


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
    """A chain of ``operands`` with ``signs`` between them; an operand may list several terms."""

    operands: tuple[tuple[ast.expr, ...], ...]
    signs: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> Comparison:
        """Parse a chain; raise Unreadable if the text is not one."""
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
            for known in chosen((left, right), names) if _is_crossed(left, right) else (names,):
                for a, b in _aligned(value(left, known), value(right, known)):
                    yield _TESTS[sign](a, b)

    def holds(self, names: Names) -> bool:
        """Return whether it holds for all items; may raise Unclear."""
        return all(self._results(names))

    def holds_somewhere(self, names: Names) -> bool:
        """Return whether it holds for some item; may raise Unclear."""
        return any(self._results(names))

    def bounds(self) -> Iterator[tuple[str, str, str]]:
        """Yield (name, low, high) for each name: its neighbors in the chain, "" where unbounded."""
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
        """Yield (name, length) for each ``len(name) == length`` in the chain."""
        for left, sign, right in self._links():
            if sign == "==" and isinstance(left, ast.Call) and ast.unparse(left.func) == "len":
                yield base_name(ast.unparse(left.args[0])), ast.unparse(right)

    def code(self, names: Sequence[str]) -> str | None:
        """Return a Python expression over arguments with these names.

        None unless it has only numbers, these names, known calls, and at most one indexed name.
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
    """Evaluate a text to an integer; return None if it is not one or uses names."""
    try:
        found = value(expression(text), {})
    except (Unreadable, Unclear, TypeError, ArithmeticError):
        return None
    return found if type(found) is int else None


# Parsing an expression.

_CALLS: dict[str, Callable[..., Any]] = {"len": len, "min": min, "max": max, "sum": sum}
_ALLOWED = (
    ast.Name, ast.Load, ast.Constant, ast.List, ast.Subscript, ast.Call, ast.BinOp, ast.UnaryOp,
    ast.USub, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow,
)  # fmt: skip


def expression(text: str) -> ast.expr:
    """Parse an expression of names, indices, numbers and lengths; raise Unreadable otherwise."""
    text = re.sub(r"(?<=\d)\s+(?=\d{3}\b)|(?<=\d),(?=\d{3}\b)", "", text.strip())
    if re.match(r"\d", text):  # ``2N`` is a product
        text = re.sub(r"(?<=[\d)])\s*(?=[A-Za-z(])", "*", text)
    text = re.sub(r"\b([A-Z])\s*(?=\()", r"\1*", text)  # and so is ``N(N - 1)``
    text = re.sub(r"\b(from|class|pass)\b", r"\1_", text)  # names that Python reserves
    whole = parsing.tree_or_none(text, mode="eval")
    if whole is None:
        raise Unreadable(text)
    tree: ast.expr = whole.body
    for node in ast.walk(tree):
        is_odd_call = isinstance(node, ast.Call) and not (
            isinstance(node.func, ast.Name) and node.func.id in _CALLS
        )
        is_empty = isinstance(node, ast.List) and not node.elts
        if is_odd_call or is_empty or not isinstance(node, _ALLOWED):
            raise Unreadable(text)
    return tree


def _commas(part: str) -> list[str]:
    """Split a text at commas outside brackets."""
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
    """Evaluate an expression to a value, or to Items for an index; may raise Unclear."""
    match node:
        case ast.Constant(value=int() | float() | str() as plain):
            return plain
        case ast.Name(id=name):
            found = of(names, name)
            return Items(found) if isinstance(found, list | tuple) else found
        case ast.Subscript():
            return _item(node, names)
        case ast.List(elts=parts):
            return [value(each, names) for each in parts]
        case ast.UnaryOp(operand=operand):
            found = value(operand, names)
            return Items(-each for each in found) if isinstance(found, Items) else -found
        case ast.BinOp(left=left, op=sign, right=right):
            sides = value(left, names), value(right, names)
            made = [_computed(sign, a, b) for a, b in _aligned(*sides)]
            return Items(made) if any(isinstance(each, Items) for each in sides) else made[0]
        case ast.Call(func=ast.Name(id="len"), args=[about]):
            found = value(about, names)
            is_all = isinstance(found, Items) and not isinstance(about, ast.Name)
            return Items(map(_size, found)) if is_all else _size(found)
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in _CALLS:
            values = [value(each, names) for each in arguments]
            return _CALLS[name](values[0] if isinstance(values[0], Items) else values)
    raise Unclear


def _size(found: Any) -> Any:
    """Return ``|x|``: the magnitude of a number, the length of anything else."""
    return abs(found) if isinstance(found, int | float) else len(found)


def _item(node: ast.Subscript, names: Names) -> Any:
    """Return all items for a free index, or the item at an index whose value is known."""
    items, index = value(node.value, names), node.slice
    if not isinstance(items, list | tuple | str):
        raise Unclear
    first, is_free = isinstance(names, Counted), not _places(node.value, names)
    at = None
    if not isinstance(index, ast.Name) or index.id in names:
        at = value(index, names)
    if type(at) is not int:
        return Items(one for each in items for one in each) if is_free else Items(items)
    if is_free:
        return Items(each[at - first] for each in items)
    if not 0 <= at - first < len(items):
        raise Unclear
    found = items[at - first]
    return Items(found) if isinstance(found, list | tuple) else found


def _places(node: ast.expr, names: Names) -> bool:
    """Return whether all indices of a chain have values."""
    while isinstance(node, ast.Subscript):
        if isinstance(node.slice, ast.Name) and node.slice.id not in names:
            return False
        node = node.value
    return True


# Crossing indices: every combination of values is tried.


def _with(names: Names, name: str, at: int) -> Names:
    return Counted({**names, name: at}) if isinstance(names, Counted) else {**names, name: at}


def _chains(node: ast.expr) -> list[tuple[str, ...]]:
    """Return the source of the indices of each indexed name in an expression."""
    inner = {each.value for each in ast.walk(node) if isinstance(each, ast.Subscript)}
    found: list[tuple[str, ...]] = []
    for each in ast.walk(node):
        if isinstance(each, ast.Subscript) and each not in inner:
            chain, at = list[str](), cast("ast.expr", each)
            while isinstance(at, ast.Subscript):
                chain.insert(0, ast.unparse(at.slice))
                at = at.value
            found.append(tuple(chain))
    return found


def _is_crossed(*nodes: ast.expr) -> bool:
    chains = {chain for node in nodes for chain in _chains(node)}
    free = {chain for chain in chains if not all(each.isdigit() for each in chain)}
    is_odd = any(len({*c}) < len(c) or not all(map(str.isalnum, c)) for c in free)
    return is_odd or len(free) > 1


def chosen(nodes: Sequence[ast.expr], names: Names) -> Iterator[Names]:
    """Yield the names extended by every combination of values of the free indices.

    Combinations that lead outside a row are skipped. Raises Unclear if none or too many remain.
    """
    subscripts = [
        each for node in nodes for each in ast.walk(node) if isinstance(each, ast.Subscript)
    ]
    free = {n.id for each in subscripts for n in ast.walk(each.slice) if isinstance(n, ast.Name)}
    free -= names.keys()
    left = MOST_CHOICES

    def choices(known: Names, rest: frozenset[str]) -> Iterator[Names]:
        nonlocal left
        if not rest:
            left -= 1
            if left < 0:
                raise Unclear
            try:
                for node in nodes:
                    value(node, known)
            except Unclear:
                return
            yield known
            return
        for each in subscripts:
            if not isinstance(each.slice, ast.Name) or each.slice.id not in rest:
                continue
            if _places(each.value, known):
                name, first = each.slice.id, int(isinstance(names, Counted))
                for at in range(first, len(value(each.value, known)) + first):
                    yield from choices(_with(known, name, at), rest - {name})
                return
        raise Unclear

    known = None
    for known in choices(names, frozenset(free)):
        yield known
    if known is None:
        raise Unclear


def _aligned(left: Any, right: Any) -> Iterator[tuple[Any, Any]]:
    """Pair the items to compare; raise Unclear for rows of different lengths."""
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
        if not 0 <= right <= 128 or abs(left) ** min(right, 3) > 10**9:
            raise Unclear
        return _computed(ast.Mult(), left, left ** (right - 1)) if right else 1
    if isinstance(sign, ast.LShift):  # in the conditions of a reference
        return _computed(ast.Mult(), left, _computed(ast.Pow(), 2, right))
    if type(sign) not in _BINARY:
        raise Unclear
    found = _BINARY[type(sign)](left, right)
    if abs(found) > LARGEST:
        raise Unclear
    return found
