"""What a model is asked about tasks of whole programs."""

from __future__ import annotations

import pytest

from evalplus_lite.models.completions import Sampling, draws
from evalplus_lite.models.json_form import InputForm
from evalplus_lite.models.seeds import SeedPlan, seed_prompt
from evalplus_lite.types import Case, Harness, Task

TASK = Task(
    "sum",
    "Print the sum of a line's numbers.",
    "",
    "print(sum(map(int, input().split())))",
    (Case(("1 2\n",)),),
    style="solution",
    harness=Harness("script"),
)


def prompts() -> dict[str, str]:
    form = InputForm.of(TASK)
    (draw,) = draws([TASK], Sampling(), model="m")
    asked = {
        "completion": draw.request,
    }
    texts = {name: str(request.messages[0].content) for name, request in asked.items()}
    return texts | {"seeds": seed_prompt(TASK, form, SeedPlan(), aim="corner", seed=0)}


@pytest.mark.parametrize("name", ["completion", "seeds"])
def test_no_function_is_named(name: str) -> None:
    """There is none: programs read standard input."""
    text = prompts()[name]
    assert "``" not in text.replace("```", "")
    assert "stdin" in text or "standard input" in text
