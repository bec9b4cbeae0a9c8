"""Constraints inferred from a task's inputs and text, written as a contract."""

from __future__ import annotations

import random
from dataclasses import replace

from support.backends import Inline
from support.tasks import make_task

from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine.generator import Generator
from evalplus_lite.jobs.constraints import infer_constraints
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.tasks import load_dataset
from evalplus_lite.tasks.contracts import violations
from evalplus_lite.tasks.formulas import Comparison
from evalplus_lite.tasks.published.base_cases import with_base_cases
from evalplus_lite.types import Harness

WORDS = "def f(xs, k):\n    return k\n"


def test_inferred_guards_are_told() -> None:
    """Types, ranges, sizes and relations are a contract for a person to review."""
    lines = infer_constraints(make_task([([1, 2], 2), ([3], 1)]))
    assert lines[0].startswith("def precondition(")
    assert any(line.strip().startswith("assert type(") for line in lines)
    assert any("<= item <=" in line for line in lines)


def test_inputs_that_are_no_arguments_are_not_called_that() -> None:
    """A script's input is a text; of calls by position no contract is offered."""
    texts = [("1 2\n",), ("3 4\n",), ("5 6\n",), ("7 8\n",), ("9 1\n",), ("2 2\n",)]
    script = replace(make_task(texts), harness=Harness("script"))
    text = "\n".join(infer_constraints(script))
    assert ("the text" in text, "argument 0" in text) == (True, False)
    calls = replace(make_task([(["C"], ["add", 1])]), harness=Harness("sequence"))
    (line,) = infer_constraints(calls)
    assert line.startswith("# ")


def test_an_inferred_contract_can_be_pasted(sandbox: Sandbox) -> None:
    """It runs as a contract, and accepts what the filter admits that it was read from."""
    data = with_base_cases(load_dataset("humaneval", only=["0-20"]), Inline(sandbox))
    for task in data.tasks:
        bare = replace(task, contract=None)
        input_filter = InputFilter.of_task(bare)
        rng = random.Random(task.id)
        cases = Generator(bare.base, input_filter=input_filter, rng=rng).propose(60)
        text = "\n".join(infer_constraints(bare))
        assert not any(violations(sandbox, text, [*bare.base, *cases])), text


def test_stated_formulas_become_assertions() -> None:
    """Formulas of names, numbers and one index are code; others stay comments."""
    assert Comparison.read("1 <= len(nums) <= 9").code(["nums"]) == "1 <= len(nums) <= 9"
    assert (
        Comparison.read("0 <= nums[i] < k").code(["nums", "k"])
        == "all(0 <= each < k for each in nums)"
    )
    assert Comparison.read("1 <= m <= 9").code(["nums"]) is None
    assert Comparison.read("l[i] <= r[i]").code(["l", "r"]) is None
    words = make_task([([1], 2), ([3], 1)])
    words = replace(words, prompt="k is a positive integer not greater than 5.", reference=WORDS)
    assert any(line.startswith("    assert 1 <= k <= 5") and "stated" in line
               for line in infer_constraints(words))  # fmt: skip
