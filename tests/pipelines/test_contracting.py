"""Drafted preconditions: tried on the task's own inputs in the sandbox, or refused."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from support.backends import Inline
from support.tasks import make_task

from evalplus_lite.cli.app import run
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine.generator import Generator
from evalplus_lite.jobs.contract_drafts import (
    Draft,
    NoContract,
    infer_constraints,
    parse_contract,
    suggest,
)
from evalplus_lite.models import Client
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.tasks import load_dataset
from evalplus_lite.tasks.contracts import violations
from evalplus_lite.tasks.formulas import Comparison
from evalplus_lite.tasks.published.base_cases import with_base_cases
from evalplus_lite.types import Harness

TASK = make_task([(1,), (7,)])
WORDS = "def f(xs, k):\n    return k\n"
GOOD = '"""Positive."""\n\ndef precondition(x):\n    assert type(x) is int and x > 0, "x > 0"\n'
STRICT = '"""Small."""\n\ndef precondition(x):\n    assert x < 5, "x must be below 5"\n'


def fenced(text: str) -> str:
    return f"Here it is:\n```python\n{text}```\n"


@pytest.mark.parametrize(
    "text",
    ["no program", fenced("def f(x): pass\n"), fenced("def precondition(x, y): pass\n"), "def ("],
)
def test_what_is_no_contract_is_refused(text: str) -> None:
    """An answer without a precondition of the task's arguments is told so."""
    with pytest.raises(NoContract):
        parse_contract(text, TASK)


@pytest.fixture
def drafted(sandbox: Sandbox, model_server: Any) -> Callable[..., Draft]:
    """Return what a model that gives these texts in turn drafts for the task."""

    def suggested(*texts: str) -> Draft:
        model_server.says(*map(fenced, texts))
        client = Client("tiny", base_url=model_server.url, api_key="none")
        return suggest(Inline(sandbox), TASK, client)

    return suggested


def test_a_draft_that_accepts_the_base_inputs_is_returned(drafted: Callable[..., Draft]) -> None:
    """The first good draft is taken as it stands, with the share of mutated inputs it accepts."""
    draft = drafted(GOOD)
    assert (draft.text, draft.turns) == (GOOD, 1)
    assert 0 < draft.accepted < draft.tried


def test_refused_base_inputs_are_quoted_back(
    drafted: Callable[..., Draft], model_server: Any
) -> None:
    """The model reads which input of the task its draft refuses, and why, and may try again."""
    draft = drafted(STRICT, GOOD)
    assert (draft.text, draft.turns) == (GOOD, 2)
    said = model_server.asked[1]["messages"][-1]["content"]
    assert "[7]" in said
    assert "x must be below 5" in said


def test_a_model_that_does_not_learn_gives_no_draft(
    drafted: Callable[..., Draft], model_server: Any
) -> None:
    """After three further turns the task has no draft, and the last problem is told."""
    draft = drafted(STRICT)
    assert draft.text is None
    assert "x must be below 5" in draft.problem
    assert len(model_server.asked) == 4


def test_a_hostile_draft_is_only_run_in_the_sandbox(
    drafted: Callable[..., Draft], tmp_path: Any
) -> None:
    """What a draft tries to write outside is not there afterwards."""
    path = tmp_path / "written"
    assert drafted(f"open({str(path)!r}, 'w').write('x')\n{GOOD}", GOOD).text == GOOD
    assert not path.exists()


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


def test_the_command_writes_a_file_for_review(
    model_server: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``contracts suggest`` leaves one file a task that begins by saying it is a draft."""
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text(
        '{"id": "my/1", "prompt": "def f(x):\\n", "entry_point": "f", '
        '"reference": "def f(x):\\n    return x\\n", "inputs": [[1], [7]]}\n'
    )
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    model_server.says(fenced(GOOD))
    where = ["--base-url", model_server.url, "--model", "tiny", "-o", str(tmp_path / "drafts")]
    assert run(["generate", "--draft-contracts", "-d", str(tasks), *where, "-w", "1"]) == 0
    text = (tmp_path / "drafts/my_1.py").read_text()
    assert text == f"# A draft by tiny: to be reviewed.\n{GOOD}"
    assert run(["generate", "--draft-contracts", "-d", str(tasks)]) == 2
