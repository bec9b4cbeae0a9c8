"""What the inputs and answers of a suite look like: the classes that a tester would name.

Wrong programs that no mutant resembles fail where inputs are of an unusual kind: empty, of one
element, all equal, sorted, with an argument contained in another, the largest or smallest there
is. Each class that occurs in a suite is a requirement, satisfied by the cases that show it. Nothing
is run for it, so nothing of it depends on a program.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

from evalplus_lite.types import Value

SIZED = (str, bytes, list, tuple, set, frozenset, dict)
MOST_ITEMS = 200
"""Of a longer container only so many items are looked at."""
MOST_CHARACTERS = 1000
"""Of a longer text only so many characters are."""


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
    for place, value in enumerate(case, 1):
        for name in classes(value):
            yield f"argument {place}: {name}"
    for name in classes(answer):
        yield f"answer: {name}"
    for (i, a), (j, b) in combinations(enumerate(case, 1), 2):
        for name in _relations(a, b, f"argument {i}", f"argument {j}"):
            yield name


def classes(value: Value) -> Iterator[str]:
    """Yield the names of the classes that a value is in."""
    yield f"is {type(value).__name__}"
    if isinstance(value, bool):
        yield f"is {value}"
    elif isinstance(value, int):
        yield _sign(value)
        yield "odd" if value % 2 else "even"
        # The length of a long integer is not worth writing it out.
        digits = len(str(abs(value))) if value.bit_length() < 64 else 20
        yield f"of {digits} digits" if digits < 4 else "of many digits" if digits < 20 else "huge"
        if abs(value) in (1, 2, 10, 100, 1000) and value != -2:
            yield f"is {value}"
    elif isinstance(value, float):
        yield _sign(value)
        if math.isfinite(value):
            yield "whole" if value.is_integer() else "with a fraction"
    elif isinstance(value, SIZED):
        yield _length(len(value))
        if len(value) > 2:
            yield "of odd length" if len(value) % 2 else "of even length"
        if isinstance(value, str) and value:
            yield from _of_text(value)
        elif len(value) > 1:
            yield from _of_items(list(value)[:MOST_ITEMS])


def _sign(value: float) -> str:
    return "negative" if value < 0 else "zero" if value == 0 else "positive"


def _length(length: int) -> str:
    if length < 4:
        return ("empty", "of one", "of two", "of three")[length]
    return "of few" if length < 8 else "of many" if length < 30 else "of very many"


_LETTERS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("capitals", str.isupper),
    ("small letters", str.islower),
    ("digits", str.isdigit),
    ("spaces", str.isspace),
    ("letters", str.isalpha),
)


def _of_text(whole: str) -> Iterator[str]:
    value = whole[:MOST_CHARACTERS]
    for name, test in _LETTERS:
        count = sum(map(test, value))
        yield f"{'all' if count == len(value) else 'some' if count else 'no'} {name}"
    punctuated = any(not char.isalnum() and not char.isspace() for char in value)
    yield "with punctuation" if punctuated else "without punctuation"
    if not value.isascii():
        yield "beyond ASCII"
    if value[0].isspace():
        yield "begins with a space"
    if whole[-1].isspace():
        yield "ends with a space"
    if "  " in value:
        yield "with two spaces together"
    yield "with repetitions" if len(set(value)) < len(value) else "without repetitions"
    if len(value) > 1:
        yield "a palindrome" if value == value[::-1] else "no palindrome"
        yield "all equal" if len(set(value)) == 1 else "not all equal"


def _of_items(items: list[Value]) -> Iterator[str]:
    texts = [_text(item) for item in items]
    yield "with repetitions" if len(set(texts)) < len(texts) else "without repetitions"
    yield "all equal" if len(set(texts)) == 1 else "not all equal"
    kinds = sorted({type(item).__name__ for item in items})
    if len(kinds) > 1:
        yield f"of {' and '.join(kinds)}"
    try:
        ordered = sorted(items)
    except TypeError:
        yield "of items without an order"
        return
    yield "ascending" if ordered == items else "not ascending"
    yield "descending" if ordered[::-1] == items else "not descending"


def _text(value: Value) -> str:
    try:
        return repr(value)
    except ValueError:  # an integer too long to be written
        return f"{type(value).__name__} {hash(value)}" if isinstance(value, int) else "?"


def _relations(a: Value, b: Value, first: str, second: str) -> Iterator[str]:
    with contextlib.suppress(TypeError):
        order = "equals" if a == b else "is below" if a < b else "is above"
        yield f"{first} {order} {second}"
    if isinstance(a, SIZED) and isinstance(b, SIZED):
        yield f"{first} is {_compared(len(a), len(b))} {second}"
    for inner, outer, one, other in ((a, b, first, second), (b, a, second, first)):
        if not isinstance(outer, SIZED):
            continue
        with contextlib.suppress(TypeError, ValueError):
            yield f"{one} is {'' if inner in outer else 'not '}in {other}"
        if type(inner) is int:
            yield f"{one} is {_compared(inner, len(outer))} the length of {other}"


def _compared(a: int, b: int) -> str:
    return "as long as" if a == b else "shorter than" if a < b else "longer than"


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
