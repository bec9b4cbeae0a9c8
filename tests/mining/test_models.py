"""What passes between mining and a model that writes inputs: schemas, feedback, salvage."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.conversation import Scripted, answer, convert, modulo, signature

from evalplus_lite.exe.inputs.dialogue import TOOL, CaseForm, CaseWriter, ask_for_cases, prompt_for
from evalplus_lite.exe.inputs.validators import Executed, judge, salvage, select
from evalplus_lite.exe.running.runs import CallResult, Invocation
from evalplus_lite.exe.selecting.signatures import Parameter, Signature
from evalplus_lite.generate.domains.annotations import Type
from evalplus_lite.models import Client


def test_schema_has_the_papers_shape_and_only_portable_parts() -> None:
    """An object holds test_cases of args and kwargs; no prefixItems, objects closed."""
    form = CaseForm(signature("str", "list[tuple[str, int]]", "set[int] | None"))
    schema = form.schema
    assert schema["required"] == ["test_cases"]
    case = schema["properties"]["test_cases"]["items"]
    arguments = case["properties"]["args"]
    assert list(arguments["properties"]) == arguments["required"] == ["a", "b", "c"]
    assert "Positional argument 'a' of type str" in arguments["properties"]["a"]["description"]
    assert "prefixItems" not in json.dumps(schema)
    assert arguments["additionalProperties"] is False
    assert case["properties"]["kwargs"]["properties"] == {}


def test_cases_are_read_into_python_types() -> None:
    """Arrays become tuples and sets where the type says so, objects with number keys likewise."""
    form = CaseForm(signature("list[tuple[str, int]]", "set[int]", "dict[int, float]", "date"))
    plain = [[["x", 1]], [3, 3, 2], {"7": 2.5}, "2024-02-29"]
    tagged = [[{"$tuple": ["x", 1]}], {"$set": [2, 3]}, {"7": 2.5}, "2024-02-29"]
    read = form.read(answer([plain, tagged]))
    assert not read.problems
    assert read.calls == [Invocation(([("x", 1)], {2, 3}, {7: 2.5}, "2024-02-29"))] * 2


@pytest.mark.parametrize(
    ("kind", "value"),
    [("int", True), ("int", 1.5), ("int", "1"), ("bool", 1), ("str", 3), ("float", "x"),
     ("list[int]", [1, "2"]), ("tuple[int, str]", [1]), ("Iterable[int]", [1, None]),
     ("Literal['a', 'b']", "c"), ("date", "tomorrow"), ("str", None)],
)  # fmt: skip
def test_values_of_another_type_are_told_not_coerced(kind: str, value: Any) -> None:
    """Strict reading: true is not 1, 1.5 not 1, and nothing is checked lazily."""
    read = CaseForm(signature(kind)).read(answer([[value]]))
    assert not read.calls
    assert len(read.problems) == 1
    assert "Test case 0" in read.problems[0]


@pytest.mark.parametrize(
    "said",
    ["", "no json", '{"test_cases": 3}', '{"test_cases": [{"args": {"a": NaN}, "kwargs": {}}]}',
     '{"test_cases": ["x"]}', '{"test_cases": [{"args": {"b": 1}, "kwargs": {}}]}',
     '[{"args": {"a": "\\ud800"}}]'],
)  # fmt: skip
def test_unusable_answers_are_problems_not_crashes(said: str) -> None:
    """Whatever a model writes, reading it ends in calls or in words."""
    read = CaseForm(signature("float")).read(said)
    assert not read.calls
    assert read.problems


def test_of_an_answer_cut_off_the_whole_cases_count() -> None:
    """What stands whole is read, what does not is told, and the break is a problem of its own."""
    whole = answer([[1], ["x"], [3], [4]])
    read = CaseForm(signature("int")).read(f"Here they are: {whole[: whole.rindex('4')]}")
    assert read.calls == [Invocation((1,)), Invocation((3,))]
    assert len(read.problems) == 2
    assert "no JSON" in read.problems[0]


def test_optional_variadic_and_keyword_parameters_are_placed() -> None:
    """Left-out defaults stay out; *args and **kwargs are spread; keyword-only go by name."""
    parameters = (
        Parameter("a", "positional", Type("int")),
        Parameter("b", "positional", Type("str"), "'x'"),
        Parameter("rest", "varargs", Type("int")),
        Parameter("deep", "keyword", Type("bool"), "False"),
        Parameter("more", "varkw", Type("float")),
    )
    form = CaseForm(Signature(parameters, Type("int")))
    rows = [
        {"args": {"a": 1}, "kwargs": {}},
        {"args": {"a": 1, "b": "y", "rest": [2, 3]}, "kwargs": {"deep": True, "more": {"k": 1.5}}},
        {"args": [5, "z"], "kwargs": {}},
    ]
    read = form.read(f"```json\n{json.dumps({'test_cases': rows})}\n```")
    assert not read.problems
    assert read.calls == [
        Invocation((1,)),
        Invocation((1, "y", 2, 3), {"deep": True, "k": 1.5}),
        Invocation((5, "z")),
    ]


# Validators and conversations


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
    assert [f.validator for f in judge(executed(outputs))] == failed


def test_feedback_quotes_the_offenders() -> None:
    """Each failing validator's words show the cases at fault."""
    (found,) = judge(executed([ValueError] * 11 + list(range(5))))
    assert "in3" in found.feedback
    assert "ValueError: m3" in found.feedback
    slow = [
        *executed(range(10)),
        Executed(Invocation(("big",)), CallResult("slow", message="more than 1 s")),
    ]
    (found,) = judge(slow)
    assert found.validator == "runtime"
    assert "big" in found.feedback


