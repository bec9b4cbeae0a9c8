"""Outcomes of each decision of a reference, on each case, measured by inserted probes.

coverage.py only sees branches between lines, none in conditional expressions, comprehension
conditions, or operands of ``and`` and ``or``. Here the reference is rewritten with ``ast``: every
test reports its truth, every loop its number of iterations (none, one, more) and whether it was
exhausted or left early, and every ``except`` and ``case`` that it was entered. The rewritten
program runs in the sandbox like any other; its answer to a case is the list of outcomes.
"""

from __future__ import annotations

import ast
from typing import Any, NamedTuple, cast

from evalplus_lite.errors import ReferenceSolutionError
from evalplus_lite.programs import parsing
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.types import Returned
from evalplus_lite.values import wire

PREFIX = "_evalplus_lite_"
"""The prefix of all names added to a program; ``<prefix>hits`` is the set of marks."""
# Generous, because probes and coverage.py slow a reference down; it terminates on these cases.
REFERENCE_LIMITS = Limits(cpu=300.0, load=10.0, output=1 << 26)


def probed(source: str, program: Program) -> Program:
    """Return a program that answers each call with its marks.

    ``source`` is the source of ``program``, rewritten to add marks (``with_marks``).
    """
    facts = source, program.entry_point, program.harness.row, f"{PREFIX}hits"
    text = f"import sandbox_inside\nmeasured = sandbox_inside.watched(*{facts!r})\n"
    return program.around(text, "measured")


def with_marks(tree: ast.Module, *, prelude: str = "") -> str:
    """Return the source of a program that adds marks, with the set defined.

    ``prelude`` defines the functions that probes call. It follows imports that must come first.
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


_TRUTH, _ENTERED = ("false", "true"), ("entered",)
_ROUNDS = ("zero", "one", "many", "finished", "left")

_PRELUDE = f"""
def {PREFIX}truth(first, value, hit={PREFIX}hits.add):
    hit(first + 1 if value else first)
    return value

def {PREFIX}rounds(first, items, hit={PREFIX}hits.add):
    count, end = 0, 4
    try:
        for item in items:
            count += 1
            yield item
        end = 3
    finally:
        hit(first + (count if count < 2 else 2))
        hit(first + end)

def {PREFIX}entered(first, hit={PREFIX}hits.add):
    hit(first)
"""


class Probe(NamedTuple):
    """A probed place; outcome number ``i`` is reported as ``first + i``.

    ``place`` is its line and column in the reference, and the syntax: ``if``, ``while``, ``for``,
    ``ternary``, ``comprehension``, ``operand``, ...
    """

    place: str
    first: int
    outcomes: tuple[str, ...]


def instrument(program: Program) -> tuple[str, list[Probe]]:
    """Return the program's source with a probe at every decision, and the probes.

    Raises ReferenceSolutionError if it does not parse.
    """
    rewriter = _Rewriter()
    try:
        source = with_marks(rewriter.visit(parsing.parse(program.source)), prelude=_PRELUDE)
    except (SyntaxError, RecursionError, ValueError) as error:
        raise ReferenceSolutionError(f"the reference does not parse: {error}") from None
    return source, rewriter.probes


def decisions(
    sandbox: Sandbox,
    program: Program,
    inputs: Inputs,
    limits: Limits = Limits(),  # noqa: B008
) -> dict[str, int]:
    """Return, by decision outcome, the bitset of the cases with this outcome.

    A case on which the program returns nothing has no outcomes. Outcomes without cases are omitted.
    They are in source order, with inner decisions before enclosing ones.
    """
    source, probes = instrument(program)
    if not probes:
        return {}
    run = sandbox.run(probed(source, program), inputs, limits)
    last = probes[-1].first + len(probes[-1].outcomes)
    rows = [0] * last
    for case, outcome in enumerate(run.outcomes):
        if isinstance(outcome, Returned):
            hits = wire.decode(outcome.data)
            for hit in hits if type(hits) is list else []:
                if type(hit) is int and 0 <= hit < last:
                    rows[hit] |= 1 << case
    return {
        f"{place}={outcome}": rows[number]
        for place, first, outcomes in probes
        for number, outcome in enumerate(outcomes, first)
        if rows[number]
    }


def test_outcomes(program: Program) -> set[str]:
    """Return the possible outcomes of a program's decisions, except those about loop iterations.

    Raises as ``instrument`` does.
    """
    return {
        f"{place}={outcome}"
        for place, _, outcomes in instrument(program)[1]
        if outcomes in (_TRUTH, _ENTERED)
        for outcome in outcomes
    }


_TESTED = {ast.If: "if", ast.While: "while", ast.IfExp: "ternary", ast.Assert: "assert"}


class _Rewriter(ast.NodeTransformer):
    """Wraps every decision, inner ones first, so that each keeps its position in the source."""

    def __init__(self) -> None:
        self.probes: list[Probe] = []
        self.next = 0

    def _probe(self, what: str, node: ast.AST, outcomes: tuple[str, ...]) -> ast.Constant:
        line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        self.probes.append(Probe(f"{line:04d}:{column:03d}:{what}", self.next, outcomes))
        self.next += len(outcomes)
        return ast.Constant(self.probes[-1].first)

    def _call(self, what: str, name: str, node: ast.expr, outcomes: tuple[str, ...]) -> ast.expr:
        function = ast.Name(PREFIX + name, ast.Load())
        return ast.Call(function, [self._probe(what, node, outcomes), node], [])

    def _truth(self, what: str, node: ast.expr) -> ast.expr:
        return self._call(what, "truth", node, _TRUTH)

    def _tested(self, node: Any) -> ast.AST:
        self.generic_visit(node)
        node.test = self._truth(_TESTED[type(node)], node.test)
        return cast("ast.AST", node)

    visit_If = visit_While = visit_IfExp = visit_Assert = _tested

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        node.values = [self._truth("operand", value) for value in node.values]
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.ifs = [self._truth("comprehension-if", test) for test in node.ifs]
        if not node.is_async:
            node.iter = self._call("comprehension", "rounds", node.iter, _ROUNDS)
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        node.iter = self._call("for", "rounds", node.iter, _ROUNDS)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, self._entered("except", node))
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        self.generic_visit(node)
        if node.guard is not None:
            node.guard = self._truth("guard", node.guard)
        node.body.insert(0, self._entered("case", node.pattern))
        return node

    def _entered(self, what: str, node: ast.AST) -> ast.stmt:
        function = ast.Name(PREFIX + "entered", ast.Load())
        return ast.Expr(ast.Call(function, [self._probe(what, node, _ENTERED)], []))
