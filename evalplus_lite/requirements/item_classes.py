"""The classes of lists that a tester would name: order, repetition, what the items add up to."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from evalplus_lite.requirements.number_classes import MOST_BITS, magnitude, sign
from evalplus_lite.types import Value

SIZED = (str, bytes, list, tuple, set, frozenset, dict)
MOST_ITEMS = 200
"""Of a longer container only so many items are looked at."""


def length(count: int) -> str:
    """Return the class of a length: up to three as it is, then by powers of two, and of ten."""
    if count < 4:
        return ("empty", "of one", "of two", "of three")[count]
    if count < 64:
        return f"of {1 << (count.bit_length() - 1)} and more"
    return f"of {next(most for most in (1000, 100, 64) if count >= most)} and more"


def of_items(items: Sequence[Value]) -> Iterator[str]:
    """Yield the names of the classes that a list of one item or more is in."""
    kinds = {type(item) for item in items}
    names = sorted(kind.__name__ for kind in kinds)
    yield f"of {' and '.join(names)}"
    if len(items) > 1:
        yield from _of_order(items, kinds)
    if kinds <= {int, float}:
        yield from _of_numbers([item for item in items if item == item])
    elif kinds == {str}:
        yield from _of_texts(items)
    elif all(issubclass(kind, SIZED) for kind in kinds):
        yield from _of_lengths(list(map(len, items)))
        if kinds <= {list, tuple}:
            yield from _of_rows(items)
    if len(kinds) > 1:
        for name in names:
            yield f"with {name}"


def text(value: Value) -> str:
    """Return what tells a value from others, also where it cannot be hashed."""
    try:
        return repr(value)
    except ValueError:  # an integer too long to be written
        return f"{type(value).__name__} {hash(value)}" if isinstance(value, int) else "?"


def _of_order(items: Sequence[Value], kinds: set[type]) -> Iterator[str]:
    try:
        keys: list[Value] = list(items)
        distinct = len(set(keys))
    except TypeError:
        keys = list(map(text, items))
        distinct = len(set(keys))
    yield "with repetitions" if distinct < len(keys) else "without repetitions"
    yield "all equal" if distinct == 1 else "not all equal"
    if len(kinds) > 1 and distinct < len(set(map(text, items))):
        yield "equal items of two types"
    if distinct > 1:
        if any(a == b for a, b in itertools.pairwise(keys)):
            yield "equal neighbours"
        if keys == keys[::-1]:
            yield "the same backwards"
        if distinct < len(keys):
            counts: dict[Value, int] = {}
            for key in keys:
                counts[key] = counts.get(key, 0) + 1
            most = sorted(counts.values())
            yield "most frequent tied" if most[-1] == most[-2] else "one most frequent"
            if most[0] == 1:
                yield "some item once"
    try:
        ordered = sorted(items)
    except TypeError:
        yield "of items without an order"
        return
    given = list(items)
    ascending, descending = ordered == given, ordered[::-1] == given
    yield "ascending" if ascending else "not ascending"
    yield "descending" if descending else "not descending"
    if not ascending and not descending and len(given) > 2:
        falls = sum(1 for a, b in itertools.pairwise(given) if b < a)
        if falls == 1:
            yield "turned round" if given[-1] <= given[0] else "falls once"
        elif falls == len(given) - 2:
            yield "rises once"
        if ordered[1:] == given[1:] or ordered[:-1] == given[:-1]:
            yield "ascending but for an end"


def _of_numbers(numbers: Sequence[float]) -> Iterator[str]:
    """``numbers`` are no booleans and no NaN."""
    if not numbers:
        return
    for name, test in _TESTS:
        yield f"{_count(sum(map(test, numbers)), len(numbers))} {name}"
    yield f"greatest {magnitude(max(numbers, key=abs))}"
    for name, edge in (("maximum", max), ("minimum", min)):
        best = edge(numbers)
        yield f"{name} {sign(best)}"
        if len(numbers) > 2 and (times := numbers.count(best)) < len(numbers):
            place = "tied" if times > 1 else None
            place = place or ("first" if numbers[0] == best else None)
            yield f"{name} {place or ('last' if numbers[-1] == best else 'inside')}"
    if not all(map(_is_moderate, numbers)):
        return  # sums of others tell nothing that is worth its time
    yield f"sum {_sum(numbers)}"
    yield f"product {_product(numbers)}"
    if len(numbers) > 1:
        small, large = min(numbers), max(numbers)
        yield f"range {'zero' if large == small else magnitude(large - small)}"
        present = set(numbers)
        if any(number and -number in present for number in present):
            yield "a number and its opposite"
        if 0 < len(numbers) - (large - small) <= 1 and len(present) == len(numbers):
            yield "without gaps"


_TESTS = (
    ("negative", lambda n: n < 0),
    ("zero", lambda n: n == 0),
    ("one", lambda n: n == 1),
    ("below one", lambda n: 0 < abs(n) < 1),
    ("odd", lambda n: n % 2 == 1),
    ("even", lambda n: n % 2 == 0),
    ("with a fraction", lambda n: isinstance(n, float) and not n.is_integer()),
    ("above 99", lambda n: abs(n) > 99),
)


def _count(count: int, total: int) -> str:
    if count == total:
        return "all"
    return ("no", "one", "two")[count] if count < 3 else "some"


def _is_moderate(number: float) -> bool:
    """Whether a number can be added to any other without an error."""
    return abs(number) < 1e300 and (isinstance(number, float) or number.bit_length() <= MOST_BITS)


def _sum(numbers: Sequence[float]) -> str:
    total = sum(numbers)
    if total in (-1, 0, 1):
        return f"{total:g}"
    return "between" if -1 < total < 1 else "negative" if total < 0 else "above one"


def _product(numbers: Sequence[float]) -> str:
    if 0 in numbers:
        return "zero"
    with_sign = "negative" if sum(number < 0 for number in numbers) % 2 else "positive"
    product = abs(math.prod(map(float, numbers)))
    if product == 1:
        return f"one, {with_sign}"
    return f"below one, {with_sign}" if product < 1 else with_sign


def _of_texts(items: Sequence[str]) -> Iterator[str]:
    lengths = list(map(len, items))
    yield from _of_lengths(lengths)
    for name, test in (
        ("with capitals", lambda t: t.lower() != t),
        ("with digits", lambda t: any(map(str.isdigit, t))),
        ("with spaces", lambda t: " " in t),
        ("with marks", lambda t: not t.replace(" ", "").isalnum() and t.strip() != ""),
        ("numerals", str.isdigit),
        ("of one", lambda t: len(t) == 1),
    ):
        yield f"{_count(sum(map(test, items)), len(items))} {name}"
    if len(items) > 1:
        if len({item.lower() for item in items}) < len(set(items)):
            yield "equal but for case"
        if len(items) <= 40:
            others = [(a, b) for i, a in enumerate(items) for j, b in enumerate(items) if i != j]
            if any(a and a != b and b.startswith(a) for a, b in others):
                yield "one begins another"
            elif any(a and a != b and a in b for a, b in others):
                yield "one is in another"
            if any(a != b and len(a) == len(b) and sorted(a) == sorted(b) for a, b in others):
                yield "one is another rearranged"


def _of_lengths(lengths: Sequence[int]) -> Iterator[str]:
    yield f"{_count(lengths.count(0), len(lengths))} empty"
    if len(lengths) > 1:
        most, least = max(lengths), min(lengths)
        yield "of one length" if most == least else "of several lengths"
        if most != least:
            yield "longest tied" if lengths.count(most) > 1 else "one longest"
            yield "shortest tied" if lengths.count(least) > 1 else "one shortest"
            if lengths[0] == most:
                yield "longest first"
            ordered = sorted(lengths)
            if ordered == lengths:
                yield "by length"
            elif ordered[::-1] == lengths:
                yield "by falling length"
    yield f"longest {length(max(lengths))}"


def _of_rows(rows: Sequence[Sequence[Value]]) -> Iterator[str]:
    if all(len(row) == len(rows) for row in rows):
        yield "square"
    inner = [item for row in rows for item in row]
    kinds = sorted({type(item).__name__ for item in inner})
    if kinds:
        yield f"of rows of {' and '.join(kinds)}"
    if inner and all(type(item) in (int, float) for item in inner):
        yield f"{_count(sum(item < 0 for item in inner), len(inner))} negative within"
        yield f"{_count(inner.count(0), len(inner))} zero within"
        yield f"greatest within {magnitude(max(inner, key=abs))}"
