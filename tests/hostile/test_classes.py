"""Hostile classes: driven by calls, or by unit tests, none passes without the right answers."""

from __future__ import annotations

import textwrap

import pytest

from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.sandbox import Expected, Inputs, Limits, Sandbox
from evalplus_lite.tasks.unit_tests import having_tests
from evalplus_lite.types import Case, Harness, Suite, Task
from evalplus_lite.values import wire

RIGHT = """
class Stack:
    def __init__(self):
        self.items = []
    def push(self, item):
        self.items.append(item)
        return len(self.items)
    def top(self):
        return self.items[-1] + len(self.items)
"""
TESTS = """
import unittest

class StackTest(unittest.TestCase):
    def test_push(self):
        stack = Stack()
        self.assertEqual(stack.push(5), 1)
        self.assertTrue(stack.push(5) == 2)

    def test_top(self):
        stack = Stack()
        stack.push(7)
        self.assertEqual(stack.top(), 8)
        with self.assertRaises(IndexError):
            Stack().top()
"""
BASES = ["IndexError", "LookupError", "Exception", "BaseException", "object"]
BASES = ["builtins." + each for each in BASES]
SEEN = [[[0, 1], [1, 2]], [[2, 8], [3, [BASES, "list index out of range"]]]]
CALLS = [(["Stack"], ["push", 5], ["push", 5]), (["Stack"], ["push", 7], ["top"], ["items"])]
GIVEN = [[None, 1, 2], [None, 1, 8, [7]]]
LIMITS = Limits(cpu=1.0, load=3.0, wait=2.0, memory=256 << 20)

CHEATS = {
    "assertions that do nothing": """
        import unittest
        for name in dir(unittest.TestCase):
            if name.startswith("assert"):
                setattr(unittest.TestCase, name, lambda *a, **k: None)
    """,
    "another unittest": """
        import sys, types
        fake = types.ModuleType("unittest")
        class TestCase:
            def __init__(self, name=""): pass
            def __getattr__(self, name): return lambda *a, **k: None
            setUpClass = tearDownClass = doClassCleanups = classmethod(lambda *a: None)
        fake.TestCase = TestCase
        sys.modules["unittest"] = fake
    """,
    "an exit within a call": """
        import os
        class Stack:
            def push(self, item): os._exit(0)
            top = push
    """,
    "an exit by exception": """
        class Stack:
            def push(self, item): raise SystemExit(0)
            top = push
    """,
    "a report that all went well": """
        import sys
        print("OK", file=sys.stderr)
        print("Ran 2 tests in 0.000s\\n\\nOK")
        class Stack: pass
    """,
    "equal to everything": """
        class Any(int):
            __eq__ = lambda *a: True
            __hash__ = int.__hash__
            __bool__ = lambda *a: True
        class Stack:
            items = Any()
            push = top = lambda *a: Any()
    """,
    "equal containers": """
        class Any(list):
            __eq__ = lambda *a: True
            __deepcopy__ = lambda self, memo: self
        class Stack:
            items = Any()
            push = top = lambda *a: Any()
    """,
    "a copy that answers": """
        import copy
        copy.deepcopy = lambda value, memo=None: type("T", (), {"__eq__": lambda *a: True})()
        class Stack:
            items, push, top = [], lambda *a: 1, lambda *a: 1
    """,
    "what sees is replaced": """
        import sys
        class Stack:
            def __init__(self):
                frame = sys._getframe()
                while frame:
                    for names in (frame.f_globals, frame.f_locals):
                        for name in ("__seen__", "__raising__", "__deciding__", "shown", "plain"):
                            if name in names:
                                names[name] = lambda *a, **k: None
                    frame = frame.f_back
            push = top = lambda *a: 1
    """,
    "records are made up": """
        import gc
        class Stack:
            def __init__(self):
                for each in gc.get_objects():
                    if type(each).__name__ == "Tested":
                        each.seen = [[n, True] for n in range(4)]
                    if type(each).__name__ == "Sequenced":
                        type(each).__call__ = lambda *a: [None, 1, 1]
            push = top = lambda *a: True
    """,
    "look for what is expected": """
        import gc, sys
        class Stack:
            def __init__(self): self.n = 0
            def push(self, item):
                for each in gc.get_objects():
                    if type(each) is list and len(each) > 2 and each[:2] == [None, 1]:
                        return each[2]
                return 0
            top = push
    """,
    "forge frames on every descriptor": """
        import os, struct
        class Stack:
            def __init__(self):
                record = struct.pack("<cI", b"V", 1) + b"T"
                frame = struct.pack("<cIII", b"B", 0, 2, len(record) * 2) + record * 2
                for number in range(3, 64):
                    try:
                        os.write(number, frame)
                    except OSError:
                        pass
            push = top = lambda *a: True
    """,
    "another name": "class Stack:\n    push = top = lambda *a: None\nStack.__name__ = 'push'",
    "a metaclass": """
        class Meta(type):
            def __call__(cls, *a): return cls
            def __getattr__(cls, name): return lambda *a: True
        class Stack(metaclass=Meta): pass
    """,
    "no end": "class Stack:\n    def push(self, item):\n        while True: pass\n    top = push",
}


def prepared(kind: str) -> PreparedSuite:
    task = Task("t", "", "Stack", RIGHT, harness=Harness("sequence"))
    cases, expected = [Case(calls) for calls in CALLS], GIVEN
    if kind == "unittest":
        task = having_tests(task, TESTS)
        cases, expected = list(task.base), SEEN
    shown = tuple(map(wire.encode, expected))
    blobs = shown
    if kind == "unittest":
        blobs = tuple(
            wire.encode({"saw": saw, "known": [[], []], "ordered": True, "weak": False})
            for saw in expected
        )
    suite = Suite("t", tuple(cases), blobs, len(cases))
    inputs = Inputs.of(case.arguments for case in cases)
    return PreparedSuite(task, suite, inputs, Expected.of(shown), LIMITS)


SUITES = {kind: prepared(kind) for kind in ("sequence", "unittest")}


@pytest.mark.parametrize("kind", SUITES)
@pytest.mark.parametrize("cheat", CHEATS)
def test_a_cheat_fails(sandbox: Sandbox, kind: str, cheat: str) -> None:
    """Alone, and no case of it passes; what it leaves spoils no right class after it."""
    source = textwrap.dedent(CHEATS[cheat])
    if "class Stack" not in source:  # it patches what surrounds a class that is wrong
        source += RIGHT.replace("+ len(self.items)", "")
    found = evaluate_program(sandbox, SUITES[kind], source, details=True)
    assert found.base != "pass", found
    assert found.details is not None
    assert found.details[1] != "pass"
    assert evaluate_program(sandbox, SUITES[kind], RIGHT).passed
