"""What the inputs and answers of a suite look like: the classes that a tester would name.

Wrong programs that no mutant resembles fail where inputs are of an unusual kind: empty, of one
element, all equal, sorted, with an argument contained in another, the largest or smallest there
is. Each class that occurs in a suite is a requirement, satisfied by the cases that show it. Nothing
is run for it, so nothing of it depends on a program.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from evalplus_lite.reduction.value_classes import (
    MOST_BITS,
    MOST_CHARACTERS,
    MOST_ITEMS,
    SIZED,
    length,
    of_items,
    of_number,
    of_text,
)
from evalplus_lite.types import Value

# How two values of a case stand to each other: order, containment, lengths, what remains.


def relations(a: Value, b: Value) -> Iterator[str]:
    """Yield how the first value stands to the second."""
    if isinstance(a, SIZED) and len(a) > MOST_CHARACTERS:
        return
    with contextlib.suppress(TypeError):
        yield "equals" if a == b else "is below" if a < b else "is above"
    if _is_number(a) and _is_number(b):
        yield from _of_numbers(a, b)
    elif isinstance(a, str) and isinstance(b, str):
        yield from _of_texts(a[:MOST_CHARACTERS], b[:MOST_CHARACTERS])
    elif isinstance(a, list | tuple) and isinstance(b, list | tuple):
        yield from _of_lists(list(a[:MOST_ITEMS]), list(b[:MOST_ITEMS]))
    if isinstance(a, SIZED) and isinstance(b, SIZED):
        more = len(a) - len(b)
        yield "is as long as" if not more else "is shorter than" if more < 0 else "is longer than"
    if isinstance(b, SIZED):
        yield from _of_member(a, b, "")
    if isinstance(a, SIZED):
        yield from _of_member(b, a, "the other way: ")


def _is_number(value: Value) -> bool:
    """Whether it is a number whose sums and ratios are cheap."""
    if type(value) is int:
        return value.bit_length() <= MOST_BITS
    return type(value) is float and abs(value) < 1e300


def _of_numbers(a: float, b: float) -> Iterator[str]:
    for name, found in (("sum", a + b), ("difference", a - b), ("product", a * b)):
        if found in (-1, 0, 1):
            yield f"{name} {found:g}"
        elif -1 < found < 1:
            yield f"{name} between"
        if isinstance(found, int) and name != "product":
            yield f"{name} {'odd' if found % 2 else 'even'}"
    if abs(a) == abs(b):
        yield "the same size"
    if b and not a % b:
        yield "a multiple"
    if a and not b % a:
        yield "a divisor"


def _of_texts(a: str, b: str) -> Iterator[str]:
    small, other = a.lower(), b.lower()
    if a != b and small == other:
        yield "equals but for case"
    if a not in b and small in other:
        yield "is in but for case"
    if b not in a and other in small:
        yield "has it in but for case"
    if a and b:
        if b.startswith(a):
            yield "begins"
        if b.endswith(a):
            yield "ends"
        if set(a) == set(b):
            yield "the same characters"
            if len(a) == len(b) and sorted(a) == sorted(b):
                yield "the same characters as often"
        elif set(a).isdisjoint(b):
            yield "no character in common"
        elif set(a) < set(b):
            yield "characters among the other's"
        times = b.count(a)
        if times > 1:
            yield "is in twice"
        if len(a) == len(b) and a != b and b in a + a:
            yield "turned round"


def _of_lists(a: list[Value], b: list[Value]) -> Iterator[str]:
    with contextlib.suppress(TypeError):
        ours, theirs = set(a), set(b)
        if ours == theirs:
            yield "the same items"
            if len(a) == len(b) and sorted(a) == sorted(b) and a != b:
                yield "the same items in another order"
        elif ours.isdisjoint(theirs):
            yield "no item in common"
        elif ours < theirs:
            yield "items among the other's"
        elif ours > theirs:
            yield "items beyond the other's"
    if a and a != b and a == b[: len(a)]:
        yield "begins"
    with contextlib.suppress(TypeError):
        if len(a) == len(b) and sum(map(_length, a)) == sum(map(_length, b)):
            yield "as long items"


def _length(value: Value) -> int:
    return len(value) if isinstance(value, SIZED) else 0


def _of_member(inner: Value, outer: Value, way: str) -> Iterator[str]:
    with contextlib.suppress(TypeError, ValueError):
        if inner in outer:
            yield f"{way}is in"
            if isinstance(outer, list | tuple) and outer.count(inner) > 1:
                yield f"{way}is in twice"
        else:
            yield f"{way}is not in"
    if type(inner) is int:
        size = len(outer)
        if size and not inner % size:
            yield f"{way}a multiple of the length"
        if inner in (size - 1, size, size + 1):
            yield f"{way}the length {inner - size:+d}"
        yield f"{way}{'below' if inner < size else 'above'} the length"
    if type(inner) in (int, float) and isinstance(outer, list | tuple) and outer:
        with contextlib.suppress(TypeError):
            most, least = max(outer), min(outer)
            place = "above all" if inner > most else "below all" if inner < least else "among"
            place = "the most" if inner == most else "the least" if inner == least else place
            yield f"{way}{place}"


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
