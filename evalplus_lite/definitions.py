"""A program's top-level definitions: what each statement binds and uses, and what a name needs."""

from __future__ import annotations

import ast
import builtins
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence

from evalplus_lite import syntax

_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__", "__class__"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SCOPES = (*_FUNCTIONS, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
STAR = "*"
"""What ``from m import *`` binds: any name."""


def fault(source: str) -> int | None:
    """Return the line, from 1, at which the compiler gives up, None where the text is a program.

    Nothing is run. Where the compiler names no line it is the last one.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a program's odd escapes are no news of ours
        try:
            compile(source, "program", "exec", dont_inherit=True)
        except SyntaxError as error:
            return error.lineno or source.count("\n") + 1
        except (ValueError, RecursionError, MemoryError, OverflowError):
            return source.count("\n") + 1
    return None


def parse(source: str) -> ast.Module | None:
    """Return the program's tree, None where it does not compile."""
    return None if fault(source) is not None else tree_of(source)


def tree_of(source: str) -> ast.Module | None:
    """Return the tree of a text in which ``fault`` found none.

    The parser alone lets pass what only the compiler sees: a return outside a function, say.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree: ast.Module = syntax.parse(source)
            return tree
        except (ValueError, RecursionError, MemoryError):
            return None


def bound(statement: ast.stmt) -> frozenset[str]:
    """Return the module-level names that a top-level statement binds."""
    return frozenset(name for node in _within_scope(statement) for name in _binds(node))


def changed(statement: ast.stmt) -> frozenset[str]:
    """Return the module-level names whose values a top-level statement may change in place."""
    names: set[str] = set()
    for node in _within_scope(statement):
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            if not isinstance(node.ctx, ast.Load):  # x.y = ... and del x[y]
                names.update(_base(node))
        elif isinstance(node, ast.Expr):
            match node.value:
                case ast.Call(func=ast.Attribute() as method):  # x.append(...)
                    names.update(_base(method))
    return frozenset(names)


def used(node: ast.AST) -> frozenset[str]:
    """Return the names that a statement takes from outside: at once, or when it is called."""
    if isinstance(node, _FUNCTIONS):
        own = {argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)}
        body = node.body if isinstance(node.body, list) else [node.body]
        return _free(body) - _local(body, own) | used_at_once(node)
    if isinstance(node, _COMPREHENSIONS):
        inside = list(ast.iter_child_nodes(node))
        return _free(inside) - _local(inside, set())
    return _free(list(ast.iter_child_nodes(node)) if isinstance(node, _SCOPES) else [node])


def used_at_once(node: ast.AST) -> frozenset[str]:
    """Return the names that a statement needs where it stands, before anything is called."""
    if not isinstance(node, _FUNCTIONS):
        return used(node)
    outside: list[ast.AST] = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
    if not isinstance(node, ast.Lambda):
        outside += node.decorator_list
        outside += filter(None, [node.returns])
        outside += [
            a.annotation for a in ast.walk(node.args) if isinstance(a, ast.arg) and a.annotation
        ]
    return _free(outside)


def defines(tree: ast.Module, name: str) -> bool:
    """Say whether the program binds ``name`` at its top level."""
    return any(name in bound(statement) for statement in tree.body)


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
        elif name in bound(statement):
            return False
    return False


def undefined(statements: Sequence[ast.stmt]) -> frozenset[str]:
    """Return the names that statements use and that neither they nor Python itself bind."""
    known: set[str] = set()
    names: set[str] = set()
    for statement in statements:
        known |= bound(statement)
        names |= used(statement)
        for node in ast.walk(statement):
            if isinstance(node, ast.Global):
                known.update(node.names)
    return frozenset() if STAR in known else frozenset(names - known - _BUILTINS)


def needed(statements: Sequence[ast.stmt], names: Iterable[str]) -> list[ast.stmt]:
    """Return, in order, the statements that ``names`` need: those that bind or change them, and
    what these need in turn.
    """
    binds = [bound(statement) | changed(statement) for statement in statements]
    wanted, kept = set(names), set[int]()
    grown = True
    while grown:
        grown = False
        for position, statement in enumerate(statements):
            if position not in kept and (STAR in binds[position] or binds[position] & wanted):
                kept.add(position)
                wanted |= used(statement) | binds[position]
                grown = True
    return [statement for position, statement in enumerate(statements) if position in kept]


def text_of(source: str, statements: Iterable[ast.stmt]) -> str:
    """Return the statements as they stand in the source, each on lines of its own."""
    lines = _lines(source)
    parts = []
    for statement in statements:
        last = lines[(statement.end_lineno or 1) - 1].encode("utf-8", "surrogatepass")
        rest = last[statement.end_col_offset or 0 :].strip()
        if statement.col_offset or (rest and not rest.startswith(b"#")):
            segment = ast.get_source_segment(source, statement) or ""
        else:
            segment = "".join(lines[_first_line(statement) - 1 : statement.end_lineno])
        parts.append(segment.rstrip("\r\n") + "\n")
    return "".join(parts)


def without(source: str, tree: ast.Module, dropped: Sequence[ast.stmt]) -> str:
    """Return the program without some of its top-level statements, else as it stands."""
    gone = {id(statement) for statement in dropped}
    kept_lines = {
        line
        for statement in tree.body
        if id(statement) not in gone
        for line in range(_first_line(statement), (statement.end_lineno or 0) + 1)
    }
    lines = _lines(source)
    for statement in dropped:
        for number in range(_first_line(statement), (statement.end_lineno or 0) + 1):
            if number in kept_lines:  # shares a line with what stays
                return text_of(source, [node for node in tree.body if id(node) not in gone])
            lines[number - 1] = ""
    return "".join(lines)


def _lines(source: str) -> list[str]:
    """Return the lines as Python counts them: form feeds and their like end none."""
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", source)


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _within_scope(statement: ast.AST) -> Iterator[ast.AST]:
    """Yield the statement's nodes without what is inside functions and classes."""
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*_SCOPES, *_COMPREHENSIONS)):
            pending.extend(ast.iter_child_nodes(node))


def _free(nodes: Sequence[ast.AST]) -> frozenset[str]:
    """Return the names that nodes of one scope look up, there or further out."""
    names: set[str] = set()
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if isinstance(node, (*_SCOPES, *_COMPREHENSIONS)):
            names |= used(node)
            continue
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            names.update(node.names)
        pending.extend(ast.iter_child_nodes(node))
    return frozenset(names)


def _local(nodes: Sequence[ast.AST], own: set[str]) -> set[str]:
    """Return the names that nodes of one function bind for themselves, with its arguments."""
    outer: set[str] = set()
    for node in nodes:
        for inner in _within_scope(node):
            own.update(_binds(inner))
            if isinstance(inner, (ast.Global, ast.Nonlocal)):
                outer.update(inner.names)
    return own - outer


def _binds(node: ast.AST) -> Iterator[str]:
    """Yield the names that this very node binds in its scope."""
    if isinstance(node, ast.Name):
        if not isinstance(node.ctx, ast.Load):
            yield node.id
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0]
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest


def _base(node: ast.expr) -> Iterator[str]:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id
