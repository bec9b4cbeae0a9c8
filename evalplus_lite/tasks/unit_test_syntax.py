"""Assertions of unit tests as syntax: their names, and which of their parts are literals."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

# The assertions of unittest that are divided, and how many arguments each compares.
ASSERTIONS = {
    "Equal": 2, "NotEqual": 2, "True": 1, "False": 1, "Is": 2, "IsNot": 2, "IsNone": 1,
    "IsNotNone": 1, "In": 2, "NotIn": 2, "IsInstance": 2, "NotIsInstance": 2, "AlmostEqual": 3,
    "NotAlmostEqual": 3, "Greater": 2, "GreaterEqual": 2, "Less": 2, "LessEqual": 2, "Regex": 2,
    "NotRegex": 2, "CountEqual": 2, "ListEqual": 2, "TupleEqual": 2, "SetEqual": 2, "DictEqual": 2,
    "SequenceEqual": 2, "MultiLineEqual": 2,
}  # fmt: skip
OLD_NAMES = {"Equals": "Equal", "NotEquals": "NotEqual", "AlmostEquals": "AlmostEqual"}
IDENTITY = ("Is", "IsNot")
KEPT_KEYWORDS = ("places", "delta")
# Classes by their structure, which do not stand among the bases of what they describe.
ABSTRACT = frozenset(
    "Number Real Integral Rational Complex Iterable Iterator Generator Callable Mapping Sequence "
    "Set MutableMapping MutableSequence Hashable Sized Container Collection Any".split()
)
CLOSE = ("allclose", "array_equal", "isclose", "array_equiv")
"""Functions of numpy and math that compare two values, and say whether these are alike."""
TESTING = {
    "assert_array_equal": "numpy", "assert_array_almost_equal": "numpy",
    "assert_allclose": "numpy", "assert_almost_equal": "numpy", "assert_equal": "numpy",
    "assert_frame_equal": "pandas", "assert_series_equal": "pandas", "assert_index_equal": "pandas",
}  # fmt: skip
"""Assertions of libraries that compare two values."""
ALIASES = {"IOError": "OSError", "EnvironmentError": "OSError"}


class IndependenceCheck(Protocol):
    """Which expressions do not depend on the program (``unit_test_values``)."""

    def known(self, node: ast.expr) -> bool:
        """Return whether an expression does not depend on the program."""
        ...

    def is_touched(self, node: ast.expr) -> bool:
        """Return whether the program may have changed what an expression stands for."""
        ...


def library_assertion(node: ast.Call) -> str | None:
    """Return the dotted name of a library's function that compares two values, or raises."""
    called = node.func
    name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
    if name not in TESTING or len(node.args) < 2:
        return None
    options = [*node.args[2:], *(each.value for each in node.keywords)]
    return f"{TESTING[name]}.testing.{name}" if all(map(is_literal, options)) else None


def refusal(node: ast.If) -> bool:
    """Return whether a statement is ``if ...: self.fail()`` or raises an AssertionError."""
    match node:
        case ast.If(body=[ast.Expr(value=ast.Call(func=ast.Attribute(attr="fail")))], orelse=[]):
            return True
        case ast.If(body=[ast.Raise(exc=ast.Call(func=ast.Name(id="AssertionError")))], orelse=[]):
            return True
        case ast.If(body=[ast.Raise(exc=ast.Name(id="AssertionError"))], orelse=[]):
            return True
    return False


def assertion(node: ast.Call) -> str | None:
    """Return the name, without ``assert``, of an assertion of unittest that can be divided."""
    function = node.func
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
        return None
    if function.value.id != "self" or not function.attr.startswith("assert"):
        return None
    name = function.attr.removeprefix("assert")
    name = OLD_NAMES.get(name, name)
    return name if name in ASSERTIONS or name in ("Raises", "RaisesRegex") else None


