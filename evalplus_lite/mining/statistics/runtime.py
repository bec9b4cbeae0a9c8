"""What happens while a program runs, counted by code written into it (appendix A.6).

Tracing costs 2 to 23 times the run; counters cost less and count the same on every machine. CPU
time is taken from a separate, untouched run. ``library_lines`` alone are traced, in frames of
other files.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from statistics import fmean, pstdev

COUNTERS = (
    "loop_iterations",
    "additions",
    "subtractions",
    "multiplications",
    "divisions",
    "powers",
    "lines",
    "library_lines",
    "conditionals",
    "builtin_calls",
    "user_calls",
    "calls",
    "variables_declared",
    "variables_used",
)

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "additions",
    ast.Sub: "subtractions",
    ast.Mult: "multiplications",
    ast.Div: "divisions",
    ast.FloorDiv: "divisions",
    ast.Mod: "divisions",
    ast.Pow: "powers",
}
_UNTOUCHED_CALLS = frozenset({"super", "locals", "globals", "vars", "dir", "_count"})


def instrument(code: str) -> str | None:
    """Return the program with counters in its functions; None where it cannot be rewritten.

    Only function bodies count: loading is not part of a case. ``_count`` must be free.
    """
    try:
        tree = ast.parse(code)
        if any(isinstance(n, ast.Name) and n.id == "_count" for n in ast.walk(tree)):
            return None
        for node in tree.body:
            _Functions().visit(node)
        return ast.unparse(ast.fix_missing_locations(tree))
    except (SyntaxError, RecursionError, ValueError):
        return None


def variation(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return each statistic's coefficient of variation over a function's cases.

    The population's standard deviation over the mean, to four decimals; 0 where the mean is 0.
    """
    found: dict[str, float] = {}
    for name in sorted({name for row in rows for name in row}):
        values = [float(row[name]) for row in rows if name in row]
        mean = fmean(values) if values else 0.0
        ratio = pstdev(values) / abs(mean) if mean else 0.0
        found[name] = round(ratio, 4) if math.isfinite(ratio) else 0.0
    return found


def _counted(name: str, value: ast.expr | None = None) -> ast.expr:
    arguments: list[ast.expr] = [ast.Constant(name)]
    if value is not None:
        arguments.append(value)
    return _call("add", arguments)


def _call(method: str, arguments: list[ast.expr]) -> ast.expr:
    function = ast.Attribute(ast.Name("_count", ast.Load()), method, ast.Load())
    return ast.Call(function, arguments, [])


class _Functions(ast.NodeTransformer):
    """Finds function bodies, at any depth, and hands them to the counter."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = _Body().block(node.body)
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]  # same fields

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return node


class _Body(ast.NodeTransformer):
    """Writes counters into the statements of a function."""

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for number, statement in enumerate(body):
            is_docstring = (
                not number
                and isinstance(statement, ast.Expr)
                and isinstance(statement.value, ast.Constant)
            )
            names = sorted(_read_here(statement))
            declared = sorted(_bound_here(statement))
            visited = self.visit(statement)
            is_declaration = isinstance(statement, ast.Global | ast.Nonlocal)
            if not is_docstring and not is_declaration:
                done.append(ast.Expr(_counted("lines")))
                if names:
                    listed = ast.Tuple([ast.Constant(n) for n in names], ast.Load())
                    done.append(ast.Expr(_call("read", [listed])))
                done += [ast.Expr(_call("bind", [ast.Constant(n)])) for n in declared]
            done.append(visited)
        return done

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for field, old in ast.iter_fields(node):
            if isinstance(old, list) and old and isinstance(old[0], ast.stmt):
                setattr(node, field, self.block(old))
            elif isinstance(old, list):
                setattr(node, field, [self._one(v) for v in old])
            elif isinstance(old, ast.AST):
                setattr(node, field, self._one(old))
        return node

    def _one(self, value: object) -> object:
        return self.visit(value) if isinstance(value, ast.AST) else value

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = self.block(node.body)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        _Functions().generic_visit(node)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node  # nested quotes are not rewritable on every version

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        if node.guard is not None:
            node.guard = self.visit(node.guard)
        node.body = self.block(node.body)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        name = _OPERATORS.get(type(node.op))
        return node if name is None else _counted(name, node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        name = _OPERATORS.get(type(node.op))
        if name is not None:
            node.value = _counted(name, node.value)
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        node.test = _counted("conditionals", node.test)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        node.test = _counted("conditionals", node.test)
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(_counted("loop_iterations")))
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(_counted("loop_iterations")))
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        if not node.is_async:
            node.iter = _call("each", [ast.Constant("loop_iterations"), node.iter])
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        is_special = isinstance(node.func, ast.Name) and node.func.id in _UNTOUCHED_CALLS
        if not is_special:
            node.func = _call("call", [node.func])
        return node


def _read_here(statement: ast.stmt) -> set[str]:
    return {n.id for n in _own(statement) if isinstance(n, ast.Name) and type(n.ctx) is ast.Load}


def _bound_here(statement: ast.stmt) -> set[str]:
    return {n.id for n in _own(statement) if isinstance(n, ast.Name) and type(n.ctx) is ast.Store}


def _own(statement: ast.stmt) -> list[ast.AST]:
    """Return a statement's nodes without those of the statements inside it."""
    found: list[ast.AST] = []
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        found.append(node)
        pending += [
            child
            for child in ast.iter_child_nodes(node)
            if not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case)
        ]
    return found
