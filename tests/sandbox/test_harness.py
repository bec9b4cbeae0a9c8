"""Each way to invoke a program, and each thing to observe, on real programs in the sandbox."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.sandbox.steps import count
from evalplus_lite.types import Crashed, Harness, OutOfMemory, Raised, Returned, Task, TimedOut
from evalplus_lite.values import wire


def answers(sandbox: Sandbox, source: str, name: str, harness: Harness, *cases: Any) -> list[Any]:
    """Return what a program answers on each case: a value, or the outcome that is none."""
    task = Task("t", "", name, textwrap.dedent(source), harness=harness)
    run = sandbox.run(Program.of(task), Inputs.of(cases), Limits(cpu=2.0))
    return [
        wire.decode(outcome.data) if isinstance(outcome, Returned) else outcome
        for outcome in run.outcomes
    ]


STACK = """
    class Stack:
        def __init__(self, items=()):
            self.items = list(items)
        def push(self, item):
            self.items.append(item)
            return self
        def pop(self):
            return self.items.pop()
"""
SCRIPTS = {
    "import sys\nn = int(input())\nprint(sum(map(int, sys.stdin.read().split())))": "6\n",
    "import os\nprint(len(os.read(0, 100)))": "8\n",
    "import os, sys\nos.write(1, b'by number')\nos._exit(0)": "by number",
    "import sys\nif __name__ == '__main__': sys.stdout.buffer.write(b'bytes'); exit()": "bytes",
    "import threading\nt = threading.Thread(target=lambda: print('late'))\nt.start()": "late\n",
    "import atexit\natexit.register(print, 'last')": "last\n",
    "print(open(0).read(), end='')": "3\n1 2 3\n",
}


@pytest.mark.parametrize(("source", "printed"), SCRIPTS.items())
def test_a_script_reads_and_prints(sandbox: Sandbox, source: str, printed: str) -> None:
    """However it reads its input and writes its output, on each case anew."""
    found = answers(sandbox, source, "", Harness("script"), ("3\n1 2 3\n",), ("3\n1 2 3\n",))
    assert found == [printed, printed]


def test_a_script_that_fails(sandbox: Sandbox) -> None:
    """An exception and another exit status than 0 are no answer, whatever was printed."""
    source = "x = int(input())\nprint(x)\nif x: raise SystemExit(x)\n"
    fine, left, broken = answers(sandbox, source, "", Harness("script"), ("0",), ("3",), ("?",))
    assert fine == "0\n"
    assert isinstance(left, Raised)
    assert "3" in left.message
    assert isinstance(broken, Raised)
    assert broken.type == "ValueError"


def test_a_script_keeps_nothing(sandbox: Sandbox) -> None:
    """What one case leaves in the module or on the streams, the next does not see."""
    source = """
        import sys
        try:
            seen += 1
        except NameError:
            seen = 0
        print(seen, sys.stdin.readline(), sys.getrecursionlimit())
        sys.setrecursionlimit(5000)
    """
    found = answers(sandbox, source, "", Harness("script"), ("a\nb\n",), ("c",))
    assert [line.split()[:2] for line in found] == [["0", "a"], ["0", "c"]]
    assert len({line.split()[-1] for line in found}) == 1


def test_a_script_is_stopped_and_counted(sandbox: Sandbox) -> None:
    """Time is bounded case by case, and steps are counted as a function's are."""
    source = "n = int(input())\nwhile n != 0: n -= 1\nprint('end')"
    fine, late, again = answers(sandbox, source, "", Harness("script"), ("5",), ("-1",), ("7",))
    assert (fine, again) == ("end\n", "end\n")
    assert isinstance(late, TimedOut)
    program = Program.of(Task("t", "", "", source, harness=Harness("script")))
    few, more = count(sandbox, program, Inputs.of([("10",), ("1000",)]), Limits(), most=10_000)
    assert few is not None
    assert more is not None
    assert 10 <= few < 100 < 900 < more < 5000


