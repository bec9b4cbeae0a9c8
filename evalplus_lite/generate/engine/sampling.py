"""Random values: made from scratch for a slot, in the plans that tests are usually written by.

Uniform randomness seldom meets a condition; values that repeat, ascend, mirror, nest or sit at
the edges do. Each container follows one plan, so that its elements belong together.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from evalplus_lite.generate.domains.characters import BRACKETS
from evalplus_lite.generate.domains.profile import hashable
from evalplus_lite.generate.domains.string_patterns import token_kind, tokens
from evalplus_lite.generate.operators.numbers import LANDMARKS
from evalplus_lite.generate.operators.registry import below, pick
from evalplus_lite.types import Value
from evalplus_lite.values.kinds.registry import BY_TYPE

if TYPE_CHECKING:
    from evalplus_lite.generate.engine.slots import Slot

_USUAL = 8
"""Most containers and texts are at most this long."""
_DEEP = 6


def make(slot: Slot) -> Value:
    """Return a new value for a slot, of one of the types seen there."""
    return _of_kind(pick(slot, slot.domain.kinds), slot)


def _of_kind(kind: type, slot: Slot) -> Value:
    if kind in slot.choices:
        return pick(slot, slot.choices[kind])
    if kind in slot.views:
        return slot.made(kind, make(slot.views[kind]))
    if kind in BY_TYPE:  # stated by an annotation, and never seen
        return pick(slot, BY_TYPE[kind].examples)
    maker = _MAKERS.get(kind)
    return maker(slot) if maker else None


def integer(slot: Slot) -> int:
    """Return an int: small, among those seen, a constant, or of any size within the bounds."""
    way = slot.random()
    low, high = slot.lowest, slot.highest
    if way < 0.35:
        number = below(slot, 13) - 2
    elif way < 0.5:
        number = slot.constant(int) or int(pick(slot, LANDMARKS))
    elif way < 0.65:
        number = slot.fragment(int) or below(slot, 100)
    elif way < 0.85:
        number = below(slot, 200) - 50
    else:
        number = below(slot, int(10 ** (1 + below(slot, 9))))
        number = -number if slot.random() < 0.3 else number
    if low <= number <= high:
        return number
    number = -number
    if low <= number <= high:
        return number
    bottom = int(max(low, -100.0)) if low <= 0 else math.ceil(low)
    span = int(min(high - bottom, 50.0)) if high >= bottom else 0
    return bottom + below(slot, span + 1)


def real(slot: Slot) -> float:
    """Return a float: whole, in few decimals, among those seen, or a constant."""
    way = slot.random()
    if way < 0.25:
        number = float(integer(slot))
    elif way < 0.65:
        number = round((slot.random() - 0.3) * pick(slot, (1, 10, 100)), 1 + below(slot, 3))
    elif way < 0.8:
        number = slot.fragment(float) or 0.5
    else:
        number = slot.constant(float) or 1.0
    low, high = slot.lowest, slot.highest
    for candidate in (number, -number, low, high):
        if low <= candidate <= high and math.isfinite(candidate):
            return float(candidate)
    return 0.0


def text(slot: Slot) -> str:
    """Return a string by one of several plans over the characters seen."""
    recall = slot.state.recall
    if recall and slot.random() < recall:
        known = (slot.constant if slot.random() < 0.4 else slot.fragment)(str)
        if known is not None and slot.domain.explain(known) is None:
            return str(known)
    if slot.domain.has_common_pattern and slot.random() < 0.6:
        return _reformed(slot)
    return str(pick(slot, _TEXT_PLANS)(slot))


def _size(slot: Slot, usual: int = _USUAL) -> int:
    domain = slot.domain
    if slot.has_fixed_size:
        sizes = slot.profile.sizes
        return int(sizes.largest) if sizes else 0
    way = slot.random()
    size = below(slot, 4) if way < 0.3 else below(slot, usual + 1)
    if way > 0.95:
        size = below(slot, 40)
    size = max(size, int(domain.smallest))
    return size if domain.largest is None else min(size, int(domain.largest))


def _few_letters(slot: Slot) -> str:
    characters = [pick(slot, slot.seen_characters) for _ in range(1 + below(slot, 3))]
    return "".join([pick(slot, characters) for _ in range(_size(slot, 12))])


def _any_letters(slot: Slot) -> str:
    characters = slot.seen_characters if slot.random() < 0.7 else slot.characters
    return "".join([pick(slot, characters) for _ in range(_size(slot, 12))])


def _mirrored(slot: Slot) -> str:
    half = _few_letters(slot) if slot.random() < 0.5 else _any_letters(slot)
    return half + (half[::-1] if slot.random() < 0.5 else half[-2::-1])


def _words(slot: Slot) -> str:
    if " " not in slot.characters:
        return _few_letters(slot)
    known = [
        word for value in slot.seen[:40] if type(value) is str for word in value.split() if word
    ]
    words = []
    for _ in range(1 + below(slot, 6)):
        way = slot.random()
        if known and way < 0.5:
            words.append(pick(slot, known))
        elif way < 0.75:
            words.append(slot.token())
        else:
            words.append(_few_letters(slot))
    return " ".join(words)


def _sentence(slot: Slot) -> str:
    """Return words with punctuation between them: those seen, and those of the task's text."""
    punctuation = slot.punctuation
    if not punctuation:
        return _words(slot)
    has_blank = " " in slot.characters
    made = ""
    for _ in range(1 + below(slot, 5)):
        word = slot.token() if slot.random() < 0.4 else _few_letters(slot)
        sign = str(pick(slot, punctuation))
        made += word + sign + (" " if has_blank and sign != " " and slot.random() < 0.5 else "")
    return made if slot.random() < 0.5 else made[:-1]


