"""Boundary values are the edges and plain shapes of a domain, and never leave it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.domains.filter import Guards
from evalplus_lite.generate.engine import boundary
from evalplus_lite.generate.engine.boundary_combinations import Corners
from evalplus_lite.generate.engine.slots import Place, World
from evalplus_lite.types import Value
from evalplus_lite.values.identity import key


def places(*base: tuple[Any, ...], inferred: bool = False) -> list[Place]:
    guards = Guards.infer(base) if inferred else Guards.typed(base)
    world = World(random.Random(1).random, Constants(strings=("kept",), pieces=("k",)), reach=10**6)
    made = [
        Place(domain, shape, world)
        for domain, shape in zip(guards.domains, guards.shapes, strict=True)
    ]
    for arguments in base:
        for place, value in zip(made, arguments, strict=False):
            place.learn(value)
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
    found = [key(value) for value in boundary.values(places((seen,))[0])]
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
    for place in places(*base, inferred=inferred):
        found = boundary.values(place)
        assert found
        assert [place.domain.explain(value) for value in found] == [None] * len(found)
        assert len(set(map(key, found))) == len(found)


def test_every_letter_of_a_class_is_met() -> None:
    """Some boundary string holds the whole lower-case alphabet, some all printable characters."""
    found = boundary.values(places(("word",))[0])
    assert "abcdefghijklmnopqrstuvwxyz" in found
    assert any({"~", "Z", "5", "z"} <= set(value) for value in found)


def test_corners_try_each_value_alone_and_pairs_together() -> None:
    """Each argument's values come alone, the simplest first, and zero meets zero early."""
    corners = Corners(places((7, 9), (3, 4)), random.Random(2).random)
    drawn = [corners.draw() for _ in range(60)]
    assert {0: 0} in drawn
    assert {1: 0} in drawn
    assert {0: 0, 1: 0} in drawn
    assert all(drawn)


def test_corners_do_not_combine_what_was_refused_alone() -> None:
    """A value refused by itself is left out of later pairs."""
    corners = Corners(places((7, 9), (3, 4)), random.Random(2).random)
    corners.learn({0: 0}, kept=False)
    corners.refresh()
    later = [corners.draw() for _ in range(300)]
    assert not any(len(choice) > 1 and choice.get(0) == 0 for choice in later)
    assert any(len(choice) > 1 for choice in later)


def test_corners_without_arguments_have_nothing_to_draw() -> None:
    """A function without parameters has no corners."""
    assert Corners([], random.Random(2).random).draw() == {}
