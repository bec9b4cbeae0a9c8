"""Plain assertions of a pytest file, as inputs and outputs of the functions that they call."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass, field

from evalplus_lite.errors import CodecError
from evalplus_lite.tasks.drafts import LeftOut, Program
from evalplus_lite.types import Value
from evalplus_lite.values import wire
from evalplus_lite.values.literals import literal

MOST_ROWS = 10_000
"""Rows of a parametrization that are read."""
APPROXIMATE = 1e-6
"""The relative tolerance of ``pytest.approx``."""
Bound = dict[str, ast.expr]


@dataclass(slots=True)
class Asserted:
    """What is asserted of one function: arguments with the output, in the file's order."""

    line: int
    inputs: list[tuple[Value, ...]] = field(default_factory=list)
    outputs: list[bytes] = field(default_factory=list)
    is_approximate: bool = False


class _NoCase(ValueError):
    """An assertion cannot be a case; says why."""


def asserted(program: Program) -> tuple[dict[str, Asserted], list[LeftOut]]:
    """Return what the test functions of a file assert, by the function that is called.

    Taken are ``assert f(...) == literal`` (either way round, ``is`` with None, True and False,
    ``pytest.approx`` without options), arguments being literals, names bound to literals before,
    or parameters of a ``parametrize`` with literals. Nothing is run. All other assertions are
    returned with the reason.
    """
    found: dict[str, Asserted] = {}
    lost: list[LeftOut] = []
    known = _constants(program.tree.body)
    for test in _tests(program.tree):
        try:
            rows = list(_rows(test))
        except _NoCase as error:
            lost.append(LeftOut(test.name, test.lineno, str(error)))
            continue
        for row in rows:
            bound = {**known, **row}
            for node in test.body:
                bound |= _constants([node])
                if isinstance(node, ast.Assert):
                    problem = take(node, bound, found)
                    if problem:
                        lost.append(LeftOut(test.name, node.lineno, problem))
                elif any(isinstance(inner, ast.Assert) for inner in ast.walk(node)):
                    reason = f"it asserts within {type(node).__name__.lower()}"
                    lost.append(LeftOut(test.name, node.lineno, reason))
    return found, list(dict.fromkeys(lost))


def _tests(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        for each in inner:
            if isinstance(each, ast.FunctionDef) and each.name.startswith("test"):
                yield each


def take(node: ast.Assert, bound: Bound, found: dict[str, Asserted]) -> str:
    """Add what an assertion says to what is ``found``; return why it cannot be a case, or ""."""
    try:
        _take(node, bound, found)
    except (ValueError, CodecError, RecursionError) as error:
        return str(error)
    return ""


def _take(node: ast.Assert, bound: Bound, found: dict[str, Asserted]) -> None:
    compared = node.test
    if isinstance(compared, ast.Call):
        raise _NoCase("it asks only whether the answer is true")
    if not (isinstance(compared, ast.Compare) and len(compared.ops) == 1):
        raise _NoCase("it is not of the form f(...) == literal")
    left, right = compared.left, compared.comparators[0]
    if not _is_call(left) and _is_call(right):
        left, right = right, left
    if not (isinstance(left, ast.Call) and isinstance(left.func, ast.Name)):
        raise _NoCase("it is not of the form f(...) == literal")
    is_plain = isinstance(compared.ops[0], ast.Eq) or (
        isinstance(compared.ops[0], ast.Is) and isinstance(right, ast.Constant)
    )
    if not is_plain:
        raise _NoCase("it compares in another way than ==")
    if left.keywords:
        raise _NoCase("an argument is given by name")
    is_approximate = _is_approx(right)
    if is_approximate:
        assert isinstance(right, ast.Call)
        if len(right.args) != 1 or right.keywords:
            raise _NoCase("approx has options")
        right = right.args[0]
    arguments = tuple(literal(_filled(argument, bound)) for argument in left.args)
    wire.encode(list(arguments))
    output = wire.encode(literal(_filled(right, bound)))
    of = found.setdefault(left.func.id, Asserted(node.lineno))
    of.inputs.append(arguments)
    of.outputs.append(output)
    of.is_approximate |= is_approximate


def _is_call(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not _is_approx(node)


def _is_approx(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func
    return name == "approx" or (isinstance(name, ast.Name) and name.id == "approx")


class _Filler(ast.NodeTransformer):
    def __init__(self, bound: Bound) -> None:
        self.bound = bound

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.bound.get(node.id, node)


def _filled(node: ast.expr, bound: Bound) -> ast.expr:
    """Return an expression with what names are bound to in their place."""
    filled: ast.expr = _Filler(bound).visit(copy.deepcopy(node))
    return filled


def _constants(statements: list[ast.stmt]) -> Bound:
    """Return the names that simple assignments bind, to expressions that may be literals."""
    found: Bound = {}
    for node in statements:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name):
                found[target.id] = _filled(node.value, found)
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
        found = literal(node)
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
