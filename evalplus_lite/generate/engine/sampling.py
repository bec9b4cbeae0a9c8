"""Fresh values: made from scratch for a place, in the plans that tests are usually written by.

Uniform randomness seldom meets a condition; values that repeat, ascend, mirror, nest or sit at
the edges do. Each container follows one plan, so that its elements belong together.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from evalplus_lite.generate.domains.characters import BRACKETS
from evalplus_lite.generate.domains.profile import hashable
from evalplus_lite.generate.domains.string_patterns import run_kind, runs
from evalplus_lite.generate.operators.numbers import LANDMARKS
from evalplus_lite.generate.operators.registry import below, pick
from evalplus_lite.types import Value

_USUAL = 8
"""Most containers and texts are at most this long."""
_DEEP = 6


def make(place: Any) -> Value:
    """Return a new value for a place, of one of the types seen there."""
    return _of_kind(pick(place, place.domain.kinds), place)


def _of_kind(kind: type, place: Any) -> Value:
    maker = _MAKERS.get(kind)
    return maker(place) if maker else None


def integer(place: Any) -> int:
    """Return an int: small, among those seen, a constant, or of any size within reach."""
    way = place.random()
    low, high = place.lowest, place.highest
    if way < 0.35:
        number = below(place, 13) - 2
    elif way < 0.5:
        number = place.constant(int) or int(pick(place, LANDMARKS))
    elif way < 0.65:
        number = place.fragment(int) or below(place, 100)
    elif way < 0.85:
        number = below(place, 200) - 50
    else:
        number = below(place, int(10 ** (1 + below(place, 9))))
        number = -number if place.random() < 0.3 else number
    if low <= number <= high:
        return number
    number = -number
    if low <= number <= high:
        return number
    bottom = int(max(low, -100.0)) if low <= 0 else math.ceil(low)
    span = int(min(high - bottom, 50.0)) if high >= bottom else 0
    return bottom + below(place, span + 1)


def real(place: Any) -> float:
    """Return a float: whole, in few decimals, among those seen, or a constant."""
    way = place.random()
    if way < 0.25:
        number = float(integer(place))
    elif way < 0.65:
        number = round((place.random() - 0.3) * pick(place, (1, 10, 100)), 1 + below(place, 3))
    elif way < 0.8:
        number = place.fragment(float) or 0.5
    else:
        number = place.constant(float) or 1.0
    low, high = place.lowest, place.highest
    for candidate in (number, -number, low, high):
        if low <= candidate <= high and math.isfinite(candidate):
            return float(candidate)
    return 0.0


def text(place: Any) -> str:
    """Return a string by one of several plans over the characters seen."""
    if place.domain.has_form and place.random() < 0.6:
        return _reformed(place)
    return str(pick(place, _TEXT_PLANS)(place))


def _size(place: Any, usual: int = _USUAL) -> int:
    domain = place.domain
    if place.has_fixed_size:
        sizes = place.shape.sizes
        return int(sizes.largest) if sizes else 0
    way = place.random()
    size = below(place, 4) if way < 0.3 else below(place, usual + 1)
    if way > 0.95:
        size = below(place, 40)
    size = max(size, int(domain.smallest))
    return size if domain.largest is None else min(size, int(domain.largest))


def _few_letters(place: Any) -> str:
    letters = [pick(place, place.seen_letters) for _ in range(1 + below(place, 3))]
    return "".join([pick(place, letters) for _ in range(_size(place, 12))])


def _any_letters(place: Any) -> str:
    letters = place.seen_letters if place.random() < 0.7 else place.letters
    return "".join([pick(place, letters) for _ in range(_size(place, 12))])


def _mirrored(place: Any) -> str:
    half = _few_letters(place) if place.random() < 0.5 else _any_letters(place)
    return half + (half[::-1] if place.random() < 0.5 else half[-2::-1])


def _words(place: Any) -> str:
    if " " not in place.letters:
        return _few_letters(place)
    known = [
        word for value in place.seen[:40] if type(value) is str for word in value.split() if word
    ]
    words = []
    for _ in range(1 + below(place, 6)):
        way = place.random()
        if known and way < 0.5:
            words.append(pick(place, known))
        elif way < 0.75:
            words.append(place.piece())
        else:
            words.append(_few_letters(place))
    return " ".join(words)


def _sentence(place: Any) -> str:
    """Return words with marks between them: those seen, and those of the task's text."""
    marks = place.marks
    if not marks:
        return _words(place)
    has_blank = " " in place.letters
    made = ""
    for _ in range(1 + below(place, 5)):
        word = place.piece() if place.random() < 0.4 else _few_letters(place)
        mark = str(pick(place, marks))
        made += word + mark + (" " if has_blank and mark != " " and place.random() < 0.5 else "")
    return made if place.random() < 0.5 else made[:-1]


def _pieces(place: Any) -> str:
    return "".join([place.piece() for _ in range(1 + below(place, 5))])


