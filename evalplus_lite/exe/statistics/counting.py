"""Instrumentation of programs with step counters (the paper's appendix A.6).

Tracing multiplies the run time by 2 to 23. Counters cost less, and count the same on every machine
and Python version. CPU time comes from a separate run without instrumentation. Only calls and
returns are traced, and lines in frames of other files for ``library_lines``.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from evalplus_lite.exe.statistics.measures import is_bare_string
from evalplus_lite.programs.definitions import first_line

# Parts of instrumented programs: expressions that call the counters, and arm numbers.


@dataclass(slots=True)
class Arms:
    """Numbers of the arms that a run can reach, in source order."""

    count: int = 0
    wanted: list[int] = field(default_factory=list)
    spans: dict[ast.AST, range] = field(default_factory=dict)
    """The arms of each outermost function."""
    calls: int = 0
    """Number of calls whose arguments may raise."""

    def new(self, *, sides: int = 0) -> ast.Constant:
        """Number a statement (one side), a test (two sides) or a loop (no side is wanted)."""
        self.wanted += range(2 * self.count, 2 * self.count + sides)
        self.count += 1
        return ast.Constant(2 * (self.count - 1))


def counted(name: str, value: ast.expr | None = None) -> ast.expr:
    """Return a call that counts one step, and returns ``value`` if there is one."""
    return call("add", [ast.Constant(name), *([] if value is None else [value])])


def call(method: str, arguments: Sequence[ast.expr]) -> ast.expr:
    """Return a call of a ``Counters`` method."""
    function = ast.Attribute(ast.Name("_count", ast.Load()), method, ast.Load())
    return ast.Call(function, list(arguments), [])


def takes_all(pattern: ast.pattern) -> bool:
    """Return whether a pattern matches every value."""
    if isinstance(pattern, ast.MatchOr):
        return any(map(takes_all, pattern.patterns))
    return isinstance(pattern, ast.MatchAs) and (
        pattern.pattern is None or takes_all(pattern.pattern)
    )


def does_nothing(statement: ast.stmt, *, in_class: bool = False) -> bool:
    """Return whether a statement only declares names, so that it is never executed.

    In a class, the interpreter executes annotations, because the class stores them.
    """
    if isinstance(statement, ast.AnnAssign):
        return statement.value is None and isinstance(statement.target, ast.Name) and not in_class
    return isinstance(statement, ast.Global | ast.Nonlocal)


_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "additions", ast.Sub: "subtractions", ast.Mult: "multiplications",
    ast.Div: "divisions", ast.FloorDiv: "divisions", ast.Mod: "divisions", ast.Pow: "powers",
    **dict.fromkeys(
        (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift), "bit_operations"
    ),
}  # fmt: skip
_GROWING: dict[type[ast.operator], str] = {ast.Pow: "**", ast.LShift: "<<", ast.Mult: "*"}
"""Operators with possibly huge results; ``Counters`` applies them."""
Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_UNTOUCHED_CALLS = frozenset({"super", "locals", "globals", "vars", "dir", "_count"})


class _FunctionCounter(ast.NodeVisitor):
    """Finds functions, at any depth of classes, and instruments their bodies."""

    def __init__(self, arms: Arms) -> None:
        self.arms = arms

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        first = 2 * self.arms.count
        _BodyCounter(self.arms).enter(node)
        self.arms.spans[node] = range(first, 2 * self.arms.count)

    visit_AsyncFunctionDef = visit_FunctionDef


class _BodyCounter(ast.NodeTransformer):
    """Inserts counters into the statements of a function."""

    def __init__(self, arms: Arms, *, is_class: bool = False) -> None:
        self.arms, self.is_class = arms, is_class

    def enter(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        node.body = self.block(node.body, 0, is_bare_string(node.body[0]))

    def block(self, body: list[ast.stmt], line: int, place: int = 0) -> list[ast.stmt]:
        """Instrument statements; ``line`` is the line of the enclosing statement.

        ``place`` is the index of the first statement that is not a docstring.
        """
        done: list[ast.stmt] = []
        for number, statement in enumerate(body):
            begins, line = first_line(statement) != line, statement.end_lineno or 0
            is_run = number >= place and not does_nothing(statement, in_class=self.is_class)
            reached = call("reach", [self.arms.new(sides=1)]) if is_run else None
            visited = self.visit(statement)
            if reached is not None:
                done.append(ast.Expr(reached))
                if begins and not isinstance(statement, ast.While):  # its test counts the line
                    done.append(ast.Expr(counted("lines")))
                if isinstance(statement, ast.Match):
                    done.append(ast.Expr(counted("conditionals")))
            done.append(visited)
        return done

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
        _BodyCounter(self.arms).enter(node)
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]  # same fields

    def _defaults(self, given: ast.arguments) -> None:
        given.defaults = [self.visit(each) for each in given.defaults]
        given.kw_defaults = [each and self.visit(each) for each in given.kw_defaults]

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        node.bases = [self.visit(each) for each in node.bases]
        inner = _BodyCounter(self.arms, is_class=True)
        node.body = inner.block(node.body, node.lineno, is_bare_string(node.body[0]))
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self._defaults(node.args)
        node.body = _BodyCounter(self.arms).visit(node.body)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """Replace an f-string by equivalent calls, because some cannot be unparsed."""
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
        """Count the lines of the cases that are tried: all lines if none matches."""
        is_whole = node.cases[-1].guard is None and takes_all(node.cases[-1].pattern)
        self.generic_visit(node)
        for number, case in enumerate(node.cases, 1):
            case.body.insert(0, ast.Expr(call("tried", [ast.Constant(number)])))
        if not is_whole:
            tried = ast.Expr(call("tried", [ast.Constant(len(node.cases))]))
            node.cases.append(ast.match_case(ast.MatchAs(), None, [tried]))
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        node.body = self.block(node.body, (node.guard or node.pattern).end_lineno or 0)
        if node.guard is not None:
            node.guard = counted("conditionals", self.decided(self.visit(node.guard)))
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        node.body = self.block(node.body, node.lineno)
        if node.type is None:
            node.body.insert(0, ast.Expr(counted("lines")))
        else:
            node.type = counted("lines", self.visit(node.type))
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        name = _OPERATORS.get(type(node.op))
        if name is None:
            return node
        sign = _GROWING.get(type(node.op))
        result = call("applied", [ast.Constant(sign), node.left, node.right]) if sign else node
        return call("operated", [ast.Constant(name), result])

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        name = _OPERATORS.get(type(node.op))
        if name is not None:
            # Reading a name again has no side effects. For other targets, only the value shows what
            # the operator works on.
            target = node.target
            read = [ast.Name(target.id, ast.Load())] if isinstance(target, ast.Name) else []
            if read and (sign := _GROWING.get(type(node.op))):
                node.value = call("grown", [ast.Constant(sign), *read, node.value])
            node.value = call("onto", [ast.Constant(name), *read, node.value])
        return node

    def decided(self, test: ast.expr) -> ast.expr:
        """Return a test that records its truth value, and that of each operand of and, or, not."""
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
        # The line counts even if its test raises.
        test = counted("conditionals", self.decided(node.test))
        node.test = ast.BoolOp(ast.And(), [counted("lines", ast.Constant(True)), test])
        node.body.insert(0, ast.Expr(counted("loop_iterations")))
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        node.iter = call("each", [self.arms.new(), node.iter, ast.Constant(True)])
        node.body.insert(0, ast.Expr(counted("loop_iterations")))
        return node

    def _looped(self, node: Comprehension) -> ast.AST:
        self.generic_visit(node)
        for loop in node.generators:
            loop.ifs = [counted("conditionals", self.decided(test)) for test in loop.ifs]
            if not loop.is_async:
                loop.iter = call("each", [self.arms.new(), loop.iter, ast.Constant(False)])
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
        else:  # a call counts once its arguments are evaluated
            self.arms.calls += 1
            place = ast.Constant(self.arms.calls)
            node.func = call("calling", [place, node.func])
            node.keywords.append(ast.keyword(None, call("called", [place])))
        return node


COUNTERS = tuple(
    """loop_iterations additions subtractions multiplications divisions powers bit_operations
    container_operations lines library_lines conditionals builtin_calls user_calls calls
    call_depth variables_declared""".split()
)
"""``lines``: statements begun, loop heads at each iteration, ``except`` and ``case`` lines tried. A
statement that begins on the line where the previous one ended, as in ``if a: b``, is not counted
again. ``conditionals``: tests of if, while, conditional expressions and comprehensions, ``match``
statements and their guards. Arithmetic and bit operations are those on numbers; an operator whose
result is a text or collection (``"%s" % x``, ``a | b`` of sets) is a ``container_operation``.
``a.b += x`` and ``a[b] += x`` are classified by ``x``, because reading the target again could have
side effects. ``user_calls``: calls of the program's functions, methods and classes, cached and
partial ones included; a call counts once its arguments are evaluated. ``call_depth``: maximum
number of the program's functions on the stack. ``variables_declared``: parameters and local names
of the program's functions that have a value when a function returns, raises or yields, except
those of comprehensions."""


@dataclass(frozen=True, slots=True)
class Instrumented:
    """A program with counters, and its arms: numbers of the branches that a run reaches.

    The arm of statement n is 2n. The arms of test n are 2n (false) and 2n + 1 (true). The arms of
    loop n are 2n (no iteration) and 2n + 1 (a second iteration).
    """

    code: str
    own: range
    """Arms of the subject; of all functions if it is not written with ``def``."""
    wanted: frozenset[int]
    """The arms in ``own`` that inputs should reach: statements, and both sides of tests."""


def instrument(code: str, subject: str = "") -> Instrumented | None:
    """Return the program with counters in its functions; None if it cannot be rewritten.

    Only function bodies are instrumented: loading is not part of a case. The name ``_count`` must
    be unused. ``subject`` is the function to find inputs for, or ``Class.method``.
    """
    try:
        tree = ast.parse(code)
        if any("_count" in map(str, vars(node).values()) for node in ast.walk(tree)):
            return None
        arms = Arms()
        wanted = _function(tree, subject)
        _FunctionCounter(arms).visit(tree)
        own = arms.spans.get(wanted, range(2 * arms.count))
        written = ast.unparse(ast.fix_missing_locations(tree))
        return Instrumented(written, own, frozenset(arm for arm in arms.wanted if arm in own))
    except (SyntaxError, RecursionError, ValueError):
        return None


def _function(tree: ast.Module, name: str) -> ast.AST:
    """Return the last function (or class) of a name, or method of a dotted name, else the program.

    Property setters and deleters are ignored.
    """
    found: ast.AST = tree
    for part in name.split("."):
        same = [
            node
            for node in getattr(found, "body", ())
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
            and node.name == part
            and not any(
                getattr(each, "attr", "") in ("setter", "deleter") for each in node.decorator_list
            )
        ]
        if not same:
            return tree
        found = same[-1]
    return found
