"""Assertions as cases: what is expected stays outside, whatever way it is asked."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from support.tasks import own_task

from evalplus_lite.errors import InputError
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.grading.oracle import answer
from evalplus_lite.sandbox import PRESETS, Limits, Sandbox
from evalplus_lite.tasks.assertions import assertion, needed_name, with_assertions
from evalplus_lite.types import Rule, Task

FORMS: dict[str, tuple[str, Any]] = {
    "assert f(1, [2]) == (3, -4)": ("f(1, [2])", (3, -4)),
    "assert 7 == f(2)": ("f(2)", 7),
    "assert set(f('a')) == set((1, 2))": ("set(f('a'))", {1, 2}),
    "assert not f(3)": ("bool(f(3))", False),
    "assert f(3), 'why'": ("bool(f(3))", True),
    "assert f(3) is None": ("f(3)", None),
    "assert f(1) < f(2)": ("bool(f(1) < f(2))", True),
}


@pytest.mark.parametrize("text", FORMS)
def test_each_form(text: str) -> None:
    (found,) = map(assertion, ast.parse(text).body)
    assert (found.expression, found.expected) == FORMS[text]


@pytest.mark.parametrize(
    ("tests", "name"),
    [
        (["assert f(1) == 2", "x = [1]\nassert sorted(f(x)) == x"], "f"),
        (["import math\nassert math.isclose(f(1), 2)"], "f"),
        (["assert f(1) == 2", "assert g(1) == 2"], ""),
        (["assert f(Node(1)) == 2"], ""),
        (["assert LIMIT == 2"], ""),
        (["assert 1 == 1"], ""),
    ],
)
def test_the_name_that_tests_call(tests: list[str], name: str) -> None:
    """It is told only where nothing else of the program is needed: the rest may be left out."""
    assert needed_name(map(ast.parse, tests)) == name


def test_tolerances_are_asked_for() -> None:
    """As asked by isclose and abs; other ints, and what no float can hold, stay exact."""
    found = assertion(
        ast.parse("assert math.isclose(f(1), 0.5, rel_tol=0.01, abs_tol=0.1)").body[0]
    )
    assert (found.rtol, found.atol) == (0.01, 0.1)
    whole = assertion(ast.parse("assert math.isclose(f(1), 5.0, abs_tol=1)").body[0])
    assert (whole.rtol, whole.atol) == (1e-9, 1.0)
    numpy = assertion(ast.parse("assert np.isclose(f(1), 5.0, atol=0.1)").body[0])
    assert (numpy.rtol, numpy.atol) == (1e-5, 0.1)
    other = assertion(ast.parse("assert np.isclose(f(1), 5.0, equal_nan=True)").body[0])
    assert other.expression.startswith("bool(")
    assert other.inside
    found = assertion(ast.parse("assert abs(f(1) - 0.5) < 1e-3").body[0])
    assert (found.expression, found.expected, found.atol) == ("f(1)", 0.5, 1e-3)
    exact = assertion(ast.parse("assert f(1) == 2").body[0])
    assert type(exact.expected) is int
    huge = assertion(ast.parse(f"assert math.isclose(f(1), 1{'0' * 400})").body[0])
    assert huge.expected == 10**400


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("assert abs(2 - f(1)) < 1e-3", "2.0001", "2.1"),
        ("assert np.isclose(f(1), [2])", "[2.000001]", "[2.1]"),
        ("assert abs(f(1) - 2) < 1", "2.5", "3"),
        ("assert abs(f(1) - 2) <= 1", "3", "3.5"),
    ],
)
def test_tolerances_hold_for_ints(sandbox: Sandbox, text: str, near: str, far: str) -> None:
    """In lists, too."""
    right = f"def f(x): return {'[2]' if '[' in text else 2}"
    task = with_assertions(Task("t", "", "f", right), text)
    suite = answer(sandbox, task, task.base, base_count=1, limits=Limits()).suite
    prepared = PreparedSuite.of(task, suite, PRESETS["default"])
    assert evaluate_program(sandbox, prepared, f"def f(x): return {near}").passed
    assert not evaluate_program(sandbox, prepared, f"def f(x): return {far}").passed


def test_programs_are_judged(sandbox: Sandbox, tmp_path: Path) -> None:
    """By what assertions expect, each with its own tolerance; an input is one expression."""
    right = "import math\ndef f(x):\n    return x / 3\n"
    asserts = "assert math.isclose(f(1), 0.333, rel_tol=0.01)\nassert f(6) == 2.0"
    task = with_assertions(Task("t", "", "f", right), asserts)
    suite = answer(sandbox, task, task.base, base_count=2, limits=Limits()).suite
    assert len(suite.cases) == 2
    prepared = PreparedSuite.of(task, suite, PRESETS["default"])
    assert evaluate_program(
        sandbox, prepared, "import math\ndef f(x): return 0.33333333 * x"
    ).passed
    assert not evaluate_program(sandbox, prepared, "import math\ndef f(x): return 2.0").passed
    hostile = "import math\nmath.isclose = lambda *a, **k: True\nbool = set = f = lambda *a: True"
    assert not evaluate_program(sandbox, prepared, hostile).passed
    wrong = with_assertions(task, "assert f(6) == 5")
    found = answer(sandbox, wrong, wrong.base, base_count=1, limits=Limits())
    assert not found.suite.cases
    shared = "assert abs(f(1) - 2) < 0.1\nassert abs(f(2) - 4.0) < 0.1"
    mixed = "assert abs(f(1) - 2) < 100\nassert abs(f(2) - 4) < 0.1\nassert f(3) == 6.0"
    right = "def f(x): return 2 * x"
    for text, nearly, far in (
        (shared, "2.04 * x", "2.06 * x"),
        (mixed, "{1: 51, 2: 4.05, 3: 6.0}[x]", "{1: 51, 2: 4.05, 3: 6.05}[x]"),
        (mixed, "{1: 51, 2: 4.05, 3: 6.0}[x]", "{1: 51, 2: 4.15, 3: 6.0}[x]"),
    ):
        task = with_assertions(Task("t", "", "f", right), text)
        suite = answer(sandbox, task, task.base, base_count=9, limits=Limits()).suite
        prepared = PreparedSuite.of(task, suite, PRESETS["default"])
        assert evaluate_program(sandbox, prepared, f"def f(x): return {nearly}").passed
        assert not evaluate_program(sandbox, prepared, f"def f(x): return {far}").passed
    with pytest.raises(ValueError, match="tolerances"):
        with_assertions(Task("t", "", "f", right, rule=Rule("multiset")), mixed)
    row = {"id": "a", "prompt": "", "harness": "assertions", "reference": "def f(x): return x"}
    task = own_task(tmp_path, **(row | {"inputs": ["f(1)", ["f(2) + 1"]]}))
    assert [case.arguments for case in task.base] == [("f(1)",), ("f(2) + 1",)]


@pytest.mark.parametrize("text", ["f(1) == 2", "assert f(1) == 2; x = 1", "assert f("])
def test_other_texts_are_refused(tmp_path: Path, text: str) -> None:
    """By what is wrong; right ones are cases with outputs."""
    row = {"id": "a", "prompt": "", "entry_point": "f", "reference": "def f(x): return 2 * x"}
    task = own_task(tmp_path, **(row | {"harness": "assertions", "tests": "assert f(1) == 2"}))
    assert [case.arguments for case in task.base] == [("f(1)",)]
    assert len(task.outputs) == 1
    with pytest.raises(InputError, match="assert"):
        own_task(tmp_path, **(row | {"harness": "assertions", "tests": text}))


@pytest.mark.parametrize(
    ("text", "is_inside"),
    [
        ("assert f(1) == 2", False),
        ("assert f(1)", False),
        ("assert not stack.empty()", False),
        ("assert abs(f(1) - 2.5) < 0.1", False),
        ("assert np.allclose(f(1), [1, 2])", True),
        ("assert frame.equals(f(1))", True),
        ("assert (f(1) == g(1)).all()", True),
        ("assert f(1) == g(1)", True),
        ("assert f(1) in (2, 3)", True),
        ("assert abs(f(1) - g(1)) < 0.1", True),
        ("assert isinstance(f(1), int)", True),
        ("assert f(1) and f(2)", True),
    ],
)
def test_comparisons_of_the_programs_process_are_told(text: str, is_inside: bool) -> None:
    """Whether more than the program's own answer decides."""
    assert assertion(ast.parse(text).body[0]).inside is is_inside
