"""Drawn seeds: Hypothesis strategies and generators that a model writes, within augmentation."""

from __future__ import annotations

from typing import Any

from support.backends import Inline
from support.tasks import make_task

from evalplus_lite.jobs.augmentation import Budget, augment_tasks
from evalplus_lite.jobs.seeds import DRAWS, ModelSeeds, from_generators, measured
from evalplus_lite.jobs.workers.augmentation import augment_task
from evalplus_lite.jobs.workers.shared_data import SharedData
from evalplus_lite.models import Client
from evalplus_lite.models.generators import parse_generator
from evalplus_lite.sandbox import Sandbox

CONTRACT = "def precondition(x):\n    assert type(x) is int and x >= 0\n"
TASK = make_task(
    [(1,), (7,)],
    reference="def f(x):\n    return x * 2 if x < 500 else x - 1\n",
    contract=CONTRACT,
)
NARROW = "```python\ndef generate(rng):\n    return [rng.randint(0, 9)]\n```"
WIDE = "```python\ndef generate(rng):\n    return [rng.randint(0, 2000)]\n```"
INVALID = "```python\ndef generate(rng):\n    return [-rng.randint(1, 2000)]\n```"
HANGS = "```python\ndef generate(rng):\n    while True: pass\n```"


def test_augmentation_uses_strategies(sandbox: Sandbox) -> None:
    """Some kept inputs come from Hypothesis, each valid and marked so."""
    found = augment_task(sandbox, TASK, seed=0, budget=Budget(inputs=100))
    sampled = [case for case in found.suite.cases if case.source == "hypothesis"]
    assert sampled
    assert all(case.arguments[0] >= 0 for case in sampled)


def test_a_generator_is_measured_in_the_sandbox(sandbox: Sandbox) -> None:
    """Its valid new inputs and the mutants they reject are counted; one that hangs gives none."""
    wide, narrow, invalid, hangs = (
        measured(sandbox, TASK, parse_generator(text), name="g")
        for text in (WIDE, NARROW, INVALID, HANGS)
    )
    assert len(wide.cases) > DRAWS // 2
    assert {case.arguments for case in narrow.cases} <= {(n,) for n in range(10)} - {(1,), (7,)}
    assert wide.killed > narrow.killed > 0
    assert invalid.cases == hangs.cases == ()


def test_the_best_generator_is_kept(sandbox: Sandbox, model_server: Any, tmp_path: Any) -> None:
    """Of several replies, unusable ones among them, the inputs of the best one are returned."""
    model_server.says(NARROW, "no program", WIDE, INVALID)
    client = Client("tiny", base_url=model_server.url, api_key="none")
    backend = Inline(sandbox)
    found = from_generators(backend, SharedData(backend), TASK, client, count=4)
    assert {case.source for case in found} == {"generator"}
    assert {case.operators for case in found} == {("generator2",)}


def test_generators_are_seeds(sandbox: Sandbox, model_server: Any) -> None:
    """A source asked for generators gives their inputs, and augmentation keeps them."""
    model_server.says(WIDE)
    client = Client("tiny", base_url=model_server.url, api_key="none")
    source = ModelSeeds(client, 0, "tiny", None, 1)
    budget = Budget(inputs=80)
    (found,) = augment_tasks([TASK], Inline(sandbox), seed=0, budget=budget, seeds=source)
    assert found.facts["sources"]["generator"] > DRAWS // 2
