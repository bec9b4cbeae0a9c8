"""What happens to a program is told as what happened: each outcome, on real programs."""

from __future__ import annotations

import signal
from typing import Any

import pytest
from support.sandboxed import only, run
from support.values import brief, exact

from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.types import Crashed, Outcome, Raised, Returned, Unrepresentable
from evalplus_lite.values import wire


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        -0.0,
        float("inf"),
        10**5000,
        1 - 2j,
        "é\ud800",
        b"\x00",
        [1, (2, {3}, frozenset({4})), {"k": [None], 5: ()}],
        {"b": 1, "a": 2},
        "x" * 3_000_000,
    ],
    ids=brief,
)
def test_plain_values_come_back_exactly(sandbox: Sandbox, value: Any) -> None:
    """A plain value goes in and comes out as it was: type, order and sign."""
    outcome = only(sandbox, "def f(x): return x", value)
    assert isinstance(outcome, Returned)
    assert outcome.data == wire.encode(value)
    assert exact(wire.decode(outcome.data)) == exact(value)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("type('S', (str,), {'__eq__': lambda *_: True, '__hash__': str.__hash__})('a')", "a"),
        ("[type('L', (list,), {'__iter__': lambda self: iter([9])})([1, 2])]", [[1, 2]]),
        ("type('D', (dict,), {'items': lambda self: 1})(a=1)", {"a": 1}),
        ("__import__('numpy').float64(1.5)", 1.5),
        ("(__import__('numpy').int64(3), __import__('numpy').bool_(True))", (3, True)),
    ],
)
def test_subclasses_are_reduced(sandbox: Sandbox, expression: str, value: Any) -> None:
    """Of a subclass only the plain value underneath counts, taken without its overrides."""
    outcome = only(sandbox, f"def f(): return {expression}")
    assert isinstance(outcome, Returned), outcome
    assert exact(wire.decode(outcome.data)) == exact(value)


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("object()", "builtins.object"),
        ("(x for x in [1])", "builtins.generator"),
        ("bytearray(b'a')", "builtins.bytearray"),
        ("[memoryview(b'a')]", "builtins.memoryview"),
        ("{1: iter([1])}", "builtins.list_iterator"),
        ("__import__('numpy').zeros(3, 'i4, f8')", "numpy.ndarray"),
        ("f", "builtins.function"),
        ("__import__('array').array('b', b'ab')", "array.array"),
    ],
)
def test_what_is_no_plain_value_is_named(sandbox: Sandbox, expression: str, name: str) -> None:
    """Any other object is unrepresentable, by the name of its type."""
    outcome = only(sandbox, f"def f(): return {expression}")
    assert isinstance(outcome, Unrepresentable)
    assert outcome.type == name


@pytest.mark.parametrize("kind", ["list", "tuple", "dict"])
def test_a_value_too_deep_or_endless_is_unrepresentable(sandbox: Sandbox, kind: str) -> None:
    """Neither a cycle nor boundless nesting reaches us as a value."""
    source = f"""
        def f(cycle):
            if cycle:
                value = [1]
                value.append(value if {kind!r} == "list" else ({{1: value}}))
                return value
            value = 0
            for _ in range(5000):
                value = {{"list": [value], "tuple": (value,), "dict": {{1: value}}}}[{kind!r}]
            return value
    """
    for outcome in run(sandbox, source, (False,), (True,)).outcomes:
        assert isinstance(outcome, Unrepresentable), outcome


