"""What the inputs and answers of a suite look like: the classes that a tester would name.

Wrong programs that no mutant resembles fail where inputs are of an unusual kind: empty, of one
element, all equal, sorted, with an argument contained in another, the largest or smallest there
is. Each class that occurs in a suite is a requirement, satisfied by the cases that show it. Nothing
is run for it, so nothing of it depends on a program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from evalplus_lite.requirements.item_classes import MOST_ITEMS, SIZED, length, of_items
from evalplus_lite.requirements.number_classes import of_number
from evalplus_lite.requirements.relations import relations
from evalplus_lite.requirements.text_classes import of_text
from evalplus_lite.types import Value


def input_classes(cases: Sequence[tuple[Value, ...]], answers: Sequence[Value]) -> dict[str, int]:
    """Return, a class, the bitset of the cases of it, by the classes' names.

    A class is about one argument, two arguments, or the right answer; or it is being the largest
    or smallest of the suite in an argument.
    """
    rows: dict[str, int] = {}
    for number, (case, answer) in enumerate(zip(cases, answers, strict=True)):
        for name in set(_of_case(case, answer)):
            rows[name] = rows.get(name, 0) | 1 << number
    rows |= _extremes(cases)
    return {name: rows[name] for name in sorted(rows)}


def _of_case(case: tuple[Value, ...], answer: Value) -> Iterator[str]:
    values = [(f"argument {place}", value) for place, value in enumerate(case, 1)]
    values.append(("answer", answer))
    for place, value in values:
        for name in classes(value):
            yield f"{place}: {name}"
    for (one, a), (other, b) in combinations(values, 2):
        for name in relations(a, b):
            yield f"{one} and {other}: {name}"


def classes(value: Value) -> Iterator[str]:
    """Yield the names of the classes that a value is in; no two types share one."""
    kind = type(value).__name__
    yield f"{kind}"
    if isinstance(value, bool):
        yield f"{value}"
    elif isinstance(value, int | float):
        for name in of_number(value):
            yield f"{kind} {name}"
    elif isinstance(value, SIZED):
        yield f"{kind} {length(len(value))}"
        if len(value) > 2:
            yield f"{kind} of {'odd' if len(value) % 2 else 'even'} length"
        found = of_text(value) if isinstance(value, str) and value else _of_parts(value)
        for name in found:
            yield f"{kind} {name}"


def _of_parts(value: Any) -> Iterator[str]:
    if not value or isinstance(value, str):
        return
    if isinstance(value, dict):
        yield from (f"keys {name}" for name in of_items(list(value)[:MOST_ITEMS]))
        yield from (f"values {name}" for name in of_items(list(value.values())[:MOST_ITEMS]))
    else:
        yield from of_items(list(value)[:MOST_ITEMS])


def _extremes(cases: Sequence[tuple[Value, ...]]) -> dict[str, int]:
    rows = {}
    for place in range(max(map(len, cases), default=0)):
        for what, measure in (("size", _size), ("greatest item", _greatest)):
            found: list[tuple[Any, int]] = []
            for number, case in enumerate(cases):
                amount = measure(case[place]) if place < len(case) else None
                if amount is not None:
                    found.append((amount, number))
            amounts = [amount for amount, _ in found]
            for name, edge in (("most", max), ("least", min)):
                if amounts:
                    best = edge(amounts)
                    rows[f"argument {place + 1}: {name} {what}"] = sum(
                        1 << number for amount, number in found if amount == best
                    )
    return rows


def _size(value: Value) -> float | int | None:
    if isinstance(value, int | float):
        return value if value == value else None
    return len(value) if isinstance(value, SIZED) else None


def _greatest(value: Value) -> float | int | None:
    if not isinstance(value, list | tuple):
        return None
    numbers = [abs(item) for item in value if isinstance(item, int | float) and item == item]
    return max(numbers, default=None)
