"""Conditions: the comparisons of arguments in a reference, extracted from its source.

Programs differ at thresholds, so each comparison of an argument, its length or its elements with a
constant yields inputs at the threshold and on both sides of it.
"""

from __future__ import annotations

import ast
import contextlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evalplus_lite.programs import definitions
from evalplus_lite.tasks.formulas import Unclear
from evalplus_lite.tasks.formulas import value as computed
from evalplus_lite.types import Value

_LARGEST = 10**18
_UNKNOWN = (Unclear, TypeError, ValueError, IndexError, ArithmeticError, KeyError)
"""Errors of an expression whose value cannot be computed from the arguments."""
# Calls and methods that keep the subject: the result is still the argument, or similar.
_SAME = frozenset("sorted list tuple set reversed iter abs int float str round".split())
# Calls that aggregate elements: a threshold on a sum or maximum is also one for an element.
_HELD = ("sum", "max", "min", "any", "all", "next")
_KEPT = frozenset(
    "strip lstrip rstrip lower upper copy casefold title replace split values".split()
)


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a condition: an argument, or elements ``depth`` levels inside it.

    With ``is_length`` it is their length.
    """

    argument: int
    depth: int = 0
    is_length: bool = False

    def held(self) -> Subject:
        """Return the subject's elements."""
        return Subject(self.argument, self.depth + 1)


@dataclass(frozen=True, slots=True)
class Condition:
    """A subject, and the values to try for it, the threshold itself first."""

    subject: Subject
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Equation:
    """A comparison of an argument, or its length, with an expression of others: ``z == x + y``."""

    subject: Subject
    other: ast.expr

    def values(self, names: dict[str, Value]) -> tuple[Value, ...]:
        """Return values to try for the subject, given the values of the parameters."""
        try:
            found = computed(self.other, names)
        except _UNKNOWN:
            return ()
        return _beside(found)


def conditions(source: str, entry_point: str) -> tuple[list[Condition | Equation], list[str]]:
    """Return the conditions in a program's function, in order, and its parameters."""
    tree, name = definitions.parse(source), entry_point.rpartition(".")[2]
    names = (tree and definitions.parameters(tree, name)) or []
    if tree is None or not names:
        return [], []
    reader = _Reader(names)
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    # The last definition of a name is the one that runs.
    nodes = [node for node in ast.walk(tree) if isinstance(node, kinds) and node.name == name]
    # An expression with hundreds of terms is nested too deeply; keep the conditions before it.
    with contextlib.suppress(RecursionError):
        reader.visit(nodes[-1])
    return list(dict.fromkeys(reader.found())), names


