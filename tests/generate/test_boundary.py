"""Boundary values are the edges and plain shapes of a domain, and never leave it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine import boundary
from evalplus_lite.generate.engine.boundary import BoundaryCombinations
from evalplus_lite.generate.engine.slots import GenerationState, Slot
from evalplus_lite.types import Value
from evalplus_lite.values.identity import key


def slots(*base: tuple[Any, ...], inferred: bool = False) -> list[Slot]:
    input_filter = InputFilter.infer(base) if inferred else InputFilter.typed(base)
    state = GenerationState(
        random.Random(1).random, Constants(strings=("kept",), tokens=("k",)), max_magnitude=10**6
    )
    made = [
        Slot(domain, profile, state)
        for domain, profile in zip(input_filter.domains, input_filter.profiles, strict=True)
    ]
    for arguments in base:
        for slot, value in zip(made, arguments, strict=False):
            slot.learn(value)
    return made


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (5, [0, 1, -1, 2, 100, 10**6]),
        (0.5, [0.0, 1.0, -1.0, 0.5]),
        ("ab", ["", "a", "aa", "ab", "aba", "kept"]),
        (b"x", [b"", b"\x00", b"\xff"]),
        (True, [True, False]),
        (1j, [0j, 1 + 0j]),
        ([3, 4], [[], [0], [0, 0], [0, 1], [1, 0]]),
        ((3, 4), [(), (0,), (0, 0)]),
        ({3}, [set(), {0}, {0, 1}]),
        (frozenset({3}), [frozenset(), frozenset({0})]),
        ({"a": 1}, [{}]),
        ([[1, 2, 3], [4, 5, 6]], [[[0, 0], [0, 0]], [[0]]]),
        (None, [None]),
    ],
)
def test_boundaries_of_each_type_hold_the_plain_cases(seen: Value, expected: list[Value]) -> None:
    """Nothing, one, two alike, two unlike, zero and its neighbours are there for each type."""
    found = [key(value) for value in boundary.boundary_values(slots((seen,))[0])]
    assert [value for value in expected if key(value) not in found] == []


@pytest.mark.parametrize(
    "base",
    [
        [([1, 2],), ([3],), ([4, 4, 4],)],
        [("03-11-2000",), ("15-01-2012",), ("04-30-2040",)],
        [([("a", 1), ("b", 2)],), ([("c", 3)],)],
        [([[1, 2], [3, 4]],), ([[1]],), ([[1, 2, 3], [4, 5, 6], [7, 8, 9]],)],
        [(1, 5), (2, 3)],
        [({"a": [1]}, 1.5)],
        [({1: "x"},), ({},)],
    ],
)
@pytest.mark.parametrize("inferred", [True, False])
def test_boundaries_stay_within_the_domain(base: list[tuple[Any, ...]], inferred: bool) -> None:
    """Each boundary value is admitted by its domain, and none comes twice."""
    for slot in slots(*base, inferred=inferred):
        found = boundary.boundary_values(slot)
        assert found
        assert [slot.domain.explain(value) for value in found] == [None] * len(found)
        assert len(set(map(key, found))) == len(found)


def test_every_letter_of_a_class_is_met() -> None:
    """Some boundary string holds the whole lower-case alphabet, some all printable characters."""
    found = boundary.boundary_values(slots(("word",))[0])
    assert "abcdefghijklmnopqrstuvwxyz" in found
    assert any({"~", "Z", "5", "z"} <= set(value) for value in found)


def test_corners_try_each_value_alone_and_pairs_together() -> None:
    """Each argument's values come alone, the simplest first, and zero meets zero early."""
    corners = BoundaryCombinations(slots((7, 9), (3, 4)), random.Random(2).random)
    sampled = [corners.draw() for _ in range(60)]
    assert {0: 0} in sampled
    assert {1: 0} in sampled
    assert {0: 0, 1: 0} in sampled
    assert all(sampled)


def test_corners_do_not_combine_what_was_refused_alone() -> None:
    """A value refused by itself is left out of later pairs."""
    corners = BoundaryCombinations(slots((7, 9), (3, 4)), random.Random(2).random)
    corners.learn({0: 0}, accepted=False)
    corners.refresh()
    later = [corners.draw() for _ in range(300)]
    assert not any(len(choice) > 1 and choice.get(0) == 0 for choice in later)
    assert any(len(choice) > 1 for choice in later)


def test_corners_without_arguments_have_nothing_to_draw() -> None:
    """A function without parameters has no corners."""
    assert BoundaryCombinations([], random.Random(2).random).draw() == {}


def test_deep_nesting_makes_no_huge_values() -> None:
    """Lists of lists of lists grow with every level: those of too many parts are left out."""
    deep = [[[[[[[1, 2], [3]]]]]]]
    found = boundary.boundary_values(slots((deep,))[0])
    assert found
    assert max(map(parts, found)) <= 10_000


def parts(value: Value) -> int:
    """Return how many values a nested list holds, lists among them."""
    return sum(1 + parts(each) for each in value) if isinstance(value, list) else 0
