"""Expressions that a model predicts, for a value or for the call that gives it: are they right?

Literals are read, never run. What else an expression may be is evaluated in the sandbox; the value
that is right never goes there.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from evalplus_lite.errors import CodecError
from evalplus_lite.exe.running.runs import CPU_SECONDS, CallableProgram
from evalplus_lite.execution.base import Row, Work, WorkerContext
from evalplus_lite.programs import parsing
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.types import Outcome, Raised, Returned, Rule, TimedOut, Value
from evalplus_lite.values import wire
from evalplus_lite.values.equality import equal
from evalplus_lite.values.source import value_of

LIMITS = Limits(cpu=3.0, load=5.0)
OF_MINED = Limits(cpu=2 * CPU_SECONDS, load=20.0)
"""Of calls of mined functions, whose own cases may take ``CPU_SECONDS`` each."""
EXACT = Rule(atol=0.0, rtol=0.0)
"""CRUXEval's: Python's own equality."""
LONGEST = 100_000
"""Characters of an expression that is looked at."""
CALLER = "_call_as_predicted"
PLAIN = frozenset(
    "abs all any bool bytes chr complex dict divmod enumerate filter float frozenset int iter len "
    "list map max min next ord pow print range repr reversed round set slice sorted str sum tuple "
    "zip True False None".split()
)
"""Names of built-ins that do nothing beyond giving a value."""


class Subject(NamedTuple):
    """A program, the name of its function, and the value in wire form that is right.

    What a function gives that ``is_mined`` is read as plain data, as when it was mined.
    """

    code: str
    entry_point: str
    truth: bytes
    is_mined: bool = False

    @property
    def limits(self) -> Limits:
        """How long loading it and a call of it may take."""
        return OF_MINED if self.is_mined else LIMITS


def judging(place: WorkerContext, _: Row) -> Work:
    """Of (what is asked, subject's parts, expressions): of each why it is wrong, or ""."""

    def work(item: Row) -> Row:
        asked, subject, texts = item
        judge = judged_calls if asked == "input" else judged_values
        return judge(place.sandbox, Subject(*subject), texts)

    return work


def judged_values(sandbox: Sandbox, subject: Subject, texts: Sequence[str]) -> list[str]:
    """Judge expressions for the value of a call. They do not see the program."""
    found: list[str] = []
    for text in texts:
        tree = _parsed(text)
        if tree is None:
            found.append("unreadable")
            continue
        try:
            said = wire.encode(value_of(tree))
        except (ValueError, CodecError):
            program = Program(f"def {CALLER}():\n    return (\n{text}\n)\n", CALLER)
            outcome = sandbox.run(program, Inputs.of([()]), LIMITS).outcomes[0]
            found.append(_judged(outcome, subject.truth))
        else:
            found.append(_compared(said, subject.truth))
    return found


def judged_calls(sandbox: Sandbox, subject: Subject, texts: Sequence[str]) -> list[str]:
    """Judge calls by what the program gives on their arguments.

    Arguments that are literals are handed over as values. Others, such as a lambda, are written
    into the program's text, so they may only be what does nothing but give a value.
    """
    found = ["unreadable"] * len(texts)
    places: list[int] = []
    given: list[tuple[list[Value], dict[str, Value]]] = []
    for place, text in enumerate(texts):
        tree = _parsed(text)
        if tree is None:
            continue
        if not (
            isinstance(tree, ast.Call)
            and isinstance(tree.func, ast.Name)
            and tree.func.id == subject.entry_point
        ):
            found[place] = f"no call of {subject.entry_point}"
            continue
        try:
            arguments = _arguments(tree)
            wire.encode(list(arguments))
        except (ValueError, CodecError):
            found[place] = _run_as_written(sandbox, subject, tree, text)
        else:
            places.append(place)
            given.append(arguments)
    if places:
        outcomes = sandbox.run(_calling(subject), Inputs.of(given), subject.limits).outcomes
        for place, outcome in zip(places, outcomes, strict=True):
            found[place] = _judged(outcome, subject.truth)
    return found


def _calling(subject: Subject) -> Program:
    """Return a program that calls the function with positional and named arguments."""
    if subject.is_mined:
        return CallableProgram(subject.entry_point, subject.code).program()
    return Program(
        f"{subject.code}\n\ndef {CALLER}(positional, named):\n"
        f"    return {subject.entry_point}(*positional, **named)\n",
        CALLER,
    )


def _arguments(call: ast.Call) -> tuple[list[Value], dict[str, Value]]:
    """Return a call's arguments; ValueError if they are not all literals."""
    if any(keyword.arg is None for keyword in call.keywords):
        raise ValueError("not a literal")
    named = {str(keyword.arg): value_of(keyword.value) for keyword in call.keywords}
    return [value_of(argument) for argument in call.args], named


def _run_as_written(sandbox: Sandbox, subject: Subject, call: ast.Call, text: str) -> str:
    bound = {node.arg for node in ast.walk(call) if isinstance(node, ast.arg)}
    bound |= _stored(call) | _own_names(subject.code)
    for node in ast.walk(call):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            return "does more than give a value"
        if isinstance(node, ast.Name) and node is not call.func and node.id not in PLAIN | bound:
            return "does more than give a value"
    code = f"{subject.code}\n\ndef {CALLER}():\n    return (\n{text}\n)\n"
    if subject.is_mined:
        program = CallableProgram(CALLER, code).program()
        inputs = Inputs.of([([], {})])
    else:
        program, inputs = Program(code, CALLER), Inputs.of([()])
    return _judged(sandbox.run(program, inputs, subject.limits).outcomes[0], subject.truth)


def _stored(tree: ast.AST) -> set[str]:
    """Return the names that are given values somewhere in a tree."""
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return {node.id for node in names if isinstance(node.ctx, ast.Store)}


def _own_names(code: str) -> set[str]:
    """Return what a program defines at its top level, imports aside."""
    found: set[str] = set()
    for node in parsing.parse(code).body:
        if isinstance(node, ast.Assign):
            found |= _stored(node)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
    return found


def _parsed(text: str) -> ast.expr | None:
    """Return the one expression that a text is; None if it is not."""
    if len(text) > LONGEST:
        return None
    try:
        tree: ast.Expression = parsing.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree.body


def _judged(outcome: Outcome | None, truth: bytes) -> str:
    if isinstance(outcome, Returned):
        return _compared(outcome.data, truth)
    if isinstance(outcome, Raised):
        return "raises"
    return "too slow" if isinstance(outcome, TimedOut) else "gives no plain value"


def _compared(said: bytes, truth: bytes) -> str:
    try:
        return "" if equal(said, truth, EXACT) else "other value"
    except CodecError:
        return "other value"
