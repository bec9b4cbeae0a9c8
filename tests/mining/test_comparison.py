"""When a predicted answer is the true one, and how often it counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evalplus_lite.errors import InputError
from evalplus_lite.exe.prediction import Prediction
from evalplus_lite.exe.running.runs import CallResult, Invocation
from evalplus_lite.exe.scoring import is_same, scored
from evalplus_lite.exe.tasks.mined import MinedTask, TaskCase
from evalplus_lite.values.kinds.containers import DefaultDict


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
