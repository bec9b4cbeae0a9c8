"""Null programs: a task that one of them passes is unusable or flagged."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from support.tasks import make_task

import evalplus_lite
from evalplus_lite import Verifier
from evalplus_lite.errors import UnusableTask
from evalplus_lite.grading import null
from evalplus_lite.jobs.expected import SuiteSource
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.tasks.loading import dataset_of
from evalplus_lite.types import Task

SWALLOWED = """\
try:
            task_func(2)
        except Exception:
            pass"""


def unit_tests(*statements: str) -> dict[str, Any]:
    """Return a row of BigCodeBench whose tests hold these statements."""
    methods = "".join(
        f"    def test_{number}(self):\n        {text}\n" for number, text in enumerate(statements)
    )
    return {
        "task_id": "BigCodeBench/0",
        "complete_prompt": "def task_func(x):\n",
        "instruct_prompt": "",
        "canonical_solution": "    return x * 2\n",
        "code_prompt": "def task_func(x):\n",
        "test": f"import unittest\nclass TestCases(unittest.TestCase):\n{methods}",
        "entry_point": "task_func",
        "doc_struct": "{}",
        "libs": "[]",
    }


def task_of(row: dict[str, Any]) -> Task:
    return dataset_of([row]).tasks[0]


@pytest.mark.parametrize("cached", [False, True])
def test_a_test_that_swallows_is_guessable(sandbox: Sandbox, tmp_path: Path, cached: bool) -> None:
    """A skip passes it, so nothing is learned from passing it; the cache says the same."""
    for _ in range(2):
        source = SuiteSource(cache=tmp_path if cached else None)
        with pytest.raises(UnusableTask) as caught:
            source.usable(sandbox, task_of(unit_tests(SWALLOWED)))
        assert caught.value.cause == "guessable"
        assert caught.value.detail == "a program that skips its tests passes"


def test_null_programs_and_unit_tests(sandbox: Sandbox, tmp_path: Path) -> None:
    """One sound test of a task is enough; what swallows errors raises, and gives no verdict."""
    source = SuiteSource(cache=None)
    source.usable(sandbox, task_of(unit_tests(SWALLOWED, "self.assertEqual(task_func(2), 4)")))
    assert source.evidence["BigCodeBench/0"].null_program == ""
    data = dataset_of([unit_tests(SWALLOWED)])
    with (
        pytest.warns(evalplus_lite.errors.EvidenceWarning, match="no plus"),
        Verifier(data, workers=1, cache=tmp_path) as verifier,
        pytest.raises(UnusableTask, match="skips its tests"),
    ):
        verifier.verify("BigCodeBench/0", "def task_func(x): return x * 2")
    path = Path(null.__file__).parents[1] / "sandbox" / "guest" / "testing.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    (recorder,) = (n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Tested")
    methods = {n.name for n in recorder.body if isinstance(n, ast.FunctionDef)}
    assert {"__init__", "__call__", "see", "deciding", "raising"} <= methods
    row = {"id": "S/0", "prompt": "", "harness": "script", "inputs": ["1\n", "2\n"]}
    for outputs, weak in ((["1\n", "2\n"], "prints its input"), (["2\n", "4\n"], "")):
        source = SuiteSource(cache=None)
        source.usable(sandbox, task_of({**row, "outputs": outputs}))
        assert source.evidence["S/0"].null_program == weak


@pytest.mark.parametrize(
    ("reference", "inputs", "weak"),
    [
        ("def f(x): return x * 2", [[1], [2]], ""),
        ("def f(x): return x", [[1], [2]], "returns its first argument"),
        ("def f(x): return x * 0", [[1]], "returns 0"),
        ("def f(x): return x > 0", [[1]], "returns 1"),
        ("def f(x): return [x] * 0", [[3], [4]], "returns []"),
        ("def f(x): return x + 4", [[3]], ""),
    ],
)
@pytest.mark.parametrize("cached", [False, True])
def test_simple_programs_make_a_suite_weak(
    sandbox: Sandbox, tmp_path: Path, reference: str, inputs: list[list[Any]], weak: str,
    cached: bool,
) -> None:  # fmt: skip
    """It stays usable, and what passes is named, from the cache, too."""
    task = make_task(inputs, reference=reference)
    for _ in range(2):
        source = SuiteSource(cache=tmp_path if cached else None)
        answers = source.usable(sandbox, task)
        assert source.evidence[task.id].null_program == weak
        source = SuiteSource(cache=tmp_path if cached else None)
        source.usable(sandbox, task, answers.suite)
        assert source.evidence[task.id].null_program == weak


@pytest.mark.parametrize("what", null.ENDS)
def test_null_programs_load(sandbox: Sandbox, what: str) -> None:
    """Each does what it is meant to do: none fails before its entry point is called."""
    task = task_of(unit_tests("self.assertTrue(task_func(2))"))
    head, body = null.ENDS[what]
    loaded = null.null_program(task, f"return 2\n    {body}", head)
    if what.startswith(null.ON_TESTS):
        compile(loaded, what, "exec")
        return
    sound = task_of(unit_tests("self.assertEqual(task_func(2), 4 // 2)"))
    suite = SuiteSource(cache=None).answers(sandbox, sound).suite
    assert not suite.cases  # the reference answers 4
    right = task_of(unit_tests("self.assertEqual(task_func(2), 4)"))
    suite = SuiteSource(cache=None).answers(sandbox, right).suite
    assert null.accepts(sandbox, right, suite, loaded.replace("return 2\n", "return 4\n"))
    assert not null.accepts(sandbox, right, suite, null.null_program(right, body, head))


@pytest.mark.parametrize("what", [each for each in null.ENDS if each.startswith(null.ON_TESTS)])
def test_cheats_do_not_pass_a_sound_test(sandbox: Sandbox, what: str) -> None:
    """A value that only the task's text says cannot be guessed."""
    task = task_of(unit_tests("self.assertEqual(task_func(21), 42)"))
    suite = SuiteSource(cache=None).answers(sandbox, task).suite
    head, body = null.ENDS[what]
    assert not null.accepts(sandbox, task, suite, null.null_program(task, body, head))