@dataclass
class Holes:
    """What an assertion's parts are: literals, what the program shows, what the test computes."""

    values: IndependenceCheck | None = None
    got: list[ast.expr] = field(default_factory=list)
    known: list[ast.expr] = field(default_factory=list)

    def parts(self, nodes: Sequence[ast.expr]) -> list[ast.expr]:
        """Return the sides of one comparison, of which the program shows one at least."""
        values, left = self.values, [each for each in nodes if not is_literal(each)]
        if values is not None and left and all(map(values.known, left)):
            first = next(filter(values.is_touched, left), left[0])
            return [self.shown(each) if each is first else self.part(each) for each in nodes]
        return list(map(self.part, nodes))

    def part(self, node: ast.expr) -> ast.expr:
        """Return a literal as it is, what the test computes as such, all else as shown."""
        if not is_literal(node) and self.values is not None and self.values.known(node):
            self.known.append(node)
            return _item("known", len(self.known) - 1)
        return self.shown(node)

    def shown(self, node: ast.expr) -> ast.expr:
        """Return a literal as it is, anything else as the next thing that was seen."""
        if is_literal(node):
            return node
        self.got.append(node)
        return _item("got", len(self.got) - 1)

    def is_known(self, node: ast.expr) -> bool:
        """Return whether the program does not have to show it."""
        return is_literal(node) or (self.values is not None and self.values.known(node))

    def condition(self, node: ast.expr) -> ast.expr:
        """Return a condition with what has to be seen as holes: of a comparison, its sides."""
        match node:
            case ast.UnaryOp(op=ast.Not()):
                return ast.UnaryOp(node.op, self.condition(node.operand))
            case ast.Compare(ops=[op], comparators=[right]):
                sides = [node.left, right]
                if any(map(is_single, sides) if isinstance(op, ast.Is | ast.IsNot)
                       else map(self.is_known, sides)):  # fmt: skip
                    first, second = self.parts(sides)
                    return ast.Compare(first, node.ops, [second])
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr), args=[_, _]) if (
                attr in CLOSE and all(is_literal(each.value) for each in node.keywords)
            ):
                origin = "math" if name == "math" else "numpy"
                return library(f"{origin}.{attr}", self.parts(node.args), node.keywords)
            case ast.Call(
                func=ast.Attribute(value=left, attr="equals"), args=[right], keywords=[]
            ) if self.is_known(right):
                first, second = self.parts([left, right])
                return ast.Call(ast.Attribute(first, "equals", ast.Load()), [second], [])
        return self.shown(node)


def library(name: str, arguments: Sequence[ast.expr], keywords: Sequence[ast.keyword]) -> ast.expr:
    """Return the call of a library's function, by its dotted name."""
    found = ast.Call(ast.Name("library", ast.Load()), [ast.Constant(name)], [])
    return ast.Call(found, list(arguments), list(keywords))


def _item(name: str, at: int) -> ast.expr:
    return ast.Subscript(ast.Name(name, ast.Load()), ast.Constant(at), ast.Load())


def is_literal(node: ast.AST) -> bool:
    """Return whether an expression is a value by itself, whatever names stand for."""
    match node:
        case ast.Constant():
            return True
        case ast.List() | ast.Tuple() | ast.Set():
            return all(map(is_literal, node.elts))
        case ast.Dict():
            return all(k is not None and is_literal(k) for k in node.keys) and all(
                map(is_literal, node.values)
            )
        case ast.UnaryOp():
            return is_literal(node.operand)
        case ast.BinOp():
            return is_literal(node.left) and is_literal(node.right)
        case ast.Call(func=ast.Name(id="set" | "frozenset" | "float" | "tuple"), keywords=[]):
            return all(map(is_literal, node.args))
    return False


def is_single(node: ast.AST) -> bool:
    """Return whether an expression is None, True or False, of each of which there is one."""
    return isinstance(node, ast.Constant) and node.value in (None, True, False)


def class_names(node: ast.expr) -> list[str] | None:
    """Return the names of the classes that an expression names; None where it cannot be told."""
    if isinstance(node, ast.Tuple):
        each = [class_names(item) for item in node.elts]
        return None if None in each else [name for names in each for name in names or ()]
    name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
    if not name or name in ABSTRACT:
        return None
    return [ALIASES.get(name, name)]


def inline(function: Function) -> None:
    """Put local names that stand for a literal, and are used in assertions alone, into these."""
    stored, loaded = Counter[str](), Counter[str]()
    for node in ast.walk(function):
        if isinstance(node, ast.Name):
            (loaded if isinstance(node.ctx, ast.Load) else stored)[node.id] += 1
        elif isinstance(node, ast.Nonlocal | ast.Global):
            stored.update(2 * node.names)
    constants = {
        target.id: (node, node.value)
        for node in function.body
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and is_literal(node.value)
        for target in node.targets
        if isinstance(target, ast.Name) and stored[target.id] == 1
    }
    places: dict[str, list[tuple[ast.Call, int]]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and assertion(node):
            for at, argument in enumerate(node.args):
                if isinstance(argument, ast.Name) and argument.id in constants:
                    places.setdefault(argument.id, []).append((node, at))
    gone = set()
    for name, found in places.items():
        if len(found) == loaded[name]:
            assigned, literal = constants[name]
            gone.add(id(assigned))
            for call, at in found:
                call.args[at] = copy.deepcopy(literal)
    function.body = [node for node in function.body if id(node) not in gone] or [ast.Pass()]
