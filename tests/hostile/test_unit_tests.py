"""Programs that aim at unit tests: none passes one that is no guess, however it is written."""

from __future__ import annotations

import textwrap

import pytest

from evalplus_lite.errors import UnusableTask
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.grading.oracle import Answers, answer
from evalplus_lite.grading.reference_runs import weak_places, without_weak
from evalplus_lite.sandbox import PRESETS, Limits, Sandbox
from evalplus_lite.tasks.unit_tests import divided, having_tests
from evalplus_lite.types import Task

HEAD = "import math\nimport unittest\nimport numpy as np\nclass FTest(unittest.TestCase):\n"
REFERENCE = """
def f(n):
    if n < 0:
        raise KeyError(n)
    return n * 211 + 17
"""
TESTS = {
    "a loop": """
        def test_f(self):
            for n, wanted in [(1, 228), (2, 439), (3, 650)]:
                self.assertEqual(f(n), wanted)
    """,
    "rows of a loop": """
        def test_f(self):
            rows = [{"n": 1, "wanted": 228}, {"n": 2, "wanted": 439}]
            for row in rows:
                self.assertEqual(f(row["n"]), row["wanted"])
    """,
    "an own decision": """
        def test_f(self):
            if f(3) != 650:
                self.fail("wrong")
    """,
    "kept by setUp": """
        def setUp(self):
            self.wanted = {3: 650}
        def test_f(self):
            self.assertEqual({3: f(3)}, self.wanted)
    """,
    "computed": """
        def test_f(self):
            wanted = [n * 211 + 17 for n in range(4)]
            self.assertEqual([f(n) for n in range(4)], wanted)
    """,
    "a helper": """
        wanted = 650
        def compare(self, got):
            self.assertEqual(got, self.wanted)
        def test_f(self):
            self.compare(f(3))
    """,
    "numpy.testing": """
        def test_f(self):
            np.testing.assert_array_equal(np.array([f(1), f(2)]), np.array([228, 439]))
    """,
    "allclose": """
        def test_f(self):
            self.assertTrue(np.allclose([f(1), f(2)], [228, 439]))
    """,
    "isclose": """
        def test_f(self):
            self.assertTrue(math.isclose(f(1), 228.0))
    """,
}
GUESSED = {
    "a refusal": """
        def test_f(self):
            with self.assertRaises(KeyError):
                f(-1)
    """,
    "a kind": """
        def test_f(self):
            self.assertIsInstance(f(3), int)
    """,
    "a truth": """
        def test_f(self):
            self.assertTrue(f(3) > 4)
    """,
    "what it reads": """
        def test_f(self):
            wanted = 650
            print(wanted)
            self.assertEqual(f(3), 650)
    """,
    "the same twice": """
        def test_f(self):
            self.assertEqual(f(3), f(3))
    """,
    "nothing": """
        def test_f(self):
            f(3)
    """,
}
PATCHING = """
import sys, unittest
class Any(int):
    __eq__ = __ge__ = __gt__ = __le__ = __lt__ = lambda *a: True
    __ne__ = lambda *a: False
    __sub__ = __rsub__ = __abs__ = lambda *a: 0
    __hash__ = int.__hash__
for name in dir(unittest.TestCase):
    if name.startswith("assert"):
        setattr(unittest.TestCase, name, lambda *a, **k: None)
unittest.TestCase.fail = lambda *a: None
try:
    import numpy as np, math
    np.allclose = np.array_equal = np.isclose = math.isclose = lambda *a, **k: True
    np.testing.assert_array_equal = np.testing.assert_allclose = lambda *a, **k: None
except ImportError:
    pass
def f(n):
    return Any(1)
"""
RECORDING = """
import ast, sys
inside = sys.modules["sandbox_inside"]
def init(self, names, tests):
    self.sites = []
    for node in ast.walk(ast.parse(tests)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "").startswith("__"):
            literals = []
            for each in ast.walk(ast.parse(tests)):
                try:
                    literals.append(ast.literal_eval(each))
                except Exception:
                    pass
            literals = [each for each in literals if type(each) is TYPE]
            self.sites.append([node.args[0].value, literals[WHICH] if literals else True])
inside.Tested.__init__ = init
inside.Tested.__call__ = lambda self, suite, name: self.sites * ROUNDS
def f(n):
    return 0
"""
CHEATS = {"patches": PATCHING} | {
    f"shows {kind} {which} {rounds}": RECORDING.replace("TYPE", kind)
    .replace("WHICH", which)
    .replace("ROUNDS", rounds)
    for kind, which, rounds in (
        ("int", "-1", "1"),
        ("list", "0", "1"),
        ("dict", "0", "1"),
        ("int", "0", "3"),
    )
}
NAMED = """
import builtins
bases = ()
for name, kind in list(vars(builtins).items()):
    if isinstance(kind, type) and name != "type":
        bases = (type(name, bases or (Exception,), {"__module__": "builtins"}),)
def f(n):
    if n < 0:
        raise bases[0]()
    return bases[0]()
"""


def answered(sandbox: Sandbox, body: str) -> tuple[Task, Answers]:
    tests = HEAD + textwrap.indent(textwrap.dedent(body), "    ")
    task = having_tests(Task("t", "", "f", REFERENCE), tests)
    found = answer(sandbox, task, task.base, base_count=len(task.base), limits=Limits())
    assert not found.dropped
    return task, found


def passes(sandbox: Sandbox, task: Task, found: Answers, program: str) -> bool:
    prepared = PreparedSuite.of(task, found.suite, PRESETS["default"])
    return evaluate_program(sandbox, prepared, program).passed


@pytest.mark.parametrize("name", TESTS)
def test_what_has_to_be_known(sandbox: Sandbox, name: str) -> None:
    """A right program in other words passes, no cheat does, and the test is not weak."""
    task, found = answered(sandbox, TESTS[name])
    assert not weak_places(task, found.suite)
    assert passes(sandbox, task, found, "def f(n):\n    return 17 + 211 * n\n")
    assert not passes(sandbox, task, found, "def f(n):\n    return 17 + 210 * n\n")
    for cheat, program in CHEATS.items():
        assert not passes(sandbox, task, found, program), cheat


@pytest.mark.parametrize("name", GUESSED)
def test_what_can_be_guessed(sandbox: Sandbox, name: str) -> None:
    """Such a test is weak, and where there is no other, there is no evidence."""
    task, found = answered(sandbox, GUESSED[name])
    assert weak_places(task, found.suite) == [0]
    with pytest.raises(UnusableTask) as caught:
        without_weak(task, found.suite)
    assert caught.value.cause == "weak"


@pytest.mark.parametrize("name", ["a refusal", "a kind"])
def test_a_class_is_not_what_its_name_says(sandbox: Sandbox, name: str) -> None:
    """Neither an exception nor a value is of a builtin class by being called so."""
    task, found = answered(sandbox, GUESSED[name])
    assert not passes(sandbox, task, found, NAMED)
    assert passes(sandbox, task, found, REFERENCE + "# again")


def test_what_is_expected_is_not_beside_the_program() -> None:
    """Neither constants of a loop, of setUp and of a class, nor what is computed from them."""
    for name in (
        "a loop",
        "rows of a loop",
        "kept by setUp",
        "computed",
        "a helper",
        "numpy.testing",
    ):
        tests = divided(HEAD + textwrap.indent(textwrap.dedent(TESTS[name]), "    "))
        for value in ("650", "439", "range(4)]\n"):
            assert value not in tests.text, name
