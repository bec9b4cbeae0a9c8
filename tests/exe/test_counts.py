"""What counters written into a program count, and what they must not change."""

from __future__ import annotations

from typing import Any

import pytest
from support.mining import counted, mine_all

from evalplus_lite.exe.running.proof import Sandboxes
from evalplus_lite.exe.running.runs import CallableProgram, Invocation, run
from evalplus_lite.exe.statistics.counting import instrument
from evalplus_lite.exe.statistics.measures import variation


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
    (found,) = counted(sandboxes, code, 4)
    assert found["loop_iterations"] == 8
    assert (found["additions"], found["subtractions"], found["multiplications"]) == (3, 2, 2)
    assert (found["divisions"], found["powers"], found["conditionals"]) == (4, 4, 4 + 1)
    assert (found["user_calls"], found["builtin_calls"]) == (2, 4)
    assert found["calls"] == 6
    assert found["lines"] == 1 + (4 + 1) + 4 + 2 + 2 + 1 + 1 + 1
    assert found["library_lines"] == 0
    assert found["variables_declared"] == 4 + 1  # x, total, i, squares of f; n of helper


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
    plain = run(sandboxes.plain, CallableProgram("f", code), calls)
    quiet = """
class Q:
    def __getattr__(s, n): return lambda *a: a[-1]
    def each(s, arm, items, *names): return items
    def called(s, place): return {}
    def joined(s, *a): return "".join(a)
    def shown(s, v, c, f): return format({115: str, 114: repr, 97: ascii}.get(c, lambda x: x)(v), f)
_count = Q()
"""
    head, _, rest = written.code.partition("\n")
    others = run(sandboxes.plain, CallableProgram("f", f"{head}\n{quiet}{rest}"), calls)
    assert [a.key for a in plain.answers] == [a.key for a in others.answers]
    assert any(a.kind == "error" for a in plain.answers)


