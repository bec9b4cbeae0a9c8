"""Classes driven by calls: read off unit tests, new ones made, the shortest that fails."""

from __future__ import annotations

import textwrap

import pytest

from evalplus_lite.generate.engine.call_sequences import KnownUse
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.jobs.augmented_task import Budget, augment_task, in_sequences
from evalplus_lite.jobs.minimize import Shrinker
from evalplus_lite.sandbox import PRESETS, Sandbox
from evalplus_lite.tasks.call_sequences import with_sequences
from evalplus_lite.tasks.unit_tests import having_tests
from evalplus_lite.types import Case, Suite, Task
from evalplus_lite.values import wire

QUEUE = """
    class Queue:
        def __init__(self, room=3):
            self.room, self.items = room, []
        def put(self, item, times=1):
            for _ in range(times):
                if len(self.items) == self.room:
                    self.items.pop(0)
                self.items.append(item)
            return self
        def take(self):
            if not self.items:
                raise LookupError("empty")
            return self.items.pop(0)
"""
TESTS = """
    import unittest

    class QueueTest(unittest.TestCase):
        def setUp(self):
            self.queue = Queue(2)

        def test_take(self):
            item = "a"
            self.queue.put(item)
            self.queue.put(times=2, item="b")
            self.assertEqual(self.queue.take(), "b")
            self.assertEqual(self.queue.items, ["b"])

        def test_loop(self):
            for number in range(2):
                self.queue.put(number)
            got = self.queue.take()
            self.assertEqual(got, 0)

        def test_empty(self):
            with self.assertRaises(LookupError):
                Queue().take()
            other = Queue(1)
            self.assertEqual(other.room, 1)
"""
WRONG = textwrap.dedent(QUEUE).replace("== self.room", "== max(self.room, 2)")


@pytest.fixture(scope="module")
def task() -> Task:
    tested = having_tests(Task("q", "", "Queue", textwrap.dedent(QUEUE)), textwrap.dedent(TESTS))
    found = with_sequences(tested)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def suite(task: Task, sandbox: Sandbox) -> Suite:
    return augment_task(sandbox, task, seed=0, budget=Budget(inputs=60)).suite


def test_calls_of_tests_become_new_sequences(task: Task, suite: Suite, sandbox: Sandbox) -> None:
    """They reject what the tests do not show, and the shortest one that fails is found."""
    assert [case.arguments for case in task.base] == [
        (["Queue", 2], ["put", "a"], ["put", "b", 2], ["take"], ["items"]),
        (["Queue", 2], ["put", 0], ["put", 1], ["take"]),
        (["Queue"], ["take"]),
        (["Queue", 1], ["room"]),
    ]
    assert len(suite.cases) == 64
    assert suite.base_count == 4
    prepared = PreparedSuite.of(task, suite, PRESETS["default"])
    found = evaluate_program(sandbox, prepared, WRONG)
    assert (found.base, found.plus) == ("pass", "fail")
    assert evaluate_program(sandbox, prepared, task.reference + "\n# again").passed
    prepared = PreparedSuite.of(task, suite, PRESETS["default"])
    failure = evaluate_program(sandbox, prepared, WRONG).failure
    assert failure is not None
    smallest = Shrinker().smallest(sandbox, prepared, WRONG, failure)
    (case,) = smallest.suite.cases
    assert case.arguments[0] == ["Queue", 1]
    assert 2 <= len(case.arguments) <= 4


BOX = """
    class Box:
        def load(self, numbers):
            self.numbers = numbers
            return self
        def mean(self):
            return sum(self.numbers) / len(self.numbers)
        def each(self, function):
            return [function(number) for number in self.numbers]
        def sort(self, numbers):
            if not numbers:
                raise ValueError("empty")
            numbers.sort()
"""
BOX_TESTS = """
    import unittest
    class BoxTest(unittest.TestCase):
        def setUp(self):
            self.box = Box()
        def test_mean(self):
            self.box.load([1, 2])
            self.assertEqual(self.box.mean(), 1.5)
        def test_more(self):
            numbers = [3, 1]
            self.box.load(numbers)
"""


def box(*lines: str, tests: str = BOX_TESTS) -> Task:
    more = [" " * (8 if line.startswith("def ") else 12) + line for line in lines]
    text = textwrap.dedent(tests + "\n".join(more))
    return having_tests(Task("b", "", "Box", textwrap.dedent(BOX)), text)


