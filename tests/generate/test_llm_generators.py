"""Generators that a model writes: read from its answer, run in the sandbox only."""

from __future__ import annotations

import random

import pytest

from evalplus_lite.models.seeds import (
    ENTRY_POINT,
    NoGenerator,
    drawn_arguments,
    generator_prompt,
    parse_generator,
)
from evalplus_lite.sandbox import Inputs, Program, Sandbox
from evalplus_lite.types import Case, Returned, Task
from evalplus_lite.values import wire

TASK = Task(
    id="t/0",
    prompt="",
    entry_point="total",
    reference="def total(pair, factor):\n    return sum(pair) * factor\n",
    base=(Case(((1, 2), 2.5)), Case(((3, 4), 1.0))),
)
WRITTEN = """Sure, here it is:

```python
def generate(rng):
    return [(rng.randrange(9), rng.randrange(9)), rng.random()]
```

It draws small pairs.
"""


def test_prompt() -> None:
    """The request shows reference and inputs, and is the same each time."""
    request = generator_prompt(TASK, model="tiny", index=2)
    text = request.messages[0].content
    assert TASK.reference.strip() in text
    assert "[(1, 2), 2.5]" in text
    assert request == generator_prompt(TASK, model="tiny", index=2)
    assert request.key != generator_prompt(TASK, model="tiny", index=3).key


def test_draws_in_the_sandbox() -> None:
    """A written generator, run in the sandbox, draws the same arguments from the same seed."""
    generator = parse_generator(WRITTEN)
    seeds = Inputs.of([(seed,) for seed in (0, 1, 0)])
    with Sandbox() as sandbox:
        run = sandbox.run(Program(generator, ENTRY_POINT), seeds)
    drawn = []
    for outcome in run.outcomes:
        assert isinstance(outcome, Returned)
        drawn.append(drawn_arguments(wire.decode(outcome.data), TASK))
    rng = random.Random(0)
    assert drawn[0] == ((rng.randrange(9), rng.randrange(9)), rng.random())
    assert drawn[0] == drawn[2] != drawn[1]


def test_without_a_fence() -> None:
    """A bare program counts, too."""
    assert "rng.random()" in parse_generator("def generate(rng):\n    return [rng.random()]")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no Python program"),
        ("I would rather not.", "no Python program"),
        ("```python\ndef generate(rng:\n```", "does not parse"),
        ("```python\ndef other(rng):\n    return 1\n```", "no function `generate`"),
        ("```python\ndef generate():\n    return 1\n```", "one parameter"),
        ("```python\n" + "x = 1\n" * 9_999 + "```", "longer"),
    ],
)
def test_no_generator(text: str, problem: str) -> None:
    """What is no generator is refused with a reason that the model could read."""
    with pytest.raises(NoGenerator, match=problem):
        parse_generator(text)


def test_drawn_arguments() -> None:
    """What was drawn is held to the form of the task's inputs."""
    assert drawn_arguments([[1, 2], 3], TASK) == ((1, 2), 3.0)
    assert drawn_arguments([[1, 2, 3], 3], TASK) is None
    assert drawn_arguments("nonsense", TASK) is None
