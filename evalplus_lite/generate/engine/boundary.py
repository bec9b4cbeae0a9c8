"""Boundary values: the edges and plain shapes of a place's domain, the most telling first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice, pairwise
from typing import Any

from evalplus_lite.generate.domains.characters import CLASSES
from evalplus_lite.generate.domains.profile import SEQUENCES, hashable
from evalplus_lite.generate.domains.string_patterns import runs
from evalplus_lite.generate.engine.slots import Place
from evalplus_lite.types import Value
from evalplus_lite.values.identity import key

_NUMBERS: tuple[int, ...] = (0, 1, -1, 2, -2, 3, 4, 5, 7, 9, 10, -10, 11, 12, 16, 99, 100, 101)
_FRACTIONS: tuple[float, ...] = (0.5, -0.5, 1.5, -1.5, 2.5, 0.1, 0.99, -0.1, 0.01, 1.01, 3.14159)
_LARGE: tuple[int, ...] = (
    255, 256, 999, 1000, 1001, -1000, 1024, 9999, 10**4, 12345, 65535, 10**5, 10**6, -(10**6),
    999983, 10**6 + 3, 2**31 - 1, 2**31, 10**9 + 7, -(10**9), 2**53 + 1, 2**63,
    10**18 + 9, -(10**18),
)  # fmt: skip
_MOST = 80
"""Boundary values of one place."""
_SAMPLE = 12
"""Elements that containers are built from."""
_LONG = 40


def values(place: Place) -> list[Value]:
    """Return distinct boundary values of the place that its domain admits, simplest first."""
    found: dict[bytes, Value] = {}
    made = [_BY_KIND[kind](place) for kind in place.domain.kinds if kind in _BY_KIND]
    for value in islice(_alternating(made), 4 * _MOST):
        if place.domain.explain(value) is None and _is_within(value, place):
            found.setdefault(key(value), value)
            if len(found) >= _MOST:
                break
    return list(found.values())


def _is_within(value: Value, place: Place) -> bool:
    kind = type(value)
    return (kind is not int and kind is not float) or place.lowest <= value <= place.highest


def _alternating(streams: list[Iterator[Value]]) -> Iterator[Value]:
    """Yield from all streams in turn until each has ended."""
    while streams:
        for stream in list(streams):
            try:
                yield next(stream)
            except StopIteration:
                streams.remove(stream)


def _integers(place: Place) -> Iterator[Value]:
    yield from _NUMBERS
    numbers = place.shape.numbers
    if numbers is not None:
        for edge in (numbers.lowest, numbers.highest):
            if abs(edge) < 1e15:
                yield from (int(edge) - 1, int(edge) + 1, 2 * int(edge))
    for edge, step in ((place.lowest, 1), (place.highest, -1)):
        if abs(edge) < 1e30:
            yield from (int(edge), int(edge) + step)
    yield from _LARGE


def _floats(place: Place) -> Iterator[Value]:
    yield from chain.from_iterable(zip(map(float, _NUMBERS), _FRACTIONS, strict=False))
    yield from map(float, _NUMBERS)
    numbers = place.shape.numbers
    if numbers is not None:
        for edge in (numbers.lowest, numbers.highest):
            yield from (float(edge) + step for step in (-0.5, 0.5, -1.0, 1.0))
    yield from (-0.0, 1e-3, 1e-6, 1000.0, 123456.789, 1e6, 1e9, -1e6, 1e15, 1e-9)
    if place.domain.has_special:
        yield from (float("inf"), float("-inf"), float("nan"))


def _texts(place: Place) -> Iterator[Value]:
    letters = _leading(place.seen_letters)
    yield ""
    if place.domain.has_form or place.domain.pattern:
        yield from _refilled(place)
    yield from letters[:4]
    for first, second in islice(pairwise(letters), 4):
        yield from (first + first, first + second, first + second + first, first * 3 + second)
    if " " in place.seen_letters and letters:
        word = letters[0] * 2
        yield from (" ", "  ", f" {word}", f"{word} ", f"{word} {letters[-1]}", f"{word}  {word}")
        yield from (f"  {word}  {letters[-1]} ", f"{word}   {word}", " ".join(letters))
    yield from place.letters[:1] and (place.letters[0], place.letters[-1])
    yield from _alphabets(place)
    yield from islice(place.world.constants.strings, 12)
    yield from islice(place.world.constants.pieces, 24)
    yield from (letters[0] * _LONG, "".join(letters) * 3) if letters else ()
    yield "".join(letters)
    yield place.seen_letters
    yield from (each for each in place.letters if each not in place.seen_letters)


def _refilled(place: Place) -> Iterator[str]:
    """Yield the first string seen with its numerals, one or all, at their edges."""
    model = next((runs(each) for each in place.seen if type(each) is str and each), [])
    numerals = [at for at, run in enumerate(model) if run.isdigit()]
    for edge in ("0", "1", "9"):
        for ats in (*[[at] for at in numerals], numerals):
            parts = list(model)
            for at in ats:
                width = len(model[at])
                parts[at] = edge.zfill(width) if edge == "1" else edge * width
            yield "".join(parts)
    for at in numerals:
        for number in (int(model[at]) + 1, max(0, int(model[at]) - 1)):
            yield "".join([*model[:at], str(number).zfill(len(model[at])), *model[at + 1 :]])


def _alphabets(place: Place) -> Iterator[str]:
    """Yield strings that hold every letter of a class, and every character allowed."""
    classes = [each for each in CLASSES if each[0] in place.letters]
    yield from ("".join(each) for each in (classes[:2], classes, *[[each] for each in classes]))
    yield "".join(sorted(place.letters, key=lambda each: (not each.isalnum(), each)))


def _leading(letters: str) -> str:
    """Return a few characters of each class present, so that short strings mix classes."""
    kinds = (str.islower, str.isupper, str.isdigit)
    chosen = [each for is_kind in kinds for each in [c for c in letters if is_kind(c)][:3]]
    others = [c for c in letters if not c.isalnum() and not c.isspace()][:6]
    return "".join([*chosen, *others])


def _bytestrings(place: Place) -> Iterator[Value]:
    yield from (
        b"",
        b"\x00",
        b"\xff",
        b"a",
        b"\x00\x00",
        b"ab",
        b"aa",
        b"\x7f\x80",
        bytes(range(256)),
    )
    yield from place.world.constants.bytestrings


def _lists(place: Place) -> Iterator[list[Value]]:
    """Yield plain shapes over the elements' own boundary values, the shortest first."""
    if place.positions is not None:
        sequences = (each for each in place.seen if type(each) in SEQUENCES)
        model = next((each for each in sequences if len(each) == len(place.positions)), None)
        if model is not None:
            yield from _alternating(
                [_replaced(model, at, values(inner)) for at, inner in enumerate(place.positions)]
            )
        return
    yield []
    if place.items is None:
        return
    pool = values(place.items)[:_SAMPLE]
    seen = list(place.items.seen[:_SAMPLE])
    if place.has_fixed_size and place.shape.sizes:
        size = place.shape.sizes.largest
        yield from ([value] * size for value in pool)
        return
    if place.shape.is_rectangular:
        yield from _grids(place)
        return
    yield from ([value] for value in pool)
    for one, other in pairwise(pool):
        yield from ([one, one], [one, other], [other, one], [one, other, one], [one, one, one])
        yield from ([one, one, other], [one, other, other])
    if _is_orderly(pool):
        for some in (pool[:4], pool, seen):
            if _is_orderly(some):
                yield sorted(some)
                yield sorted(some, reverse=True)
    yield from (seen, pool, [*pool, *pool[::-1]], [*seen, *seen[::-1]])
    yield from _constants(place.items)
    yield from ([value] for value in pool[6:])
    if pool:
        yield from (pool[:1] * 10, (pool[:2] * _LONG)[:_LONG], [*seen[:2]] * 5)


