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
from evalplus_lite.exe.inputs.known import MOST_CALLS, calls_of_model
from evalplus_lite.exe.inputs.search import Runner, find_cases
from evalplus_lite.exe.inputs.validators import Executed, judge, select
from evalplus_lite.exe.running.proof import Sandboxes
from evalplus_lite.exe.running.runs import CallResult, Invocation
from evalplus_lite.models.errors import TooLongError


def test_a_model_writes_calls_with_literals(toys: Any, sandboxes: Sandboxes) -> None:
    """Calls in any line are read; prose, other names, broken lines and computed values are not."""
    lines = [f"mod({n})" for n in range(10)]
    others = [
        "Here they are:",
        "```python",
        "mod(1 + x)",
        "mod()",
        "mod(1, 2)",
        "other(77)",
        "mod(3",
    ]
    deep = f"mod({'[' * 100_000}"
    source = Scripted(["\n".join([*others, *lines, "assert mod(a=12) == '5'", deep])])
    function = modulo(toys)
    found = find_cases(function, Runner(function, sandboxes), seed=0, source=source)
    (asked,) = source.asked
    assert "return str(a % 7)" in asked.messages[0].content
    assert found is not None
    _, chosen, row = found
    assert row["generation"]["written"] == 11
    written = {case.call.args[0] for case in chosen if case.source == "model"}
    assert len(written) >= 6
    assert written <= {*range(10), 12}


def test_what_a_model_writes_is_bounded(toys: Any) -> None:
    """Of any reply, few calls and no long lines are read: calls are copied, sorted and run."""
    function = modulo(toys)
    zeros = "0," * 3000
    lines = [f"a = [{zeros}]; mod([{'a,' * 3000}])", *(f"mod({n})" for n in range(9000))]
    calls, _ = calls_of_model(function, Scripted(["\n".join(lines)]))
    assert [call.args for call, _ in calls] == [(n,) for n in range(MOST_CALLS)]
    rows = f"for a in {[*range(10)]}: " + ";".join(
        f"mod(a + {n}); mod([a, {n}])" for n in range(60)
    )
    assert len(calls_of_model(function, Scripted([rows]))[0]) <= MOST_CALLS


def test_a_model_names_an_argument_that_a_method_and_its_object_have(toys: Any) -> None:
    """A call of the entry point has both, by the entry point's own names."""
    body = """
        class Box:
            def __init__(self, size: int) -> None:
                self.size = size
            def fits(self, size: int) -> str:
                return str(self.size // 3 - size)
        """
    (box,) = toys.mined({"toy.py": body})[0].values()
    calls, _ = calls_of_model(box, Scripted(["Box_fits(size=9, size_given=1)\nBox_fits(9, 2)"]))
    assert sorted(call.args for call, _ in calls) == [(9, 1), (9, 2)]


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
