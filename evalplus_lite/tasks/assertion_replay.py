"""Assertions that stand among other statements: each is seen after all that comes before it.

Of ``s = Stack(); s.push(1); assert s.pop() == 1; assert s.empty()`` the second assertion is the
expression ``s.empty()``, evaluated once ``s = Stack(); s.push(1); s.pop()`` has been executed, all
of it beside the program, and what is expected of it stays outside.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from evalplus_lite.programs import parsing
from evalplus_lite.tasks.assertion_list import Assertion, assertion

MOST_REPLAYED = 64
"""Assertions of a test that are seen one by one, since each repeats what is before it."""


def divided(text: str) -> list[Assertion]:
    """Return what a test's assertions ask; ValueError or SyntaxError if one is out of reach.

    Out of reach is what stands within loops, functions and other blocks, but for a function that
    the test's last line calls with one argument: ``def check(candidate): ...`` and ``check(f)``.
    """
    body = _unwrapped(parsing.parse(text).body)
    if all(isinstance(node, ast.Assert) for node in body):
        return [assertion(node) for node in body]
    count = sum(isinstance(node, ast.Assert) for node in body)
    if not 0 < count <= MOST_REPLAYED or not isinstance(body[-1], ast.Assert):
        raise ValueError("it is no list of assertions")
    before: list[ast.stmt] = []
    found = []
    for node in body:
        if not isinstance(node, ast.Assert):
            if any(isinstance(each, ast.Assert) for each in ast.walk(node)):
                raise ValueError("it asserts within a block")
            before.append(node)
            continue
        asked = assertion(node)
        found.append(
            Assertion(_after(before, asked.expression), asked.expected, asked.rtol, asked.atol)
        )
        before.append(ast.Expr(ast.parse(asked.expression, mode="eval").body))
    return found


def whole(text: str) -> Assertion:
    """Return a test as one assertion: that it runs to its end. The program's process decides it."""
    return Assertion(f"exec({text!r}, dict(globals())) is None", True)


def _after(before: Sequence[ast.stmt], expression: str) -> str:
    if not before:
        return expression
    text = ast.unparse(ast.Module(list(before), []))
    return f"(lambda g: (exec({text!r}, g), eval({expression!r}, g))[1])(dict(globals()))"


def _unwrapped(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return statements with the body of the function that the last one calls in its place."""
    match body:
        case [*before, ast.Expr(value=ast.Call(func=ast.Name(id=name), args=[given], keywords=[]))]:
            for place, node in enumerate(before):
                match node:
                    case ast.FunctionDef(
                        name=known, args=ast.arguments(args=[ast.arg(arg=parameter)])
                    ) if known == name:
                        bound = ast.Assign([ast.Name(parameter, ast.Store())], given)
                        rest = [*before[:place], *before[place + 1 :]]
                        return [*rest, ast.fix_missing_locations(bound), *node.body]
    return body