def test_a_method(sandbox: Sandbox) -> None:
    """An object is made for each case."""
    assert answers(
        sandbox, STACK, "Stack.pop", Harness("method", constructed=True), ([[1, 2]],)
    ) == [2]
    source = "class Solution:\n    def twice(self, x): return 2 * x"
    assert answers(sandbox, source, "Solution.twice", Harness("method"), (3,)) == [6]


def test_a_sequence_of_calls(sandbox: Sandbox) -> None:
    """What each call gave, a constructor's first where it is named; attributes are read."""
    calls = (["Stack", [1]], ["push", 2], ["items"], ["pop"]), (["push", 5], ["pop"])
    found = answers(sandbox, STACK, "Stack", Harness("sequence"), *calls)
    assert found == [[None, "self", [1, 2], 2], ["self", 5]]
    raising = Harness("sequence", observe=("value", "exception"))
    assert answers(sandbox, STACK, "Stack", raising, (["pop"], ["items"])) == [
        [{"raised": "IndexError"}, []]
    ]


def test_an_expression(sandbox: Sandbox) -> None:
    """Evaluated among the program's names."""
    found = answers(sandbox, "def f(x): return x + 1", "", Harness("assertions"), ("f(1) + f(2)",))
    assert found == [5]


def test_what_is_observed(sandbox: Sandbox) -> None:
    """One thing as it is, several by name; what is raised is an answer if that is observed."""
    source = """
        def f(items):
            print(len(items))
            items.sort()
            if not items: raise ValueError("empty")
            return items[0]
    """
    cases = ([2, 1],), ([],)

    def seen(*observe: Any) -> list[Any]:
        return answers(sandbox, source, "f", Harness(observe=observe), *cases)

    assert seen("arguments")[0] == [[1, 2]]
    assert seen("printed")[0] == "2\n"
    assert seen("value", "arguments")[0] == {"value": 1, "arguments": [[1, 2]]}
    assert seen("value", "exception") == [1, {"raised": "ValueError"}]
    assert seen("exception", "message")[1] == {"raised": ["ValueError", "empty"]}
    assert isinstance(seen("value")[1], Raised)


def test_iterators_and_coroutines(sandbox: Sandbox) -> None:
    """The first items of what is endless; what an async function gives once it is awaited."""
    endless = "def f(n):\n    while True:\n        yield n\n        n += 1"
    assert answers(sandbox, endless, "f", Harness(items=3), (4,)) == [[4, 5, 6]]
    later = "import asyncio\nasync def f(n):\n    await asyncio.sleep(0)\n    return n"
    assert answers(sandbox, later, "f", Harness(awaited=True), (4,)) == [4]
    several = "async def f(n):\n    for i in range(n):\n        yield i"
    assert answers(sandbox, several, "f", Harness(items=3), (4,)) == [[0, 1, 2]]


def test_functions_that_are_returned_and_given(sandbox: Sandbox) -> None:
    """Code is given as text, anew for each case; what a returned function gives is compared."""
    adds = "def f(by): return lambda x: by(x)"
    count = "n = 0\ndef count(x):\n    global n\n    n += x\n    return n"
    harness = Harness("factory", code=(0,))
    cases = ([count], [2], [3]), (["abs"], [-1]), (["lambda x: x"],), (["lambda"], [1])
    *fine, broken = answers(sandbox, adds, "f", harness, *cases)
    assert fine == [[2, 5], [1], []]
    assert isinstance(broken, Raised)
    assert broken.type == "SyntaxError"
    named = "def f(a, /, *, b=0): return [a, b]"
    cases = (1, {"b": 2}), (1, {}), (1, {"c": 2})
    *fine, broken = answers(sandbox, named, "f", Harness(keywords=True), *cases)
    assert fine == [[1, 2], [1, 0]]
    assert isinstance(broken, Raised)


def test_exceptions_by_name(sandbox: Sandbox) -> None:
    """What derives from one of the names is told by it; anything else is an error."""
    source = """
        class Own(KeyError, ValueError): pass
        def f(n): raise [ValueError, UnicodeError, Own, IndexError, MemoryError, SystemExit][n]
    """
    harness = Harness(observe=("exception",), exceptions=("ValueError", "KeyError"))
    found = answers(sandbox, source, "f", harness, *((n,) for n in range(6)))
    assert found[:3] == [{"raised": "ValueError"}] * 3
    assert not any(isinstance(each, dict) for each in found[3:])


