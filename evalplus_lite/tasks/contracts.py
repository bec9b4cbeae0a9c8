"""Contracts: one Python file a task, run in the sandbox, never imported.

A contract defines ``precondition`` with the task's own parameters, whose assertions reject invalid
inputs. It may define a repaired reference under the task's entry point, and
``check(inputs, output, expected) -> bool`` where several answers are correct.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from evalplus_lite.errors import ContractError
from evalplus_lite.programs import parsing
from evalplus_lite.sandbox import Inputs, Limits, Program, ProgramRun, Sandbox
from evalplus_lite.sandbox.steps import Meter
from evalplus_lite.types import (
    Case,
    Crashed,
    Outcome,
    OutOfMemory,
    Raised,
    Returned,
    Task,
    TimedOut,
    Unrepresentable,
    Value,
    clip,
)
from evalplus_lite.values import wire
from evalplus_lite.values.source import shorten
from evalplus_lite.values.source import shown as brief

PACKAGE = Path(__file__).resolve().parents[1]
VALIDITY_LIMITS = Limits(cpu=1.0, load=3.0)
CHECK_LIMITS = Limits(cpu=10.0)
ABSURD_LIMITS = Limits(cpu=0.5)  # a check that takes longer has not accepted the answer
# Answers of several types. A check that examines its arguments rejects at least one of them.
ABSURD: tuple[Value, ...] = (None, "no answer", -987654321.5, {"no": "answer"}, [[[None]]])
TRUE, FALSE = wire.encode(True), wire.encode(False)
MOST_SLOW = 8  # inputs on which a precondition may time out, each at the cost of the whole limit


@dataclass(frozen=True, slots=True)
class Violation:
    """The reason why a contract does not accept an input.

    A contract rejects with an AssertionError. Any other failure is ``faulty``: an error of the
    contract, not of the input.
    """

    reason: str
    faulty: bool = False


@dataclass(frozen=True, slots=True)
class Contract:
    """A contract file's text and the functions it defines.

    ``is_predicate``: its precondition returns a value, perhaps whether an input is valid.
    """

    source: str
    functions: frozenset[str]
    is_predicate: bool = False

    @property
    def has_check(self) -> bool:
        """Whether the file defines a checker of answers."""
        return "check" in self.functions

    @property
    def has_precondition(self) -> bool:
        """Whether the file restricts the inputs."""
        return "precondition" in self.functions


def has_check(task: Task) -> bool:
    """Return whether the task's contract has a checker."""
    return task.contract is not None and parse(task.contract).has_check


def check_of(task: Task, function: str = "check") -> Program:
    """Return the program that judges answers by a function of the task's contract."""
    assert task.contract is not None
    names = _classes(task.reference) | _classes(task.harness.tests)
    return Program(task.contract, function, classes=tuple(sorted(names)))


def run_check(
    sandbox: Sandbox,
    task: Task,
    rows: Iterable[tuple[Case, bytes, bytes]],
    function: str = "check",
    on_outcome: Callable[[int, Outcome], bool] | None = None,
) -> ProgramRun:
    """Call a function of the task's contract on each case, with an answer and the expected one.

    Answers are in wire form. The function sees expected values, so it runs in its own process with
    its own inputs.
    """
    arguments = [(wire.encode(list(case.arguments)), *data) for case, *data in rows]
    if not arguments:
        return ProgramRun(())
    inputs = Inputs.joined(arguments, private=True)
    return sandbox.run(check_of(task, function), inputs, CHECK_LIMITS, on_outcome=on_outcome)


@lru_cache(maxsize=64)
def _classes(source: str) -> frozenset[str]:
    """Return the classes that trusted source declares, as a statement or as a call."""
    found: set[str] = set()

    def look(node: ast.AST, outer: str) -> None:
        if isinstance(node, ast.ClassDef):
            found.add(outer + node.name)
            outer += f"{node.name}."
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            outer = ""  # qualified names start at the innermost function
        elif isinstance(node, ast.Call):  # Enum("Color", ...), namedtuple("Point", ...)
            match node.args[:1]:
                case [ast.Constant(value=str(name))]:
                    found.add(outer + name)
        for child in ast.iter_child_nodes(node):
            look(child, outer)

    with contextlib.suppress(SyntaxError, ValueError, RecursionError):
        look(parsing.parse(source), "")
    return frozenset(found)


@cache
def parse(source: str) -> Contract:
    """Return the contract of a file's text; ContractError if it is not one."""
    try:
        tree = parsing.parse(source)
    except (SyntaxError, ValueError) as error:
        raise ContractError(f"a contract is not Python: {error}") from None
    names = frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))
    if not {"precondition", "check"} & names:
        raise ContractError("a contract defines neither `precondition` nor `check`")
    returned = (
        part.value
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name == "precondition"
        for part in ast.walk(node)
        if isinstance(part, ast.Return)
    )
    # ``return True`` after assertions says nothing, and does no harm.
    plain = (None, True)
    return Contract(source, names, any(getattr(v, "value", v) not in plain for v in returned))