def _reformed(place: Any) -> str:
    """Return a seen string with every run replaced by another of its kind."""
    model = place.fragment(str)
    if not model:
        return _few_letters(place)
    made = []
    for run in runs(str(model)[:80]):
        kind = run_kind(run)
        if kind == "digits":
            made.append(_digits(place, run))
        elif kind == "letters":
            size = len(run) if place.random() < 0.6 else 1 + below(place, 6)
            letters = [each for each in place.seen_letters if each.isalpha()] or ["x"]
            made.append("".join([pick(place, letters) for _ in range(size)]))
        else:
            made.append(run)
    return "".join(made)


def _digits(place: Any, run: str) -> str:
    """Return another numeral: mostly as wide; any, or a constant of the task's text."""
    constant = place.constant(int)
    if constant is not None and place.random() < 0.5:
        return str(abs(constant)).zfill(len(run))
    size = len(run) if place.random() < 0.7 else 1 + below(place, 4)
    return "".join([pick(place, "0123456789") for _ in range(size)])


def _nested(place: Any) -> str:
    """Return balanced brackets of the kinds seen, now and then with one fault."""
    letters = place.seen_letters
    kinds = [each for each in BRACKETS if each[0] in letters and each[1] in letters]
    if not kinds:
        return _few_letters(place)
    made = _balanced(place, kinds, _DEEP)
    if place.random() < 0.4 and made:
        at = below(place, len(made))
        made = made[:at] + made[at + 1 :]
    return made


def _balanced(place: Any, kinds: list[str], depth: int) -> str:
    parts = []
    for _ in range(1 + below(place, 3)):
        opening, closing = pick(place, kinds)
        within = _balanced(place, kinds, depth - 1) if depth and place.random() < 0.5 else ""
        parts.append(opening + within + closing)
    return "".join(parts)


def sequence(place: Any) -> list[Value]:
    """Return a list by one of several plans, its elements fresh or drawn from those seen."""
    if place.positions is not None:
        return [each.fresh() for each in place.positions]
    item, size = place.items, _size(place)
    if item is None:
        return []
    if place.domain.is_square and size:
        size = 1 + below(place, 4)
        return [_row(item, size) for _ in range(size)]
    if place.domain.is_rectangular:
        width = below(place, 6)
        return [_row(item, width) for _ in range(size)]
    kinds = item.domain.kinds
    if len(kinds) > 1 and place.domain.is_uniform:
        kind = pick(place, kinds)
        return [_of_kind(kind, item) for _ in range(size)]
    way = place.random()
    if way < 0.35:
        pool = [item.fresh() for _ in range(1 + below(place, 4))]
        return [pick(place, pool) for _ in range(size)]
    if way < 0.5 and kinds == (int,):
        return _progression(item, size)
    if way < 0.7 and item.seen:
        return [pick(place, item.seen) for _ in range(size)]
    made = [item.fresh() for _ in range(size)]
    if way > 0.9 and kinds in ((int,), (float,), (str,)):
        made.sort(reverse=way > 0.95)
    return made


def _row(item: Any, size: int) -> list[Value]:
    if item.items is None:
        return []
    if item.random() < 0.5:
        pool = [item.items.fresh() for _ in range(2)]
        return [pick(item, pool) for _ in range(size)]
    return [item.items.fresh() for _ in range(size)]


def _progression(item: Any, size: int) -> list[Value]:
    """Return ints in arithmetic order, perhaps shuffled: a permutation of consecutive numbers."""
    start, step = integer(item), pick(item, (1, 1, 1, 2, -1, 0))
    numbers = [start + step * at for at in range(size)]
    numbers = [number for number in numbers if item.lowest <= number <= item.highest]
    if item.random() < 0.5:
        for at in range(len(numbers) - 1, 0, -1):
            other = below(item, at + 1)
            numbers[at], numbers[other] = numbers[other], numbers[at]
    return numbers


def _mapping(place: Any) -> dict[Value, Value]:
    if place.keys is None or place.values is None:
        return {}
    return {place.keys.fresh(): place.values.fresh() for _ in range(_size(place, 4))}


_TEXT_PLANS: tuple[Callable[[Any], str], ...] = (
    _few_letters,
    _few_letters,
    _any_letters,
    _mirrored,
    _words,
    _sentence,
    _pieces,
    _reformed,
    _reformed,
    _nested,
)

_MAKERS: dict[type, Callable[[Any], Value]] = {
    int: integer,
    float: real,
    bool: lambda place: place.random() < 0.5,
    complex: lambda place: complex(below(place, 11) - 5, below(place, 11) - 5),
    str: text,
    bytes: lambda place: bytes(below(place, 256) for _ in range(_size(place))),
    list: sequence,
    tuple: lambda place: tuple(sequence(place)),
    set: lambda place: set(hashable(sequence(place))),
    frozenset: lambda place: frozenset(hashable(sequence(place))),
    dict: _mapping,
}
