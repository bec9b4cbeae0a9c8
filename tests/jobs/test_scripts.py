"""Tasks of whole programs, from their row to new inputs, verdicts, and a small suite."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest
from support.tasks import make_task, own_task

from evalplus_lite import Session, augment
from evalplus_lite.errors import InputError
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.jobs.augmented_task import Augmented, Budget, augment_task
from evalplus_lite.jobs.minimize import Shrinker
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.tasks import read_suites, write_suites
from evalplus_lite.tasks.texts.grammar import form_of
from evalplus_lite.types import Task

SUM = "n = int(input())\nprint(sum(map(int, input().split())))\n"
FIRST = "input()\nprint(sum(map(int, input().split()[:3])))\n"
GRAMMAR = "n:1..9\na[n]:-50..50"
GENERATOR = """
import random

def generate(seed, scale):
    if seed == 3:
        return None
    draw = random.Random(seed)
    numbers = [draw.randint(-50, 50) for _ in range(scale)]
    return f"{scale}\\n" + " ".join(map(str, numbers)) + "\\n"
"""


def row(**more: Any) -> dict[str, Any]:
    return {
        "id": "sum",
        "prompt": "Print the sum.",
        "harness": "script",
        "reference": SUM,
        "inputs": ["3\n1 2 3\n", ["2\n-1 5\n"]],
    } | more


def loaded(folder: Path, **more: Any) -> Task:
    return own_task(folder, **row(**more))


def augmented(sandbox: Sandbox, task: Task) -> Augmented:
    return augment_task(sandbox, task, seed=0, budget=Budget(inputs=25))


def test_texts_without_a_form(sandbox: Sandbox, tmp_path: Path, session: Session) -> None:
    """They change number by number and keep their lines; what is said of values is of values."""
    reference = textwrap.dedent(
        """
        import sys
        lines = sys.stdin.read().split("\\n")
        print(len(lines), [len(line.split()) for line in lines][1:])
        """
    )
    inputs = ["1 2 3\n\n4 x\n5\n", "7\n8 9 y\n"]
    task = loaded(tmp_path, reference=reference, inputs=inputs)
    answers = {case.arguments[0] for case in augmented(sandbox, task).suite.cases}
    assert len(answers) > 10
    assert {text.count("\n") for text in answers} == {2, 4}
    inputs = ["3\n1 2 3\n", "2\n-1 5\n", "1\n4\n", "4\n1 2 5 9\n"]
    loaded(tmp_path, inputs=inputs, reference="input()\nprint(input())\n")
    summary = augment(tmp_path / "own.jsonl", inputs=5, session=session).summary
    texts = [each["text"] for each in summary["constraints"]["sum"]]
    assert any("value 0 of the input" in text for text in texts)
    assert not any("argument" in text for text in texts)


@pytest.mark.parametrize("grammar", ["", GRAMMAR])
def test_new_inputs_have_the_form(sandbox: Sandbox, tmp_path: Path, grammar: str) -> None:
    """Stated or inferred, counts hold in every new text; the same seed gives the same texts."""
    task = loaded(tmp_path, grammar=grammar)
    found = augmented(sandbox, task)
    texts = [case.arguments[0] for case in found.suite.cases]
    assert len(set(texts)) == 27
    for text in texts:
        form_of(grammar or "n\na[n]").parse(text)
    assert not found.dropped.get("raises")
    again = augmented(sandbox, task)
    assert [case.arguments[0] for case in again.suite.cases] == texts


def test_a_wrong_program_fails_on_a_small_text(sandbox: Sandbox, tmp_path: Path) -> None:
    """One that passes the base inputs is rejected; what is shown is small, and of the form."""
    task = loaded(tmp_path, grammar=GRAMMAR)
    suite = augmented(sandbox, task).suite
    prepared = PreparedSuite.by_steps(task, suite)
    assert evaluate_program(sandbox, prepared, SUM).passed
    verdict = evaluate_program(sandbox, prepared, FIRST)
    assert (verdict.base, verdict.plus) == ("pass", "fail")
    assert verdict.failure is not None
    smallest = Shrinker().smallest(sandbox, prepared, FIRST, verdict.failure)
    (text,) = smallest.suite.cases[0].arguments
    count, numbers = text.splitlines()
    assert (int(count), sorted(map(abs, map(int, numbers.split())))) == (4, [0, 0, 0, 1])


def test_a_task_s_own_generator(sandbox: Sandbox, tmp_path: Path) -> None:
    """Its texts are cases; where it gives none, that is noted; a suite file keeps it."""
    task = loaded(tmp_path, grammar=GRAMMAR, generator=GENERATOR)
    found = augmented(sandbox, task)
    own = [case for case in found.suite.cases if case.source == "generator"]
    assert len(own) > 10
    assert {case.operators for case in own} > {("scale 1",), ("scale 9",)}
    assert any("generator" in note and "(3, 4)" in note for note in found.notes)
    write_suites(tmp_path / "suite.jsonl", [task], [found.suite])
    (again,) = read_suites(tmp_path / "suite.jsonl").tasks
    assert (again.grammar, again.generator) == (GRAMMAR, GENERATOR)
    assert (again.harness, again.rule) == (task.harness, task.rule)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"grammar": "a[n]"}, "grammar: line 1"),
        ({"grammar": "n\na[n]:0..2"}, "inputs, number 1"),
        ({"generator": "def draw(): pass"}, "generate"),
        ({"inputs": [[3]]}, "one text"),
        (
            {
                "harness": "call",
                "entry_point": "f",
                "reference": "f = len",
                "grammar": "n",
                "inputs": [],
            },
            "script",
        ),
    ],
)
def test_what_cannot_be_used_is_told(tmp_path: Path, more: dict[str, Any], told: str) -> None:
    """A grammar or a generator that is none, and an input that is not of the grammar."""
    with pytest.raises(InputError, match=told):
        loaded(tmp_path, **more)


def test_programs_without_a_reference_have_to_agree(sandbox: Sandbox, tmp_path: Path) -> None:
    """The first answers; an input on which another contradicts it is no test, new or not."""
    programs = [SUM, FIRST, SUM.replace("sum(", "sum(0 for _ in range(2)) + sum(")]
    inputs = ["3\n1 2 3\n", "2\n-1 5\n", "4\n1 2 3 4\n"]
    task = loaded(tmp_path, reference="", programs=programs, inputs=inputs, grammar=GRAMMAR)
    assert (task.reference, task.programs) == (programs[0], tuple(programs[1:]))
    found = augmented(sandbox, task)
    assert [case.arguments[0] for case in found.suite.cases[:2]] == inputs[:2]
    assert found.suite.base_count == 2
    assert found.dropped["expected"] > 0
    for case in found.suite.cases:
        numbers = [*map(int, case.arguments[0].split()[1:])]
        assert sum(numbers) == sum(numbers[:3])
    with pytest.raises(InputError, match="number 2"):
        loaded(tmp_path, programs=[SUM, 3])


# Inputs drawn by Hypothesis, within augmentation.


CONTRACT = "def precondition(x):\n    assert type(x) is int and x >= 0\n"
TASK = make_task(
    [(1,), (7,)],
    reference="def f(x):\n    return x * 2 if x < 500 else x - 1\n",
    contract=CONTRACT,
)


def test_augmentation_uses_strategies(sandbox: Sandbox) -> None:
    """Some kept inputs come from Hypothesis, each valid and marked so."""
    found = augment_task(sandbox, TASK, seed=0, budget=Budget(inputs=100))
    sampled = [case for case in found.suite.cases if case.source == "hypothesis"]
    assert sampled
    assert all(case.arguments[0] >= 0 for case in sampled)
