"""Assertions of unit tests as syntax: their names, and which of their parts are literals."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from typing import TypeAlias

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
ALIASES = {"IOError": "OSError", "EnvironmentError": "OSError"}


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


def template(node: ast.expr, holes: list[ast.expr]) -> ast.expr:
    """Return a condition with what has to be seen as holes: of a comparison, its sides."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return ast.UnaryOp(node.op, template(node.operand, holes))
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        sides = [node.left, node.comparators[0]]
        identical = isinstance(node.ops[0], ast.Is | ast.IsNot)
        if any(map(is_single if identical else is_literal, sides)):
            left, right = (hole(side, holes) for side in sides)
            return ast.Compare(left, node.ops, [right])
    return hole(node, holes)


def hole(node: ast.expr, holes: list[ast.expr]) -> ast.expr:
    """Return a literal as it is, anything else as the next thing that was seen."""
    if is_literal(node):
        return node
    holes.append(node)
    return ast.Subscript(ast.Name("got", ast.Load()), ast.Constant(len(holes) - 1), ast.Load())


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
