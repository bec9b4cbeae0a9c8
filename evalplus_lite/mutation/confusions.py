"""Mutation operators on what people and models confuse: right on usual inputs, wrong on rare ones.

Other operators plant faults that most inputs show. These exchange an expression for one that means
the same on the inputs its writer had in mind: of this length, without a sign, of small numbers, of
plain letters. What survives them is a kind of input that a suite has not got.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from evalplus_lite.mutation.ast_copy import changed, new_call, number

FEW = 100
"""Items that somebody takes for enough."""
LARGE = 10**6
"""A number that somebody takes for larger than all others."""

_METHODS = {
    "isdigit": ("isnumeric", "isdecimal"),
    "isalpha": ("isascii",),
    "isspace": ("isprintable",),
    "isupper": ("istitle",),
    "lower": ("casefold", "swapcase"),
    "upper": ("swapcase", "capitalize"),
    "capitalize": ("title",),
    "title": ("capitalize",),
    "strip": ("lstrip", "rstrip"),
    "split": ("splitlines",),
    "find": ("rfind",),
    "index": ("rfind",),
    "remove": ("discard",),
}


def position(node: ast.Subscript) -> Iterator[ast.AST]:
    """``[-1]`` where the writer's lists had three items: another place, from either end."""
    place = _integer(node.slice)
    if place is not None and isinstance(node.ctx, ast.Load):
        for other in (0, 1, 2, -1, -2):
            if other != place:
                yield changed(node, slice=number(other))


def method(node: ast.Call) -> Iterator[ast.AST]:
    """A method that differs for rare letters and blanks alone; the first place for all of them."""
    function = node.func
    if not isinstance(function, ast.Attribute):
        return
    if not node.args:
        for name in _METHODS.get(function.attr, ()):
            yield changed(node, func=changed(function, attr=name))
    if function.attr == "split":
        blank = [] if node.args else [ast.Constant(" ")]
        yield changed(node, args=blank)
    if function.attr == "replace" and len(node.args) == 2:
        yield changed(node, args=[*node.args, ast.Constant(1)])


def through_floats(node: ast.BinOp) -> Iterator[ast.AST]:
    """Whole numbers by way of floats; a remainder without its sign."""
    if isinstance(node.op, ast.FloorDiv):
        yield new_call("int", changed(node, op=ast.Div()))
    elif isinstance(node.op, ast.Mod):
        yield changed(node, left=new_call("abs", node.left))


def same_object(node: ast.Compare) -> Iterator[ast.AST]:
    """``is`` for ``==``, true of small numbers; letters compared without their case."""
    if len(node.ops) > 1:
        return
    (operator,), (other,) = node.ops, node.comparators
    if isinstance(operator, ast.Eq | ast.NotEq):
        yield changed(node, ops=[ast.Is() if isinstance(operator, ast.Eq) else ast.IsNot()])
    if isinstance(other, ast.Constant) and isinstance(other.value, str):
        yield changed(node, left=ast.Call(ast.Attribute(node.left, "lower", ast.Load()), [], []))


def first_few(node: ast.For | ast.comprehension) -> Iterator[ast.AST]:
    """A loop that takes the first hundred items, or equal ones once."""
    items = new_call("list", node.iter)
    yield changed(node, iter=_up_to(items, ast.Constant(FEW)))
    yield changed(node, iter=new_call("dict.fromkeys", node.iter))


def other_builtin(node: ast.Call) -> Iterator[ast.AST]:
    """An extreme with a start that some input lies beyond; an exact type; a float cut or kept."""
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name in ("max", "min") and len(node.args) == 1 and not node.keywords:
        yield new_call(name, node, ast.Constant(0 if name == "max" else LARGE))
    elif name == "isinstance" and len(node.args) == 2:
        yield ast.Compare(new_call("type", node.args[0]), [ast.Eq()], [node.args[1]])
    elif name == "float" and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
        text = str(node.args[0].value).lstrip("+")
        if text.lstrip("-").lower().startswith("inf"):
            yield ast.Constant(0) if text.startswith("-") else ast.Constant(LARGE)
    elif name == "round" and len(node.args) == 1:
        yield new_call("int", ast.BinOp(node.args[0], ast.Add(), ast.Constant(0.5)))
    elif name in ("sorted", "len", "sum") and len(node.args) == 1:
        yield changed(node, args=[new_call("dict.fromkeys", node.args[0])])


def answer(node: ast.Return) -> Iterator[ast.AST]:
    """The answer without its sign, rounded, or whole."""
    if isinstance(node.value, ast.BinOp | ast.Call | ast.Name | ast.IfExp):
        yield changed(node, value=new_call("abs", node.value))
        yield changed(node, value=new_call("round", node.value, ast.Constant(2)))
        yield changed(node, value=new_call("int", node.value))


def _integer(node: ast.expr) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        found = _integer(node.operand)
        return None if found is None else -found
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    return None


def _up_to(items: ast.expr, bound: ast.expr) -> ast.expr:
    return ast.Subscript(items, ast.Slice(None, bound), ast.Load())
