"""Mutation report: which mutants a suite lets live, and which of them may be no faults at all."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from evalplus_lite.mutation.mutants import Mutant, difference, normal_form
from evalplus_lite.programs import parsing
from evalplus_lite.requirements.matrix import Matrix, Requirement
from evalplus_lite.requirements.probing import PREFIX, REFERENCE_LIMITS, probed, with_marks
from evalplus_lite.requirements.registry import mutants_by_key
from evalplus_lite.sandbox import Inputs, Program, Sandbox
from evalplus_lite.types import Returned, Suite, Task
from evalplus_lite.values import wire

ENOUGH = 20
"""A mutant whose statement so many cases reach, and none rejects, is suspected to be equivalent."""


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant that every case accepts; ``reached`` cases ran the statement it changes."""

    mutant: Mutant
    diff: str
    reached: int

    @property
    def is_suspect(self) -> bool:
        """Whether it may well be the same function as the reference."""
        return self.reached >= ENOUGH


@dataclass(frozen=True, slots=True)
class Report:
    """A task's mutants: how many there are, how many all and base cases kill, who survives."""

    task_id: str
    total: int
    killed: int
    killed_by_base: int
    survivors: tuple[Survivor, ...]


def report(sandbox: Sandbox, task: Task, suite: Suite, matrix: Matrix) -> Report:
    """Return the mutation report of a task whose matrix holds its mutants' kills."""
    made = mutants_by_key(task)
    rows = [row for requirement, row in matrix.rows.items() if requirement.kind == "mutant"]
    base = (1 << matrix.base_count) - 1
    alive = [made[requirement.key] for requirement in matrix.unsatisfied if _is_mutant(requirement)]
    reached = _reached(sandbox, task, suite, [mutant.line for mutant in alive])
    return Report(
        task.id,
        len(rows) + len(alive),
        len(rows),
        sum(bool(row & base) for row in rows),
        tuple(
            Survivor(mutant, difference(task.reference, mutant), count)
            for mutant, count in zip(alive, reached, strict=True)
        ),
    )


def _is_mutant(requirement: Requirement) -> bool:
    return requirement.kind == "mutant"


def _reached(sandbox: Sandbox, task: Task, suite: Suite, lines: Sequence[int]) -> list[int]:
    """Return for each line of the reference's normal form how many cases run its statement."""
    if not lines:
        return []
    tree = parsing.parse(normal_form(task.reference))
    marker = _Marker(sorted(set(lines)))
    marker.visit(tree)
    inputs = Inputs.of(case.arguments for case in suite.cases)
    run = sandbox.run(probed(with_marks(tree), Program.of(task)), inputs, REFERENCE_LIMITS)
    counts = dict.fromkeys(lines, 0)
    for outcome in run.outcomes:
        if isinstance(outcome, Returned):
            for line in wire.decode(outcome.data):
                counts[line] += 1
    return [counts[line] for line in lines]


class _Marker(ast.NodeTransformer):
    """Puts a mark before the innermost statement of a function that holds a line."""

    def __init__(self, lines: Sequence[int]) -> None:
        self.lines, self.inside = list(lines), 0

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
        last = self._head_end(statement)
        marks = [line for line in self.lines if first <= line <= last]
        for line in marks:
            self.lines.remove(line)
        text = "\n".join(f"{PREFIX}hits.add({line})" for line in marks)
        return [*parsing.parse(text).body, statement]

    @staticmethod
    def _head_end(statement: ast.stmt) -> int:
        """Return a statement's last line; of a compound one, the last before its body."""
        body = getattr(statement, "body", None)
        if isinstance(body, list) and body and hasattr(body[0], "lineno"):
            return max(statement.lineno, int(body[0].lineno) - 1)
        return statement.end_lineno or statement.lineno
