"""Call sequences extracted from unit tests of a class, without their assertions.

A test is read line by line: objects created, methods called with values known from the source,
attributes read. If one test has a line that cannot be followed, such as a branch or a computed
argument, all tests stay: what that line decides would be lost.
"""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from evalplus_lite.programs import definitions, parsing
from evalplus_lite.tasks.unit_tests import of_module
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

    The sequences come from the tests that are its cases. Return None unless each can be followed to
    its end and the entry point is a class.
    """
    tree = definitions.parse(task.reference)
    classes = [n for n in tree.body if isinstance(n, ast.ClassDef)] if tree else []
    owner = next((node for node in classes if node.name == task.entry_point), None)
    if owner is None or task.harness.kind != "unittest":
        return None
    try:
        rule = replace(task.rule, atol=_tolerance(task))
        found = _sequences(task, owner)
    except (SyntaxError, ValueError, TypeError, RecursionError, _Lost):
        return None
    distinct = {key(tuple(calls)): tuple(calls) for calls in found}
    base = tuple(Case(calls) for calls in distinct.values())
    return replace(task, harness=OBSERVED, base=base, contract=None, rule=rule) if base else None


def _tolerance(task: Task) -> float:
    """Return the absolute tolerance of floats in assertions.

    Raises _Lost if they differ, or if an assertion checks an exception's message.
    """
    stated = set[float]()
    lambdas = (n for n in ast.walk(parsing.parse(task.contract or "")) if isinstance(n, ast.Lambda))
    for site in (each.body for each in lambdas):
        match site:
            case ast.Call(func=ast.Attribute(attr="assertAlmostEqual"), args=[_, _, *rest]):
                options = {each.arg: each.value for each in site.keywords}
                options |= dict(zip(["places"], rest, strict=False))
                delta = value_of(options["delta"]) if "delta" in options else None
                places = value_of(options.get("places", ast.Constant(7)))
                stated.add(max(task.rule.atol, 0.5 * 10.0**-places if delta is None else delta))
            case ast.Call(func=ast.Name(id="raised"), args=[_, _, _, _]):
                raise _Lost
            case _:
                parts = list(ast.walk(site))
                if any(isinstance(each, ast.Name) and each.id == "library" for each in parts):
                    raise _Lost  # numpy's functions have tolerances of their own
                if any(isinstance(getattr(each, "value", None), float) for each in parts):
                    stated.add(task.rule.atol)
    if len(stated) > 1:
        raise _Lost
    return max(stated, default=task.rule.atol)


def _sequences(task: Task, owner: ast.ClassDef) -> list[list[Call]]:
    """Return the call sequences of each test; raises _Lost if one cannot be followed."""
    tree = parsing.parse(task.harness.tests)
    pure = frozenset(of_module(tree).clean)
    suites = {each.name: each for each in tree.body if isinstance(each, ast.ClassDef)}
    found: list[list[Call]] = []
    for suite, name in (case.arguments for case in task.base):
        node = suites[str(suite)]
        methods = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
        bases = map(ast.unparse, node.bases)
        if name not in methods or not all(each.endswith("TestCase") for each in bases):
            raise _Lost  # partly inherited
        reader = _Reader(owner, pure)
        for each in filter(None, map(methods.get, ("setUp", str(name), "tearDown"))):
            if each.decorator_list:
                raise _Lost
            reader.follow(each.body)
        # An object that is created and never used tests nothing.
        used = [c for c in reader.found if any(call[0] != owner.name for call in c)]
        if not used:
            raise _Lost
        found += used
    return found


class _Lost(Exception):
    """The next step cannot be determined from the source."""


@dataclass(eq=False, slots=True)
class _Object:
    calls: list[Call]


UNKNOWN = object()


@dataclass(slots=True)
class _Reader:
    owner: ast.ClassDef
    pure: frozenset[str]
    """The functions and modules that change nothing."""
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
                    for item in node.items:  # to raise is seen, what else they do is not
                        if item.optional_vars or not _NO_EFFECT(_called(item.context_expr)):
                            raise _Lost
                        self.value(item.context_expr)
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
                items = list(map(self.plain, node.elts))
                if any(each is UNKNOWN for each in items):
                    return UNKNOWN
                return {ast.List: list, ast.Tuple: tuple, ast.Set: set}[type(node)](items)
            case ast.Dict():
                if None in node.keys:
                    raise _Lost
                pairs = [
                    (self.plain(k), self.plain(v))
                    for k, v in zip(filter(None, node.keys), node.values, strict=True)
                ]
                if any(each is UNKNOWN for pair in pairs for each in pair):
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
            case ast.Call() | ast.BinOp():
                with contextlib.suppress(ValueError):
                    return value_of(node)  # such as datetime.date(2024, 2, 29)
                if isinstance(node, ast.Call):
                    return self.call(node)
            case (
                ast.Lambda() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp()
            ):
                if any(_name(each) in self.names for each in ast.walk(node)):
                    raise _Lost
                return UNKNOWN
        for each in ast.iter_child_nodes(node):
            if isinstance(each, ast.expr):
                self.plain(each)
        return UNKNOWN

    def plain(self, node: ast.expr) -> object:
        """Return what an expression stands for that is no object of the class.

        What is done to one elsewhere (by a function, an operator) is not followed.
        """
        value = self.value(node)
        if isinstance(value, _Object):
            raise _Lost
        return value

    def call(self, node: ast.Call) -> object:
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
        name = _called(node)
        if name == "__raising__" and len(node.args) > 1:
            return self.call(ast.Call(node.args[1], node.args[2:], node.keywords))
        if not (_NO_EFFECT(name) or name.partition(".")[0] in self.pure):
            raise _Lost
        if any(isinstance(self.names.get(_name(n) or ""), list | dict | set) for n in node.args):
            raise _Lost  # a method may have changed it
        given = [self.plain(each) for each in (*node.args, *(k.value for k in node.keywords))]
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
            if {*names[: len(named)]} != named.keys():
                raise _Lost
            given += [named[name] for name in names[: len(named)]]
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


def _called(node: ast.expr) -> str:
    """Return the dotted name of what is called, "" if it has none."""
    return ast.unparse(node.func) if isinstance(node, ast.Call) else ""


_NO_EFFECT = re.compile(r"__\w+__|self\.(assert(?!\w*(AlmostEqual|Regex))\w+|subTest)").fullmatch
"""What tests call to see something, by its dotted name."""


def _name(node: ast.AST) -> str | None:
    """Return the name if an expression is ``x`` or ``self.x``."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"self.{node.attr}" if node.value.id == "self" else None
    return None
