"""References rewritten to report what runs: in place of its answer to a case, each lists marks."""

from __future__ import annotations

import ast

from evalplus_lite.programs import parsing
from evalplus_lite.sandbox import Limits, Program

PREFIX = "_evalplus_lite_"
"""What all names begin with that are put into a program; ``<prefix>hits`` is the set of marks."""
# Probes and coverage.py slow a reference down; it has answered these cases, so it ends.
REFERENCE_LIMITS = Limits(cpu=300.0, load=10.0, output=1 << 26)


def probed(source: str, program: Program) -> Program:
    """Return a program that answers with the marks of each call.

    ``source`` is that of ``program``, rewritten to add to the marks (``with_marks``).
    """
    facts = source, program.entry_point, program.harness.row, f"{PREFIX}hits"
    text = f"import sandbox_inside\nmeasured = sandbox_inside.watched(*{facts!r})\n"
    return program.around(text, "measured")


def with_marks(tree: ast.Module, *, prelude: str = "") -> str:
    """Return the source of a program that adds to the marks, with their set.

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
    return ast.unparse(ast.fix_missing_locations(tree))
