"""Runs inside the sandbox with other orders, where Python leaves the order open.

Like ``child`` it is sent as *text* and imports only the standard library. Equal elements may be in
any order after a sort, and a set has no order at all. ``Reordered`` answers as the program would if
Python made these choices differently.
"""

from __future__ import annotations

import ast
import builtins
import collections
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

TIES = ("last", "text")
"""Among equal elements, the last comes first, or the one with the smaller text. One of the two
changes the order, unless the elements are identical."""
SETS = ("reversed", "sorted")
"""Sets are iterated in reverse, or in ascending order."""
way = ""
"""The selected way."""
METHODS = {
    "sort": "_reordered_sort",
    "most_common": "_reordered_most_common",
    "nlargest": "_reordered_nlargest",
    "nsmallest": "_reordered_nsmallest",
}


def arranged(items: Iterable[Any]) -> list[Any]:
    return builtins.sorted(items, key=repr) if way == "text" else list(items)[::-1]


def order(items: Iterable[Any], /, *, key: Any = None, reverse: Any = False) -> list[Any]:
    return builtins.sorted(arranged(items), key=key, reverse=reverse)


def least(*items: Any, **options: Any) -> Any:
    return builtins.min(arranged(items if len(items) > 1 else items[0]), **options)


def greatest(*items: Any, **options: Any) -> Any:
    return builtins.max(arranged(items if len(items) > 1 else items[0]), **options)


def sort(owner: Any, *arguments: Any, **options: Any) -> Any:
    if not isinstance(owner, list):
        return owner.sort(*arguments, **options)
    owner[:] = order(owner, *arguments, **options)
    return None


def most_common(owner: Any, number: Any = None) -> Any:
    if not isinstance(owner, collections.Counter):
        return owner.most_common(number)
    ranked = order(owner.items(), key=lambda pair: pair[1], reverse=True)
    return ranked if number is None else ranked[: max(0, number)]


def nlargest(number: int, items: Iterable[Any], key: Any = None) -> list[Any]:
    return order(items, key=key, reverse=True)[: max(0, number)]


def nsmallest(number: int, items: Iterable[Any], key: Any = None) -> list[Any]:
    return order(items, key=key)[: max(0, number)]


class AnySet(type):
    """Makes type checks for a set accept one with another order, and vice versa."""

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, set)


class Reversed(set[Any], metaclass=AnySet):
    """A set whose elements are iterated in reverse order."""

    def __iter__(self) -> Iterator[Any]:
        return iter(list(super().__iter__())[::-1])

    def pop(self) -> Any:
        for first in self:
            self.remove(first)
            return first
        raise KeyError("pop from an empty set")


class Sorted(Reversed):
    """A set whose elements are iterated in ascending order, if they can be ordered."""

    def __iter__(self) -> Iterator[Any]:
        items = list(set.__iter__(self))
        try:
            return iter(builtins.sorted(items))
        except TypeError:
            return iter(items)


def keeping(name: str) -> Callable[..., Any]:
    def method(self: Any, *others: Any) -> Any:
        result = getattr(set, name)(self, *others)
        return type(self)(result) if type(result) is set else result

    return method


for each in ("__and__", "__or__", "__sub__", "__xor__", "__rand__", "__ror__", "__rsub__"):
    setattr(Reversed, each, keeping(each))
for each in ("__rxor__", "union", "intersection", "difference", "symmetric_difference", "copy"):
    setattr(Reversed, each, keeping(each))


class Renaming(ast.NodeTransformer):
    """Replaces method calls and set displays, which use no global name, by our own functions."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        function = node.func
        name = getattr(function, "attr", None) or getattr(function, "id", None)
        if way not in TIES or name not in METHODS:
            return node
        owner = []
        if name in ("sort", "most_common"):
            if not isinstance(function, ast.Attribute):
                return node
            owner = [function.value]
        return ast.Call(ast.Name(METHODS[name], ast.Load()), owner + node.args, node.keywords)

    def visit_Set(self, node: ast.Set | ast.SetComp) -> ast.AST:
        self.generic_visit(node)
        if way in TIES:
            return node
        return ast.Call(ast.Name("set", ast.Load()), [node], [])

    visit_SetComp = visit_Set


def plain(value: Any) -> Any:
    """Return a value with ordinary sets instead of ours."""
    kind = type(value)
    if kind in (list, tuple):
        return kind([plain(part) for part in value])
    if kind is dict:
        return {key: plain(part) for key, part in value.items()}
    return set(value) if kind in (Reversed, Sorted) else value


class Reordered:
    """A program's function as it would be if Python used another order."""

    def __init__(self, source: str, entry_point: str, spec: dict[str, Any], chosen: str) -> None:
        global way
        way = chosen
        names: dict[str, Any] = {}
        if way in TIES:
            names |= {"sorted": order, "min": least, "max": greatest}
            names |= {inner: globals()[name] for name, inner in METHODS.items()}
        else:
            names["set"] = self.set = Reversed if way == "reversed" else Sorted
        tree = ast.fix_missing_locations(Renaming().visit(ast.parse(source)))
        code = compile(tree, "<program>", "exec", dont_inherit=True)
        inside = sys.modules["sandbox_inside"]
        self.function = inside.bind(inside.Execution(code, spec, names), entry_point, spec)

    def __call__(self, *arguments: Any) -> Any:
        if way in SETS:
            arguments = tuple(self.set(each) if type(each) is set else each for each in arguments)
        return plain(self.function(*arguments))
