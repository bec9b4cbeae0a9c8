"""Inputs get back, from the task's own examples, the types that JSON took from them."""

from __future__ import annotations

import gzip
import json
from ast import parse
from pathlib import Path
from typing import Any

import pytest

from evalplus_lite.tasks import load_dataset
from evalplus_lite.tasks.published.rows import repaired
from evalplus_lite.values.source import assigned


def typed(value: Any) -> Any:
    """Return a form that is equal only for equal values of equal types."""
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [typed(item) for item in value]
    if isinstance(value, dict):
        return "dict", [(typed(key), typed(item)) for key, item in value.items()]
    if isinstance(value, (set, frozenset)):
        return type(value).__name__, sorted(repr(typed(item)) for item in value)
    return type(value).__name__, repr(value)


@pytest.mark.parametrize(
    ("shown", "given", "wanted"),
    [
        ([((1, 2), [3])], [[4], [5, 6]], ((4,), [5, 6])),
        ([([(1, "a")],)], [[[2, "b"], []]], ([(2, "b"), ()],)),
        ([({1, 2},)], [[3, 3, 4]], ({3, 4},)),
        ([({1},)], [[[1]]], ([[1]],)),
        ([(frozenset("ab"), 1)], [["c"], 2], (frozenset("c"), 2)),
        ([(1 + 2j,)], ["(3-4j)"], (3 - 4j,)),
        ([(1, 2j)], ["0", "1j"], (0, 1j)),
        ([(1,)], ["(1+2j)"], (1 + 2j,)),
        ([(1,)], ["12"], ("12",)),
        ([(1,)], ["j"], ("j",)),
        ([("a",)], ["1j"], ("1j",)),
        ([({1: "a"},)], [{"2": "b", "x": "c"}], ({2: "b", "x": "c"},)),
        ([({"a": 1, 5: 2},)], [{"6": 3}], ({"6": 3},)),
        ([({"a": (1,)},)], [{"b": [2]}], ({"b": (2,)},)),
        ([((1,),), ([1],)], [[2]], ([2],)),
        ([((1,),)], [[2], [3]], ((2,), [3])),
        ([((1, (2, (3, 4))),)], [[1, [2, [3, [4, [5]]]]]], ((1, (2, (3, (4, (5,))))),)),
        ([((1, (2, 3)),)], [[1, [2, [3]]]], ((1, (2, [3])),)),
        ([None, ((1,),)], [[2]], ((2,),)),
        ([], [[2]], ([2],)),
    ],
)
def test_places_get_the_types_that_were_shown(shown: Any, given: Any, wanted: Any) -> None:
    """Each place of an input has the type that all examples show there; unsure ones stay."""
    (found,) = repaired([given], shown)
    assert typed(found) == typed(wanted)


def test_a_place_with_complex_numbers_holds_numbers_only() -> None:
    """Where one input has the text of a complex number, texts of other numbers are numbers too."""
    assert repaired([["(1+2j)"], ["2.5"], [3]], [(1,)]) == [(1 + 2j,), (2.5,), (3,)]
    assert repaired([["2.5"], ["jj"]], [(1,)]) == [("2.5",), ("jj",)]


def test_an_example_itself_comes_back_exactly() -> None:
    """An input that is one of the examples in JSON becomes that example, keys and all."""
    shown = [({"a": 1, 5: (2,)},), ({"b": [1]},)]
    given = [[{"a": 1, "5": [2]}], [{"b": [1]}]]
    assert [typed(call) for call in repaired(given, shown)] == [typed(call) for call in shown]


@pytest.mark.slow
def test_mbpp_plus_types_are_those_of_its_literal_form(shared: Path) -> None:
    """Repaired inputs equal the published literals, but for tasks whose own asserts say otherwise.

    In the nine that differ the literal form has lists where the asserts in the prompt have tuples
    (98, 104, 140, 145, 596), text keys where they have numbers (301), other kinds of number (124,
    252), or goes on with tuples deeper than any assert shows (791).
    """
    literal: dict[int, set[str]] = {}
    with gzip.open(shared / "datasets" / "MbppPlus-OriginFmt.jsonl.gz", "rt") as lines:
        for row in map(json.loads, lines):
            tree = parse(row["test"])
            inputs = assigned(tree, "inputs")
            literal[row["task_id"]] = {repr(typed(tuple(item))) for item in inputs}
    dataset = load_dataset(shared / "datasets" / "MbppPlus.jsonl.gz")
    different = set()
    for task in dataset.tasks:
        number = int(task.id.removeprefix("Mbpp/"))
        if {repr(typed(case.arguments)) for case in task.cases} != literal[number]:
            different.add(number)
    assert different == {98, 104, 124, 140, 145, 252, 301, 596, 791}
