"""Plain assertions of a pytest file, as inputs and outputs of the functions that they call."""

from __future__ import annotations

import ast
import builtins
import contextlib
import copy
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from evalplus_lite.errors import CodecError
from evalplus_lite.tasks.drafts import LeftOut, SourceModule
from evalplus_lite.types import Rule, RuleKind, Value
from evalplus_lite.values import wire
from evalplus_lite.values.source import value_of

MOST_ROWS = 10_000
"""Rows of a parametrization that are read."""
MOST_CASES = 20_000
"""Assertions of a file that are read, each once for each row of parameters."""
MOST_NODES = 20_000
"""Nodes of an expression, with what its names are bound to in their place."""
APPROXIMATE = 1e-6
"""The relative tolerance of ``pytest.approx``."""
FORM = "it is not of the form f(...) == literal"
WITHIN: Mapping[str, RuleKind] = {"set": "unordered", "sorted": "multiset"}
"""What a call may stand within, and the rule that this comes to."""
VALUES = frozenset({"approx", "tuple", "list", "dict", "frozenset", "float", "complex"})
"""What else is called to write a value."""
Bound = dict[str, ast.expr]


@dataclass(slots=True)
class Asserted:
    """What is asserted of one function: arguments with the output, in the file's order."""

    line: int
    inputs: list[tuple[Value, ...]] = field(default_factory=list)
    outputs: list[bytes] = field(default_factory=list)
    rule: Rule | None = None
    """How they are compared, if it is not by ``==`` alone."""


class _NoCase(ValueError):
    """An assertion cannot be a case; says why."""


def asserted(program: SourceModule) -> tuple[dict[str, Asserted], list[LeftOut]]:
    """Return what the test functions of a file assert, by the function that is called.

    Taken are ``assert f(...) == literal`` (either way round, ``is`` with None, True and False,
    ``pytest.approx`` without options, ``math.isclose``, ``set`` and ``sorted`` of the answer), and
    ``assert f(...)`` and ``assert not f(...)`` as True and False; arguments being literals, names
    bound to literals before, or parameters of a ``parametrize`` with literals. Nothing is run. All
    other assertions are returned with the reason.
    """
    found: dict[str, Asserted] = {}
    lost: list[LeftOut] = []
    known = _constants(program.tree.body, {})
    left = MOST_CASES
    for test in _tests(program.tree):
        try:
            rows = list(_rows(test))
        except _NoCase as error:
            lost.append(LeftOut(test.name, test.lineno, str(error)))
            continue
        for row in rows:
            if left < 0:
                reason = f"no more than {MOST_CASES} assertions of a file are taken"
                lost.append(LeftOut(test.name, test.lineno, reason))
                return found, list(dict.fromkeys(lost))
            left -= len(test.body)
            bound = {**known, **row}
            for node in test.body:
                bound |= _constants([node], bound)
                if isinstance(node, ast.Assert):
                    problem = take(node, bound, found)
                    if problem:
                        lost.append(LeftOut(test.name, node.lineno, problem))
                elif any(isinstance(inner, ast.Assert) for inner in ast.walk(node)):
                    reason = f"it asserts within {type(node).__name__.lower()}"
                    lost.append(LeftOut(test.name, node.lineno, reason))
                elif any(map(_asserts_otherwise, ast.walk(node))):
                    lost.append(LeftOut(test.name, node.lineno, FORM))
    return found, list(dict.fromkeys(lost))


def _tests(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        for each in inner:
            if isinstance(each, ast.FunctionDef) and each.name.startswith("test"):
                yield each


def take(node: ast.Assert, bound: Bound, found: dict[str, Asserted]) -> str:
    """Add what an assertion says to what is ``found``; return why it cannot be a case, or "".

    A function that is called like a built-in is taken for it, unless it is in ``found`` already.
    """
    try:
        _take(node, bound, found)
    except (ValueError, CodecError, RecursionError) as error:
        return str(error)
    return ""


def _take(node: ast.Assert, bound: Bound, found: dict[str, Asserted]) -> None:
    call, wanted, rule = _compared(node.test)
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        raise _NoCase(FORM)
    if hasattr(builtins, call.func.id) and call.func.id not in found:
        raise _NoCase(f"it asks for the {call.func.id} of the answer")
    if call.keywords:
        raise _NoCase("an argument is given by name")
    arguments = tuple(value_of(_filled(argument, bound)) for argument in call.args)
    wire.encode(list(arguments))
    output = wire.encode(value_of(_filled(wanted, bound)))
    of = found.setdefault(call.func.id, Asserted(node.lineno))
    kinds = {(each or Rule()).kind for each in (rule, of.rule if of.inputs else rule)}
    if len(kinds) > 1:
        raise _NoCase("it compares in another way than the one before")
    of.inputs.append(arguments)
    of.outputs.append(output)
    of.rule = rule or of.rule


def _compared(test: ast.expr) -> tuple[ast.expr, ast.expr, Rule | None]:
    """Return what is called, what is wanted, and the rule that compares them, if not ``==``."""
    name = _name(test)
    if isinstance(test, ast.Call) and name == "isclose" and len(test.args) == 2:
        options = {each.arg: value_of(each.value) for each in test.keywords}
        if not options.keys() <= {"rel_tol", "abs_tol"}:
            raise _NoCase("isclose has other options than tolerances")
        relative, absolute = options.get("rel_tol", 1e-9), options.get("abs_tol", 0.0)
        return *_turned(*test.args), Rule(atol=float(absolute), rtol=float(relative))
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand, ast.Constant(False), None
    if isinstance(test, ast.Call):
        return test, ast.Constant(True), None
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1):
        raise _NoCase(FORM)
    left, right = _turned(test.left, test.comparators[0])
    is_same = isinstance(test.ops[0], ast.Is) and isinstance(right, ast.Constant)
    if not (is_same or isinstance(test.ops[0], ast.Eq)):
        raise _NoCase("it compares in another way than ==")
    if isinstance(right, ast.Call) and _name(right) == "approx":
        if len(right.args) != 1 or right.keywords:
            raise _NoCase("approx has options")
        return left, right.args[0], Rule(atol=1e-12, rtol=APPROXIMATE)
    if isinstance(left, ast.Call) and len(left.args) == 1 and not left.keywords:
        kind = WITHIN.get(_name(left))
        if kind is not None:
            return left.args[0], right, Rule(kind)
    return left, right, None


