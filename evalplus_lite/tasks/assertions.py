"""Tasks whose tests are a list of assertions, as in MBPP.

Each is split: in ``assert f(1) == 2``, ``f(1)`` is evaluated in the program's process, and the
expected value, 2, stays outside.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import math
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from evalplus_lite.errors import ContractError
from evalplus_lite.programs import definitions, parsing
from evalplus_lite.tasks.contracts import parse
from evalplus_lite.types import Case, Harness, Rule, Task, Tolerance, Value
from evalplus_lite.values import wire
from evalplus_lite.values.source import value_of

# Stated contracts: assertions in a published row about its task's inputs.


def with_stated_contract(task: Task) -> Task:
    """Return the task with its row's assertions as precondition, unless it has one.

    An existing ``check`` is kept. Assertions that cannot be parsed are ignored.
    """
    if task.contract is not None and parse(task.contract).has_precondition:
        return task
    stated = task.extra.get("contract")
    text = precondition(task.reference, task.entry_point, stated) if isinstance(stated, str) else ""
    if not text:
        return task
    return replace(task, contract="\n\n".join(filter(None, (task.contract, text))))


def precondition(reference: str, entry_point: str, stated: str) -> str:
    """Return a contract that makes these assertions on the parameters; "" if they are unusable."""
    try:
        nodes = parsing.parse(reference).body
        functions = [n for n in nodes if isinstance(n, ast.FunctionDef) and n.name == entry_point]
        imports = [n for n in nodes if isinstance(n, ast.Import | ast.ImportFrom)]
        arguments = functions[-1].args
        for each in ast.walk(arguments):
            if isinstance(each, ast.arg):
                each.annotation = None  # it may need names that the assertions do not
        head = f"def precondition({ast.unparse(arguments)}):\n"
        text = head + textwrap.indent(textwrap.dedent(stated.strip("\n")), "    ") + "\n"
        has_any = any(isinstance(node, ast.Assert) for node in ast.walk(parsing.parse(text)))
        text = "\n".join([*map(ast.unparse, imports), text])
        parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError, IndexError, ContractError):
        return ""
    return text if has_any else ""


CLOSE = {"rel_tol": 1e-9, "abs_tol": 0.0}
NUMPY_CLOSE = {"rtol": 1e-5, "atol": 1e-8}
"""The default relative and absolute tolerances of ``math.isclose`` and ``numpy.isclose``."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """An expression, its expected value, and the tolerances of the comparison.

    ``inside``: the program's own process compares, and only the boolean result is visible.
    """

    expression: str
    expected: Value
    rtol: float = 0.0
    atol: float = 0.0
    inside: bool = False


def with_assertions(task: Task, text: str) -> Task:
    """Return the task with a case for each assertion; ValueError if the text has anything else.

    A tolerance in an assertion widens that of the task's rule (``with_tolerances``).
    """
    try:
        tests = parsing.parse(text)
        found = [assertion(node) for node in tests.body]
    except (SyntaxError, RecursionError) as error:
        raise ValueError(f"its assertions are not Python: {error}") from None
    if not found:
        raise ValueError("there is no assertion")
    found, rule = with_tolerances(found, task.rule)
    return replace(
        task,
        entry_point=task.entry_point or needed_name([tests]),
        harness=Harness("assertions"),
        base=tuple(Case((each.expression,)) for each in found),
        outputs=tuple(wire.encode(each.expected) for each in found),
        rule=rule,
    )


def with_tolerances(assertions: Sequence[Assertion], rule: Rule) -> tuple[list[Assertion], Rule]:
    """Return the assertions, and a rule that compares each within its own tolerance.

    A tolerance that all share becomes the rule's. Otherwise values with another tolerance than the
    rule's get a key in front, which has it: a wide tolerance must not make other assertions
    lenient. Raises ValueError for a rule that such a key would change in other ways.
    """
    wider = [(max(rule.rtol, each.rtol), max(rule.atol, each.atol)) for each in assertions]
    usual = rule.rtol, rule.atol
    if len(set(wider)) == 1:
        usual = wider[0]
    elif wider and (rule.fields or rule.kind not in ("python", "strict")):
        raise ValueError(f"its assertions have several tolerances, and its rule is {rule.row}")
    keys = {pair: "rtol={} atol={}".format(*pair) for pair in wider if pair != usual}
    placed = list(assertions)
    for number, (each, pair) in enumerate(zip(assertions, wider, strict=True)):
        if key := keys.get(pair):
            text = f"{{{key!r}: {each.expression}}}"
            placed[number] = replace(each, expression=text, expected={key: each.expected})
    fields = tuple(Tolerance((key,), atol, rtol) for (rtol, atol), key in keys.items())
    rtol, atol = usual
    return placed, replace(rule, rtol=rtol, atol=atol, fields=(*rule.fields, *fields))


def needed_name(tests: Iterable[ast.Module]) -> str:
    """Return the one undefined name that tests call; "" if there is none or they need several.

    Extraction uses it to find the program in an answer, rather than an example of its use.
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
    """Return the assertion of an ``assert`` statement; ValueError for any other statement.

    Comparisons with a literal (``==``, ``is``, ``math.isclose``, ``abs(a - b) < small``) are split
    into expression and value. Any other condition is expected to be true, or false after ``not``.
    """
    if not isinstance(node, ast.Assert):
        raise ValueError(f"line {node.lineno} of its assertions is not an assertion")
    condition, truth = node.test, True
    while isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not):
        condition, truth = condition.operand, not truth
    found = _compared(condition) if truth else None
    if found is not None:
        return found
    return Assertion(f"bool({ast.unparse(condition)})", truth, inside=_is_inside(condition))