class _Reader(ast.NodeVisitor):
    """Collects conditions; ``env`` maps names to their subjects."""

    def __init__(self, names: Sequence[str]) -> None:
        self.env = {name: Subject(at) for at, name in enumerate(names)}
        self.names = frozenset(names)
        self._found: list[Condition | Equation] = []
        self._moduli: dict[Subject, list[int]] = {}

    def found(self) -> Iterator[Condition | Equation]:
        yield from self._found
        for subject, moduli in self._moduli.items():
            # With several moduli, as in FizzBuzz, try common multiples.
            if len(moduli) > 1 and (common := math.lcm(*moduli)) < 10**6:
                yield Condition(subject, (common, 2 * common, common - moduli[0]))

    def about(self, node: ast.AST) -> Subject | None:
        """Return the subject of an expression, if it is an argument or a part of one."""
        match node:
            case ast.Name(id=name):
                return self.env.get(name)
            case ast.Call(func=ast.Name(id="len"), args=[inner]) if found := self.about(inner):
                return None if found.is_length else Subject(found.argument, found.depth, True)
            case ast.Call(func=ast.Name(id=name), args=[inner, *_]) if name in _SAME:
                return self.about(inner)
            case ast.Call(func=ast.Name(id=name), args=[inner]) if name in _HELD:
                return self._held(inner)
            case ast.Call(func=ast.Attribute(value=inner, attr=name)) if name in _KEPT:
                return self.about(inner)
            case ast.Call(func=ast.Attribute(value=inner, attr="pop" | "get")):
                return self._held(inner)
            case ast.Subscript(value=inner, slice=ast.Slice()):
                return self.about(inner)
            case ast.Subscript(value=inner):
                return self._held(inner)
            case ast.UnaryOp(operand=inner):
                return self.about(inner)
        return None

    def _held(self, node: ast.AST) -> Subject | None:
        if isinstance(node, ast.GeneratorExp):
            return self.about(node.elt)
        found = self.about(node)
        return found.held() if found and not found.is_length else None

    def _bind(self, target: ast.expr, subject: Subject | None) -> None:
        match target:
            # The first binding of a name counts: conditions are mostly about it, and control flow
            # is not analyzed.
            case ast.Name(id=name) if subject and name not in self.env:
                self.env[name] = subject
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part in parts:
                    self._bind(part, subject and subject.held())

    def _loop(self, target: ast.expr, items: ast.expr) -> None:
        match items, target:
            case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]), ast.Tuple(
                elts=[_, one]
            ):
                self._bind(one, self._held(inner))
            case ast.Call(func=ast.Name(id="zip"), args=inners), ast.Tuple(elts=parts):
                for part, inner in zip(parts, inners, strict=False):
                    self._bind(part, self._held(inner))
            case _:
                self._bind(target, self._held(items))

    def visit_For(self, node: ast.For) -> None:
        self._loop(node.target, node.iter)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._bind(target, self.about(node.value))
        self.generic_visit(node)

    def _comprehension(self, node: ast.AST) -> None:
        for each in getattr(node, "generators", ()):
            self._loop(each.target, each.iter)
        self.generic_visit(node)

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _comprehension

    def visit_Compare(self, node: ast.Compare) -> None:
        sides = [node.left, *node.comparators]
        for left, sign, right in zip(sides, node.ops, sides[1:], strict=False):
            self._compared(left, sign, right)
            # ``5 < n`` is a condition on ``n`` just like ``n > 5``; membership is not symmetric.
            if not isinstance(sign, ast.In | ast.NotIn):
                self._compared(right, sign, left)
        self.generic_visit(node)

    def _compared(self, one: ast.expr, sign: ast.cmpop, other: ast.expr) -> None:
        subject, constant = self.about(one), _constant(other)
        if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mod):
            subject = None  # handled by ``visit_BinOp``
        if subject is None:
            return
        if isinstance(sign, ast.In | ast.NotIn):
            if isinstance(constant, list | tuple | str | set):
                # Sorted by repr, because the order of a set depends on the hash seed.
                self._add(subject, tuple(sorted(constant, key=repr)[:12]))
        elif constant is not None:
            self._add(subject, _beside(constant))
        # For comparisons with other arguments, the threshold is computed for each input.
        elif subject.depth == 0 and self.names & {
            node.id for node in ast.walk(other) if isinstance(node, ast.Name)
        }:
            self._found.append(Equation(subject, other))

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.Mod | ast.FloorDiv):
            self._divided(node.left, node.right)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id == "divmod" and len(node.args) == 2:
            self._divided(*node.args)
        self.generic_visit(node)

    def _divided(self, number: ast.expr, by: ast.expr) -> None:
        modulus, subject = _constant(by), self.about(number)
        # Multiples of the modulus, and its neighbors.
        if subject and type(modulus) is int and 1 < modulus < 10**6:
            self._moduli.setdefault(subject, []).append(modulus)
            self._add(subject, (modulus, modulus - 1, modulus + 1, 2 * modulus, 0))

    def _add(self, subject: Subject, values: tuple[Value, ...]) -> None:
        if values:
            self._found.append(Condition(subject, values))


def _constant(node: ast.expr) -> Value:
    """Return the value of an expression of constants, or None if it has names."""
    try:
        # Literals first; ``computed`` handles arithmetic on them, such as ``10**9 + 7``.
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        pass
    try:
        return computed(node, {})
    except _UNKNOWN:
        return None


def _beside(value: Value) -> tuple[Value, ...]:
    """Return a threshold and its neighbors."""
    if type(value) is int and abs(value) <= _LARGEST:
        return (value, value + 1, value - 1)
    if type(value) is float and math.isfinite(value):
        return (value, value + 0.5, value - 0.5, math.nextafter(value, math.inf))
    if type(value) is str and len(value) == 1 and "!" <= value <= "}":
        return (value, chr(ord(value) + 1), chr(ord(value) - 1))
    return (value,) if type(value) in (str, bytes) else ()


_STORING = ("append", "appendleft", "add", "insert", "extend")


def stored_parameters(source: str, owner: str) -> dict[str, set[int]]:
    """Return, by method, the positions of arguments that the method only stores or returns.

    They may have any value of their type, since nothing is computed from them.
    """
    tree = definitions.parse(source)
    found: dict[str, set[int]] = {}
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.ClassDef) and node.name == owner:
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    names = [each.arg for each in method.args.args[1:]]
                    used = _used(method)
                    found[method.name] = {at for at, n in enumerate(names) if n not in used}
    return found


def _used(method: ast.FunctionDef) -> set[str]:
    """Return the names that a method uses for more than storing or returning their values."""
    kept: set[ast.expr] = set()
    for node in ast.walk(method):
        match node:
            # Names that are stored, assigned or returned keep their values. Any other use of a name
            # computes something from it.
            case ast.Call(func=ast.Attribute(attr=name), args=arguments) if name in _STORING:
                kept.update(arguments)
            case ast.Assign(value=value) | ast.Return(value=ast.expr() as value):
                kept.add(value)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                kept.update(parts)
    names = (node for node in ast.walk(method) if isinstance(node, ast.Name))
    return {node.id for node in names if node not in kept}
