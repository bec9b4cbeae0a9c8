"""Top-level statements: their text, and conditions that are decided before anything runs."""

from __future__ import annotations

import ast
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from evalplus_lite.mining.reading.name_uses import Uses, uses_of


@dataclass(slots=True)
class Statement:
    """One top-level statement of a module, verbatim."""

    module: str
    position: int
    node: ast.stmt
    text: str
    binds: frozenset[str]
    _uses: Uses | None = None

    @property
    def uses(self) -> Uses:
        """What it needs; computed once."""
        if self._uses is None:
            self._uses = uses_of(self.node)
        return self._uses


def decide(test: ast.expr) -> bool | None:
    """Return what a condition on ``TYPE_CHECKING`` or the Python version says; None if neither."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = decide(test.operand)
        return None if inner is None else not inner
    if isinstance(test, ast.Name | ast.Attribute):
        name = test.id if isinstance(test, ast.Name) else test.attr
        return {"TYPE_CHECKING": False, "PY2": False, "PY3": None}.get(name)
    if isinstance(test, ast.Constant) and isinstance(test.value, bool):
        return test.value
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1):
        return None
    left, right = test.left, test.comparators[0]
    if ast.unparse(left) in ("__name__",):
        return False
    if not ast.unparse(left).startswith(("sys.version_info", "version_info")):
        return None
    try:
        wanted = ast.literal_eval(right)
    except ValueError:
        return None
    have: object = tuple(sys.version_info[:3])
    if isinstance(left, ast.Subscript):
        if ast.unparse(left.slice) == "0":
            have = sys.version_info[0]
        elif ast.unparse(left.slice) == ":2":
            have = tuple(sys.version_info[:2])
        else:
            return None
    if type(have) is not type(wanted):
        return None
    compare: Callable[[Any, Any], bool] | None = {
        ast.Lt: lambda a, b: a < b,
        ast.LtE: lambda a, b: a <= b,
        ast.Gt: lambda a, b: a > b,
        ast.GtE: lambda a, b: a >= b,
        ast.Eq: lambda a, b: a == b,
        ast.NotEq: lambda a, b: a != b,
    }.get(type(test.ops[0]))
    return None if compare is None else bool(compare(have, wanted))


def verbatim(node: ast.stmt, lines: list[str]) -> str:
    """Return a statement's own lines, decorators included, moved to the left margin."""
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(d.lineno for d in decorators)])
    last = node.end_lineno or node.lineno
    end = node.end_col_offset or 0
    tail = lines[last - 1].encode()[end:].decode().strip()
    if node.col_offset == 0 and (not tail or tail.startswith("#")):
        return "\n".join(lines[first - 1 : last])
    if node.col_offset and (not tail or tail.startswith("#")):
        block = textwrap.dedent("\n".join(lines[first - 1 : last]))
        try:
            if ast.dump(ast.parse(block).body[0]) == ast.dump(node):
                return block
        except (SyntaxError, IndexError):
            pass
    # Statements that share a line, or whose strings would change with the margin.
    return ast.unparse(node)