COUNTS = {
    "operators on text and collections are no arithmetic": (
        """def f(x):
    text = "%d-%s" % (x, "a" * 2) + "z"
    text += "!"
    row = [x]
    row *= 3
    odd = {1} | {x}
    left = x % 3
    left += x | 1
    return text, row, odd, left
""",
        {
            "container_operations": 6,
            "divisions": 1,
            "additions": 1,
            "bit_operations": 1,
            "multiplications": 0,
        },
    ),
    "what stands in f strings is counted": (
        """def g(x):
    return x - 1
def f(x):
    return f"{g(x) * 2:>{x + 1}} {g(x)!r} {x=}"
""",
        {"user_calls": 2, "subtractions": 2, "multiplications": 1, "additions": 1},
    ),
    "calls of cached partial and enumerated things are the programs own": (
        """import enum, functools
class Color(enum.Enum):
    RED = 1
@functools.lru_cache
def slow(x):
    return x
class Box:
    @functools.lru_cache
    def held(self, x):
        return x
    def __call__(self):
        return 1
def f(x):
    half = functools.partial(slow, x)
    box = Box()
    return half(), slow(x), Color(1).name, box.held(x), box(), len("abc")
""",
        {"user_calls": 6, "builtin_calls": 2},
    ),
    "conditionals and loop heads are counted each time": (
        """def f(x):
    while x:
        x -= 1
    for i in "ab":
        if i == "a": continue
        break
    try:
        return [n for n in range(3) if n][9]
    except KeyError:
        return 0
    except IndexError:
        match x:
            case 0:
                return 1
""",
        {"conditionals": 5 + 2 + 3 + 1, "lines": (5 + 4) + (2 + 2 + 1) + (1 + 1 + 2) + (1 + 1 + 1)},
    ),
    "a loop whose test raises has begun": (
        """def f(x):
    row = [x, 0]
    while x and row[x] == 0:
        x -= 1
""",
        {"lines": 2, "conditionals": 0},
    ),
    "only variables are variables and each function has its own": (
        """import math
LIMIT = 3
def g(x):
    n = x
    return n
def f(x, unused=1):
    n = g(x) + len("a") + math.floor(1.5) + LIMIT
    late = lambda k: k + n
    return late(n)
""",
        {"variables_declared": 2 + 4 + 1},  # x, n; x, unused, n, late; k
    ),
    "what patterns bind is a variable and their guards are tests": (
        """def f(x):
    match [x, {"a": 1}]:
        case [low, _] if low > 9:
            return low
        case [number, {**rest}] as whole if number and (limit := 3):
            return number + limit
        case [*others]:
            return 0
""",
        {
            "conditionals": 1 + 2,
            "variables_declared": 1 + 1 + 3 + 1,  # x; low; number, rest, whole; limit
        },
    ),
    # As where an argument raises; generators that wait within a call disturb no other's count.
    "a call that is never made does not count": (
        """def g(*a, **k):
    return a
def waiting():
    g((yield 1), x=2)
    yield 3
def f(x):
    one = waiting()
    g(next(one), *g(g(x)[0]))
    try:
        g(g(x), y=len(x))
    except TypeError:
        pass
    try:
        g(*[1 / n for n in (1, 0)])
    except ZeroDivisionError:
        pass
    g(one.send(4))
    return g(x, **{"y": 1}, z=x)
""",
        {
            # waiting; g thrice on one line; the g inside that is never called, but its own; g in
            # the generator; two more.
            "user_calls": 1 + 3 + 1 + 1 + 2,
            "builtin_calls": 1 + 1 + 1,  # next, len, which raises itself, send
        },
    ),
    # What they bind are attributes; the methods see the function's variables, not these.
    "statements of a class in a function are lines": (
        """def f(x):
    y = 1
    class Box:
        '''Doc.'''
        y = x
        if y:
            z = [n for n in range(y)]
        def get(self):
            return y
    return Box().get()
""",
        {
            "lines": 2 + 4 + 1 + 1,  # y, class; y, if, z, def; return, return
            "variables_declared": 3 + 1,  # x, y, Box; self
        },
    ),
    "names are variables once they hold a value": (
        """def f(x):
    none = [a + b for a in () for b in x]
    for c in []:
        c += 1
    some = {d: e for d in "ab" for e in [x, 0] if e}
    lazy = (g for g in [x])
    total = 0
    total += x
    return none, some
""",
        {
            # x, none, some, lazy, total: not c, and none of the comprehensions'
            "variables_declared": 5
        },
    ),
    # As the interpreter's trace has them, docstrings left out.
    "declarations are no lines and constants are": (
        """def f(x):
    '''Doc.'''
    global later
    y: int
    if x:
        "text"
        ...
    3
    class Kept:
        z: int
    return x
""",
        {"lines": 1 + 2 + 1 + 2 + 1},
    ),
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts_are_those_of_the_text(sandboxes: Sandboxes, name: str) -> None:
    code, wanted = COUNTS[name]
    (found,) = counted(sandboxes, f"from __future__ import annotations\n{code}", 4)
    assert {counter: found[counter] for counter in wanted} == wanted


def test_case_lines_that_are_tried_are_lines(sandboxes: Sandboxes) -> None:
    """As the interpreter's own trace has them on each version: also where no case is taken."""
    code = """def f(x):
    match x:
        case 1:
            return "a"
        case int() if x > 5:
            return "b"
        case [a, b]: return a
        case "s" | "t":
            pass
        case _:
            return "c"
    return "d"
"""
    values = {1: 3, 7: 4, 3: 7, (1, 2): 4, "s": 7, None: 7}
    short = code.replace('        case _:\n            return "c"\n', "")
    for text, wanted in ((code, values), (short, {**values, 3: 6, None: 6})):
        found = counted(sandboxes, text, *wanted)
        assert [each["lines"] for each in found] == list(wanted.values())


def test_variation_is_deviation_over_mean() -> None:
    """The coefficient of variation is the population's, per statistic."""
    assert variation([{"a": 1, "b": 0}, {"a": 3, "b": 0}]) == {"a": 0.5, "b": 0.0}


def test_cached_functions_are_counted_each_time_afresh(toys: Any, sandboxes: Any) -> None:
    """Also where the function that is called is cached itself; no case warms another's cache."""
    body = """
import functools

@functools.lru_cache(maxsize=None)
def steps(n: int) -> int:
    return n if n < 2 else steps(n - 1) + steps(n - 2)
"""
    tasks, _ = mine_all(toys.wheel({"toy.py": body}), sandboxes, rounds=2)
    (task,) = tasks
    runs = {case.call.args[0]: case.runtime for case in task.cases if not case.answer.type}
    assert runs
    for n, runtime in runs.items():
        assert runtime["lines"] == (n + 1 if n >= 2 else 1), n


def test_what_raises_before_it_begins_is_as_it_was(sandboxes: Sandboxes) -> None:
    """Arguments that are no mapping, what cannot be looped over, and a name of ours."""
    code = """def g(*a, **k):
    return a
def f(x):
    found = []
    for attempt in (lambda: g(**x), lambda: (i for i in x), lambda: [i for i in x]):
        try:
            attempt()
        except TypeError as error:
            found.append(str(error)[-20:])
    return found
"""
    # Only the end of a message: some interpreters name the module in front, and that is no answer.
    calls = [Invocation((3,)), Invocation(({"a": 1},))]
    pure = run(sandboxes.plain, CallableProgram("f", code), calls).answers
    assert [len(each.value) for each in pure] == [3, 0]
    # g is called where its arguments are some; and str and append for each error.
    found = counted(sandboxes, code, 3, {"a": 1})
    assert [(each["user_calls"], each["builtin_calls"]) for each in found] == [(3, 6), (4, 0)]
    assert instrument("def _count(x):\n    return x\n") is None
    assert instrument("def f(_count):\n    return _count\n") is None