def test_salvage_keeps_what_meets_the_core() -> None:
    """Errors in excess go singly until the balance holds; nothing else goes."""
    kept = salvage(executed([ValueError] * 8 + list(range(5))))
    assert sum(c.is_error for c in kept) == 5
    assert sum(not c.is_error for c in kept) == 5
    assert salvage(executed([0] * 10)) == []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([0, 0, 0, 1, 2, "in3", ValueError, KeyError]), max_size=40))
def test_selection_and_salvage_never_break_a_core_validator(outputs: list[Any]) -> None:
    """Whatever the pool, salvaged cases meet validators 4 to 6 and are part of the pool."""
    pool = executed(outputs)
    kept = salvage(select(pool))
    assert not judge(kept, waived=("coverage", "runtime"))
    assert {id(c) for c in kept} <= {id(c) for c in pool}
    assert len(kept) <= 15


def test_a_conversation_repairs_what_validators_find(toys: Any) -> None:
    """Schema, duplicates, too few and slow cases are told; the third answer passes."""
    source = Scripted(
        [
            "I think that",
            answer([[n] for n in (1, 2, 3, 1, 10**7)]),
            answer([[n] for n in range(4, 16)]),
        ]
    )
    found = ask_for_cases(modulo(toys), CaseWriter(source=source), convert, seed=0)
    assert len(found.cases) >= 10
    assert not found.salvaged
    assert found.failures[:4] == ["schema", "coverage", "duplication", "coverage"]
    assert found.requests == 3
    assert found.prompt_tokens == 300
    words = source.asked[2].messages[-1].content
    assert "not unique" in words
    assert "10000000" in words
    assert [m.role for m in source.asked[2].messages] == [
        "user", "assistant", "user", "assistant", "user",
    ]  # fmt: skip


def test_a_tool_is_asked_for_cases_at_a_temperature(toys: Any, model_server: Any) -> None:
    """Each request names the paper's tool, has its parameters and the temperature."""
    said = answer([[n] for n in range(12)])
    model_server.answers.append(model_server.call(TOOL, json.loads(said)))
    source = Client("tiny", base_url=model_server.url)
    writer = CaseWriter(source=source, temperature=1.1, tools=True)
    found = ask_for_cases(modulo(toys), writer, convert, seed=0)
    assert len(found.cases) == 12
    (asked,) = model_server.asked
    assert asked["temperature"] == 1.1
    (tool,) = asked["tools"]
    assert (tool["function"]["name"], tool["function"]["strict"]) == (TOOL, True)
    assert tool["function"]["parameters"] == CaseForm(modulo(toys).signature).schema


def test_two_attempts_of_three_cycles_then_salvage(toys: Any) -> None:
    """After six answers the minimum is waived, but the core validators are not."""
    source = Scripted([answer([[n % 3], [-n - 1], [-n - 100]]) for n in range(6)])
    found = ask_for_cases(modulo(toys), CaseWriter(source=source), convert, seed=0)
    assert len(source.asked) == 6
    assert len(source.asked[3].messages) == 1
    assert found.salvaged
    assert not judge(found.cases, waived=("coverage",))
    silent = CaseWriter(source=Scripted(["no"] * 6))
    assert ask_for_cases(modulo(toys), silent, convert, seed=0).cases == []


def test_the_prompt_shows_at_most_sixty_earlier_cases(toys: Any) -> None:
    """Sixty are drawn at random from more; the code, docstring and the count are there."""
    import random

    seen = [Invocation((n,)) for n in range(100, 500)]
    shown = prompt_for(modulo(toys), seen, random.Random(1))
    assert sum(f"[[{n}], {{}}]" in shown for n in range(100, 500)) == 60
    assert "return str(a % 7)" in shown
    assert "Mod." in shown
    assert "write 15 test cases" in shown
    assert "(none yet)" in prompt_for(modulo(toys), [], random.Random(1))


# Predictions
