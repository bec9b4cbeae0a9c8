"""Which names of a program are variables, and in which function each is one.

Variables are parameters, whatever a function assigns (loops, ``with``, ``except``, comprehensions
included), and names that the module assigns. Functions, classes, imports and builtins are none. A
variable is known as ``scope.name``, so that two functions' ``i`` are two.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Scope:
    """A function, or the module (``name`` is empty): its variables, and where others are sought.

    ``others`` are names that it binds to functions, classes or modules.
    """

    name: str
    variables: frozenset[str]
    others: frozenset[str]
    outer: Scope | None = field(default=None, repr=False)

    def known(self, name: str) -> str | None:
        """Return the variable that a name means here; None if it means none."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.variables:
                return f"{scope.name}.{name}"
            if name in scope.others:
                return None
            scope = scope.outer
        return None

    def known_of(self, names: Iterable[str]) -> list[str]:
        """Return the variables among names, sorted."""
        return sorted({found for name in names if (found := self.known(name)) is not None})


def module_scope(tree: ast.Module) -> Scope:
    """Return the scope of a program's top level."""
    variables, others, _ = _bound(tree.body)
    return Scope("", variables - others, others)


def function_scope(node: FunctionNode, outer: Scope) -> Scope:
    """Return the scope of a function within another, or within the module."""
    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    variables, others, foreign = _bound(body)
    variables = (variables | frozenset(parameters(node))) - foreign
    name = getattr(node, "name", "lambda")
    label = f"{outer.name}.{name}@{node.lineno}" if outer.name else f"{name}@{node.lineno}"
    return Scope(label, variables - others, others - foreign, outer)


def class_scope(node: ast.ClassDef, outer: Scope) -> Scope:
    """Return the scope of a class's own statements: what they bind are attributes.

    Only the targets of comprehensions are variables there.
    """
    variables, others, foreign = _bound(node.body)
    loops = [each for each in _within(node.body) if isinstance(each, ast.comprehension)]
    inside = frozenset(bound_in(*(loop.target for loop in loops)))
    attributes = (variables | others) - foreign - inside
    return Scope(f"{outer.name}.{node.name}", inside, attributes, outer)


def parameters(node: FunctionNode) -> list[str]:
    """Return the names of a function's parameters."""
    given = node.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return [each.arg for each in every if each is not None]


def _bound(body: Iterable[ast.AST]) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return the variables that a body binds, the other names, and those said to be from outside.

    A global of a function is a variable of the module; of a nonlocal the outer function's is.
    """
    variables, others, foreign = set[str](), set[str](), set[str]()
    for node in _within(body):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            variables.add(node.id)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            variables.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            variables.add(node.rest)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            others.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            others.update((each.asname or each.name).partition(".")[0] for each in node.names)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            foreign.update(node.names)
    return frozenset(variables), frozenset(others), frozenset(foreign)


def _within(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes of a body without those of functions and classes inside, but these."""
    pending = list(body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, _INNER):
            pending += ast.iter_child_nodes(node)


def read_in(*nodes: ast.AST) -> set[str]:
    """Return the names that a statement or expressions read, as ``x`` is in ``x += 1``.

    Those of statements, lambdas and comprehensions inside are left out, but what the first loop of
    a comprehension is over is read there and then.
    """
    own = [part for node in nodes for part in _own(node)]
    taken = [n.target for n in own if isinstance(n, ast.AugAssign)]
    names = [n for n in own if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    return {n.id for n in [*names, *taken] if isinstance(n, ast.Name)}


def bound_in(*nodes: ast.AST) -> set[str]:
    """Return the names that a statement, targets or a pattern bind; of a loop, not its target."""
    found: set[str] = set()
    for node in nodes:
        head = [*_own(node.target)] if isinstance(node, ast.For | ast.AsyncFor) else []
        for part in _own(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and part not in head:
                found.add(part.id)
            elif isinstance(part, ast.MatchAs | ast.MatchStar) and part.name:
                found.add(part.name)
            elif isinstance(part, ast.MatchMapping) and part.rest:
                found.add(part.rest)
    return found


def _own(node: ast.AST) -> list[ast.AST]:
    """Return a node's parts without those of statements, lambdas and comprehensions inside it."""
    found: list[ast.AST] = []
    pending: list[ast.AST] = [node]
    while pending:
        part = pending.pop()
        found.append(part)
        if isinstance(part, ast.Lambda) and part is not node:
            pending += [each for each in (*part.args.defaults, *part.args.kw_defaults) if each]
            continue
        if isinstance(part, _COMPREHENSIONS):
            pending.append(part.generators[0].iter)
            continue
        pending += [
            child
            for child in ast.iter_child_nodes(part)
            if not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case)
        ]
    return found
