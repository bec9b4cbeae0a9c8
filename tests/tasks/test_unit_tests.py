"""Unit tests as cases: nothing that they expect is where a program runs, and all of it counts."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest
from support.tasks import own_task

from evalplus_lite.errors import InputError
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.grading.oracle import Answers, answer
from evalplus_lite.sandbox import PRESETS, Limits, Sandbox
from evalplus_lite.tasks.unit_tests import divided, having_tests
from evalplus_lite.types import Task

BANK = """
    class Bank:
        def __init__(self):
            self.total = 0
            self.notes = {}
        def put(self, amount):
            if amount < 0:
                raise ValueError(f"negative: {amount}")
            self.total += amount
            return self.total
        def share(self, n):
            return self.total / n
        def copy(self):
            other = Bank()
            other.total = self.total
            return other
        def __eq__(self, other):
            return isinstance(other, Bank) and self.total == other.total
"""
TESTS = """
    import random
    import unittest

    class BankTest(unittest.TestCase):
        def setUp(self):
            self.bank = Bank()

        def test_put(self):
            "says 7351 nowhere else"
            expected = 7351
            self.assertEqual(self.bank.put(7351), expected)
            self.assertIsInstance(self.bank, Bank)
            self.assertFalse(self.bank.notes)

        def test_share(self):
            self.bank.put(1)
            self.assertAlmostEqual(self.bank.share(3), 0.33333, places=4)
            self.assertTrue(self.bank.share(4) == 0.25)
            self.assertIn(self.bank.total, [1, 2])
            assert self.bank.total != 5

        def test_refusal(self):
            with self.assertRaisesRegex(ValueError, "negative"):
                self.bank.put(-1)
            self.assertRaises(ZeroDivisionError, self.bank.share, 0)

        def test_objects(self):
            self.assertEqual(self.bank.copy(), self.bank)
            self.assertIsNot(self.bank.copy(), self.bank)

        def test_random(self):
            self.bank.put(random.random())
            self.assertLess(self.bank.total, 1)

        def test_wrong(self):
            self.assertEqual(self.bank.put(2), 3)
"""


def task_of(tests: str = TESTS, reference: str = BANK) -> Task:
    return having_tests(Task("t", "", "Bank", textwrap.dedent(reference)), textwrap.dedent(tests))


def answered(sandbox: Sandbox, task: Task) -> Answers:
    return answer(sandbox, task, task.base, base_count=len(task.base), limits=Limits())


def test_what_is_divided() -> None:
    """What is expected is in the check alone, as in the source; skipped tests are nowhere."""
    text = """
        import unittest
        from unittest import skip
        class T(unittest.TestCase):
            def test_a(self):
                self.assertEqual(f(1), 2)
            @unittest.skip("later")
            def test_b(self):
                self.assertEqual(f(2), 99)
            @skip("later")
            def test_c(self):
                self.assertEqual(f(3), 99)
        @unittest.skip("later")
        class U(unittest.TestCase):
            def test_d(self):
                self.assertEqual(f(4), 99)
    """
    tests = divided(textwrap.dedent(text))
    assert tests.names == (("T", "test_a"),)
    assert "99" not in tests.check
    tests = divided(textwrap.dedent(TESTS))
    assert len(tests.names) == 6
    for expected in ("0.3333", "0.25", "[1, 2]", "negative", "ZeroDivision", "expected"):
        assert expected not in tests.text
        assert expected in tests.check or expected == "expected"
    assert tests.text.count("7351") == 1
    assert tests.inside == {("BankTest", "test_objects")}
    tests = "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        {}\n"
    for text in ("{'b', 'a', 'c'}", "{'c', 'a', 'b'}"):
        assert text in divided(tests.format(f"self.assertEqual(f({text}), 1e999)")).check
    tests = """
        import unittest
        class T(unittest.TestCase):
            def test(self):
                self.assertEqual(f(50), 2)
                self.assertEqual(f(60), 3)
    """
    assert "{('T', 'test'): [50, 60]}" in divided(textwrap.dedent(tests)).check


def test_wrong_classes_fail(sandbox: Sandbox) -> None:
    """Each by the assertion about it; a test that the reference fails is dropped."""
    found = answered(sandbox, task_of())
    assert [(drop.cause, drop.case.arguments[1]) for drop in found.dropped] == [
        ("test", "test_wrong")
    ]
    assert len(found.suite.cases) == 5
    task = task_of()
    prepared = PreparedSuite.of(task, answered(sandbox, task).suite, PRESETS["default"])
    assert evaluate_program(sandbox, prepared, task.reference + "\n# again").passed
    for right, wrong in WRONG.items():
        assert right in task.reference
        program = task.reference.replace(right, wrong)
        assert not evaluate_program(sandbox, prepared, program).passed, wrong


WRONG = {
    "total += amount": "total += amount + 1",
    "ValueError": "TypeError",
    "f'negative: {amount}'".replace("'", '"'): '"no"',
    "self.total / n": "self.total // max(n, 1)",
    "return isinstance(other, Bank) and": "return not",
    "self.notes = {}": "self.notes = {1: 1}",
}


def test_own_tasks_have_tests(tmp_path: Path) -> None:
    """A row's tests are its cases; what is no test is refused with its line."""
    row: dict[str, Any] = {
        "id": "own/0",
        "prompt": "",
        "entry_point": "Bank",
        "harness": "unittest",
        "reference": textwrap.dedent(BANK),
        "tests": textwrap.dedent(TESTS),
    }
    task = own_task(tmp_path, **row)
    assert len(task.base) == 6
    with pytest.raises(InputError, match="test"):
        own_task(tmp_path, **(row | {"tests": "x = 1"}))
