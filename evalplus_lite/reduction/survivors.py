"""Surviving mutants, with the number of cases that reach them, and statements that no case runs."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evalplus_lite.errors import ReferenceSolutionError
from evalplus_lite.programs import definitions, parsing
from evalplus_lite.programs.mutation.mutants import difference, normal_form
from evalplus_lite.reduction.decisions import PREFIX, REFERENCE_LIMITS, probed, with_marks
from evalplus_lite.reduction.requirements import mutants_by_key
from evalplus_lite.sandbox import Inputs, Program, Sandbox
from evalplus_lite.types import Returned, Suite, Task, clip
from evalplus_lite.values import wire

FIRST = 100
"""Number of cases that are run first to find unreached statements."""
ENOUGH = 20
"""A survivor whose statement this many cases reach is suspected to be equivalent."""


def survivors(
    sandbox: Sandbox, task: Task, suite: Suite, killed: Collection[str]
) -> list[dict[str, Any]]:
    """Return a row for each mutant whose key is not in ``killed``, in source order.

    ``reached`` counts the cases that run the changed statement.
    """
    alive = [mutant for key, mutant in mutants_by_key(task).items() if key not in killed]
    source = normal_form(task.reference)
    reached = reached_lines(sandbox, task, suite, source, {each.line for each in alive})
    return [
        {
            "operator": each.operator,
            "line": each.line,
            "reached": (count := reached[each.line].bit_count()),
            "suspected_equivalent": count >= ENOUGH,
            "diff": difference(source, each),
        }
        for each in alive
    ]


def reached_lines(
    sandbox: Sandbox, task: Task, suite: Suite, source: str, lines: Collection[int]
) -> dict[int, int]:
    """Return, for each line of the reference's normal form, the cases that run its statement."""
    reached = dict.fromkeys(lines, 0)
    if not lines:
        return reached
    tree = parsing.parse(source)
    marker = _Marker(sorted(lines), task.harness.kind == "script")
    marker.visit(tree)
    inputs = Inputs.of(case.arguments for case in suite.cases)
    run = sandbox.run(probed(with_marks(tree), Program.of(task)), inputs, REFERENCE_LIMITS)
    for case, outcome in enumerate(run.outcomes):
        if isinstance(outcome, Returned):
            for line in wire.decode(outcome.data):
                reached[line] |= 1 << case
    return reached


def statements(source: str, name: str = "", *, script: bool = False) -> set[int]:
    """Return the first lines of the statements in a program's functions, or in those a name needs.

    In a ``script``, which runs again for each case, statements outside functions count as well.
    """
    tree = definitions.parse(source) or ast.Module([], [])
    functions = ast.FunctionDef | ast.AsyncFunctionDef
    return {
        each.lineno
        for top in (definitions.needed(tree.body, [name]) if name else tree.body)
        for node in ast.walk(top)
        if isinstance(node, functions) or (script and node is top)
        for each in ast.walk(node)
        if isinstance(each, ast.stmt) and not isinstance(each, functions | ast.ClassDef)
    }


def missed_statements(source: str, reached: Mapping[int, int]) -> str:
    """Return the number of statements that no case runs, with the first; "" for none or all."""
    missed = sorted(line for line, cases in reached.items() if not cases)
    if not missed or len(missed) == len(reached):
        return ""
    text = source.splitlines()[missed[0] - 1].strip()
    return f"{len(missed)} of {len(reached)} statements: `{clip(text)}`"


def unreached(sandbox: Sandbox, task: Task, suite: Suite) -> str:
    """Return the statements of a reference that no case runs, mostly branches and ``raise``."""
    try:
        source = normal_form(task.reference)
    except ReferenceSolutionError:
        return ""  # it loads, but is too large to analyze
    reached = dict.fromkeys(statements(source, script=task.harness.kind == "script"), 0)
    # For most references, the first cases reach every line.
    for cases in (suite.cases[:FIRST], suite.cases[FIRST:]):
        lines = [line for line, which in reached.items() if not which]
        if lines and cases:
            part = replace(suite, cases=cases)
            reached |= reached_lines(sandbox, task, part, source, lines)
    return missed_statements(source, reached)


class _Marker(ast.NodeTransformer):
    """Inserts a mark before the innermost statement of a function, or script, at each line."""

    def __init__(self, lines: Sequence[int], is_script: bool) -> None:
        self.lines, self.inside = list(lines), int(is_script)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.inside += 1
        self.generic_visit(node)
        self.inside -= 1
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if self.inside:
            for field in ("body", "orelse", "finalbody"):
                statements = getattr(node, field, None)
                if isinstance(statements, list):
                    setattr(node, field, [new for old in statements for new in self._marked(old)])
        return node

    def _marked(self, statement: ast.stmt) -> list[ast.stmt]:
        first = statement.lineno
        last = statement.end_lineno or first
        # Of a compound statement, only the lines before its body.
        body = getattr(statement, "body", None)
        if isinstance(body, list) and body and hasattr(body[0], "lineno"):
            last = max(first, int(body[0].lineno) - 1)
        marks = [line for line in self.lines if first <= line <= last]
        for line in marks:
            self.lines.remove(line)
        text = "\n".join(f"{PREFIX}hits.add({line})" for line in marks)
        return [*parsing.parse(text).body, statement]