def test_objects_by_their_attributes(sandbox: Sandbox) -> None:
    """Objects, and objects within, by what they have of the names; none that holds itself."""
    source = """
        class A:
            def __init__(self, x): self.x = x
            def size(self): return len(self.x)
        def f(n):
            a = A([])
            a.y = n
            if n > 1: a.x.append(a)
            return {"a": [a, n, (A("ab"),)]}
    """
    harness = Harness(attributes=("x", "size", "y"))
    fine, broken = answers(sandbox, source, "f", harness, (1,), (2,))
    first, second = {"x": [], "size": 0, "y": 1}, {"x": "ab", "size": 2}
    assert fine == {"a": [{"attributes": first}, 1, ({"attributes": second},)]}
    assert isinstance(broken, Raised)


def test_what_is_printed_by_any_way(sandbox: Sandbox) -> None:
    """By name, by a stream kept on loading or by number; nothing of loading or of other cases."""
    source = """
        import os, sys
        print("loading")
        write = sys.stdout.write
        def f(n):
            if n == 0: os.close(1)
            if n == 1: print("one")
            if n == 2: write("two")
            if n == 3: os.write(1, b"three")
            if n == 4: sys.stdout = None
    """
    cases = [(n,) for n in (1, 2, 3, 0, 1, 4, 2)]
    found = answers(sandbox, source, "f", Harness(observe=("printed",)), *cases)
    assert found[:3] == ["one\n", "two", "three"]
    assert found[4:] == ["one\n", "", "two"]


HOSTILE = {
    "prints without end": (
        "def f(n):\n    while True: print('x' * 10000)",
        {"observe": ["printed"]},
    ),
    "objects without end": (
        "class A:\n    def __getattr__(self, name): return A()\ndef f(n): return A()",
        {"attributes": ["x"]},
    ),
    "exceptions that hide what they are": (
        "class M(type):\n    @property\n    def __mro__(self): return 1 / 0\n"
        "class E(Exception, metaclass=M): pass\ndef f(n): raise E",
        {"observe": ["exception"], "exceptions": ["ValueError"]},
    ),
    "closed files": (
        "import os\ndef f(n):\n    os.closerange(1, 64)",
        {"observe": ["printed"]},
    ),
}


@pytest.mark.parametrize(("source", "row"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_programs_give_no_answer(
    sandbox: Sandbox, source: str, row: dict[str, Any]
) -> None:
    """What would never end to be observed, or breaks what observes it, ends within the limits."""
    (found,) = answers(sandbox, source, "f", Harness.of(row), (1,))
    assert isinstance(found, Raised | Crashed | TimedOut | OutOfMemory)


@pytest.mark.parametrize(
    "source",
    [
        "out = open(1, 'w')\nout.write(input())\n",
        "text = open(0)\nprint(text.read(), end='')\n",
        "import sys\nread, write = sys.stdin, sys.stdout\nwrite.write(read.read())\n",
        "import os\ntext = open(0)\nprint(text.read(), end='', flush=True)\nos._exit(0)\n",
        "import sys\nprint(input(), end='')\ndel sys.modules['__main__']\n",
    ],
)
def test_a_script_may_leave_a_file_open(sandbox: Sandbox, source: str) -> None:
    """It is written out as the script ends, and the next case has streams of its own."""
    assert answers(sandbox, source, "", Harness("script"), ("a",), ("b",)) == ["a", "b"]


def test_a_class_under_another_name(sandbox: Sandbox) -> None:
    """A sequence names the class as the task does; static methods may be inherited."""
    source = """
        class Base:
            @staticmethod
            def double(number):
                return 2 * number
        class Implementation(Base):
            def __init__(self, start):
                self.start = start
            def first(self):
                return self.start
        Stack = Implementation
    """
    cases = [(["Stack", 3], ["first"]), (["double", 4],)]
    assert answers(sandbox, source, "Stack", Harness("sequence"), *cases) == [[None, 3], [8]]
