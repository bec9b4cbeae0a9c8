"""Whether the mutants of a program may run one after the other in one process."""

from __future__ import annotations

import ast

from evalplus_lite.programs import parsing

WITHOUT_STATE = frozenset(
    "__future__ abc array bisect cmath collections copy dataclasses datetime enum fractions "
    "functools hashlib heapq itertools json math numbers operator queue random re statistics "
    "string struct textwrap typing unicodedata".split()
)
"""Modules in which ordinary calls leave nothing that a later program would notice; ``random`` is
seeded anew for each. Not ``decimal`` and ``sys``, say: contexts and limits outlive who set them."""
REACHES_FAR = frozenset("__builtins__ __import__ delattr eval exec open setattr".split())
"""Names by which a program may get at anything."""
WORK = (
    *(ast.Call, ast.For, ast.While, ast.With, ast.Try),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


def may_share(source: str) -> bool:
    """Return whether a program, and so its mutants, changes nothing but what is its own, and does
    no work as it is loaded, which would be added to that of its first call.

    Judged by what it imports, so True is said of programs that mean no harm only.
    """
    try:
        tree = parsing.parse(source)
    except (SyntaxError, ValueError):
        return False
    nodes = list(ast.walk(tree))
    imported: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            imported.update((each.asname or each.name).partition(".")[0] for each in node.names)
    return all(_is_harmless(node, imported) for node in nodes) and not _works(tree)


def _works(tree: ast.AST) -> bool:
    """Return whether something is done outside of functions."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, WORK):
            return True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
    return False


def _is_harmless(node: ast.AST, imported: set[str]) -> bool:
    if isinstance(node, ast.Import):
        return all(each.name.partition(".")[0] in WITHOUT_STATE for each in node.names)
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").partition(".")[0] in WITHOUT_STATE
    if isinstance(node, ast.Name):
        return node.id not in REACHES_FAR
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        return not (isinstance(node.value, ast.Name) and node.value.id in imported)
    return True
