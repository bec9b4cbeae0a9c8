"""A program's top-level definitions: what each statement binds and uses, and what a name needs.

The analysis errs on the side of keeping: a name used anywhere in a statement counts as used.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence

_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__", "__class__"}
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def parse(source: str) -> ast.Module | None:
    """Return the program's tree, None where it does not compile."""
    try:
        # Some faults, such as a return outside a function, only the compiler sees.
        tree = ast.parse(source)
        compile(tree, "program", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None
    return tree


def bound(statement: ast.stmt) -> frozenset[str]:
    """Return the module-level names that a top-level statement binds or changes."""
    return frozenset(_bound(statement))


def used(node: ast.AST) -> frozenset[str]:
    """Return every name that appears in a statement other than as a plain target."""
    names: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Store):
            names.add(inner.id)
        elif isinstance(inner, (ast.Global, ast.Nonlocal)):
            names.update(inner.names)
        elif isinstance(inner, ast.AugAssign) and isinstance(inner.target, ast.Name):
            names.add(inner.target.id)
        elif isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            names.update(_annotation_names(inner.value))
    return frozenset(names)


def defines(tree: ast.Module, name: str) -> bool:
    """Say whether the program binds ``name`` at its top level."""
    return any(name in _bound(statement) for statement in tree.body)


def is_stub(tree: ast.Module, name: str) -> bool:
    """Say whether the last function of that name has a body that does nothing."""
    for statement in reversed(tree.body):
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if statement.name == name:
                return all(
                    isinstance(inner, ast.Pass)
                    or (isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Constant))
                    for inner in statement.body
                )
        elif name in _bound(statement):
            return False
    return False


def undefined(tree: ast.Module) -> frozenset[str]:
    """Return the names that the program uses and nothing in it, nor Python itself, binds."""
    known: set[str] = set()
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (known if isinstance(node.ctx, ast.Store) else names).add(node.id)
        elif isinstance(node, ast.arg):
            known.add(node.arg)
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            known.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            known.add(node.rest)
        elif isinstance(node, _SCOPES):
            known.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            known.update(_imported(node))
    return frozenset() if "*" in known else frozenset(names - known - _BUILTINS)


def needed(statements: Sequence[ast.stmt], names: Iterable[str]) -> list[ast.stmt]:
    """Return, in order, the statements that ``names`` need: those that bind them, and so on."""
    binds = [_bound(statement) for statement in statements]
    wanted, kept = set(names), set[int]()
    grown = True
    while grown:
        grown = False
        for position, statement in enumerate(statements):
            if position not in kept and ("*" in binds[position] or binds[position] & wanted):
                kept.add(position)
                wanted |= used(statement) | binds[position]
                grown = True
    return [statement for position, statement in enumerate(statements) if position in kept]


def text_of(source: str, statements: Iterable[ast.stmt]) -> str:
    """Return the statements as they stand in the source, each on lines of its own."""
    parts = []
    for statement in statements:
        segment = ast.get_source_segment(source, statement)
        decorators = getattr(statement, "decorator_list", [])
        if segment is None or decorators:
            # get_source_segment leaves decorators out.
            first = min([statement.lineno, *(d.lineno for d in decorators)])
            lines = source.splitlines(keepends=True)[first - 1 : statement.end_lineno]
            segment = "".join(lines)
        parts.append(segment.rstrip("\r\n") + "\n")
    return "".join(parts)


def _bound(statement: ast.stmt) -> set[str]:
    if isinstance(statement, _SCOPES):
        return {statement.name}
    names: set[str] = set()
    for node in _outside_scopes(statement):
        if isinstance(node, _SCOPES):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update(_imported(node))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            names.add(node.id)
        elif isinstance(node, (ast.Attribute, ast.Subscript)):
            if isinstance(node.ctx, ast.Store):  # x.y = ... and x[y] = ... change x
                names.update(_base(node))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            names.update(_base(node.func))  # x.append(...) may change x
    return names


def _outside_scopes(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the statement's nodes without those inside functions and classes."""
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*_SCOPES, ast.Lambda)):
            pending.extend(ast.iter_child_nodes(node))


def _base(node: ast.expr) -> Iterator[str]:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    for alias in node.names:
        yield alias.asname or alias.name.partition(".")[0]


def _annotation_names(text: str) -> Iterator[str]:
    """Yield the names in a text that may be a quoted annotation."""
    if len(text) <= 80 and "\n" not in text:
        try:
            tree = ast.parse(text, mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                yield node.id
