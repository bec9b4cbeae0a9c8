"""Fresh values fit their place, and come in the plans that tests are written by."""

from __future__ import annotations

import random
from typing import Any

import pytest

from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine.slots import GenerationState, Slot
from evalplus_lite.types import Value


def sample(*seen: Value, count: int = 2000, inferred: bool = False) -> list[Any]:
    base = [(value,) for value in seen]
    input_filter = InputFilter.infer(base) if inferred else InputFilter.typed(base)
    state = GenerationState(random.Random(5).random, Constants(tokens=("?",)), max_magnitude=10**6)
    slot = Slot(input_filter.domains[0], input_filter.profiles[0], state)
    for value in seen:
        slot.learn(value)
    made = [slot.sample() for _ in range(count)]
    assert all(type(value) in slot.domain.kinds for value in made)
    return made


def test_brackets_come_balanced_and_with_one_fault() -> None:
    """Where brackets were seen, nested balanced strings are made."""
    made = sample("()", "(())()")
    assert "(()())" in made
    assert any(text.count("(") != text.count(")") for text in made)


def test_formatted_strings_are_refilled() -> None:
    """Strings of a common form are made anew in that form, other numerals in place."""
    made = sample("03-11-2000", "15-01-2012", "04-30-2040")
    alike = {text for text in made if len(text) == 10 and text[2] == text[5] == "-"}
    assert len(alike) > 200


def test_lists_repeat_ascend_and_mirror() -> None:
    """Duplicates, permutations of consecutive numbers and sorted lists all come up."""
    made = [value for value in sample([5, 3, 9], [1]) if len(value) > 3]
    assert any(len(set(value)) == 1 for value in made)
    assert any(sorted(value) == list(range(min(value), max(value) + 1)) for value in made)
    assert any(value == sorted(value) for value in made)
    assert any(text == text[::-1] and len(text) > 3 for text in sample("abc"))


def test_tables_stay_square() -> None:
    """Where all tables were square, fresh ones are."""
    for table in sample(
        [[1, 2], [3, 4]], [[5, 6], [7, 8]], [[1, 2, 3], [4, 5, 6], [7, 8, 9]], count=300
    ):
        assert all(len(row) == len(table) for row in table)


@pytest.mark.parametrize(
    "seen",
    [
        (5, 80),
        (-3, 7),
        (0.25, 9.5),
        ([2, 3], [4]),
        ({"a": 1}, {"b": 2}),
        ({1, 2}, {3}),
        ((1, "a"), (2, "b")),
        ([True], [False, None]),
        (b"ab", b""),
        (1j, 2j),
    ],
)
def test_fresh_values_fit_inferred_domains_mostly(seen: tuple[Value, ...]) -> None:
    """Bounds are respected by construction, not only by the guards afterwards."""
    input_filter = InputFilter.infer([(value,) for value in seen])
    made = sample(*seen, inferred=True, count=500)
    fitting = sum(input_filter.admits((value,)) for value in made)
    assert fitting > 0.9 * len(made)