def _turned(left: ast.expr, right: ast.expr) -> tuple[ast.expr, ast.expr]:
    """Return the call first, whichever way round a comparison is written."""
    return (left, right) if _calls(left) or not _calls(right) else (right, left)


def _calls(node: ast.expr) -> bool:
    """Return whether a function of the user's is called there."""
    if not isinstance(node, ast.Call):
        return False
    if _name(node) in WITHIN:
        return any(map(_calls, node.args))
    return isinstance(node.func, ast.Name) and _name(node) not in VALUES


def _name(node: ast.AST) -> str:
    """Return the last part of the name of what is called, "" if there is none."""
    if not isinstance(node, ast.Call):
        return ""
    return getattr(node.func, "attr", "") or getattr(node.func, "id", "")


def _asserts_otherwise(node: ast.AST) -> bool:
    """Say whether a node is an assertion of another kind: pytest.raises, self.assertEqual."""
    return _name(node) == "raises" or _name(node).startswith("assert")


class _Filler(ast.NodeTransformer):
    def __init__(self, bound: Bound) -> None:
        self.bound = bound

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.bound.get(node.id, node)


def _filled(node: ast.expr, bound: Bound) -> ast.expr:
    """Return an expression with what names are bound to in their place."""
    filled: ast.expr = _Filler(bound).visit(copy.deepcopy(node))
    # Names bound to names twice, again and again, double it each time.
    if sum(1 for _ in itertools.islice(ast.walk(filled), MOST_NODES + 1)) > MOST_NODES:
        raise _NoCase("it is too large")
    return filled


def _constants(statements: list[ast.stmt], known: Bound) -> Bound:
    """Return the names that simple assignments bind, to expressions that may be literals."""
    found: Bound = {}
    for node in statements:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name):
                with contextlib.suppress(_NoCase):
                    found[target.id] = _filled(node.value, {**known, **found})
    return found


def _rows(test: ast.FunctionDef) -> Iterator[Bound]:
    """Yield what the parameters of a test are bound to, for each row of its ``parametrize``."""
    rows: list[Bound] = [{}]
    for decorator in test.decorator_list:
        if not isinstance(decorator, ast.Call) or not isinstance(decorator.func, ast.Attribute):
            continue
        if decorator.func.attr != "parametrize" or len(decorator.args) < 2:
            continue
        names, listed = decorator.args[:2]
        keys = _names(names)
        if not isinstance(listed, ast.List | ast.Tuple):
            raise _NoCase("its parameters are not written as a list")
        own = [_bound(keys, item) for item in listed.elts]
        if len(own) * len(rows) > MOST_ROWS:
            raise _NoCase(f"it has more than {MOST_ROWS} rows of parameters")
        rows = [{**row, **each} for row in rows for each in own]
    yield from rows


def _names(node: ast.expr) -> list[str]:
    try:
        found = value_of(node)
    except ValueError:
        raise _NoCase("the names of its parameters are no literal") from None
    names = found.split(",") if isinstance(found, str) else list(found)
    return [str(name).strip() for name in names]


def _bound(keys: list[str], item: ast.expr) -> Bound:
    if isinstance(item, ast.Call):  # pytest.param(1, 2, id="...")
        values = item.args
    elif len(keys) == 1:
        values = [item]
    elif isinstance(item, ast.List | ast.Tuple):
        values = item.elts
    else:
        raise _NoCase("a row of its parameters is not written as a tuple")
    if len(values) != len(keys):
        raise _NoCase("a row of its parameters has another length")
    return dict(zip(keys, values, strict=True))
