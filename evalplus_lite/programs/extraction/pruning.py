"""What an answer's program does besides defining its function: examples, tests, strange imports."""

from __future__ import annotations

import ast
import sys

from evalplus_lite.programs import definitions

_SPEAKING = frozenset({"print", "input", "exit", "quit", "__name__"})
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def superfluous(tree: ast.Module, entry_point: str) -> list[ast.stmt]:
    """Return the top-level statements that loading the entry point is better off without.

    These are statements that it does not need, and that call it, test it, talk to a terminal, use
    names that nothing defines, or import what Python does not bring along.
    """
    defining = [node for node in tree.body if not _borrows(node, entry_point)] or tree.body
    kept = {id(statement) for statement in definitions.needed(defining, [entry_point])}
    missing = definitions.undefined(tree.body)
    tainted = {entry_point, *_SPEAKING, *missing}
    dropped: list[ast.stmt] = []
    for statement in tree.body:
        if id(statement) in kept:
            continue
        if isinstance(statement, _DEFINITIONS):
            # A function harms only when it is called, but then all that it uses counts.
            if definitions.used(statement) & tainted:
                tainted |= definitions.bound(statement)
            if definitions.used_at_once(statement) & missing:
                dropped.append(statement)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            if not _comes_with_python(statement):
                dropped.append(statement)
                tainted |= definitions.bound(statement)
        elif isinstance(statement, ast.Assert) or definitions.used(statement) & tainted:
            dropped.append(statement)
            tainted |= definitions.bound(statement)
    return dropped


def only_borrows(tree: ast.Module, name: str) -> bool:
    """Return whether a program has a name from a module that does not come with Python, only.

    So do tests that import the function that they are for.
    """
    binding = [node for node in tree.body if name in definitions.bound(node)]
    return bool(binding) and all(_borrows(node, name) for node in binding)


def borrows_besides(tree: ast.Module, name: str) -> bool:
    """Return whether a program defines a name, but imports it from elsewhere, too."""
    return not only_borrows(tree, name) and any(_borrows(node, name) for node in tree.body)


def _borrows(statement: ast.stmt, name: str) -> bool:
    return (
        isinstance(statement, (ast.Import, ast.ImportFrom))
        and name in definitions.bound(statement)
        and not _comes_with_python(statement)
    )


def only_nests(tree: ast.Module, name: str) -> bool:
    """Return whether the last function of that name only defines another one of that name."""
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    if not found:
        return False
    inner = [node for node in found[-1].body if not isinstance(node, ast.Expr)]
    return bool(inner) and all(
        isinstance(node, ast.FunctionDef) and node.name == name for node in inner
    )


def _comes_with_python(statement: ast.Import | ast.ImportFrom) -> bool:
    if isinstance(statement, ast.ImportFrom):
        modules = [statement.module or ""] if not statement.level else [""]
    else:
        modules = [alias.name for alias in statement.names]
    return all(name.partition(".")[0] in sys.stdlib_module_names for name in modules)
