"""Shrinking finds a small failing input by asking about few candidates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from evalplus_lite.jobs.minimize import candidates, minimize, weight
from evalplus_lite.types import Value

Arguments = tuple[Value, ...]


class Asked:
    """A predicate over batches that counts what it is asked."""

    def __init__(self, fails: Callable[..., bool]) -> None:
        self.fails, self.count, self.largest = fails, 0, 0

    def __call__(self, batch: Sequence[Arguments]) -> list[bool]:
        self.count += len(batch)
        self.largest = max(self.largest, len(batch))
        return [self.fails(*arguments) for arguments in batch]


CASES: list[tuple[Arguments, Callable[..., bool], Arguments]] = [
    ((1234567,), lambda n: n >= 1000, (1000,)),
    ((-50,), lambda n: n < 0, (-1,)),
    ((3.75,), lambda x: x > 2.5, (3.0,)),
    (("Hello World 42",), lambda s: any(c.isdigit() for c in s), ("0",)),
    (([5, 3, 9, -4, 100, 7],), lambda v: len(v) > 2, ([0, 0, 0],)),
    (((1, 2, 3), 9), lambda t, n: n > 4 and len(t) > 0, ((0,), 5)),
    (({4, 5, 6},), lambda s: len(s) > 1, ({0, 1},)),
    (({"long key": [1, 2, 3], "other": []},), lambda d: any(d.values()), ({"": [0]},)),
    ((b"\x05\x06\x07",), lambda b: len(b) >= 1, (b"\x00",)),
    ((True, None), lambda a, b: b is None, (False, None)),
    (([[1, 2], [3, 4, 5]],), lambda v: any(len(row) > 1 for row in v), ([[0, 0]],)),
    ((3 + 4j,), lambda z: z.imag > 1, (2j,)),
]


@pytest.mark.parametrize(("arguments", "fails", "smallest"), CASES)
def test_smallest_failing_input_is_found(
    arguments: Arguments, fails: Callable[..., bool], smallest: Arguments
) -> None:
    """For plain conditions the descent ends at the simplest input that meets them."""
    assert minimize(arguments, Asked(fails)) == smallest


def test_an_input_that_cannot_shrink_stays() -> None:
    """Where no candidate fails the input itself is the answer."""
    assert minimize((10,), Asked(lambda n: n == 10)) == (10,)
    assert minimize((), Asked(lambda: True)) == ()


def test_candidates_asked_about_are_bounded() -> None:
    """No more candidates are tried than allowed, and never many at once."""
    asked = Asked(lambda v: sum(v) > 10_000)
    minimize(([999] * 200,), asked, most=150)
    assert asked.count <= 150
    assert asked.largest <= 64


def test_shrinking_is_deterministic() -> None:
    """The same question has the same answer, sets included."""
    start: Any = ({"pear", "apple", "fig", "melon"},)
    found = [minimize(start, Asked(lambda s: len(s) > 1)) for _ in range(2)]
    assert found[0] == found[1]
    assert len(found[0][0]) == 2


@pytest.mark.parametrize("value", [7, -7, 2.5, "aZ ", [3, [4]], (1, "b"), {5}, {"k": 2}, b"ab", 1j])
def test_every_candidate_is_simpler_and_of_the_same_type(value: Value) -> None:
    """Each step lowers one measure, so that the descent must end."""
    found = list(candidates(value))
    assert found
    assert all(type(each) is type(value) and weight(each) < weight(value) for each in found)
