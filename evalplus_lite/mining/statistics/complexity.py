"""Cyclomatic complexity and maintainability, by radon: the only module that imports it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

try:
    from radon.metrics import h_visit_ast, mi_compute
    from radon.visitors import ComplexityVisitor
except ImportError:  # radon is an extra
    ComplexityVisitor = None


@dataclass(frozen=True, slots=True)
class Complexity:
    """``cyclomatic``: of a whole program; ``maintainability``: 0 to 100, to two decimals."""

    cyclomatic: int
    maintainability: float


def complexity_of(tree: ast.Module, *, lines: int, comments: int) -> Complexity | None:
    """Return a program's complexity; None without radon or where radon cannot read it.

    Cyclomatic complexity after McCabe; the maintainability index as radon defines it, from
    Halstead's volume, the complexity, the statements and the share of comment lines (docstrings
    count). Lines are counted by the caller: radon's own count takes quadratic time on long tables.
    """
    if ComplexityVisitor is None:
        return None
    try:
        cyclomatic = int(ComplexityVisitor.from_ast(tree).total_complexity)
        volume = h_visit_ast(tree).total.volume
        percent = comments / lines * 100 if lines else 0
        statements = sum(isinstance(node, ast.stmt) for node in ast.walk(tree))
        index = float(mi_compute(volume, cyclomatic, statements, percent))
    except Exception:
        # Whatever radon stumbles over is a missing figure, not a failure to mine.
        return None
    return Complexity(cyclomatic, round(index, 2))
