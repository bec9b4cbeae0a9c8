"""What a model that writes calls says, and the validators of cases."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.conversation import Failing, Scripted, modulo, signature

from evalplus_lite.errors import LLMError
from evalplus_lite.exe.inputs.model import CaseForm, calls_of_model
from evalplus_lite.exe.inputs.search import Runner, find_cases
from evalplus_lite.exe.inputs.validators import Executed, judge, select
from evalplus_lite.exe.running.proof import Sandboxes
from evalplus_lite.exe.running.runs import CallResult, Invocation
from evalplus_lite.models.errors import TooLongError


def answer(*cases: dict[str, Any]) -> str:
    """Return test cases as a model writes them."""
    return json.dumps({"test_cases": [{"args": each, "kwargs": {}} for each in cases]})


@pytest.mark.parametrize(
    ("kind", "right", "value", "wrong"),
    [
        ("int", 3, 3, True),
        ("float", 1, 1.0, "1"),
        ("bytes", "ab", b"ab", 1),
        ("date", "2024-02-29", "2024-02-29", "2023-02-29"),
        ("list[int]", [1, 2], [1, 2], [1, "2"]),
        ("tuple[int, str]", [1, "a"], (1, "a"), [1]),
        ("set[int]", [1, 1], {1}, [[1]]),
        ("dict[int, bool]", {"1": True}, {1: True}, {"a": True}),
        ("int | None", None, None, "x"),
        ("Literal['a', 'b']", "a", "a", "c"),
    ],
)
def test_values_are_read_by_their_types(kind: str, right: Any, value: Any, wrong: Any) -> None:
    """JSON has no tuples, sets, bytes or keys but texts: the types say what each array is."""
    form = CaseForm(signature(kind))
    jsonschema.Draft202012Validator.check_schema(form.schema)
    assert jsonschema.Draft202012Validator(form.schema).is_valid(json.loads(answer({"a": right})))
    calls, problems = form.read(answer({"a": right}, {"a": wrong}, {}, {"b": 1}))
    assert calls == [Invocation((value,))]
    assert len(problems) == 3


def test_a_broken_answer_costs_no_whole_case() -> None:
    """What is cut off or surrounded by prose is read as far as it goes; depth is bounded."""
    form = CaseForm(signature("int"))
    whole = answer({"a": 1}, {"a": 2})
    for text in (f"Sure:\n```json\n{whole}\n```", whole):
        assert [call.args for call in form.read(text)[0]] == [(1,), (2,)]
    assert form.read(whole[:-25])[1]
    assert form.read("[" * 100_000)[0] == form.read("")[0] == []


def test_a_model_is_told_once_what_is_wrong(toys: Any, sandboxes: Sandboxes) -> None:
    """The second request quotes the faults; what it writes is run, and chosen first."""
    first = answer({"a": "one"}, *({"a": n} for n in range(6)))
    source = Scripted([first, answer(*({"a": n} for n in range(6, 12)))])
    function = modulo(toys)
    found = find_cases(function, Runner(function, sandboxes), seed=0, source=source)
    asked, again = source.asked
    assert "return str(a % 7)" in asked.messages[0].content
    assert asked.schema
    assert asked.tool
    assert "'one' is not of type int" in again.messages[-1].content
    _, chosen, row = found
    assert sum(case.source == "model" for case in chosen) >= 6
    facts = row["generation"]
    assert (facts["written"], facts["problems"]) == (12, 1)


def test_a_request_at_fault_costs_its_calls_and_a_dead_server_the_run(toys: Any) -> None:
    """What one request is at fault for is noted; what the server is at fault for is raised."""
    error = TooLongError("the request is too long for 'm': 5000 tokens")
    calls, facts = calls_of_model(modulo(toys), Failing(error))
    assert (calls, facts["failure"]) == ([], str(error))
    with pytest.raises(LLMError, match="cannot reach"):
        calls_of_model(modulo(toys), Failing(LLMError("cannot reach http://127.0.0.1:9/v1")))


# Validators


def executed(outputs: Sequence[Any], *, start: int = 0) -> list[Executed]:
    """Return cases with these outputs (an exception for a type) on distinct inputs."""
    cases = []
    for number, output in enumerate(outputs, start):
        if isinstance(output, type):
            found = CallResult("error", type=output.__name__, message=f"m{number}")
        else:
            found = CallResult("value", value=output)
        cases.append(Executed(Invocation((f"in{number}",)), found))
    return cases


@pytest.mark.parametrize(
    ("outputs", "failed"),
    [
        (list(range(10)), []),
        (list(range(9)), ["coverage"]),
        ([f"in{n}" for n in range(5)] + list(range(5)), ["non-triviality"]),
        ([f"in{n}" for n in range(4)] + list(range(6)), []),
        ([0] * 8 + [1, 2, 3, 4], []),
        ([0] * 9 + [1, 2, 3, 4], ["diversity"]),
        ([ValueError] * 6 + list(range(6)), []),
        ([ValueError] * 7 + list(range(6)), ["error balance"]),
    ],
)
def test_validators_hold_at_their_exact_bounds(outputs: list[Any], failed: list[str]) -> None:
    """Ten cases suffice; half trivial is too many; two thirds equal and half errors are not."""
    assert judge(executed(outputs)) == failed


@given(st.lists(st.sampled_from([0, 0, 0, 1, 2, "in3", ValueError, KeyError]), max_size=60))
@settings(deadline=None)
def test_what_is_chosen_is_part_of_the_pool_and_in_balance(outputs: list[Any]) -> None:
    """Accidents are no cases; errors and trivial cases are held back as far as others are there."""
    pool = executed(outputs)
    chosen = select([*pool, replace(executed([KeyError], start=99)[0], is_accident=True)])
    assert {id(c) for c in chosen} <= {id(c) for c in pool}
    assert len(chosen) <= 15
    assert {*judge(chosen)} <= {"coverage"}
