"""Which piece of an answer is the program, if it is a whole one that reads and prints."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from evalplus_lite.programs import definitions

_READS = frozenset({"input", "open", "stdin", "fileinput", "read", "argv"})
_PRINTS = frozenset({"print", "stdout", "write"})
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def acts(tree: ast.Module) -> bool:
    """Return whether a program does something when it is run, and prints."""
    return bool(_names(tree) & _PRINTS) and any(map(_is_act, tree.body))


def reads(tree: ast.Module) -> bool:
    """Return whether a program reads its input."""
    return bool(_names(tree) & _READS)


def chosen(trees: Sequence[tuple[str, ast.Module]]) -> tuple[str, bool] | None:
    """Return the piece that is the program, and whether several were joined; None without one.

    It is the last that misses no name, reads and prints. A solution in several pieces, one with its
    functions and one that calls them, is joined. Tests and snippets come after a program as often
    as before it; they read nothing, or miss what they show a part of.
    """
    whole = [(text, tree) for text, tree in trees if not definitions.undefined(tree.body)]
    if found := [text for text, tree in whole if acts(tree) and reads(tree)]:
        return found[-1], False
    if len(trees) > 1:
        text = "\n".join(each for each, _ in trees)
        body = [statement for _, tree in trees for statement in tree.body]
        tree = ast.Module(body, [])
        if acts(tree) and reads(tree) and not definitions.undefined(body):
            return text, True
    for is_likely in (acts, has_definitions):
        for some in (whole, trees):
            if found := [text for text, tree in some if is_likely(tree)]:
                return found[-1], False
    return None


def has_definitions(tree: ast.Module) -> bool:
    """Return whether a program defines functions or classes: prose never does."""
    return any(isinstance(statement, _DEFINITIONS) for statement in tree.body)


def _names(tree: ast.Module) -> frozenset[str]:
    found = (
        node.id if isinstance(node, ast.Name) else node.attr
        for node in ast.walk(tree)
        if isinstance(node, (ast.Name, ast.Attribute))
    )
    return frozenset(found)


def _is_act(statement: ast.stmt) -> bool:
    """Return whether a statement calls something: definitions and remarks do not."""
    return not isinstance(statement, _DEFINITIONS) and any(
        isinstance(node, ast.Call) for node in ast.walk(statement)
    )