def _is_inside(condition: ast.expr) -> bool:
    """Return whether a condition compares values instead of being the program's own answer.

    ``is_even(2)`` and ``stack.empty()`` are answers; ``f(1) == g(1)``, ``isinstance(f(1), int)``,
    ``numpy.allclose(f(1), x)`` and ``frame.equals(f(1))`` compare.
    """
    match condition:
        case ast.Name():
            return False
        case ast.Call(func=ast.Name(id=name)):
            return hasattr(builtins, name)
        case ast.Call(func=ast.Attribute(value=ast.Name()), args=arguments, keywords=options):
            parts = (part for each in (*arguments, *options) for part in ast.walk(each))
            return any(isinstance(part, ast.Call) for part in parts)
    return True


def _compared(node: ast.expr) -> Assertion | None:
    match node:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]):
            return _divided(left, right)
        case ast.Compare(
            left=ast.Call(
                func=ast.Name(id="abs"), args=[ast.BinOp(left=left, op=ast.Sub(), right=right)]
            ),
            ops=[ast.Lt() | ast.LtE() as op],
            comparators=[ast.Constant(value=float() | int() as most)],
        ):
            if isinstance(op, ast.Lt) and float(most).is_integer():  # as ints may differ by
                most = math.nextafter(most, 0.0)
            return _divided(left, right, atol=float(most))
        case ast.Call(
            func=ast.Attribute(attr="isclose") | ast.Name(id="isclose"), args=[left, right]
        ):
            limits = tolerances(node)
            return limits and _divided(left, right, rtol=limits[0], atol=limits[1])
    return None


def tolerances(call: ast.Call) -> tuple[float, float] | None:
    """Return the relative and absolute tolerance of an ``isclose``, None if it has other options.

    The defaults are those of ``numpy.isclose`` or ``math.isclose``.
    """
    is_numpy = ast.unparse(call.func).partition(".")[0] in ("np", "numpy")
    options = dict(NUMPY_CLOSE if is_numpy else CLOSE)
    for each in call.keywords:
        match each:
            case ast.keyword(
                arg=str() as name, value=ast.Constant(value=float() | int() as most)
            ) if name in options:
                options[name] = float(most)
            case _:
                return None
    relative, absolute = options.values()
    return relative, absolute


def _divided(
    left: ast.expr, right: ast.expr, *, rtol: float = 0.0, atol: float = 0.0
) -> Assertion | None:
    """Return an assertion if one side is a literal: the other side, and the literal's value."""
    for seen, known in ((left, right), (right, left)):
        try:
            value = value_of(known)
            expected = as_floats(value) if rtol or atol else value
            return Assertion(ast.unparse(seen), expected, rtol, atol)
        except ValueError:
            continue
    return None


def as_floats(value: Value) -> Value:
    """Replace ints by floats: a tolerance applies only to expected floats."""
    if type(value) is int:
        with contextlib.suppress(OverflowError):
            return float(value)
    if type(value) in (list, tuple):
        return type(value)(map(as_floats, value))
    return {k: as_floats(v) for k, v in value.items()} if type(value) is dict else value


# Assertions among other statements: each is evaluated after the statements before it.

MOST_REPLAYED = 64
"""Limit on assertions of a test that are split: each one runs everything before it again."""


def divided(text: str) -> list[Assertion]:
    """Return a test's assertions; ValueError or SyntaxError if one cannot be split.

    Assertions in loops, functions and other blocks cannot, except in a function that the test's
    last line calls with one argument: ``def check(candidate): ...`` and ``check(f)``.
    """
    body = _unwrapped(parsing.parse(text).body)
    if all(isinstance(node, ast.Assert) for node in body):
        return [assertion(node) for node in body]
    count = sum(isinstance(node, ast.Assert) for node in body)
    if not 0 < count <= MOST_REPLAYED or not isinstance(body[-1], ast.Assert):
        raise ValueError("it is not a list of assertions")
    before: list[ast.stmt] = []
    found = []
    for node in body:
        if not isinstance(node, ast.Assert):
            if any(isinstance(each, ast.Assert) for each in ast.walk(node)):
                raise ValueError("it has an assertion inside a block")
            before.append(node)
            continue
        asked = assertion(node)
        seen = asked.expression
        if before:
            text = ast.unparse(ast.Module(list(before), []))
            seen = f"(lambda g: (exec({text!r}, g), eval({seen!r}, g))[1])(dict(globals()))"
        found.append(replace(asked, expression=seen))
        before.append(ast.Expr(ast.parse(asked.expression, mode="eval").body))
    return found


def whole(text: str) -> Assertion:
    """Return a test as one assertion: that it completes, as decided in the program's process."""
    return Assertion(f"exec({text!r}, dict(globals())) is None", True, inside=True)


def _unwrapped(body: list[ast.stmt]) -> list[ast.stmt]:
    """Inline the one-argument function that the last statement calls, if there is one."""
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