@pytest.mark.parametrize(
    "lines",
    [
        ["self.assertEqual(self.box.each(lambda x: x + 1), [4, 2])"],
        ["if self.box.mean() == 2:", "    self.assertEqual(self.box.mean(), 2)"],
        ["self.assertEqual(helper(self.box), 2)"],
        ["self.assertEqual(self.box.load([1]).mean(), 1)"],
        ["self.assertTrue(self.box == self.box)"],
        ["self.box.numbers = [4]", "self.assertEqual(self.box.mean(), 4)"],
        ["self.box.sort(numbers)", "self.assertEqual(numbers, [1, 3])"],
        ["with self.assertRaisesRegex(ValueError, 'empty'):", "    self.box.sort([])"],
        ["with open('x') as self.file:", "    self.assertEqual(self.box.mean(), 2)"],
        ["self.assertAlmostEqual(self.box.mean(), 2.0, delta=0.1)"],
        ["pass", "def test_nothing(self):", "    self.assertEqual(helper(1), 2)"],
    ],
)
def test_tests_stay_where_one_cannot_be_followed(lines: list[str]) -> None:
    """What decides there (a function, a helper, an object's state) would not be asked any more."""
    assert with_sequences(box("self.assertEqual(self.box.mean(), 2)")) is not None
    assert with_sequences(box(*lines)) is None


def test_what_tests_decide_is_not_lost(sandbox: Sandbox) -> None:
    """Functions stay tests, tolerances are kept, and what the reference fails is not read."""
    task = in_sequences(sandbox, box("self.assertEqual(self.box.each(lambda x: x + 1), [4, 2])"))
    suite = augment_task(sandbox, task, seed=0, budget=Budget(inputs=5)).suite
    prepared = PreparedSuite.of(task, suite, PRESETS["default"])
    wrong = task.reference.replace("return [function(number) for number in self.numbers]", "pass")
    assert evaluate_program(sandbox, prepared, wrong).base == "fail"
    tests = BOX_TESTS.replace(
        "assertEqual(self.box.mean(), 1.5", "assertAlmostEqual(1.5, self.box.mean(), 3"
    )
    task = in_sequences(sandbox, box("self.box.mean()", tests=tests))
    assert task.harness.kind == "sequence"
    suite = augment_task(sandbox, task, seed=0, budget=Budget(inputs=5)).suite
    prepared = PreparedSuite.of(task, suite, PRESETS["default"])
    for error, verdict in ((0.0004, "pass"), (0.0006, "fail")):
        near = task.reference.replace("len(self.numbers)", f"len(self.numbers) + {error}")
        assert evaluate_program(sandbox, prepared, near).base == verdict
    head = "class Sums:\n    def __init__(self, a): pass\n"
    source = f"{head}    @staticmethod\n    def sum(*a): return sum(a)\n"
    tests = """
        import unittest
        class SumsTest(unittest.TestCase):
            def test_sum(self):
                self.assertEqual(Sums.sum(1, 2), 3)
            def test_wrong(self):
                self.assertEqual(Sums.sum(1, 3), 5)
    """
    task = having_tests(Task("s", "", "Sums", source), textwrap.dedent(tests))
    read = in_sequences(sandbox, task)
    assert [case.arguments for case in read.base] == [(["sum", 1, 2],)]
    suite = augment_task(sandbox, read, seed=0, budget=Budget(inputs=5)).suite
    assert wire.decode(suite.expected[0]) == [3]
    assert len(suite.cases) == 6


def test_texts_are_taken_for_what_they_seem() -> None:
    """Few are choices, at each place by itself; those with digits keep their form; a state is
    looked at only where some test looks."""
    words = ["spam", "eggs", "ham", "bread", "tea"]
    base = [
        Case((["Shop"], ["add", word, {"at": f"{n}:00", "sex": "male"}], ["items"], ["sum"]))
        for n, word in enumerate(words)
    ]
    use = KnownUse(base, "Shop", ["add", "sum"])
    assert use.admits_call("add", ("sham", {"at": "3:00", "sex": "male"}))
    assert not use.admits_call("add", ("sham", {"at": "3:000", "sex": "male"}))
    assert not use.admits_call("add", ("sham", {"at": "3:00", "sex": "maale"}))
    assert not use.admits_call("add", ("spam", {"n": "3:00"}))
    assert not use.admits_call("add", ("spam", {"at": "noon", "sex": "male"}))
    assert use.admits((["Shop"], ["add", "tea", {}], ["items"]))
    assert not use.admits((["Shop"], ["sum"], ["items"]))