@pytest.mark.parametrize(
    ("body", "kind", "message"),
    [
        ("raise ValueError('no')", "ValueError", "no"),
        ("return 1 / 0", "ZeroDivisionError", "division by zero"),
        ("import sys; sys.exit(0)", "SystemExit", "0"),
        ("exit()", "NameError", "name 'exit' is not defined"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", ""),
        ("raise GeneratorExit", "GeneratorExit", ""),
        ("assert False, 'x\\ny'", "AssertionError", "x\ny"),
        ("return g", "NameError", "name 'g' is not defined"),
        ("import evalplus_lite", "ModuleNotFoundError", "No module named 'evalplus_lite'"),
        ("return f(bad)", "RecursionError", None),
        ("return input()", "EOFError", None),
        ("raise type('E', (Exception,), {'__str__': lambda s: 1 / 0})", "E", None),
    ],
)
def test_exceptions_are_errors(sandbox: Sandbox, body: str, kind: str, message: str | None) -> None:
    """An exception is told by type, message and line, sys.exit among them; the next case runs."""
    first, second = run(
        sandbox, f"def f(bad):\n    if not bad: return 1\n    {body}\n", (True,), (False,)
    ).outcomes
    assert isinstance(first, Raised)
    assert (first.type, first.line) == (kind, 3)
    assert message is None or first.message == message
    assert isinstance(second, Returned)


@pytest.mark.parametrize(
    ("source", "kind", "line"),
    [
        ("def f(:\n", "SyntaxError", 1),
        ("x = 1\n  y = 2\n", "IndentationError", 2),
        ("import surely_not_installed\n", "ModuleNotFoundError", 1),
        ("def g(): pass\n", "NameError", None),
        ("", "NameError", None),
        ("def f(): pass\nraise SystemExit(0)\n", "SystemExit", 2),
        ("def f(): pass\nx = '\ud800'.encode()\n", "UnicodeEncodeError", None),
        ("x = 1\x00", "SyntaxError", None),
    ],
)
def test_a_program_that_does_not_load(
    sandbox: Sandbox, source: str, kind: str, line: int | None
) -> None:
    """What fails before the first case is an error of every case, and the run says so."""
    found = sandbox.run(Program(source, "f"), Inputs.of([(), ()]))
    assert found.load_failed
    first, second = found.outcomes
    assert isinstance(first, Raised)
    assert first == second
    assert first.type in (kind, "ValueError" if "\x00" in source else kind)
    if line is not None:
        assert first.line == line


def test_wrong_arguments_are_an_error(sandbox: Sandbox) -> None:
    """A function of other parameters, or no function at all, raises as Python does."""
    for source in ("def f(a, b): return a", "f = 5"):
        outcome = only(sandbox, source, 1)
        assert isinstance(outcome, Raised)
        assert outcome.type == "TypeError"


@pytest.mark.parametrize(
    ("body", "number", "code"),
    [
        ("import os; os._exit(0)", None, 0),
        ("import os; os._exit(7)", None, 7),
        ("import os; os.abort()", signal.SIGABRT, None),
        ("import os; os.kill(os.getpid(), 9)", signal.SIGKILL, None),
        ("import ctypes; ctypes.string_at(8)", signal.SIGSEGV, None),
    ],
)
def test_a_crash_names_its_case(
    sandbox: Sandbox, body: str, number: int | None, code: int | None
) -> None:
    """A process that ends is a crash of the case it was at, with its signal or exit status;
    quick answers given before it in the same process are not lost, and the rest is run."""
    source = f"def f(x):\n    if x != 2: return x\n    {body}\n"
    found = run(sandbox, source, *[(x,) for x in range(5)]).outcomes
    crash = found[2]
    assert isinstance(crash, Crashed)
    assert (crash.signal, crash.exit_code) == (number, code)
    assert crash.reason
    for x in (0, 1, 3, 4):
        outcome = found[x]
        assert isinstance(outcome, Returned)
        assert wire.decode(outcome.data) == x


def test_on_outcome_ends_a_run(sandbox: Sandbox) -> None:
    """Cases after the one for which it returned False are not run."""
    seen: list[int] = []

    def on_outcome(case: int, outcome: Outcome) -> bool:
        seen.append(case)
        return case < 2

    found = run(sandbox, "def f(x): return x", *[(x,) for x in range(6)], on_outcome=on_outcome)
    assert seen == [0, 1, 2]
    assert [outcome is None for outcome in found.outcomes] == [False] * 3 + [True] * 3


def test_no_cases(sandbox: Sandbox) -> None:
    """A program without cases has no outcomes, and has not failed."""
    found = run(sandbox, "def f(:")
    assert found.outcomes == ()
    assert not found.load_failed


def test_times_of_trusted_programs(sandbox: Sandbox) -> None:
    """With ``timed`` each answer says how many CPU seconds it took."""
    source = """
        import time
        def f(s):
            end = time.process_time() + s
            while time.process_time() < end: pass
    """
    found = run(sandbox, source, (0.0,), (0.2,), limits=Limits(cpu=5.0), timed=True)
    quick, slow = found.outcomes
    assert isinstance(quick, Returned)
    assert isinstance(slow, Returned)
    assert quick.cpu < 0.1 < 0.2 <= slow.cpu <= found.cpu
