"""Constraints inferred from a task's inputs and text, written as a contract."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
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
from evalplus_lite.types import Case, Harness, Value

DAYS: list[Value] = ["2024-01-02", "2023-05-06", "1999-12-31", "2020-02-29"]
WORDS = "def f(xs, k):\n    return k\n"


def test_what_inference_writes_is_for_a_person_to_review() -> None:
    """Types, ranges and formulas; of texts no arguments; dead comments are counted."""
    lines = infer_constraints(make_task([([1, 2], 2), ([3], 1)]))
    assert lines[0].startswith("def precondition(")
    assert any(line.strip().startswith("assert type(") for line in lines)
    assert any("<= item <=" in line for line in lines)
    texts = [("1 2\n",), ("3 4\n",), ("5 6\n",), ("7 8\n",), ("9 1\n",), ("2 2\n",)]
    script = replace(make_task(texts), harness=Harness("script"))
    text = "\n".join(infer_constraints(script))
    assert ("the text" in text, "argument 0" in text) == (True, False)
    calls = replace(make_task([(["C"], ["add", 1])]), harness=Harness("sequence"))
    (line,) = infer_constraints(calls)
    assert line.startswith("# ")
    times = ["at 09:30", "at 12:00", "at 23:15"]
    task = replace(make_task([(each,) for each in times]), prompt="Read the time.")
    lines = [line.strip() for line in infer_constraints(task)]
    count = sum(line.startswith("# assumed") for line in lines)
    assert count > 0
    assert f"({count})" in lines[-1]
    assert lines[-1].startswith("#")
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


FORMS: dict[str, tuple[str, list[Value], list[Value], str]] = {
    # what the task says, inputs, others that the contract refuses, and the constraint
    "dates": ("The weekday.", DAYS, ["35-10-4444", "2023-02-29", "2024-1-2"], "0.dates"),
    "layout": ("Time.", ["3h 20m", "1h 05m", "12h 59m", "7h 3m"], ["3h20m", "3x 2m"], "0.layout"),
    "columns": ("Code.", ["a1-1", "b2-7", "c3-4", "d9-3"], ["11-a", "a1--"], "0.layout"),
    "widths": ("Prices.", ["1.50", "12.00", "3.99"], ["1.5", "1.505"], "0.widths"),
    "brackets": ("Depth of brackets.", ["(())", "()", "(()())"], ["((", ")("], "0.brackets"),
    "blanks": ("Words.", ["a b", "b c", "c d", "x", "a c b", "d e", "e f g"], ["a  b", " a"],
               "0.single-blanks"),
    "lines": ("A grid.", [["#.", "##"], ["...", "#.."], ["#"]], [["#", "##"]], "0.equal-lines"),
    "records": ("Rows.", [[{"n": 2, "s": "a"}], [{"n": 3, "s": "bc"}]],
                [[{"n": 2}], [{"n": "a", "s": 1}]], "0.items.fields"),
}  # fmt: skip


@pytest.mark.parametrize("kind", FORMS)
def test_forms_become_assertions(sandbox: Sandbox, kind: str) -> None:
    """A pasted contract refuses what the inferred constraints did."""
    prompt, values, others, name = FORMS[kind]
    reference = "def f(x):\n    return x and (x[0]['n'], x[0]['s'])\n"
    task = make_task([(value,) for value in values])
    task = replace(task, prompt=prompt, entry_point="f", reference=reference)
    input_filter = InputFilter.of_task(task)
    wrong = [Case((value,)) for value in others]
    assert not any(input_filter.admits(case.arguments) for case in wrong)
    lines = infer_constraints(task)
    assert any(line.endswith(f"# {name}") for line in lines), lines
    assert not any("# assumed" in line or "no longer apply" in line for line in lines), lines
    proposed = Generator(task.base, input_filter=input_filter, rng=random.Random(0)).propose(60)
    found = violations(sandbox, "\n".join(lines), [*task.base, *proposed, *wrong])
    assert [bool(each) for each in found] == [False] * (len(found) - len(wrong)) + [True] * len(
        wrong
    )
    assert not any(each.faulty for each in found if each)
