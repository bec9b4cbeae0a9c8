"""Relations: what held in all base inputs between arguments, or within one list.

Without a contract these are the only hints at a precondition, so each is taken on where chance
would hardly make it hold that often, and then binds every generated input.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, permutations
from typing import Any

from evalplus_lite.generate.identity import key
from evalplus_lite.generate.shape import SEQUENCES, SIZED
from evalplus_lite.types import Value

Arguments = Sequence[Value]

_CHANCE = 0.05
"""A relation is taken on where chance would produce it less often than this."""
_ENOUGH = 3
"""Distinct inputs that a relation needs at least."""


@dataclass(frozen=True, slots=True)
class Relation:
    """One relation that every input must keep; ``text`` says it, ``holds`` decides it."""

    text: str
    places: tuple[int, ...]
    holds: Callable[[Arguments], bool] = field(compare=False)


def infer(base: Sequence[Arguments]) -> tuple[Relation, ...]:
    """Return the relations that hold over all base inputs and are unlikely to be chance."""
    distinct = list({key(tuple(arguments)): arguments for arguments in base}.values())
    if len(distinct) < _ENOUGH or len({len(arguments) for arguments in distinct}) != 1:
        return ()
    return tuple(_infer(distinct))


def _infer(base: Sequence[Arguments]) -> Iterator[Relation]:
    arity = len(base[0])
    for place in range(arity):
        column = [arguments[place] for arguments in base]
        if all(type(value) in SEQUENCES for value in column):
            yield from _within(place, column)
    for first, second in permutations(range(arity), 2):
        pairs = [(arguments[first], arguments[second]) for arguments in base]
        yield from _between(first, second, pairs)


def _within(place: int, column: Sequence[Any]) -> Iterator[Relation]:
    if not all(_is_comparable(value) for value in column):
        return
    # A list of n distinct elements is in order by chance once in n! times.
    chance = math.prod(1 / math.factorial(min(len({*map(key, value)}), 20)) for value in column)
    if chance < _CHANCE:
        if all(_is_sorted(value) for value in column):
            yield Relation(f"argument {place} is sorted", (place,), lambda a: _is_sorted(a[place]))
        elif all(_is_sorted(value[::-1]) for value in column):
            yield Relation(
                f"argument {place} is sorted downwards",
                (place,),
                lambda a: _is_sorted(a[place][::-1]),
            )
    variety = max(1, len({key(element) for value in column for element in value}))
    pairs = sum(len(value) * (len(value) - 1) // 2 for value in column)
    # Two elements drawn from the values seen are equal once in `variety` times.
    if (1 - 1 / variety) ** pairs < _CHANCE and all(_is_distinct(value) for value in column):
        yield Relation(
            f"argument {place} holds no value twice", (place,), lambda a: _is_distinct(a[place])
        )


def _between(first: int, second: int, pairs: Sequence[tuple[Any, Any]]) -> Iterator[Relation]:
    def relation(text: str, holds: Callable[[Any, Any], bool]) -> Relation | None:
        if not all(holds(left, right) for left, right in pairs):
            return None
        places = (first, second)
        return Relation(text, places, lambda arguments: holds(arguments[first], arguments[second]))

    left_kinds = {type(left) for left, _ in pairs}
    right_kinds = {type(right) for _, right in pairs}
    found: list[Relation | None] = []
    is_enough = 0.5 ** len(pairs) < _CHANCE
    if left_kinds | right_kinds <= {int, float} and is_enough:
        found.append(
            relation(f"argument {first} < argument {second}", lambda a, b: a < b)
            or relation(f"argument {first} <= argument {second}", lambda a, b: a <= b)
        )
    if left_kinds <= set(SIZED) and right_kinds <= set(SIZED):
        if first < second and len({len(left) for left, _ in pairs}) > 1:
            found.append(
                relation(
                    f"arguments {first} and {second} are of equal length",
                    lambda a, b: len(a) == len(b),
                )
            )
        if is_enough:
            found.append(
                relation(
                    f"argument {first} is shorter than argument {second}",
                    lambda a, b: len(a) < len(b),
                )
                or relation(
                    f"argument {first} is no longer than argument {second}",
                    lambda a, b: len(a) <= len(b),
                )
            )
    if left_kinds == {int} and right_kinds <= set(SIZED):
        found.append(
            relation(
                f"argument {first} is an index into argument {second}",
                lambda a, b: 0 <= a < len(b),
            )
            or relation(
                f"argument {first} is a count or position within argument {second}",
                lambda a, b: 0 < a <= len(b),
            )
            or relation(
                f"argument {first} is at most the length of argument {second}",
                lambda a, b: 0 <= a <= len(b),
            )
        )
    if right_kinds <= set(SEQUENCES) and left_kinds <= {int, str, float} and is_enough:
        found.append(relation(f"argument {first} is an element of argument {second}", _is_in))
    if left_kinds == right_kinds == {str} and is_enough:
        found.append(relation(f"argument {first} is a part of argument {second}", _is_in))
    yield from (each for each in found if each is not None)


def _is_in(element: Any, container: Any) -> bool:
    return element in container


def _is_comparable(values: Sequence[Any]) -> bool:
    kinds = set(map(type, values))
    return kinds <= {int, float} or kinds == {str}


def _is_sorted(values: Sequence[Any]) -> bool:
    try:
        return all(left <= right for left, right in pairwise(values))
    except TypeError:
        return False


def _is_distinct(values: Sequence[Any]) -> bool:
    return len({*map(key, values)}) == len(values)
