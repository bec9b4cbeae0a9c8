"""How much a program does, counted in steps: the same number on every machine, however busy.

Whatever decides what stands in a file must not hang on time. A program is rewritten so that it
counts the statements it executes and the items its comprehensions take, and is stopped where there
are more than allowed. That makes it a few times slower, so it is done where a case took longer
than any machine needs for so many steps, and nowhere else: who is not asked would have passed.

Work within one call of a built-in function is no step. It has a far-off limit in CPU seconds,
``patience``, which alone is not exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from evalplus_lite.errors import CodecError
from evalplus_lite.sandbox import Inputs, Limits, Program, Run, Sandbox
from evalplus_lite.types import Outcome, Returned, TimedOut, Value
from evalplus_lite.values import wire

STEPS_A_SECOND = 20_000_000
"""Steps that a usual machine makes in a second: so limits in seconds become limits in steps."""
FASTEST = 250_000_000
"""Steps a second that no program makes which takes millions. It takes loops to have so many, and on
today's machines the tightest loop makes 40 million; only straight runs of a thousand assignments
of a constant make more than this."""
FEWEST = 4_000_000
"""No limit is lower: what takes less than sixteen milliseconds is never asked about."""
PATIENCE = 10
MOST_PATIENCE = 60.0
"""A case's patience is so many times its limit's usual seconds, or so many seconds more."""

_COUNTER = '''
import ast as _ast, sys as _sys, types as _types
_LEFT, _TICK, _EACH, _STOP = (
    f"_evalplus_lite_{{name}}" for name in ("left", "tick", "each", "stop"))
_PRELUDE = f"""
class {{_STOP}}(BaseException): pass
{{_LEFT}} = 1 << 62
def {{_TICK}}():
    global {{_LEFT}}
    {{_LEFT}} -= 1
    if {{_LEFT}} < 0: raise {{_STOP}}
    return True
def {{_EACH}}(items):
    global {{_LEFT}}
    for item in items:
        {{_LEFT}} -= 1
        if {{_LEFT}} < 0: raise {{_STOP}}
        yield item
"""
_NESTING = (_ast.If, _ast.For, _ast.AsyncFor, _ast.While, _ast.Try, _ast.With, _ast.AsyncWith,
            _ast.Match) + ((_ast.TryStar,) if hasattr(_ast, "TryStar") else ())
_FREE = (_ast.Pass, _ast.Global, _ast.Nonlocal)

def _count(weight):
    return _ast.parse(f"{{_LEFT}} -= {{weight}}\\nif {{_LEFT}} < 0: raise {{_STOP}}").body

def _block(statements):
    """Put a count before each run of statements that are executed one after the other."""
    found, run = [], []
    for statement in statements:
        run.append(statement)
        if isinstance(statement, _NESTING):
            found += _counted(run)
            run = []
    return found + _counted(run)

def _counted(run):
    weight = sum(not isinstance(statement, _FREE) for statement in run)
    return [*_count(weight), *run] if weight else run

def _opened(body):
    """Say that the count is a global name, after a description, if there is one."""
    first = body[0] if body else None
    text = isinstance(first, _ast.Expr) and isinstance(first.value, _ast.Constant)
    return [*body[:text], _ast.Global([_LEFT]), *body[text:]]

class _Counting(_ast.NodeTransformer):
    def generic_visit(self, node):
        super().generic_visit(node)
        for field in ("body", "orelse", "finalbody"):
            statements = getattr(node, field, None)
            if isinstance(statements, list) and statements:
                if not isinstance(node, (_ast.Module, _ast.ClassDef)):
                    statements = _block(statements) or statements
                    if isinstance(node, (_ast.For, _ast.While)) and field == "body":
                        if all(isinstance(each, _FREE) for each in node.body):
                            statements = [*_count(1), *statements]
                setattr(node, field, statements)
        if isinstance(node, (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef)):
            node.body = _opened(node.body)
        elif isinstance(node, _ast.Lambda):
            tick = _ast.Call(_ast.Name(_TICK, _ast.Load()), [], [])
            node.body = _ast.IfExp(tick, node.body, _ast.Constant(None))
        elif isinstance(node, _ast.comprehension) and not node.is_async:
            node.iter = _ast.Call(_ast.Name(_EACH, _ast.Load()), [node.iter], [])
        return node

_module = _sys.modules["program"] = _types.ModuleType("program")
exec(_PRELUDE, _module.__dict__)
_tree = _ast.fix_missing_locations(_Counting().visit(_ast.parse({source!r})))
exec(compile(_tree, "<program>", "exec", dont_inherit=True), _module.__dict__)
_function = _module.__dict__[{entry_point!r}]

def counted(*arguments):
    _module.__dict__[_LEFT] = {most}
    try:
        _function(*arguments)
    except BaseException:
        pass
    return {most} - _module.__dict__[_LEFT]
'''


@dataclass(frozen=True, slots=True)
class Allowance:
    """Steps that a case may take, at least ``FEWEST``: made of a usual machine's seconds."""

    steps: int

    @classmethod
    def of(cls, seconds: float) -> Allowance:
        """Return what a usual machine does in so many seconds."""
        return cls(max(FEWEST, round(seconds * STEPS_A_SECOND)))

    @property
    def unasked(self) -> float:
        """CPU seconds in which no machine takes more steps than this."""
        return self.steps / FASTEST

    @property
    def patience(self) -> float:
        """CPU seconds that a case within this many steps may take: built-in functions' own work."""
        seconds = self.steps / STEPS_A_SECOND
        return min(PATIENCE * seconds, seconds + MOST_PATIENCE)


