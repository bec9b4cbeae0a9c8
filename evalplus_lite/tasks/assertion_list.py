"""A list of assertions, as in rows of MBPP: expressions to be seen, and what is expected of them.

The expression is evaluated beside the program, the value stays outside: of ``assert f(1) == 2`` the
first is ``f(1)``, the second 2.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, replace

from evalplus_lite.harness import Harness
from evalplus_lite.programs import definitions, parsing
from evalplus_lite.types import Case, Task, Value
from evalplus_lite.values import wire
from evalplus_lite.values.literals import literal

CLOSE = {"rel_tol": 1e-9, "abs_tol": 0.0}
"""What ``math.isclose`` takes where nothing is said."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """An expression and the value expected of it, with the tolerances that are asked for."""

    expression: str
    expected: Value
    rtol: float = 0.0
    atol: float = 0.0


def with_assertions(task: Task, text: str) -> Task:
    """Return the task judged by the assertions of a text, each a case; ValueError for any else.

    The widest tolerance that one of them states holds for all; the task's own rule else.
    """
    try:
        tests = parsing.parse(text)
        found = [assertion(node) for node in tests.body]
    except (SyntaxError, RecursionError) as error:
        raise ValueError(f"its assertions are not Python: {error}") from None
    if not found:
        raise ValueError("there is no assertion")
    rule = task.rule
    rule = replace(
        rule,
        rtol=max([rule.rtol, *(each.rtol for each in found)]),
        atol=max([rule.atol, *(each.atol for each in found)]),
    )
    return replace(
        task,
        entry_point=task.entry_point or needed_name([tests]),
        harness=Harness("assertions"),
        base=tuple(Case((each.expression,)) for each in found),
        outputs=tuple(wire.encode(each.expected) for each in found),
        rule=rule,
    )


def needed_name(tests: Iterable[ast.Module]) -> str:
    """Return the one name that tests need of a program, and call: "" if they need several.

    By it the program in an answer is told from what shows its use.
    """
    names: set[str] = set()
    has_call = False
    for tree in tests:
        names |= definitions.undefined(tree.body)
        if len(names) > 1:
            return ""
        called = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
        has_call |= any(isinstance(each, ast.Name) and each.id in names for each in called)
    return names.pop() if names and has_call else ""


def assertion(node: ast.stmt) -> Assertion:
    """Return what an ``assert`` statement asks; ValueError for any other statement.

    Divided are comparisons with a literal by ``==``, ``is`` and ``not``, ``math.isclose`` and
    ``abs(a - b) < small``. Of any other condition the truth is expected.
    """
    if not isinstance(node, ast.Assert):
        raise ValueError(f"line {node.lineno} of its assertions is none")
    condition, truth = node.test, True
    while isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not):
        condition, truth = condition.operand, not truth
    found = _compared(condition) if truth else None
    return found or Assertion(f"bool({ast.unparse(condition)})", truth)


def _compared(node: ast.expr) -> Assertion | None:
    match node:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]):
            return _divided(left, right)
        case ast.Compare(
            left=ast.Call(
                func=ast.Name(id="abs"), args=[ast.BinOp(left=left, op=ast.Sub(), right=right)]
            ),
            ops=[ast.Lt() | ast.LtE()],
            comparators=[ast.Constant(value=float() | int() as most)],
        ):
            return _divided(left, right, atol=float(most))
        case ast.Call(
            func=ast.Attribute(attr="isclose") | ast.Name(id="isclose"), args=[left, right, *_]
        ):
            options = dict(CLOSE)
            for each in node.keywords:
                match each:
                    case ast.keyword(arg=str() as name, value=ast.Constant(value=float() as most)):
                        options[name] = most
            return _divided(left, right, rtol=options["rel_tol"], atol=options["abs_tol"])
    return None


def _divided(
    left: ast.expr, right: ast.expr, *, rtol: float = 0.0, atol: float = 0.0
) -> Assertion | None:
    """Return the side that is no literal, to be seen, with the value of the other."""
    for seen, known in ((left, right), (right, left)):
        try:
            return Assertion(ast.unparse(seen), literal(known), rtol, atol)
        except ValueError:
            continue
    return None
