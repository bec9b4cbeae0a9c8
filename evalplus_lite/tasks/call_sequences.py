"""Call sequences extracted from unit tests of a class, without their assertions.

A test is read line by line: objects created, methods called with values known from the source,
attributes read. The sequence ends before the first line that cannot be followed, such as a branch
or a computed argument.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Collection, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from evalplus_lite.programs import definitions, parsing
from evalplus_lite.types import Case, Harness, Task, Value
from evalplus_lite.values.identity import key
from evalplus_lite.values.source import value_of

Call: TypeAlias = list[Value]
"""A method's name and its arguments, or just the name of an attribute that is read."""

MOST_TURNS = 20  # iterations of a loop that is followed
MOST_CALLS = 60
OBSERVED = Harness("sequence", observe=("value", "exception"))


def with_sequences(task: Task) -> Task | None:
    """Turn a unit-test task about a class into one whose cases are call sequences.

    The sequences come from the tests that are its cases. Return None if none can be followed, or
    the entry point is not a class.
    """
    tree = definitions.parse(task.reference)
    classes = [n for n in tree.body if isinstance(n, ast.ClassDef)] if tree else []
    owner = next((node for node in classes if node.name == task.entry_point), None)
    if owner is None or task.harness.kind != "unittest":
        return None
    wanted = {case.arguments for case in task.base}
    try:
        found = list(_sequences(parsing.parse(task.harness.tests), owner, wanted))
    except (SyntaxError, ValueError, RecursionError):
        return None
    distinct = {key(tuple(calls)): tuple(calls) for calls in found}
    if not distinct:
        return None
    base = tuple(Case(calls) for calls in distinct.values())
    return replace(task, harness=OBSERVED, base=base, contract=None)


def _sequences(
    tree: ast.Module, owner: ast.ClassDef, wanted: Collection[tuple[Value, ...]]
) -> Iterator[list[Call]]:
    for suite in tree.body:
        if not isinstance(suite, ast.ClassDef):
            continue
        methods = {each.name: each for each in suite.body if isinstance(each, ast.FunctionDef)}
        for name, method in methods.items():
            if (suite.name, name) not in wanted:
                continue
            reader = _Reader(owner)
            try:
                for each in filter(None, (methods.get("setUp"), method)):
                    reader.follow(each.body)
            except _Lost:
                pass
            # An object that is created and never used tests nothing.
            yield from (c for c in reader.found if any(call[0] != owner.name for call in c))


class _Lost(Exception):
    """The next step cannot be determined from the source."""


@dataclass(eq=False, slots=True)
class _Object:
    calls: list[Call]


UNKNOWN = object()


