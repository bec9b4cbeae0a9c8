"""Cyclomatic complexity and maintainability, by radon: the only module that imports it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from radon.metrics import h_visit_ast, mi_compute
from radon.visitors import ComplexityVisitor

from evalplus_lite.mining.statistics.lines import raw_lines


@dataclass(frozen=True, slots=True)
class Complexity:
    """``cyclomatic``: of a whole program; ``maintainability``: 0 to 100, to two decimals."""

    cyclomatic: int
    maintainability: float


def complexity_of(code: str, tree: ast.Module) -> Complexity | None:
    """Return a program's complexity; None where radon cannot read it, which it then cannot either.

    Cyclomatic complexity after McCabe; the maintainability index is ``radon.metrics.mi_visit`` with
    documentation counted as comments, but for the time that it takes on long tables.
    """
    try:
        cyclomatic = int(ComplexityVisitor.from_ast(tree).total_complexity)
        volume = h_visit_ast(tree).total.volume
        lines = raw_lines(code)
        index = float(mi_compute(volume, cyclomatic, lines.logical, lines.commented))
    except Exception:
        # Whatever radon stumbles over is a missing figure, not a failure to mine.
        return None
    return Complexity(cyclomatic, round(index, 2))
