"""Writing counters into the functions of a program, and marks where a run comes by."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

# Parts of instrumented programs: expressions that report to the counters, and their numbers.


@dataclass(slots=True)
class Arms:
    """Numbers of what can be reached, in the order of the text."""

    count: int = 0
    wanted: list[int] = field(default_factory=list)
    spans: dict[ast.AST, range] = field(default_factory=dict)
    """Of each function outside all others, its own."""
    calls: int = 0
    """Calls that are given what may raise: their numbers."""

    def new(self, *, sides: int = 0) -> ast.Constant:
        """Return the number of a statement (one side), a test (two) or a loop (none is wanted)."""
        self.wanted += range(2 * self.count, 2 * self.count + sides)
        self.count += 1
        return ast.Constant(2 * (self.count - 1))


def counted(name: str, value: ast.expr | None = None) -> ast.expr:
    """Return a call that counts one step, and gives the value, if there is one."""
    return call("add", [ast.Constant(name), *([] if value is None else [value])])


def call(method: str, arguments: Sequence[ast.expr]) -> ast.expr:
    """Return a call of a method of the counters."""
    function = ast.Attribute(ast.Name("_count", ast.Load()), method, ast.Load())
    return ast.Call(function, list(arguments), [])


def names_of(names: Iterable[str]) -> ast.expr:
    """Return names as a tuple of texts."""
    return ast.Tuple([ast.Constant(name) for name in names], ast.Load())


def last(values: list[ast.expr]) -> ast.expr:
    """Return an expression that works out all of these, and is the last one."""
    if len(values) == 1:
        return values[0]
    return ast.Subscript(ast.Tuple(values, ast.Load()), ast.Constant(len(values) - 1))


def first_line(statement: ast.stmt) -> int:
    """Return the line on which a statement begins, its decorators included."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])


def takes_all(pattern: ast.pattern) -> bool:
    """Return whether a pattern matches whatever comes."""
    match pattern:
        case ast.MatchAs():
            return pattern.pattern is None or takes_all(pattern.pattern)
        case ast.MatchOr():
            return any(map(takes_all, pattern.patterns))
    return False


def does_nothing(statement: ast.stmt, *, in_class: bool = False) -> bool:
    """Return whether a statement is none that a run comes to: what only declares names.

    A class keeps what is declared in it, which the interpreter does.
    """
    if isinstance(statement, ast.AnnAssign):
        return statement.value is None and isinstance(statement.target, ast.Name) and not in_class
    return isinstance(statement, ast.Global | ast.Nonlocal)


def after_docstring(body: Sequence[ast.stmt]) -> int:
    """Return the place of a body's first statement that is no docstring."""
    match body[0]:
        case ast.Expr(value=ast.Constant(value=str())):
            return 1
    return 0


# Which names of a program are variables, and in which function each is one.

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


_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "additions",
    ast.Sub: "subtractions",
    ast.Mult: "multiplications",
    ast.Div: "divisions",
    ast.FloorDiv: "divisions",
    ast.Mod: "divisions",
    ast.Pow: "powers",
    ast.BitAnd: "bit_operations",
    ast.BitOr: "bit_operations",
    ast.BitXor: "bit_operations",
    ast.LShift: "bit_operations",
    ast.RShift: "bit_operations",
}
_GROWING: dict[type[ast.operator], tuple[str, str]] = {
    ast.Pow: ("power", "**"),
    ast.LShift: ("shift", "<<"),
    ast.Mult: ("product", "*"),
}
"""Operators that make much of little: the method of ``Counters`` that applies each, its sign."""
Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_UNTOUCHED_CALLS = frozenset({"super", "locals", "globals", "vars", "dir", "_count"})


