"""Balancing: values that meet: sums, products and differences of exactly 0 or 1, ties, far twins.

Chance never makes numbers cancel; faults in guards (``if total > 0``), in the order of equal keys
and in rounding show only there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evalplus_lite.generate.domains.string_patterns import tokens
from evalplus_lite.generate.engine.slots import Slot
from evalplus_lite.generate.operators.registry import below, pick
from evalplus_lite.types import Value

Arguments = tuple[Value, ...]
Form = Callable[[Arguments, Sequence[Slot]], Arguments]

_MOST = 40
"""Elements of lists that are balanced: what finds a fault is not the length here."""


def balanced(arguments: Arguments, slots: Sequence[Slot]) -> tuple[Arguments, str]:
    """Return an input whose numbers cancel, and how; itself if it has none.

    Now and then with all signs turned: what cancels still does, and is the largest no longer.
    """
    made, name = _by(arguments, slots, _CANCELLING)
    if name and slots[0].random() < 0.25:
        return tuple(map(_negated, made)), name
    return made, name


def tied(arguments: Arguments, slots: Sequence[Slot]) -> tuple[Arguments, str]:
    """Return an input with equal or almost equal elements, near or far, and how."""
    return _by(arguments, slots, _TIES)


def retyped(arguments: Arguments, slots: Sequence[Slot]) -> tuple[Arguments, str]:
    """Return an input with floats where integers stand, or the other way round."""
    places = [at for at, value in enumerate(arguments) if _has_number(value)]
    if not places:
        return arguments, ""
    at = pick(slots[0], places)
    way = below(slots[0], 4)
    return _with(arguments, at, _retyped(arguments[at], slots[at], way)), _RETYPINGS[way]


_RETYPINGS = ("whole-float", "half", "tenth", "integer")


def _by(
    arguments: Arguments, slots: Sequence[Slot], forms: Sequence[tuple[str, Form]]
) -> tuple[Arguments, str]:
    """Return what the first form makes that has something to do, from a place drawn by chance."""
    start = below(slots[0], len(forms))
    for name, form in (*forms[start:], *forms[:start]):
        made = form(arguments, slots)
        if made is not arguments:
            return made, name
    return arguments, ""


def _with(arguments: Arguments, at: int, value: Value) -> Arguments:
    return (*arguments[:at], value, *arguments[at + 1 :])


def _negated(value: Value) -> Value:
    if type(value) in (int, float):
        return -value
    return type(value)(map(_negated, value)) if type(value) in (list, tuple) else value


def _numbers(value: Value) -> list[Value]:
    """Return the numbers that stand in a list of numbers, or the number itself."""
    if type(value) in (int, float):
        return [value]
    if type(value) in (list, tuple) and value and all(type(each) in (int, float) for each in value):
        return list(value)
    return []


def _has_number(value: Value) -> bool:
    """Return whether a number stands in a value, however deep in lists and tuples."""
    if type(value) in (list, tuple):
        return any(map(_has_number, value[:_MOST]))
    return type(value) in (int, float)


def _lists(arguments: Arguments) -> list[int]:
    return [
        at for at, each in enumerate(arguments) if type(each) in (list, tuple) and _numbers(each)
    ]


def _scalars(arguments: Arguments) -> list[int]:
    return [at for at, each in enumerate(arguments) if type(each) in (int, float)]


def _in_list(
    arguments: Arguments, slots: Sequence[Slot], change: Callable[[list[Value], Slot], list[Value]]
) -> Arguments:
    """Return an input with one of its lists of numbers changed."""
    places = _lists(arguments)
    if not places:
        return arguments
    at = pick(slots[0], places)
    made = change(list(arguments[at][:_MOST]), slots[at])
    return _with(arguments, at, type(arguments[at])(made))


def _sum(arguments: Arguments, slots: Sequence[Slot]) -> Arguments:
    """A list whose sum is 0, 1 or -1."""

    def change(some: list[Value], slot: Slot) -> list[Value]:
        goal = pick(slot, (0, 0, 1, -1))
        at = below(slot, len(some) + (not slot.has_fixed_size))
        rest = sum(some[:at]) + sum(some[at + 1 :])
        return [*some[:at], goal - rest, *some[at + 1 :]]

    return _in_list(arguments, slots, change)


def _pairs(arguments: Arguments, slots: Sequence[Slot]) -> Arguments:
    """Every number with its opposite, next to it or far off."""

    def change(some: list[Value], slot: Slot) -> list[Value]:
        opposite = [-each for each in some]
        return [*some, *(opposite if slot.random() < 0.5 else opposite[::-1])]

    return _in_list(arguments, slots, change)


def _units(arguments: Arguments, slots: Sequence[Slot]) -> Arguments:
    """Only 1 and -1, or 0 as well: products and sums of exactly 0, 1, -1."""

    def change(some: list[Value], slot: Slot) -> list[Value]:
        units = pick(slot, ((1, -1), (1, 1, -1), (0, 1), (0, 1, -1), (1,), (0,), (2, 1)))
        return [type(each)(pick(slot, units)) for each in some]

    return _in_list(arguments, slots, change)


def _opposite(arguments: Arguments, slots: Sequence[Slot]) -> Arguments:
    """One number the opposite, inverse, double, half, or neighbour of another."""
    places = _scalars(arguments)
    if len(places) < 2:
        return arguments
    first, last = pick(slots[0], places), pick(slots[0], places)
    value = arguments[first]
    made: list[Value] = [-value, value, value + 1, value - 1, 2 * value, 1 - value, value * value]
    if value and type(value) is float:
        made += [1 / value] * 2
    return _with(arguments, last, pick(slots[0], made))


def _total(arguments: Arguments, slots: Sequence[Slot]) -> Arguments:
    """One number the sum, difference or product of all the others, so that they cancel."""
    places = _scalars(arguments)
    if len(places) < 3:
        return arguments
    last = pick(slots[0], places)
    others = [arguments[at] for at in places if at != last]
    product = others[0]
    for each in others[1:]:
        product *= each
    made = (sum(others), -sum(others), others[0] - sum(others[1:]), product)
    return _with(arguments, last, pick(slots[0], made))


def _fraction(arguments: Arguments, slots: Sequence[Slot]) -> Arguments:
    """A number between 0 and 1 beside, or among, larger ones."""
    site = slots[0]
    value = pick(site, (0.5, 0.25, 0.1, 0.999, 1e-9, 0.3, 1 / 3))
    scalars, lists = _scalars(arguments), _lists(arguments)
    if scalars and (not lists or site.random() < 0.5):
        return _with(arguments, pick(site, scalars), value)
    if not lists:
        return arguments
    at = pick(site, lists)
    some = list(arguments[at])
    some[below(site, len(some))] = value
    return _with(arguments, at, type(arguments[at])(some))


def _numerals(arguments: Arguments, slots: Sequence[Slot]) -> Arguments:
    """The numerals of all texts, in another order or made equal: fractions that cancel."""
    cut = {at: tokens(each[:400]) for at, each in enumerate(arguments) if type(each) is str}
    places = [
        (at, n)
        for at, parts in cut.items()
        for n, part in enumerate(parts)
        if part.isascii() and part.isdigit()
    ]
    if len(places) < 2:
        return arguments
    site = slots[0]
    numerals = [cut[at][n] for at, n in places]
    way = below(site, 4)
    if way == 0:
        numerals.reverse()
    elif way == 1:
        numerals = [numerals[below(site, len(numerals))]] * len(numerals)
    elif way == 2:
        numerals = [pick(site, ("1", "0", "2")) for _ in numerals]
    else:
        numerals[below(site, len(numerals))] = numerals[below(site, len(numerals))]
    for (at, n), numeral in zip(places, numerals, strict=True):
        cut[at][n] = numeral
    return tuple("".join(cut[at]) if at in cut else each for at, each in enumerate(arguments))


def _sequence(arguments: Arguments, slots: Sequence[Slot]) -> int | None:
    """Return some argument that is a list with elements, of a length that may change."""
    ats = [
        at
        for at, each in enumerate(arguments)
        if type(each) in (list, tuple) and each and not slots[at].has_fixed_size
    ]
    return pick(slots[0], ats) if ats else None


def _twin(arguments: Arguments, slots: Sequence[Slot]) -> Arguments:
    """The first element again at the end, or the last at the start, or in the middle."""
    at = _sequence(arguments, slots)
    if at is None:
        return arguments
    some, site = list(arguments[at]), slots[at]
    place, other = pick(site, (0, len(some), len(some) // 2)), below(site, len(some))
    return _with(arguments, at, type(arguments[at])([*some[:place], some[other], *some[place:]]))


def _equal_keys(arguments: Arguments, slots: Sequence[Slot]) -> Arguments:
    """An element and others that tie with it under some key: length, size, digits, letters."""
    at = _sequence(arguments, slots)
    if at is None:
        return arguments
    some, site = list(arguments[at]), slots[at]
    model = pick(site, some)
    variants = [each for each in _variants(model) if type(each) is type(model)]
    if not variants:
        return arguments
    for _ in range(1 + below(site, 3)):
        some.insert(below(site, len(some) + 1), pick(site, variants))
    return _with(arguments, at, type(arguments[at])(some))


def _variants(value: Value) -> list[Value]:
    if type(value) is int:
        digits = str(abs(value))
        return [-value, value, int(digits[::-1]), int(digits + "0"), value + 1]
    if type(value) is float:
        return [-value, value, value + 0.5]
    if type(value) is str:
        return [value, value[::-1], value.swapcase(), "".join(sorted(value)), value[1:] + value[:1]]
    if type(value) in (list, tuple):
        return [value, value[::-1], value[:1]]
    return [value]


def _retyped(value: Value, slot: Slot, way: int) -> Value:
    kind = type(value)
    if kind in (list, tuple):
        every = slot.random() < 0.5
        chosen = pick(slot, [at for at, each in enumerate(value) if _has_number(each)] or [0])
        return kind(
            _retyped(each, slot, way) if every or at == chosen else each
            for at, each in enumerate(value)
        )
    if kind not in (int, float):
        return value
    if way == 3:
        return int(value) if abs(value) < 1e15 else value
    if kind is int and abs(value) > 2**53:
        return value
    return float(value) + (0.0, 0.5, 0.1)[way]


_CANCELLING: tuple[tuple[str, Form], ...] = (
    ("sum", _sum),
    ("pairs", _pairs),
    ("units", _units),
    ("opposite", _opposite),
    ("total", _total),
    ("fraction", _fraction),
    ("numerals", _numerals),
)
_TIES: tuple[tuple[str, Form], ...] = (("twin", _twin), ("equal-keys", _equal_keys))
