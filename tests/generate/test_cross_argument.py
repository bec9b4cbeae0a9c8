"""Links tie arguments to each other, and leave the input's form alone."""

from __future__ import annotations

import random
from typing import Any

import pytest

from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine.cross_argument import (
    CROSS_ARGUMENT,
    CrossArgumentMutation,
    combine,
    derive,
    exchange,
    scale,
    shuffle,
)
from evalplus_lite.generate.engine.cross_argument import together as alike
from evalplus_lite.generate.engine.slots import GenerationState, Slot
from evalplus_lite.values.identity import key

Inputs = tuple[Any, ...]


def made(
    mutation: CrossArgumentMutation, arguments: Inputs, *others: Inputs, draws: int = 3000
) -> list[Inputs]:
    """Return what the link makes of the arguments, the other inputs having been seen too."""
    input_filter = InputFilter.typed([arguments, *others])
    state = GenerationState(random.Random(3).random, Constants(), max_magnitude=10**6)
    slots = [
        Slot(domain, profile, state)
        for domain, profile in zip(input_filter.domains, input_filter.profiles, strict=True)
    ]
    for inputs in (arguments, *others):
        for slot, value in zip(slots, inputs, strict=True):
            slot.learn(value)
    before = key(arguments)
    found = [mutation(arguments, slots) for _ in range(draws)]
    assert key(arguments) == before
    return found


@pytest.mark.parametrize(
    ("mutation", "arguments", "expected"),
    [
        (derive, ([3, 4], 9), [([3, 4], 7), ([3, 4], 2), ([3, 4], 4), ([3, 4], 8)]),
        (derive, ("hello", "x"), [("hello", "hello"), ("hello", "ell"), ("hello", "olleh")]),
        (derive, (["ab", "cd"], "x"), [(["ab", "cd"], "cd"), (["ab", "cd"], "a")]),
        (derive, ([1, 2], [9]), [([1, 2], [1, 2]), ([1, 2], [2, 1]), ([9], [9])]),
        (derive, (5, 8), [(5, 5), (5, 6), (5, 10), (5, 13), (8, 8)]),
        (derive, (0.5, [1.5, 2.5]), [(4.0, [1.5, 2.5]), (2.5, [1.5, 2.5])]),
        (exchange, (1, 2), [(2, 1), (2, 2), (1, 1)]),
        (shuffle, (1, 2, "a", 3), [(3, 1, "a", 2), (2, 3, "a", 1)]),
        (scale, (3, 4, 5), [(6, 8, 10), (30, 40, 50), (-3, -4, -5), (4, 5, 6)]),
        (alike, ([1, 2], [3, 4]), [([1], [3]), ([2, 1], [4, 3]), ([1, 1, 2], [3, 3, 4])]),
    ],
)
def test_link_makes_what_its_name_says(
    mutation: CrossArgumentMutation, arguments: Inputs, expected: list[Inputs]
) -> None:
    """The relations that conditions are made of come up within bounded draws."""
    found = set(map(key, made(mutation, arguments)))
    assert [each for each in expected if key(each) not in found] == []


def test_combining_takes_an_argument_of_another_input() -> None:
    """One argument of a seen input meets the others of this one."""
    assert (1, "b") in made(combine, (1, "a"), (2, "b"))


@pytest.mark.parametrize(("name", "weight", "mutation"), CROSS_ARGUMENT)
@pytest.mark.parametrize(
    "arguments", [(1,), ("a", 2.5), ([], {}), (None, True, b"x"), ({1}, (2,), 1j)]
)
def test_links_keep_arity_and_types(
    name: str, weight: int, mutation: CrossArgumentMutation, arguments: Inputs
) -> None:
    """Whatever the arguments are, there are as many afterwards, of the same types."""
    for each in made(mutation, arguments, draws=200):
        assert list(map(type, each)) == list(map(type, arguments)), name
    assert weight > 0
