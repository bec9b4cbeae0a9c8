"""Nodes of programs, built or changed: what mutation operators are made of."""

from __future__ import annotations

import ast
import copy
from typing import Any


def changed(node: ast.AST, **fields: object) -> Any:
    """Return a copy of a node with other fields."""
    new = copy.copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


def negated(node: ast.expr) -> ast.expr:
    """Return ``not`` of an expression."""
    return ast.UnaryOp(ast.Not(), node)


def new_call(name: str, *arguments: ast.expr) -> ast.Call:
    """Return a call of a function by its name."""
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def number(value: complex | float | int) -> ast.expr:
    """Return a literal, with its sign as an operation where it has one."""
    if not isinstance(value, complex) and value < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def shifted(node: ast.expr, by: int) -> ast.expr:
    """Return an expression plus ``by``."""
    return ast.BinOp(node, ast.Add() if by > 0 else ast.Sub(), ast.Constant(abs(by)))
