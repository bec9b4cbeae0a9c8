"""What counters written into a program count, and what they must not change."""

from __future__ import annotations

from typing import Any

from support.mining import ONE

from evalplus_lite.mining.running.proof import Sandboxes
from evalplus_lite.mining.running.runs import CallableProgram, Invocation, run
from evalplus_lite.mining.running.runs import count as run_counters
from evalplus_lite.mining.statistics.runtime import COUNTERS, instrument, variation


def test_counters_count_what_runs(sandboxes: Sandboxes) -> None:
    """Loops, arithmetic, conditionals, lines and calls are counted exactly, loading left out."""
    code = """from __future__ import annotations
import textwrap
TABLE = [i * 2 for i in range(100)]
def helper(n):
    return n - 1
def f(x):
    total = 0
    for i in range(x):
        if i % 2:
            total += helper(i) * 2
    while total > 100:
        total = total / 10
    squares = [n ** 2 for n in range(x)]
    return len(squares) + int(total)
"""
    written = instrument(code)
    assert written is not None
    subject = CallableProgram("f", ONE, written)
    (found,) = run_counters(sandboxes.plain, subject, [Invocation((4,))], COUNTERS)
    assert found is not None
    assert found["loop_iterations"] == 8
    assert (found["additions"], found["subtractions"], found["multiplications"]) == (3, 2, 2)
    assert (found["divisions"], found["powers"], found["conditionals"]) == (4, 4, 4 + 1)
    assert (found["user_calls"], found["builtin_calls"]) == (2, 4)
    assert found["calls"] == 6
    assert found["lines"] == 1 + (4 + 1) + 4 + 2 + 2 + 1 + 1 + 1
    assert found["library_lines"] == 0
    # x, total, i, squares, n of f; n of helper
    assert (found["variables_declared"], found["variables_used"]) == (6, 6)


def test_instrumented_code_answers_the_same(toys: Any, sandboxes: Sandboxes) -> None:
    """Counters change no answer, on code with every kind of statement."""
    code = '''from __future__ import annotations
class A:
    """Doc."""
    def __init__(self): self.v = [1]
    def __iter__(self):
        yield from self.v
    def up(self, n): return super().__hash__() * 0 + n
def deco(fn):
    def inner(*a, **k):
        return fn(*a, **k)
    return inner
@deco
def f(x):
    """Doc."""
    global G
    G = x
    def rec(n):
        nonlocal_ = n
        return 1 if n <= 0 else rec(n - 1) + 1
    try:
        out = {k: v for k, v in zip("ab", (x, -x)) if k}
        with memoryview(b"abc") as m:
            out["m"] = m[0]
        match x:
            case 1: out["c"] = "one"
            case int() if x > 5: out["c"] = f"{x:>{3}} {'big'}"
            case _: out["c"] = [*A()]
        for i, j in enumerate("xy"):
            if i: continue
            out[j] = A().up(i)
        else:
            out["else"] = (y := 5) + y
        assert x != 3, "three"
        del i
        return [out, rec(3), sum(n for n in range(3)), lambda: 0][:3]
    except ZeroDivisionError as error:
        raise ValueError("no") from error
    finally:
        x += 1
'''
    written = instrument(code)
    assert written is not None
    calls = [Invocation((n,)) for n in (0, 1, 3, 7)]
    plain = run(sandboxes.plain, CallableProgram("f", ONE, code), calls)
    quiet = """
class Q:
    def __getattr__(s, n): return lambda *a: a[-1]
    def joined(s, *a): return "".join(a)
    def shown(s, v, c, f): return format({115: str, 114: repr, 97: ascii}.get(c, lambda x: x)(v), f)
_count = Q()
"""
    head, _, rest = written.partition("\n")
    counted = run(sandboxes.plain, CallableProgram("f", ONE, f"{head}\n{quiet}{rest}"), calls)
    assert [a.key for a in plain.answers] == [a.key for a in counted.answers]
    assert any(a.kind == "error" for a in plain.answers)


def test_variation_is_deviation_over_mean() -> None:
    """The coefficient of variation is the population's, per statistic."""
    assert variation([{"a": 1, "b": 0}, {"a": 3, "b": 0}]) == {"a": 0.5, "b": 0.0}
