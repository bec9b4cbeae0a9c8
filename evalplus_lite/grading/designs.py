"""Designs: what other right programs may do where a reference does something, read off its text.

A formula stands where another program counts, a table where another calls itself: what costs the
reference nothing may cost such a program everything.
"""

from __future__ import annotations

import ast


def counts_up(tree: ast.AST) -> bool:
    """Return whether programs might count up to a number that the reference is given.

    Not to one that it takes apart, by digits or bits, writes out, compares, adds or subtracts.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp):
            are_given = not (_is_constant(node.left) or _is_constant(node.right))
            if isinstance(node.op, ast.Pow | ast.Div):
                return True
            if are_given and isinstance(node.op, ast.Mult | ast.Mod | ast.FloorDiv):
                return True
        elif isinstance(node, ast.Name | ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            if name in ("range", "math", "pow", "sqrt", "isqrt", "gcd", "lcm", "factorial", "comb"):
                return True
    return False


def is_exponential(tree: ast.AST) -> bool:
    """Return whether a program shifts by a number it is given, or raises a constant to it.

    Others add such an answer up, in a table whose rows are as many as it has digits.
    """
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        given = {each.arg for each in function.args.args}
        for node in ast.walk(function):
            if not isinstance(node, ast.BinOp) or _is_constant(node.right):
                continue
            grows = isinstance(node.op, ast.LShift) or (
                isinstance(node.op, ast.Pow) and _is_constant(node.left)
            )
            names = {each.id for each in ast.walk(node.right) if isinstance(each, ast.Name)}
            if grows and names and names <= given:
                return True
    return False


def is_recurrent(tree: ast.AST) -> bool:
    """Return whether a program builds answers upon earlier ones.

    It calls itself, reads entries of a table that it fills, or hands on (``a, b = b, a + b``).
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            called = {_called(each) for each in ast.walk(node)}
            if node.name in called:
                return True
        is_loop = isinstance(node, ast.For | ast.While)
        if is_loop and (_filled(node) & _read(node) or any(map(_rolls, ast.walk(node)))):
            return True
    return False


def _rolls(node: ast.AST) -> bool:
    """Whether a statement sets several names, one of them to what another was."""
    if not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple)):
        return False
    if not isinstance(node.value, ast.Tuple):
        return False
    targets = [_base(each) for each in node.targets[0].elts]
    values = [_base(each) for each in node.value.elts]
    return any(value and value in targets[at + 1 :] for at, value in enumerate(values))


def _filled(loop: ast.AST) -> set[str]:
    """Return the names of what a loop stores items in, or appends to."""
    found = set[str]()
    for node in ast.walk(loop):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            found.add(_base(node))
        elif isinstance(node, ast.Attribute) and node.attr == "append":
            found.add(_base(node.value))
    return found - {""}


def _read(loop: ast.AST) -> set[str]:
    return {
        _base(node)
        for node in ast.walk(loop)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load)
    }


def _base(node: ast.AST) -> str:
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _called(node: ast.AST) -> str:
    return _base(node.func) if isinstance(node, ast.Call) else ""


def _is_constant(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant)