@dataclass(slots=True)
class _Reader:
    owner: ast.ClassDef
    found: list[list[Call]] = field(default_factory=list)
    names: dict[str, object] = field(default_factory=dict)

    def follow(self, body: Sequence[ast.stmt]) -> None:
        for node in body:
            match node:
                case ast.Expr():
                    self.value(node.value)
                case ast.Assign():
                    value = self.value(node.value)
                    for target in node.targets:
                        self.bind(target, value)
                case ast.With():
                    for item in node.items:
                        if item.optional_vars is not None:
                            self.bind(item.optional_vars, UNKNOWN)
                    self.follow(node.body)
                case ast.For():
                    self.loop(node)
                case ast.Pass() | ast.Import() | ast.ImportFrom():
                    pass
                case _:
                    raise _Lost

    def loop(self, node: ast.For) -> None:
        items = self.value(node.iter)
        if node.orelse or not isinstance(items, (list, tuple, range)) or len(items) > MOST_TURNS:
            raise _Lost
        for item in items:
            self.bind(node.target, item)
            self.follow(node.body)

    def bind(self, target: ast.expr, value: object) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            known = isinstance(value, (list, tuple)) and len(value) == len(target.elts)
            for at, each in enumerate(target.elts):
                self.bind(each, value[at] if known else UNKNOWN)  # type: ignore[index]
            return
        name = _name(target)
        if name is None:
            raise _Lost  # an attribute of the object, or an item of something, is set
        self.names[name] = value

    def value(self, node: ast.expr) -> object:
        """Return an expression's value, or UNKNOWN, and record the calls it makes."""
        match node:
            case ast.Constant():
                return node.value
            case ast.List() | ast.Tuple() | ast.Set():
                items = [self.value(each) for each in node.elts]
                if any(each is UNKNOWN or isinstance(each, _Object) for each in items):
                    return UNKNOWN
                return {ast.List: list, ast.Tuple: tuple, ast.Set: set}[type(node)](items)
            case ast.Dict():
                pairs = [(k and self.value(k), self.value(v)) for k, v in _pairs(node)]
                if any(
                    each is UNKNOWN or isinstance(each, _Object) for pair in pairs for each in pair
                ):
                    return UNKNOWN
                return dict(pairs)
            case ast.UnaryOp(op=ast.USub()):
                value = self.value(node.operand)
                return -value if isinstance(value, (int, float)) else UNKNOWN
            case ast.Name() | ast.Attribute() if (name := _name(node)) in self.names:
                return self.names[name or ""]
            case ast.Attribute():
                owner = self.value(node.value)
                if isinstance(owner, _Object):
                    self.note(owner, [node.attr])
                return UNKNOWN
            case ast.Call():
                return self.call(node)
            case (
                ast.Lambda() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp()
            ):
                if any(_name(each) in self.names for each in ast.walk(node)):
                    raise _Lost
                return UNKNOWN
        for each in ast.iter_child_nodes(node):
            if isinstance(each, ast.expr):
                self.value(each)
        return UNKNOWN

    def call(self, node: ast.Call) -> object:
        with contextlib.suppress(ValueError):
            return value_of(node)  # such as datetime.date(2024, 2, 29)
        function = node.func
        if isinstance(function, ast.Name) and function.id == self.owner.name:
            made = _Object([[self.owner.name, *self.arguments(node, "__init__")]])
            self.found.append(made.calls)
            return made
        if isinstance(function, ast.Attribute):
            if isinstance(function.value, ast.Name) and function.value.id == self.owner.name:
                self.found.append([[function.attr, *self.arguments(node, function.attr)]])
                return UNKNOWN
            owner = self.value(function.value)
            if isinstance(owner, _Object):
                self.note(owner, [function.attr, *self.arguments(node, function.attr)])
                return UNKNOWN
            if _name(function.value) in self.names:  # the call may change a known value
                self.names[_name(function.value) or ""] = UNKNOWN
        if isinstance(function, ast.Name) and function.id == "__raising__" and len(node.args) > 1:
            return self.call(ast.Call(node.args[1], node.args[2:], node.keywords))
        given = [self.value(each) for each in (*node.args, *(k.value for k in node.keywords))]
        is_range = isinstance(function, ast.Name) and function.id == "range"
        if is_range and len(given) == 1 and type(given[0]) is int:
            return range(given[0])
        return UNKNOWN

    def note(self, owner: _Object, call: Call) -> None:
        if len(owner.calls) >= MOST_CALLS:
            raise _Lost
        owner.calls.append(call)

    def arguments(self, node: ast.Call, method: str) -> list[Value]:
        """Return the arguments of a call by position; raise _Lost if one is unknown."""
        given: list[object] = [self.value(each) for each in node.args]
        if node.keywords:
            names = _parameters(self.owner, method)[len(given) :]
            named = {each.arg: self.value(each.value) for each in node.keywords}
            given += [named.pop(name) for name in names[: len(named)] if name in named]
            if named:
                raise _Lost
        for each in given:
            if each is UNKNOWN or isinstance(each, (_Object, range, type(...))):
                raise _Lost
        return deepcopy(given)


def _parameters(owner: ast.ClassDef, method: str) -> list[str]:
    for node in owner.body:
        if isinstance(node, ast.FunctionDef) and node.name == method:
            static = any(getattr(each, "id", "") == "staticmethod" for each in node.decorator_list)
            return [each.arg for each in node.args.args][0 if static else 1 :]
    return []


def _name(node: ast.AST) -> str | None:
    """Return the name if an expression is ``x`` or ``self.x``."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"self.{node.attr}" if node.value.id == "self" else None
    return None


def _pairs(node: ast.Dict) -> Iterator[tuple[ast.expr | None, ast.expr]]:
    for name, value in zip(node.keys, node.values, strict=True):
        if name is None:
            raise _Lost
        yield name, value
