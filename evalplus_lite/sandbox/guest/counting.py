"""Step counting inside the sandbox, by rewriting the program.

Like ``child`` it is sent as *text* and imports only the standard library. A step is an executed
statement or an item of a comprehension, so the number is the same on every machine. A function
counts in a local variable, which costs a third of a global one. It adds its count to the global one
every thousand steps and at its end; generators, which may never end, use the global one directly.
A search in a list is one step for 64 elements; other work within a call of a built-in function is
not counted.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import marshal
import os
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the text of that module has run in this namespace
    from evalplus_lite.sandbox.guest.harness import Names, bind
    from evalplus_lite.values.encoding import arrived

LEFT, MADE, TICK, EACH, WORK, STOP, SPENT = (
    f"_evalplus_lite_{name}" for name in ("left", "made", "tick", "each", "work", "stop", "spent")
)
PRELUDE = compile(
    f"""
class {STOP}(BaseException): pass
{LEFT} = 1 << 62
def {TICK}():
    global {LEFT}
    {LEFT} -= 1
    if {LEFT} < 0: raise {STOP}
    return True
def {WORK}(owner):
    global {LEFT}
    if type(owner) is list:
        {LEFT} -= len(owner) >> 6
        if {LEFT} < 0: raise {STOP}
    return owner
def {EACH}(items):
    global {LEFT}
    for item in items:
        {LEFT} -= 1
        if {LEFT} < 0: raise {STOP}
        yield item
""",
    "<counting>",
    "exec",
)
CHECK = f"if {LEFT} < 0: raise {STOP}"
# Code that catches the exception is stopped again at the next check, as the local count stays high.
HAND_OVER = f"""
if {MADE} > 999:
    {LEFT} -= {MADE}
    {MADE} = 0
    if {LEFT} < 0:
        {MADE} = 1000
        raise {STOP}
"""
NESTING: tuple[type[ast.AST], ...] = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try)
NESTING += (ast.TryStar, ast.With, ast.AsyncWith, ast.Match)
LINEAR = frozenset({"count", "index", "insert", "pop", "remove"})
"""List methods with linear time: a loop of these is quadratic in few statements."""
FREE = (ast.Pass, ast.Global, ast.Nonlocal)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SCOPES = (*FUNCTIONS, ast.ClassDef, ast.Lambda)
FRAMES = 3  # our own stack frames, added to the recursion limit of a counted program


class Counting(ast.NodeTransformer):
    """Inserts a count before each sequence of statements that are executed one after the other."""

    is_local = False
    """Whether the visited function counts in a local variable."""

    def generic_visit(self, node: Any) -> Any:
        outer = self.is_local
        is_block = isinstance(node, (*FUNCTIONS, ast.ClassDef))
        described = ast.get_docstring(node, clean=False) if is_block else None
        if isinstance(node, SCOPES):
            self.is_local = self.counts_locally(node)
        super().generic_visit(node)
        if not isinstance(node, (ast.Module, ast.ClassDef)):
            for field in ("body", "orelse", "finalbody"):
                statements = getattr(node, field, None)
                if isinstance(statements, list) and statements:
                    is_loop = isinstance(node, (ast.For, ast.While)) and field == "body"
                    setattr(node, field, self.counted(statements, node if is_loop else None))
        if is_block:
            description = [] if described is None else [ast.Expr(ast.Constant(described))]
            node.body = [*description, ast.Global([LEFT]), *self.framed(node.body)]
        else:
            self.instrument(node)
        self.is_local = outer
        return node

    def counts_locally(self, scope: ast.AST) -> bool:
        return isinstance(scope, ast.FunctionDef) and not is_generator(scope)

    def instrument(self, node: Any) -> None:
        """Count the work of an expression that is not a separate step."""
        if isinstance(node, ast.Lambda):
            node.body = ast.IfExp(call(TICK), node.body, ast.Constant(None))
        elif isinstance(node, ast.comprehension) and not node.is_async:
            node.iter = call(EACH, node.iter)
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr in LINEAR:
                node.func.value = call(WORK, node.func.value)
        elif isinstance(node, ast.Compare):
            for at, operator in enumerate(node.ops):
                if isinstance(operator, (ast.In, ast.NotIn)):
                    node.comparators[at] = call(WORK, node.comparators[at])

    def counted(
        self, statements: list[ast.stmt], loop: ast.For | ast.While | None
    ) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        run: list[ast.stmt] = []
        for at, statement in enumerate(statements, 1):
            run.append(statement)
            if at == len(statements) or isinstance(statement, NESTING):
                weight = sum(not isinstance(each, FREE) for each in run)
                if loop is not None and not result:
                    weight = max(1, weight)  # so that an empty loop ends, too
                    result += self.count(weight, check=True)
                elif weight:
                    result += self.count(weight, check=False)
                result += run
                run = []
        return result

    def count(self, weight: int, *, check: bool) -> list[ast.stmt]:
        if not self.is_local:
            return ast.parse(f"{LEFT} -= {weight}\n{CHECK}").body
        return ast.parse(f"{MADE} += {weight}\n{HAND_OVER if check else ''}").body

    def framed(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Add the local count to the global one at the end of a function, however it ends."""
        if not self.is_local:
            return body
        text = f"{MADE} = 0\n{CHECK}\ntry: pass\nfinally: {LEFT} -= {MADE}"
        frame: list[Any] = [*ast.parse(text).body]
        frame[-1].body = body
        return frame


