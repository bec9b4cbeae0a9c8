"""What a model that writes calls says, and the validators of cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.conversation import Failing, Scripted, modulo

from evalplus_lite.errors import LLMError
from evalplus_lite.exe.inputs.model import calls_in, calls_of_model
from evalplus_lite.exe.inputs.runner import Runner
from evalplus_lite.exe.inputs.search import find_cases
from evalplus_lite.exe.inputs.validators import Executed, judge, select
from evalplus_lite.exe.running.proof import Sandboxes
from evalplus_lite.exe.running.runs import CallResult, Invocation
from evalplus_lite.models.errors import TooLongError

TEXT = """Here they are:
```python
mod(1)
- `mod(-2)`,
mod(3) == 3
mod(a=7);
mod(n)
mod(1, [2, {"k": (3, None)}])
mod(...)
other(3)
mod(4
```"""


def test_calls_are_read_off_a_models_lines() -> None:
    """Bullets, fences and comparisons count nothing; what is no call of literals is left out."""
    assert calls_in(TEXT, "mod") == [
        Invocation((1,)),
        Invocation((-2,)),
        Invocation((3,)),
        Invocation((), {"a": 7}),
        Invocation((1, [2, {"k": (3, None)}])),
    ]
    assert calls_in("", "mod") == calls_in("mod(" * 9000, "mod") == []


def test_a_models_calls_come_before_others(toys: Any, sandboxes: Sandboxes) -> None:
    """Asked once with the program; what it writes is run, chosen first and marked as its own."""
    source = Scripted(["\n".join(f"mod({n})" for n in range(12))])
    function = modulo(toys)
    found = find_cases(function, Runner(function, sandboxes), seed=0, source=source)
    (request,) = source.asked
    assert "return str(a % 7)" in request.messages[0].content
    assert sum(case.source == "model" for case in found.chosen) >= 6
    assert found.facts["generation"]["written"] == 12


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
