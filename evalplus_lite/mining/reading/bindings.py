"""Names that statements bind: in a module, a function or a class."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def bound_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that these statements bind in their own scope."""
    names: set[str] = set()
    for node in nodes:
        names.update(_bindings(node))
    return names


def _bindings(node: ast.AST) -> Iterator[str]:
    """Yield names bound by a node in the scope it stands in; deeper scopes stay closed."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
        outer: list[ast.AST] = [*node.decorator_list]
        if isinstance(node, ast.ClassDef):
            outer += [*node.bases, *node.keywords]
        else:
            outer += [*node.args.defaults, *(d for d in node.args.kw_defaults if d)]
        for child in outer:
            yield from _bindings(child)
        return
    if isinstance(node, ast.Lambda):
        return
    if isinstance(node, COMPREHENSIONS):
        for child in ast.walk(node):
            if isinstance(child, ast.NamedExpr):
                yield child.target.id
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
        yield node.id
    elif isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0]
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            if alias.name != "*":
                yield alias.asname or alias.name
    elif (isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar)) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest
    for child in ast.iter_child_nodes(node):
        yield from _bindings(child)


def declared_names(
    body: Sequence[ast.AST], kind: type[ast.Global] | type[ast.Nonlocal]
) -> set[str]:
    """Return the names that a function's body declares ``global`` or ``nonlocal``."""
    names: set[str] = set()
    pending = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, kind):
            names.update(node.names)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))
    return names


def arguments_of(arguments: ast.arguments) -> list[ast.arg]:
    """Return every parameter, in the order of the signature."""
    listed = [*arguments.posonlyargs, *arguments.args]
    if arguments.vararg:
        listed.append(arguments.vararg)
    listed.extend(arguments.kwonlyargs)
    if arguments.kwarg:
        listed.append(arguments.kwarg)
    return listed
