"""References rewritten to report what runs: in place of its answer to a case, each lists marks."""

from __future__ import annotations

import ast

from evalplus_lite.programs import parsing
from evalplus_lite.sandbox import Limits, Program

PREFIX = "_evalplus_lite_"
"""What all names begin with that are put into a program; ``<prefix>hits`` is the set of marks."""
# Probes and coverage.py slow a reference down; it has answered these cases, so it ends.
REFERENCE_LIMITS = Limits(cpu=300.0, load=10.0, output=1 << 26)

_EPILOGUE = f"""
def {PREFIX}measured(*arguments):
    {PREFIX}hits.clear()
    try:
        {{entry_point}}(*arguments)
    except Exception:
        pass
    return sorted({PREFIX}hits)
"""


def probed(tree: ast.Module, entry_point: str, *, prelude: str = "") -> Program:
    """Return a program, rewritten to add to the marks, that answers with those of each call.

    ``prelude`` defines what the probes call. It stands after imports that must come first.
    """
    at = 0
    for node in tree.body:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not is_future and not (at == 0 and is_text):
            break
        at += 1
    tree.body[at:at] = parsing.parse(f"{PREFIX}hits = set()\n{prelude}").body
    tree.body += parsing.parse(_EPILOGUE.format(entry_point=entry_point)).body
    return Program(ast.unparse(ast.fix_missing_locations(tree)), f"{PREFIX}measured")