def bundled(name: str) -> Path:
    """Return a folder that ships with the project: ``contracts`` or ``data``.

    It is next to the package in a checkout, and inside it when installed.
    """
    inside = PACKAGE / f"_{name}"
    return inside if inside.is_dir() else PACKAGE.parent / name


def load_contracts(name: str) -> dict[str, str]:
    """Return a dataset's contract texts by file stem (such as ``032_find_zero``)."""
    folder = bundled("contracts") / name
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py"))}


def violations(
    sandbox: Sandbox,
    source: str,
    cases: Sequence[Case],
    *,
    limits: Limits = VALIDITY_LIMITS,
    inputs: Inputs | None = None,
    most_slow: int = MOST_SLOW,
) -> list[Violation | None]:
    """Return a violation for each case that the contract does not accept, and None for others.

    ``inputs`` are the cases' arguments if already encoded. After ``most_slow`` timeouts, crashes
    or memory errors of the precondition the remaining inputs are not tried, and not accepted.

    Raises ContractError if the file does not load.
    """
    if not parse(source).has_precondition:
        return [None] * len(cases)
    if inputs is None:
        inputs = Inputs.of(case.arguments for case in cases)
    slow = 0

    def is_quick(_: int, outcome: Outcome) -> bool:
        nonlocal slow
        slow += isinstance(outcome, TimedOut | Crashed | OutOfMemory)
        return slow < most_slow

    arguments = [case.arguments for case in cases]
    meter = Meter(sandbox, Program(source, "precondition"), arguments, limits)
    run = meter.run(inputs, on_outcome=is_quick)
    if run.load_failed:
        raise ContractError(f"a contract does not load: {as_text(run.outcomes[0])}")
    wrong = (TRUE, FALSE) if parse(source).is_predicate else (FALSE,)
    return [_violation(outcome, wrong) for outcome in run.outcomes]


def faulty_check(
    sandbox: Sandbox, program: Program, answered: Sequence[tuple[Case, Value]]
) -> str | None:
    """Return what is wrong with a contract's ``check``, tried on correct answers; None if nothing.

    It must return a bool, but may say False here: answers equal to the expected ones never reach
    it. It must also reject at least one of some absurd answers.
    """
    rows = [(list(case.arguments), value, value) for case, value in answered]
    inputs = Inputs.of(rows, private=True)  # they hold right answers
    run = sandbox.run(program, inputs, CHECK_LIMITS, on_outcome=lambda _, answer: _decides(answer))
    if run.load_failed:
        return f"the contract does not load: {as_text(run.outcomes[0])}"
    for (case, _), outcome in zip(answered, run.outcomes, strict=True):
        if not isinstance(outcome, Returned):
            return f"the contract's check fails on input {shown(case)}: {as_text(outcome)}"
        if not _decides(outcome):
            answer = brief(outcome.data)
            return f"the contract's check says {answer}, not True or False, on input {shown(case)}"
    absurd = [(inputs, wrong, value) for inputs, value, _ in rows for wrong in ABSURD]
    inputs = Inputs.of(absurd, private=True)
    run = sandbox.run(program, inputs, ABSURD_LIMITS, on_outcome=lambda _, answer: accepts(answer))
    if not rows or not all(map(accepts, run.outcomes)):
        return None
    return f"the contract's check accepts any answer, such as None on input {shown(answered[0][0])}"


def _decides(outcome: Outcome | None) -> bool:
    return isinstance(outcome, Returned) and outcome.data in (TRUE, FALSE)


def accepts(outcome: Outcome | None) -> bool:
    """Return whether a check returned True itself, not just a truthy value."""
    return isinstance(outcome, Returned) and outcome.data == TRUE


def shown(case: Case) -> str:
    """Return a case's input on one printable line of bounded length."""
    return clip(shorten(list(case.arguments)))


def as_text(outcome: Outcome | None) -> str:
    """Return an outcome as text."""
    if isinstance(outcome, TimedOut):
        return "takes too many steps, or waits"  # without the time, which varies
    return "not tried, as too many before it were too slow" if outcome is None else str(outcome)


def _violation(outcome: Outcome | None, wrong: Collection[bytes]) -> Violation | None:
    if isinstance(outcome, Returned) and outcome.data in wrong:
        reason = f"it returns {outcome.data == TRUE}: assert what is valid instead of returning it"
        return Violation(reason, faulty=True)
    if isinstance(outcome, Returned | Unrepresentable):  # any other return value means acceptance
        return None
    if isinstance(outcome, Raised) and outcome.type == "AssertionError":
        return Violation(outcome.message or "an assertion without a message")
    return Violation(as_text(outcome), faulty=True)