class FunctionCounter(ast.NodeTransformer):
    """Finds function bodies, at any depth of classes, and hands them to the counter."""

    def __init__(self, scope: Scope, arms: Arms) -> None:
        self.scope, self.arms = scope, arms

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Count in a function."""
        first = 2 * self.arms.count
        _BodyCounter(function_scope(node, self.scope), self.arms).enter(node)
        self.arms.spans[node] = range(first, 2 * self.arms.count)
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]  # same fields

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """Leave alone what runs while the program loads."""
        return node


class _BodyCounter(ast.NodeTransformer):
    """Writes counters into the statements of a function."""

    def __init__(self, scope: Scope, arms: Arms, around: Scope | None = None) -> None:
        self.scope, self.arms = scope, arms
        self.around = around or scope
        """What functions inside see: of a class's body, not the class."""

    @property
    def is_class(self) -> bool:
        """Whether it is in the body of a class."""
        return self.around is not self.scope

    def enter(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Write them into a whole function."""
        place = after_docstring(node.body)
        node.body = self.block(node.body, 0, place)
        node.body[place:place] = map(ast.Expr, self.noted(bound=parameters(node)))

    def block(self, body: list[ast.stmt], line: int, place: int = 0) -> list[ast.stmt]:
        """Write them into statements; ``line`` is the one of the statement that these stand in.

        ``place`` is that of the first one which is no docstring.
        """
        done: list[ast.stmt] = []
        for number, statement in enumerate(body):
            notes = self.noted(read=read_in(statement), bound=bound_in(statement))
            begins, line = first_line(statement) != line, statement.end_lineno or 0
            is_run = number >= place and not does_nothing(statement, in_class=self.is_class)
            reached = call("reach", [self.arms.new(sides=1)]) if is_run else None
            visited = self.visit(statement)
            if reached is not None:
                done.append(ast.Expr(reached))
                if begins and not isinstance(statement, ast.While):  # whose test counts
                    done.append(ast.Expr(counted("lines")))
                if isinstance(statement, ast.Match):
                    done.append(ast.Expr(counted("conditionals")))
                done += map(ast.Expr, notes)
            done.append(visited)
        return done

    def noted(self, *, read: Iterable[str] = (), bound: Iterable[str] = ()) -> list[ast.expr]:
        """Return calls that note the variables among names."""
        found = {"read": self.scope.known_of(read), "bind": self.scope.known_of(bound)}
        return [call(method, [names_of(each)]) for method, each in found.items() if each]

    def generic_visit(self, node: ast.AST) -> ast.AST:
        line = getattr(node, "lineno", 0)
        for name, old in ast.iter_fields(node):
            if isinstance(old, list) and old and isinstance(old[0], ast.stmt):
                setattr(node, name, self.block(old, line))
            elif isinstance(old, list):
                setattr(node, name, [self._one(v) for v in old])
            elif isinstance(old, ast.AST):
                setattr(node, name, self._one(old))
        return node

    def _one(self, value: object) -> object:
        return self.visit(value) if isinstance(value, ast.AST) else value

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        self._defaults(node.args)
        _BodyCounter(function_scope(node, self.around), self.arms).enter(node)
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]  # same fields

    def _defaults(self, given: ast.arguments) -> None:
        given.defaults = [self.visit(each) for each in given.defaults]
        given.kw_defaults = [each and self.visit(each) for each in given.kw_defaults]

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        node.bases = [self.visit(each) for each in node.bases]
        # What its body binds are attributes, and no variables of the functions in it.
        inner = _BodyCounter(class_scope(node, self.around), self.arms, self.around)
        node.body = inner.block(node.body, node.lineno, after_docstring(node.body))
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self._defaults(node.args)
        inner = _BodyCounter(function_scope(node, self.around), self.arms)
        notes = inner.noted(read=read_in(node.body), bound=parameters(node))
        node.body = last([*notes, inner.visit(node.body)])
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """Write an f-string as the calls that it stands for: not all can be written anew."""
        return call("joined", [self._part(each) for each in node.values])

    def _part(self, node: ast.expr) -> ast.expr:
        if not isinstance(node, ast.FormattedValue):
            return node
        spec = ast.Constant("") if node.format_spec is None else self.visit(node.format_spec)
        return call("shown", [self.visit(node.value), ast.Constant(node.conversion), spec])

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_Match(self, node: ast.Match) -> ast.AST:
        """Count the lines of the cases that were tried: of all, where none is taken."""
        is_whole = node.cases[-1].guard is None and takes_all(node.cases[-1].pattern)
        self.generic_visit(node)
        for number, case in enumerate(node.cases, 1):
            case.body.insert(0, ast.Expr(call("tried", [ast.Constant(number)])))
        if not is_whole:
            tried = ast.Expr(call("tried", [ast.Constant(len(node.cases))]))
            node.cases.append(ast.match_case(ast.MatchAs(), None, [tried]))
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        notes = self.noted(read=read_in(node.pattern), bound=bound_in(node.pattern))
        node.body = self.block(node.body, (node.guard or node.pattern).end_lineno or 0)
        if node.guard is None:
            node.body[:0] = map(ast.Expr, notes)
        else:
            notes += self.noted(read=read_in(node.guard), bound=bound_in(node.guard))
            test = self.decided(self.visit(node.guard))
            node.guard = counted("conditionals", last([*notes, test]))
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        node.body = self.block(node.body, node.lineno)
        if node.type is None:
            node.body.insert(0, ast.Expr(counted("lines")))
        else:
            node.type = counted("lines", self.visit(node.type))
        node.body[:0] = map(ast.Expr, self.noted(bound=[node.name] if node.name else []))
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        name = _OPERATORS.get(type(node.op))
        if name is None:
            return node
        method, _ = _GROWING.get(type(node.op), ("", ""))
        result = call(method, [node.left, node.right]) if method else node
        return call("operated", [ast.Constant(name), result])

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        name = _OPERATORS.get(type(node.op))
        if name is not None:
            # A name is read once more, which nothing notices; of another target only the value
            # shows what the operator works on.
            target = node.target
            read = [ast.Name(target.id, ast.Load())] if isinstance(target, ast.Name) else []
            _, sign = _GROWING.get(type(node.op), ("", ""))
            if read and sign:
                node.value = call("grown", [ast.Constant(sign), *read, node.value])
            node.value = call("onto", [ast.Constant(name), *read, node.value])
        return node

    def decided(self, test: ast.expr) -> ast.expr:
        """Return a test that notes its truth, and that of each operand of and, or, not."""
        match test:
            case ast.BoolOp():
                test.values = [self.decided(value) for value in test.values]
            case ast.UnaryOp(op=ast.Not()):
                test.operand = self.decided(test.operand)
            case ast.Constant():
                return test
            case _:
                return call("decide", [self.arms.new(sides=2), test])
        return test

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        node.test = counted("conditionals", self.decided(node.test))
        return node

    visit_IfExp = visit_If  # type: ignore[assignment]  # same field

    def visit_While(self, node: ast.While) -> ast.AST:
        self.generic_visit(node)
        # The line has begun even if its test raises.
        test = counted("conditionals", self.decided(node.test))
        node.test = ast.BoolOp(ast.And(), [counted("lines", ast.Constant(True)), test])
        node.body.insert(0, ast.Expr(counted("loop_iterations")))
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        notes = self.noted(bound=bound_in(node.target))
        self.generic_visit(node)
        node.iter = call("heads", [self.arms.new(), node.iter])
        node.body[:0] = map(ast.Expr, [counted("loop_iterations"), *notes])
        return node

    def _looped(self, node: Comprehension) -> ast.AST:
        """Write them into a comprehension: what a loop binds and reads is noted when it runs."""
        given = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        loops = node.generators
        inner = [*([loop.iter] for loop in loops[1:]), given]
        notes = [
            (
                self.scope.known_of(bound_in(loop.target, *loop.ifs)),
                self.scope.known_of(read_in(*loop.ifs, *then)),
            )
            for loop, then in zip(loops, inner, strict=True)
        ]
        self.generic_visit(node)
        for loop, noted in zip(loops, notes, strict=True):
            loop.ifs = [counted("conditionals", self.decided(test)) for test in loop.ifs]
            if not loop.is_async:
                parts = [self.arms.new(), loop.iter, *map(names_of, noted)]
                loop.iter = call("each", parts)
        return node

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _looped

    def visit_Call(self, node: ast.Call) -> ast.AST:
        given = [*node.args, *(each.value for each in node.keywords)]
        is_safe = all(isinstance(each, ast.Name | ast.Constant) for each in given) and all(
            each.arg for each in node.keywords
        )
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in _UNTOUCHED_CALLS:
            return node
        if is_safe:
            node.func = call("call", [node.func])
        else:  # a call counts when all that it is given is there
            self.arms.calls += 1
            place = ast.Constant(self.arms.calls)
            node.func = call("calling", [place, node.func])
            node.keywords.append(ast.keyword(None, call("called", [place])))
        return node
