"""Targeted rounds: inputs for the wrong programs that the normal budget lets pass."""

from __future__ import annotations

import json

from support.tasks import make_task

from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.jobs.augmentation import Budget, FinishedTask
from evalplus_lite.jobs.rivals import ENOUGH, rivals, second_order
from evalplus_lite.jobs.workers.augmentation import augment_task
from evalplus_lite.jobs.workers.augmented import finished
from evalplus_lite.sandbox import Sandbox, preset

REFERENCE = "def f(x, y):\n    if x > 12:\n        return x - y\n    return x + y\n"
NEARLY = (
    "def f(x, y):\n    if x > 12 and y != 0:\n        return x - y\n    return x + y + (x == y)\n"
)
EQUAL = "def f(x, y):\n    return x - y if x > 12 else y + x\n"
TASK = make_task([(1, 2), (20, 5)], reference=REFERENCE)


def test_rivals_are_mutants_and_samples_once() -> None:
    """The reference itself is no target, and a sample given twice is one."""
    found = rivals(TASK, [NEARLY, REFERENCE, NEARLY + "# again\n"])
    names = [target.name.split()[0] for target in found]
    assert names.count("sample") == 1
    assert names.count("mutant") == len(names) - 1 > 3
    assert "+    if x > 12 and y != 0:" in found[-1].difference(REFERENCE).splitlines()


def test_survivors_are_aimed_at_until_rejected(sandbox: Sandbox) -> None:
    """With no normal inputs, targeted ones reject the wrong sample; who is right survives."""
    budget = Budget(inputs=0, targeted=20)
    found = augment_task(sandbox, TASK, seed=0, budget=budget, wrong=[NEARLY, EQUAL])
    added = found.suite.cases[found.suite.base_count :]
    assert 1 <= len(added) <= 20
    assert {case.source for case in added} == {"targeted"}
    assert found.sources["targeted"] == len(added)
    prepared = PreparedSuite.of(TASK, found.suite, preset("default"))
    assert evaluate_program(sandbox, prepared, NEARLY).base == "pass"
    assert evaluate_program(sandbox, prepared, NEARLY).plus == "fail"
    assert evaluate_program(sandbox, prepared, EQUAL).plus == "pass"
    assert found.aimed > len(found.survivors)
    assert any("y + x" in survivor["diff"] for survivor in found.survivors)
    assert not any("y != 0" in survivor["diff"] for survivor in found.survivors)


def test_every_targeted_input_rejects_someone(sandbox: Sandbox) -> None:
    """No input is added that all survivors of the normal budget pass."""
    found = augment_task(sandbox, TASK, seed=0, budget=Budget(inputs=0, targeted=20))
    everyone = rivals(TASK)
    prepared = PreparedSuite.of(TASK, found.suite, preset("default"))
    rejecting = set()
    for target in everyone:
        details = evaluate_program(sandbox, prepared, target.source, details=True).details or ()
        rejecting |= {case for case, verdict in enumerate(details) if verdict != "pass"}
    assert set(range(found.suite.base_count, len(found.suite.cases))) <= rejecting


def test_the_same_seed_aims_alike(sandbox: Sandbox) -> None:
    """Suite and survivors depend on seed and task alone, and survive the journal."""
    budget = Budget(inputs=5, targeted=10)
    one, other = (augment_task(sandbox, TASK, seed=3, budget=budget) for _ in range(2))
    assert one.suite.cases == other.suite.cases
    assert one.survivors == other.survivors
    facts, suite = finished(TASK, one)
    again = FinishedTask.of_row(json.loads(json.dumps(FinishedTask(facts, suite).to_row())))
    assert again == FinishedTask(facts, suite)
    older = {key: value for key, value in again.to_row().items() if key != "stress"}
    assert FinishedTask.of_row(older) == again
    assert (again.facts["survivors"], again.facts["aimed"]) == ([*one.survivors], one.aimed)


def test_it_is_told_what_was_aimed_at(sandbox: Sandbox) -> None:
    """Provenance counts the programs; a survivor says on how many inputs it agrees."""
    found = augment_task(sandbox, TASK, seed=0, budget=Budget(inputs=0, targeted=5), wrong=[EQUAL])
    facts = found.suite.provenance["targeted"]
    assert facts["programs"] > facts["aimed"] > facts["rejected"] > 0
    assert len(found.survivors) == facts["aimed"] - facts["rejected"]
    (equal,) = [each for each in found.survivors if "y + x" in each["diff"]]
    assert equal["agreed"] == len(TASK.base) + facts["tried"]
    assert equal["suspected_equivalent"] == (equal["agreed"] >= ENOUGH)


def test_nothing_is_aimed_at_by_default(sandbox: Sandbox) -> None:
    """Without a budget for them no targeted input is made and no mutant run."""
    found = augment_task(sandbox, TASK, seed=0, budget=Budget(inputs=5))
    assert (found.aimed, found.survivors) == (0, ())
    assert "targeted" not in found.sources


def test_mutants_of_mutants_are_no_first_mutants() -> None:
    """Some of each kind are made of those given, the same ones for a seed."""
    first = rivals(TASK)
    second = second_order(TASK, first, seed=1)
    assert second
    assert second == second_order(TASK, first, seed=1)
    assert not {each.source for each in second} & {each.source for each in first}
    assert all(", then " in each.name for each in second)
