"""How far sizes go: up to contract and steps, told in the provenance, not too far for a file."""

from __future__ import annotations

from support.tasks import make_task

from evalplus_lite.jobs.workers.augmentation import augment_task
from evalplus_lite.jobs.workers.budget import Budget
from evalplus_lite.sandbox import Sandbox


def test_sizes_go_as_far_as_the_contract_and_say_so(sandbox: Sandbox) -> None:
    """A contract's bound is found; what ended the inputs and the sizes stands in the provenance."""
    contract = "def precondition(x): assert type(x) is list and 0 < len(x) <= 700\n"
    reference = "def f(x): return sum(x)\n"
    task = make_task([([1, 2],), ([5],)], reference=reference, contract=contract)
    found = augment_task(sandbox, task, seed=0, budget=Budget(inputs=60))
    lengths = [len(case.arguments[0]) for case in found.suite.cases]
    assert max(lengths) > 400
    is_large = [length > 400 for length in lengths]
    assert is_large == sorted(is_large), "large cases are the last"
    bounds = found.suite.provenance["bounds"]
    assert (bounds["end"], bounds["kept"]) == ("inputs", 60)
    (length,) = [each for each in bounds["sizes"] if each["way"] == "length"]
    assert (length["bound"], length["largest"]) == ("contract", 300)
    assert {"length", "magnitude"} <= found.sources.keys()


def test_the_top_of_a_ladder_is_stress(sandbox: Sandbox) -> None:
    """What is largest and answered is no case, but a stress case of its own."""
    reference = "def f(x): return len(x)\n"
    task = make_task(
        [("ab",), ("c",)],
        reference=reference,
        contract="def precondition(x): assert type(x) is str\n",
    )
    found = augment_task(sandbox, task, seed=0, budget=Budget(inputs=20))
    assert found.suite.stress is not None
    assert {len(case.arguments[0]) for case in found.suite.stress.cases} >= {10_000}
    assert max(len(case.arguments[0]) for case in found.suite.cases) <= 1000


def test_long_answers_are_left_out(sandbox: Sandbox) -> None:
    """A number that asks for a huge answer is no case; smaller ones are."""
    reference = "def f(x): return 'a' * x\n"
    contract = "def precondition(x): assert type(x) is int and 0 <= x < 10**7\n"
    task = make_task([(3,), (5,)], reference=reference, contract=contract)
    found = augment_task(sandbox, task, seed=0, budget=Budget(inputs=20))
    assert found.dropped["large"] > 0
    assert max(map(len, found.suite.expected)) < 1 << 16


def test_what_is_dear_gets_a_share_and_fewer_inputs(sandbox: Sandbox) -> None:
    """A task's steps are bounded, whatever inputs ask for; cheap ones are found all the same."""
    reference = "def f(x): return sum(1 for i in range(x) for j in range(x))\n"
    contract = "def precondition(x): assert type(x) is int and 0 <= x < 10**9\n"
    task = make_task([(3,), (9,)], reference=reference, contract=contract)
    budget = Budget(inputs=40)
    found = augment_task(sandbox, task, seed=0, budget=budget)
    bounds = found.suite.provenance["bounds"]
    steps, step_budget = bounds["steps"], budget.step_budget()
    assert bounds["kept"] == 40
    assert found.dropped["slow"] > 0
    assert 0 < steps["next"] < step_budget.next_share
    assert steps["spent"] <= steps["of"] == step_budget.total
    (magnitude,) = [each for each in bounds["sizes"] if each["way"] == "magnitude"]
    assert magnitude["bound"] == "time"
