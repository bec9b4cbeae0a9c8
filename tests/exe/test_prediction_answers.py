"""How a model's answers are read, when a value is the same as another, and how often it counts."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalplus_lite.errors import InputError
from evalplus_lite.exe.prediction import Prediction, parse_answer, question
from evalplus_lite.exe.running.runs import (
    CallableProgram,
    CallResult,
    Invocation,
    is_told_apart,
    normal,
    run,
    text,
)
from evalplus_lite.exe.scoring import grade, is_same, scored
from evalplus_lite.exe.tasks.mined import MinedTask, TaskCase
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.values.kinds.containers import DefaultDict


def test_numbers_beyond_floats_are_infinite() -> None:
    """JSON can write what no float holds; the row that keeps it can be written and read."""
    long = "9" * 400 + ".5"
    for written, value in (("1e999", "Infinity"), ("-1e999", "-Infinity"), (long, "Infinity")):
        answer = parse_answer(f'{{"value": [{written}, 1.5]}}')
        assert answer == {"value": [value, 1.5]}
        assert json.loads(json.dumps(answer, allow_nan=False)) == answer


@pytest.mark.parametrize(
    "wrong",
    [
        {"prediction": [1]},
        {"prediction": {"error": "x"}},
        {"answer_tokens": "many"},
        {"case": "0"},
        {"case": True},
        {"sample": 0.9},
        {"sample": -1},
        {"case": -1},
        {"prediction": {"python": 5}},
        {"answer_tokens": {"prompt": float("inf")}},
    ],
)
def test_odd_rows_are_no_predictions(wrong: dict[str, Any]) -> None:
    """They are told with their line by whoever reads the file."""
    row = {"task_id": "t", "case": 0, "prediction": {"value": 1}, **wrong}
    with pytest.raises(TypeError):
        Prediction.from_json(row)


def test_normal_form_follows_the_paper() -> None:
    """Sets sorted, tuples lists, numbers one way, keys text; true is not 1."""
    assert normal({3, 1, 2}) == [1, 2, 3]
    assert normal((1, (2.0, frozenset({"b", "a"})))) == [1, [2, ["a", "b"]]]
    assert normal({1: {None: True}}) == {"1": {"null": True}}
    assert is_same(True, True)
    assert not is_same(True, 1)
    assert not is_same(1, True)
    assert is_same(2, 2.0)
    assert is_same(0.1 + 0.2, 0.30000000000000004)
    assert not is_same(0.1 + 0.2, 0.3)
    assert is_same([{"b", "a"}, (1,)], [["b", "a"], [1.0]])
    assert not is_same(["b", "a"], ["a", "b"])
    assert is_same({1: 2}, {"1": 2})
    assert is_same({frozenset({1, 2}): 3}, {"[2, 1]": 3})
    assert is_same({frozenset({1, 2}): 3}, {"frozenset({2, 1})": 3})
    assert is_same({(frozenset({"a", "b"}), 1): 3}, {"({'b', 'a'}, 1)": 3})
    assert not is_same({frozenset({1, 2}): 3}, {"[3, 1]": 3})
    assert is_same(float("nan"), "NaN")
    assert not is_same(set(), {})
    assert not is_same("1", 1)


@settings(max_examples=60)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.tuples(inner, inner)
            | st.dictionaries(st.text(max_size=3), inner, max_size=3)
            | st.sets(st.integers(), max_size=4)
        ),
        max_leaves=12,
    )
)
def test_a_value_is_the_same_as_its_own_json(value: Any) -> None:
    """Writing the normal form as JSON and reading it back is a right prediction."""
    assert is_same(value, json.loads(text(normal(value))))


@pytest.mark.parametrize(
    ("said", "parsed"),
    [
        ('{"value": [1, 2]}', {"value": [1, 2]}),
        ('Thinking {"a": 1}. So:\n```json\n{"value": null}\n```', {"value": None}),
        ('{"error": {"type": "ValueError", "message": "no {x}"}}',
         {"error": {"type": "ValueError", "message": "no {x}"}}),
        ('{"error": "KeyError: \'a\'"}', {"error": {"type": "KeyError", "message": "'a'"}}),
        ('{"value": NaN}', {"value": "NaN"}),
        ('{"value": 1} no wait {"value": 2}', {"value": 2}),
        ('{"value": 1}, checked: {"error": false}', {"value": 1}),
        # Literals where there is no JSON.
        ("So it is {'value': (1, None, 'a')}", {"value": [1, None, "a"]}),
        ('{"value": {1: True, (2, 3): None}}.', {"value": {"1": True, "[2,3]": None}}),
        ("{'error': {'type': 'KeyError', 'message': \"'k'\"}}",
         {"error": {"type": "KeyError", "message": "'k'"}}),
        ('First {"value": 1}, no: {"value": 2}', {"value": 2}),
    ],
)  # fmt: skip
def test_answers_are_found_in_what_models_write(said: str, parsed: dict[str, Any]) -> None:
    """The last object that is an answer counts, with prose and fences around it."""
    assert parse_answer(said) == parsed


@pytest.mark.parametrize("said", ["", "42", "{}", '{"value"}', '{"error": 3}', "{" * 5000])
def test_unreadable_answers_say_why(said: str) -> None:
    """What is no answer is a ValueError with words, quickly."""
    with pytest.raises(ValueError, match=r"JSON|neither|must hold"):
        parse_answer(said)


def test_calls_are_shown_as_python_reads_them() -> None:
    """Numbers that have no literal are made, and sets stand in one order on every run."""
    call = Invocation((float("nan"), {"b", "a", "c"}, "é'"), {"most": [float("-inf")]})
    shown = "f(float('nan'), {'a', 'b', 'c'}, \"é'\", most=[float('-inf')])"
    assert call.written("f") == shown
    task = MinedTask("t", "def f(*a, **k): ...", "f", (), {})
    case = TaskCase(call, CallResult("value", value=1))
    assert shown in question(task, case)


@pytest.mark.parametrize(
    "value", [{2: 1, "2": 1}, [{"a": {(1, 2): 1, frozenset({1, 2}): 2}}], {None: 1, "null": 2}]
)
def test_keys_that_json_writes_alike_make_no_case(value: Any, sandbox: Sandbox) -> None:
    """No answer could be right: they are no plain value."""
    assert not is_told_apart(value)
    program = CallableProgram("f", f"def f():\n    return {value!r}\n")
    (answer,) = run(sandbox, program, [Invocation(())]).answers
    assert answer.kind == "unfit"
    assert is_told_apart([{2: 1, "3": 1, None: {"a": {}}}])


def test_an_empty_answer_is_an_unreadable_one() -> None:
    """Of a row that somebody else wrote."""
    case = TaskCase(Invocation((1,)), CallResult("value", value=1))
    assert grade(case, Prediction("t", 0, 0, {})).reason == "unreadable"


def test_keys_are_known_as_json_and_as_python_write_them() -> None:
    for written in ("(1, 2)", "[1, 2]", "[1,2]"):
        assert is_same({(1, 2): 3}, {written: 3})
    assert is_same({None: 1, True: 2, 1.5: 3}, {"None": 1, "true": 2, "1.5": 3})
    assert is_same({1.0: {"b", "a"}}, {"1": ["b", "a"]})
    assert is_same({"(1, 2)": 3}, {"(1, 2)": 3})
    assert not is_same({"None": 1}, {"null": 1})
    assert not is_same({True: 1}, {"1": 1})
    assert not is_same({(1, 2): 3, "x": 3}, {"(1, 2)": 3, "[1, 2]": 3})


def test_keys_of_bytes_are_text_as_bytes_are() -> None:
    """As the prompt writes them; or as Python does, or as the text of their JSON."""
    for written in ("<", "b'<'", '"<"'):
        assert is_same({b"<": [b"\x14\xc6"]}, {written: ["\x14\xc6"]})
    assert is_same({b"a": 1, "a": 2}, {"b'a'": 1, "a": 2})
    assert not is_same({b"a": 1}, {"b": 1})


def test_dicts_of_collections_are_dicts() -> None:
    """Also those of tasks that were mined before they were read as such."""
    assert is_same(DefaultDict({1: {"a", "b"}}, "set"), {"1": ["b", "a"]})
    assert is_same([DefaultDict({b"k": 1})], [{"k": 1}])


def test_sets_in_sets_stand_in_any_order() -> None:
    truth = {frozenset({1, 2}), frozenset({3, 4}), (5, frozenset("ab"))}
    assert is_same(truth, [[5, ["b", "a"]], [4, 3], [2, 1]])
    assert not is_same(truth, [[5, ["b", "a"]], [4, 3], [2, 2]])
    assert not is_same({(1, 2)}, [[2, 1]])


def test_large_whole_numbers_are_alike_however_written() -> None:
    assert is_same(1e16, 10**16)
    assert is_same(10**300, 1e300) is (10**300 == 1e300)
    assert not is_same(2**53 + 1, float(2**53))


def test_a_sample_counts_once() -> None:
    """Copies are no further samples, two answers under one number are a mistake, none is told."""
    task = MinedTask("own/f", "", "f", (TaskCase(Invocation(()), CallResult("value", value=1)),))
    first = Prediction(task.id, 0, 0, {"value": "?"})
    report = scored([task], [first, first], ks=(1, 2))
    assert (report.repeated, report.too_few, len(report.pass_at_k)) == (1, [2], 1)
    with pytest.raises(InputError, match="sample 0"):
        scored([task], [first, replace(first, answer={"value": "!"})])
    with pytest.raises(InputError, match="no prediction"):
        scored([task], [])