@dataclass(frozen=True, slots=True)
class Meter:
    """Bounds a program's cases by steps, as many as a usual machine makes in ``limits.cpu``.

    For ``Sandbox.run`` and ``watch``, with ``own_clock``: its ``limits``, and ``more`` for theirs.
    """

    sandbox: Sandbox
    program: Program
    cases: Sequence[Sequence[Value]]
    usual: Limits

    @property
    def allowance(self) -> Allowance:
        """The steps that a case may take."""
        return Allowance.of(self.usual.cpu)

    @property
    def limits(self) -> Limits:
        """Limits under which nobody is asked who would not be stopped on some machine."""
        return replace(self.usual, cpu=self.allowance.unasked)

    def more(self, case: int | None) -> float:
        """Return the CPU seconds that a case may take after all: none, or its patience."""
        if case is None:
            return 0.0
        return 0.0 if self.exceeds(case) else self.allowance.patience

    def exceeds(self, case: int) -> bool:
        """Return whether a case takes more steps than allowed."""
        arguments = self.cases[case]
        return exceeds(self.sandbox, self.program, arguments, self.allowance, self.usual)

    def run(self, inputs: Inputs, *, judge: Callable[[int, Outcome], bool] | None = None) -> Run:
        """Run the program on its cases, encoded as ``inputs``."""
        return self.sandbox.run(
            self.program, inputs, self.limits, judge=judge, more=self.more, own_clock=True
        )


def exceeds(
    sandbox: Sandbox,
    program: Program,
    arguments: Sequence[Value],
    allowance: Allowance,
    limits: Limits,
) -> bool:
    """Return whether a program takes more steps than allowed on a case.

    ``limits`` are those of the run that is asked about, but for its time. The sandbox may be
    running that program meanwhile. A program that cannot be counted is not held to take more.
    """
    (used,) = count(sandbox, program, Inputs.of([arguments]), limits, most=allowance.steps)
    return used is None or used > allowance.steps


def count(
    sandbox: Sandbox, program: Program, inputs: Inputs, limits: Limits, *, most: int
) -> list[int | None]:
    """Return the steps that a program takes on each case, ``most`` + 1 or so if it takes more.

    None where its patience ends first; 0 where it cannot be counted or ends its process.
    """
    text = _COUNTER.format(source=program.source, entry_point=program.entry_point, most=most)
    seconds = Allowance(most).patience + 2 * most / STEPS_A_SECOND  # counting takes its time, too
    roomy = Limits(seconds, 2 * limits.load + 1, limits.memory, limits.output, limits.wait)
    run = sandbox.beside().run(Program(text, "counted"), inputs, roomy)
    return [_steps(outcome) for outcome in run.outcomes]


def _steps(outcome: Outcome | None) -> int | None:
    if isinstance(outcome, TimedOut):
        return None
    if isinstance(outcome, Returned):
        try:
            value = wire.decode(outcome.data)
        except CodecError:
            return 0
        return value if type(value) is int and value >= 0 else 0
    return 0
