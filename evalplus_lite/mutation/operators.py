"""Mutation operators on the flow of control: the faults that mutmut's do not plant.

Each operator is a generator from a node to its replacements. They come in families: conditions
(negated, always true, never true), comparisons (every other one of the same family), loops (no
round, one round, first or last item skipped), statements (dropped), and returned values.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from evalplus_lite.mutation.ast_copy import changed, negated, new_call, number

# Conditions


def condition(node: ast.If | ast.IfExp | ast.While) -> Iterator[ast.AST]:
    """Negated; always true, but for ``while``, which would never end; never true."""
    yield changed(node, test=negated(node.test))
    if not isinstance(node, ast.While):
        yield changed(node, test=ast.Constant(True))
    yield changed(node, test=ast.Constant(False))


def filter_of_comprehension(node: ast.comprehension) -> Iterator[ast.AST]:
    """Each condition negated, and dropped."""
    for position, test in enumerate(node.ifs):
        rest = node.ifs[:position], node.ifs[position + 1 :]
        yield changed(node, ifs=[*rest[0], negated(test), *rest[1]])
        yield changed(node, ifs=[*rest[0], *rest[1]])


def boolean_operand(node: ast.BoolOp) -> Iterator[ast.AST]:
    """``and`` for ``or`` and the other way round; each operand dropped, and negated."""
    yield changed(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    for position, value in enumerate(node.values):
        rest = [*node.values[:position], *node.values[position + 1 :]]
        yield changed(node, values=rest) if len(rest) > 1 else rest[0]
        yield changed(
            node,
            values=[*node.values[:position], negated(value), *node.values[position + 1 :]],
        )


_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_MEMBER = (ast.In, ast.NotIn)
_IDENTITY = (ast.Is, ast.IsNot)


def comparison(node: ast.Compare) -> Iterator[ast.AST]:
    """Each comparison replaced by every other one of its family; the bound shifted by one."""
    for position, operator in enumerate(node.ops):
        family = next(f for f in (_ORDER, _MEMBER, _IDENTITY) if isinstance(operator, f))
        for other in family:
            if not isinstance(operator, other):
                yield changed(node, ops=[*node.ops[:position], other(), *node.ops[position + 1 :]])


# Loops


def rounds(node: ast.For | ast.comprehension) -> Iterator[ast.AST]:
    """No round at all; all but the first; all but the last; in the other order."""
    items = new_call("list", node.iter)
    yield changed(node, iter=ast.Tuple([], ast.Load()))
    yield changed(node, iter=ast.Subscript(items, ast.Slice(ast.Constant(1)), ast.Load()))
    yield changed(node, iter=ast.Subscript(items, ast.Slice(None, number(-1)), ast.Load()))
    yield changed(node, iter=ast.Subscript(items, ast.Slice(None, None, number(-1)), ast.Load()))


def first_round_only(node: ast.For | ast.While) -> Iterator[ast.AST]:
    """The loop left after one round."""
    yield changed(node, body=[*node.body, ast.Break()])


# Statements


def dropped_statement(node: ast.stmt) -> Iterator[ast.AST]:
    """The statement replaced by ``pass``; a condition's ``else`` dropped."""
    yield ast.Pass()
    if isinstance(node, ast.If | ast.For | ast.While) and node.orelse:
        yield changed(node, orelse=[])


def returned_value(node: ast.Return) -> Iterator[ast.AST]:
    """``None``; the truth turned over; zero, one, an empty string or list in its place."""
    if node.value is None:
        return
    value = node.value
    yield changed(node, value=ast.Constant(None))
    if isinstance(value, ast.Compare | ast.BoolOp) or (
        isinstance(value, ast.Constant) and isinstance(value.value, bool)
    ):
        yield changed(node, value=negated(value))
        return
    for other in (ast.Constant(0), ast.Constant(""), ast.List([], ast.Load())):
        yield changed(node, value=other)


def assigned_value(node: ast.AugAssign) -> Iterator[ast.AST]:
    """Assigned without what was there before."""
    yield ast.Assign([node.target], node.value)
