"""Planting faults: every operator of ours at every place of a program."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from evalplus_lite.mutation import confusions, operators, value_operators
from evalplus_lite.programs import parsing

_Operator: TypeAlias = Callable[[Any], Iterator[ast.AST]]

_DROPPABLE = (
    ast.Assign,
    ast.AugAssign,
    ast.Expr,
    ast.If,
    ast.For,
    ast.While,
    ast.Continue,
    ast.Break,
    ast.Delete,
    ast.Raise,
    ast.Return,
)

_Table: TypeAlias = tuple[tuple[Any, _Operator], ...]

_OPERATORS: _Table = (
    ((ast.If, ast.IfExp, ast.While), operators.condition),
    (ast.comprehension, operators.filter_of_comprehension),
    (ast.BoolOp, operators.boolean_operand),
    (ast.Compare, operators.comparison),
    ((ast.For, ast.comprehension), operators.rounds),
    ((ast.For, ast.While), operators.first_round_only),
    (_DROPPABLE, operators.dropped_statement),
    (ast.Return, operators.returned_value),
    (ast.AugAssign, operators.assigned_value),
    (ast.BinOp, value_operators.operand),
    (ast.UnaryOp, value_operators.sign),
    (ast.IfExp, value_operators.choice),
    (ast.Call, value_operators.call),
    (ast.Call, value_operators.bounds_of_range),
    (ast.Subscript, value_operators.index),
    (ast.Constant, value_operators.literal),
    ((ast.List, ast.Tuple, ast.Set), value_operators.element),
    (ast.Dict, value_operators.entry),
)

_CONFUSIONS: _Table = (
    (ast.Subscript, confusions.position),
    (ast.Call, confusions.method),
    (ast.BinOp, confusions.through_floats),
    (ast.Compare, confusions.same_object),
    ((ast.For, ast.comprehension), confusions.first_few),
    (ast.Call, confusions.other_builtin),
    (ast.Return, confusions.answer),
)


def own_mutations(source: str) -> Iterator[tuple[str, str]]:
    """Yield (operator's name, mutated program) for each change to a function's body, in order.

    The program is parsed once; texts are as ``ast.unparse`` writes them and may repeat.
    """
    return _planted(source, _OPERATORS)


def confused(source: str) -> Iterator[tuple[str, str]]:
    """Yield the same for what people confuse: programs that are right on usual inputs."""
    return _planted(source, _CONFUSIONS)


def _planted(source: str, table: _Table) -> Iterator[tuple[str, str]]:
    tree = parsing.parse(source)
    for place in list(_places(tree)):
        for kind, operator in table:
            if isinstance(place.node, kind):
                for replacement in operator(place.node):
                    place.put(replacement)
                    text = ast.unparse(ast.fix_missing_locations(tree))
                    place.put(place.node)
                    yield operator.__name__.replace("_", " "), text


class _Place:
    """Where a node stands: in a field of its parent, perhaps in a list."""

    def __init__(self, parent: ast.AST, field: str, index: int | None, node: ast.AST) -> None:
        self.parent, self.field, self.index, self.node = parent, field, index, node

    def put(self, node: ast.AST) -> None:
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def _places(tree: ast.AST) -> Iterator[_Place]:
    """Yield the places inside functions that may be changed, in the order of the text."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _inside(node, ("body",))
        else:
            yield from _places(node)


_LEFT_ALONE = {"annotation", "returns", "decorator_list", "type_params", "ctx", "keywords_names"}


def _inside(parent: ast.AST, fields: tuple[str, ...]) -> Iterator[_Place]:
    for field in fields:
        value = getattr(parent, field, None)
        if field in _LEFT_ALONE or value is None:
            continue
        items = enumerate(value) if isinstance(value, list) else [(None, value)]
        for index, node in items:
            if isinstance(node, ast.AST):
                yield _Place(parent, field, index, node)
                yield from _inside(node, node._fields)