def _constants(items: Place) -> Iterator[list[Value]]:
    """Yield lists of all constants of an element's type: one input that meets every threshold."""
    constants = items.world.constants
    for pool in (constants.floats, constants.integers, constants.strings, constants.pieces):
        fitting = [each for each in pool[:_LONG] if items.domain.explain(each) is None]
        if fitting:
            yield from (fitting, fitting[: len(fitting) // 2], fitting[len(fitting) // 2 :])


def _replaced(model: Any, at: int, choices: list[Value]) -> Iterator[list[Value]]:
    return ([*model[:at], choice, *model[at + 1 :]] for choice in choices)


def _grids(place: Place) -> Iterator[list[Value]]:
    if place.items is None or place.items.items is None:
        return
    pool = values(place.items.items)[:4]
    for rows, columns in ((1, 1), (2, 2), (1, 3), (3, 1), (3, 3), (2, 3), (5, 5)):
        for value in pool:
            yield [[value] * columns for _ in range(rows)]
        if pool:
            cells = [pool[at % len(pool)] for at in range(rows * columns)]
            yield [cells[row * columns : (row + 1) * columns] for row in range(rows)]
    yield [[]]


def _is_orderly(some: list[Value]) -> bool:
    kinds = set(map(type, some))
    return kinds <= {int, float} or (len(kinds) == 1 and kinds <= {str, bytes})


def _dicts(place: Place) -> Iterator[Value]:
    yield {}
    if place.keys is None or place.values is None:
        return
    names, items = values(place.keys)[:_SAMPLE], values(place.values)[:_SAMPLE]
    yield from ({name: item} for name, item in zip(names, items, strict=False))
    yield dict(zip(names, items, strict=False))
    yield from (dict.fromkeys(names[:count], items[0]) for count in (2, 3, 5) if items)


_BY_KIND: dict[type, Any] = {
    bool: lambda place: iter((False, True)),
    int: _integers,
    float: _floats,
    complex: lambda place: iter((0j, 1 + 0j, 1j, -1j, 1 + 1j, -1 - 1j, 2.5 - 0.5j, 1000 + 1000j)),
    str: _texts,
    bytes: _bytestrings,
    list: _lists,
    tuple: lambda place: map(tuple, _lists(place)),
    set: lambda place: (set(hashable(value)) for value in _lists(place)),
    frozenset: lambda place: (frozenset(hashable(value)) for value in _lists(place)),
    dict: _dicts,
    type(None): lambda place: iter((None,)),
}