def is_generator(function: ast.FunctionDef) -> bool:
    """Return whether a function yields."""
    rest: list[ast.AST] = [*function.body]
    while rest:
        node = rest.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, SCOPES):
            rest += ast.iter_child_nodes(node)
    return False


def call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), [*arguments], [])


class CountedExecution:
    """Runs a program's counting code, always in the same module, which keeps the count."""

    def __init__(self, code: types.CodeType, spec: Mapping[str, Any]) -> None:
        self.code = code
        self.name = "__main__" if spec.get("kind") == "script" else "program"
        self.module = types.ModuleType(self.name)
        self.names = self.module.__dict__
        exec(PRELUDE, self.names)

    def __call__(self) -> Names:
        left = self.names[LEFT]
        self.names.clear()
        self.names.update({"__name__": self.name, "__file__": "<program>"})
        exec(PRELUDE, self.names)
        self.names[LEFT] = left
        sys.modules[self.name] = self.module
        exec(self.code, self.names)
        return self.names


def load(
    source: str, entry_point: str, spec: Mapping[str, Any]
) -> tuple[Callable[..., Any], Names]:
    """Bind a counting program; return the function to call, and its names, including the count."""
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(5 * usual)
    try:
        tree = ast.fix_missing_locations(Counting().visit(ast.parse(source)))
        code = compile(tree, "<program>", "exec", dont_inherit=True)
    except RecursionError:  # nested too deeply to be rewritten, so only its time is limited
        code = compile(source, "<program>", "exec", dont_inherit=True)
    finally:
        sys.setrecursionlimit(usual)
    execution = CountedExecution(code, spec)
    return bind(execution, entry_point, spec), execution.names


def counter(
    source: str, entry_point: str, spec: Mapping[str, Any], most: int
) -> Callable[..., int]:
    """Return a function that calls the program's and returns the number of steps."""
    function, names = load(source, entry_point, spec)

    def counted(*arguments: Any) -> int:
        names[LEFT] = most
        with contextlib.suppress(BaseException):
            function(*arguments)
        return int(most - names[LEFT])

    return counted


OVER = -1


def budgeted(
    source: str,
    entry_point: str,
    spec: Mapping[str, Any],
    left: int,
    shares: int,
    least: int,
    most: int,
) -> Callable[..., int]:
    """Return a function that calls the program's and returns how many steps that took, ``OVER`` if
    more than the call's share: a part of the steps ``left``, but never below ``least``."""
    function, names = load(source, entry_point, spec)

    def counted(*arguments: Any) -> int:
        nonlocal left
        allowed = names[LEFT] = min(most, max(least, max(0, left) // shares))
        try:
            function(*arguments)
        except MemoryError:
            raise
        except BaseException:
            pass
        made = allowed - names[LEFT]
        left -= min(made, allowed)
        return OVER if made > allowed else int(made)

    return counted


Spent = type(SPENT, (BaseException,), {})


class Metered:
    """Calls one of several programs, each call limited to a number of steps.

    A program that has used ``total`` steps in all its calls is not called again: ``SPENT`` is
    raised. A program is loaded on its first call and dropped when the next one is called. A single
    program is loaded at once, under the limits of loading. Arguments are in wire form, as several
    programs take the same ones.
    """

    def __init__(
        self, sources: Sequence[str], entry_point: str, spec: Mapping[str, Any], total: int
    ) -> None:
        self.sources, self.total = sources, total
        self.entry_point, self.spec = entry_point, spec
        self.rest = total
        self.number = -1
        self.function: Callable[..., Any] | None = None
        self.failure: BaseException | None = None
        sys.setrecursionlimit(sys.getrecursionlimit() + FRAMES)
        if len(sources) == 1:
            self.number = 0
            self.function, self.names = load(sources[0], entry_point, spec)

    def __call__(self, number: int, most: int, arguments: bytes) -> Any:
        if number != self.number:
            self.change(number)
        if self.function is None:
            assert self.failure is not None
            raise self.failure.with_traceback(None)
        names = self.names
        allowed = names[LEFT] = min(most, self.rest)
        try:
            # of the suite's, from the supervisor
            answer = self.function(*arrived(arguments, marshal.loads(arguments)))
        finally:
            self.rest -= allowed - names[LEFT]
            if self.rest < 0 and allowed < most:
                raise Spent
        if names[LEFT] < 0:
            raise names[STOP]
        return answer

    def change(self, number: int) -> None:
        self.function, self.names, self.failure = None, {}, None
        self.number, self.rest = number, self.total
        # Functions and their module refer to each other, which would keep the last program's data
        # alive.
        sys.modules.pop("program", None)
        gc.collect()
        sys.modules["random"].seed(int(os.environ["PYTHONHASHSEED"]))
        try:
            self.function, self.names = load(self.sources[number], self.entry_point, self.spec)
        except BaseException as error:
            self.failure = error