def _pieces(slot: Slot) -> str:
    return "".join([slot.token() for _ in range(1 + below(slot, 5))])


def _reformed(slot: Slot) -> str:
    """Return a seen string with every token replaced by another of its kind."""
    model = slot.fragment(str)
    if not model:
        return _few_letters(slot)
    made = []
    for token in tokens(str(model)[:80]):
        kind = token_kind(token)
        if kind == "digits":
            made.append(_digits(slot, token))
        elif kind == "letters":
            size = len(token) if slot.random() < 0.6 else 1 + below(slot, 6)
            characters = [each for each in slot.seen_characters if each.isalpha()] or ["x"]
            made.append("".join([pick(slot, characters) for _ in range(size)]))
        else:
            made.append(token)
    return "".join(made)


def _digits(slot: Slot, token: str) -> str:
    """Return another numeral: mostly as wide; any, or a constant of the task's text."""
    constant = slot.constant(int)
    if constant is not None and slot.random() < 0.5:
        return str(abs(constant)).zfill(len(token))
    size = len(token) if slot.random() < 0.7 else 1 + below(slot, 4)
    return "".join([pick(slot, "0123456789") for _ in range(size)])


def _nested(slot: Slot) -> str:
    """Return balanced brackets of the kinds seen, now and then with one fault."""
    characters = slot.seen_characters
    kinds = [each for each in BRACKETS if each[0] in characters and each[1] in characters]
    if not kinds:
        return _few_letters(slot)
    made = _balanced(slot, kinds, _DEEP)
    if slot.random() < 0.4 and made:
        at = below(slot, len(made))
        made = made[:at] + made[at + 1 :]
    return made


def _balanced(slot: Slot, kinds: list[str], depth: int) -> str:
    parts = []
    for _ in range(1 + below(slot, 3)):
        opening, closing = pick(slot, kinds)
        within = _balanced(slot, kinds, depth - 1) if depth and slot.random() < 0.5 else ""
        parts.append(opening + within + closing)
    return "".join(parts)


def sequence(slot: Slot) -> list[Value]:
    """Return a list by one of several plans, its elements new or among those seen."""
    if slot.positions is not None:
        return [each.sample() for each in slot.positions]
    item, size = slot.items, _size(slot)
    if item is None:
        return []
    if slot.domain.is_square and size:
        size = 1 + below(slot, 4)
        return [_row(item, size) for _ in range(size)]
    if slot.domain.is_rectangular:
        width = below(slot, 6)
        return [_row(item, width) for _ in range(size)]
    kinds = item.domain.kinds
    if len(kinds) > 1 and slot.domain.is_uniform:
        kind = pick(slot, kinds)
        return [_of_kind(kind, item) for _ in range(size)]
    way = slot.random()
    if way < 0.35:
        pool = [item.sample() for _ in range(1 + below(slot, 4))]
        return [pick(slot, pool) for _ in range(size)]
    if way < 0.5 and kinds == (int,):
        return _progression(item, size)
    if way < 0.7 and item.seen:
        return [pick(slot, item.seen) for _ in range(size)]
    made = [item.sample() for _ in range(size)]
    if way > 0.9 and kinds in ((int,), (float,), (str,)):
        made.sort(reverse=way > 0.95)
    return made


def _row(item: Slot, size: int) -> list[Value]:
    if item.items is None:
        return []
    if item.random() < 0.5:
        pool = [item.items.sample() for _ in range(2)]
        return [pick(item, pool) for _ in range(size)]
    return [item.items.sample() for _ in range(size)]


def _progression(item: Slot, size: int) -> list[Value]:
    """Return ints in arithmetic order, perhaps shuffled: a permutation of consecutive numbers."""
    start, step = integer(item), pick(item, (1, 1, 1, 2, -1, 0))
    numbers = [start + step * at for at in range(size)]
    numbers = [number for number in numbers if item.lowest <= number <= item.highest]
    if item.random() < 0.5:
        for at in range(len(numbers) - 1, 0, -1):
            other = below(item, at + 1)
            numbers[at], numbers[other] = numbers[other], numbers[at]
    return numbers


def _mapping(slot: Slot) -> dict[Value, Value]:
    if slot.keys is None or slot.values is None:
        return {}
    return {slot.keys.sample(): slot.values.sample() for _ in range(_size(slot, 4))}


_TEXT_PLANS: tuple[Callable[[Slot], str], ...] = (
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

_MAKERS: dict[type, Callable[[Slot], Value]] = {
    int: integer,
    float: real,
    bool: lambda slot: slot.random() < 0.5,
    complex: lambda slot: complex(below(slot, 11) - 5, below(slot, 11) - 5),
    str: text,
    bytes: lambda slot: bytes(below(slot, 256) for _ in range(_size(slot))),
    list: sequence,
    tuple: lambda slot: tuple(sequence(slot)),
    set: lambda slot: set(hashable(sequence(slot))),
    frozenset: lambda slot: frozenset(hashable(sequence(slot))),
    dict: _mapping,
}
