"""Challenges: sources of deliberately large inputs.

Mutation stays close to the examples, and sampling below sizes that are quick to write, so large
inputs need sources of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice

from evalplus_lite.generate.domains.profile import SIZED, hashable
from evalplus_lite.generate.domains.text import BRACKETS, tokens
from evalplus_lite.generate.engine.pool import Pool
from evalplus_lite.generate.engine.scale import (
    ALL,
    Dimension,
    Rung,
    Scales,
    Way,
    factor_for,
    largest_magnitude,
    log_uniform,
)
from evalplus_lite.generate.engine.slots import Slot
from evalplus_lite.generate.operators.registry import below, pick, shuffle
from evalplus_lite.types import Arguments, Case, Value

# Enlarging: large values in the forms that reveal faults.
#
# A long text or list is a repetition, one value with a needle at its end, a mirror image, a sorted
# run, or sampled; a large number is near a power of ten or two, or has random digits.

_FEW = 12


def lengthened(value: Value, slot: Slot, size: int) -> tuple[Value, str]:
    """Return a value of about this length, built from ``value``, and the name of the form."""
    kind = type(value)
    if kind is str:
        name, text_form = pick(slot, _TEXT_FORMS)
        return text_form(value, slot, size), name
    if kind is bytes:
        return (value or b"a") * (size // max(1, len(value))), "repeat"
    if kind is dict:
        return _mapping(value, slot, size), "sample"
    name, form = pick(slot, _LIST_FORMS)
    made = form(list(value), slot, size)
    if kind is list or kind is tuple:
        return kind(made), name
    # Equal elements would leave a small set, whatever the list's length.
    return kind(hashable(_distinct(made, slot, size))), name


def repeated(value: Value, slot: Slot, size: int) -> Value:
    """Return a value of exactly this length by repeating its own elements, if it has any."""
    kind = type(value)
    if kind is str:
        return _text_repeated(value, slot, size)
    if kind is list or kind is tuple:
        return kind(_repeated(list(value), slot, size))
    return lengthened(value, slot, size)[0]


def lengthened_parts(value: Value, slot: Slot, size: int) -> tuple[Value, str]:
    """Lengthen one element of a container, or all of them; return it unchanged if impossible."""
    inner = slot.items
    if type(value) not in (list, tuple) or inner is None or not value:
        return value, ""
    # All rows get the same new columns, so that a table remains a table.
    if slot.domain.is_rectangular:
        columns = [pick(slot, range(len(value[0]))) for _ in range(size)] if value[0] else []
        return type(value)(type(row)(row[at] for at in columns) for row in value), "columns"
    # Two forms: one long row among short ones, or long rows throughout.
    chosen = None if slot.random() < 0.4 else below(slot, len(value))
    made = []
    name = ""
    for at, each in enumerate(value):
        if chosen in (None, at) and type(each) in (str, list, tuple):
            each, name = lengthened(each, inner, size)
        made.append(each)
    return type(value)(made), name


def magnified(value: Value, slot: Slot, size: int, *, factor: int | None = None) -> Value:
    """Return the value with one number, or all of them, about as large as ``size``.

    Multiplying all by one ``factor`` keeps order and proportions, which contracts may require.
    """
    kind = type(value)
    if kind is int:
        made = large_integer(slot, size) if factor is None else value * factor
        return -made if factor is None and value < 0 else made
    if kind is float:
        # ``float`` raises for an int beyond about 10^308.
        if factor is not None:
            return value * float(factor) if factor < 10**300 else value
        return large_float(slot, size)
    if kind is str:
        return _with_numeral(value, slot, size)
    if kind is dict:
        inner = slot.values
        if inner is None or not value:
            return value
        return {name: magnified(item, inner, size, factor=factor) for name, item in value.items()}
    if kind not in (list, tuple) or not value:
        return value
    # A record has one slot for each field; a list, one for all its elements.
    places = slot.positions
    slots = places if places and len(places) == len(value) else [slot.items or slot] * len(value)
    # Without a factor, mostly enlarge one number, an outlier among ordinary ones.
    at = below(slot, len(value)) if factor is None and slot.random() < 0.6 else None
    return kind(
        magnified(each, inner, size, factor=factor) if at in (None, place) else each
        for place, (each, inner) in enumerate(zip(value, slots, strict=True))
    )


def large_integer(slot: Slot, size: int) -> int:
    """Return an integer of about this size: round, next to a round one, or with random digits."""
    way, digits, bits = below(slot, 8), len(str(size)) - 1, size.bit_length() - 1
    if way < 3:
        return log_uniform(slot.random, max(1, size // 2), size)
    if way == 3:
        return int(10**digits) + below(slot, 3) - 1
    if way == 4:
        return (1 << bits) + below(slot, 3) - 1
    if way == 5:
        return int(str(1 + below(slot, 9)) * max(1, digits))
    if way == 6:
        root = 1 << (bits // 2)
        return root * root + below(slot, 2)
    return int("".join(str(below(slot, 10)) for _ in range(digits)) or "0")


def large_float(slot: Slot, size: int) -> float:
    """Return a float with a random exponent: large or close to zero, whole, or with a fraction."""
    way = below(slot, 7)
    whole = float(log_uniform(slot.random, 1, size))
    if way == 0:
        return whole
    if way == 1:
        return whole + 0.5
    if way == 2:
        return 1.0 / whole
    if way == 3:
        return (1 + below(slot, 1000)) / 1000.0
    if way == 4:
        return float(f"{1 + below(slot, 99)}e{below(slot, 600) - 300}")
    if way == 5:
        return whole + (1 + below(slot, 9)) / 10.0
    return float(f"{below(slot, 10)}.{below(slot, 10**6)}")


def _with_numeral(text: str, slot: Slot, size: int) -> str:
    """Return the text with one of its numerals, or all, about as large as ``size``."""
    # The rest of a long text is cut off, since the numeral should be large, not the text.
    parts = tokens(text[:1000])
    numerals = [at for at, part in enumerate(parts) if part.isascii() and part.isdigit()]
    if not numerals:
        return text
    chosen = numerals if slot.random() < 0.3 else [pick(slot, numerals)]
    for at in chosen:
        parts[at] = str(abs(large_integer(slot, size)))
    return "".join(parts)


def _letter(slot: Slot) -> str:
    return str(pick(slot, slot.seen_characters))


def _text_repeated(text: str, slot: Slot, size: int) -> str:
    return "".join(islice(cycle(text or _letter(slot)), size))


def _text_joined(text: str, slot: Slot, size: int) -> str:
    """Repeat the text with a known separator, for many words, groups or clauses."""
    mark = pick(slot, slot.punctuation) if slot.punctuation else ""
    whole = [text or _letter(slot)] * max(1, size // max(1, len(text) + len(mark)))
    return str(mark).join(whole)


def _text_alike(text: str, slot: Slot, size: int) -> str:
    """Repeat one character, with another one at the end, at both ends, or nowhere."""
    filler, needle = _letter(slot), _letter(slot)
    way = below(slot, 4)
    return filler * size if way == 0 else f"{'' if way > 1 else needle}{filler * size}{needle}"


def _text_sampled(text: str, slot: Slot, size: int) -> str:
    letters = slot.seen_characters if slot.random() < 0.7 else slot.characters
    few = [pick(slot, letters) for _ in range(2 + below(slot, 30))]
    return "".join([pick(slot, few) for _ in range(size)])


def _text_mirrored(text: str, slot: Slot, size: int) -> str:
    half = _text_sampled(text, slot, size // 2)
    return half + half[-1 - below(slot, 2) :: -1]


def _text_nested(text: str, slot: Slot, size: int) -> str:
    """Nest brackets, if examples have some."""
    seen = [each for each in BRACKETS if set(each) <= set(slot.seen_characters)]
    if not seen:
        return _text_joined(text, slot, size)
    opening, closing = pick(slot, seen)
    depth = size // 2
    middle = _text_repeated(opening + closing, slot, 2 * below(slot, 3))
    return str(opening * depth + middle + closing * (depth - (slot.random() < 0.3)))


def _text_last(text: str, slot: Slot, size: int) -> str:
    """Repeat the text's first characters, with the text itself at the end."""
    return _text_repeated(text[: 1 + below(slot, 3)], slot, size) + text


_TEXT_FORMS: tuple[tuple[str, Callable[[str, Slot, int], str]], ...] = (
    ("repeat", _text_repeated),
    ("join", _text_joined),
    ("alike", _text_alike),
    ("mirror", _text_mirrored),
    ("sample", _text_sampled),
    ("nest", _text_nested),
    ("needle", _text_last),
)


def _samples(value: list[Value], slot: Slot, count: int) -> list[Value]:
    items = slot.items
    if items is None:
        return value[:count]
    seen = [*value, *items.seen[:_FEW]] or [items.sample()]
    return [
        pick(slot, seen) if seen and slot.random() < 0.3 else items.sample() for _ in range(count)
    ]


def _repeated(value: list[Value], slot: Slot, size: int) -> list[Value]:
    return list(islice(cycle(value or _samples([], slot, 1) or [None]), size))


def _sampled(value: list[Value], slot: Slot, size: int) -> list[Value]:
    """Return elements from a pool of a few dozen, since sampling each one would be slow."""
    pool = _samples(value, slot, min(size, 64))
    return [pick(slot, pool) for _ in range(size)] if pool else value


def _alike(value: list[Value], slot: Slot, size: int) -> list[Value]:
    pool = _samples(value, slot, 2)
    if not pool:
        return value
    return [*pool[:1] * size, *pool[1:]] if slot.random() < 0.7 else [*pool[1:], *pool[:1] * size]


def _running(value: list[Value], slot: Slot, size: int) -> list[Value]:
    """Return a run of numbers: up, down, shuffled, or up with a repeated one at the end."""
    if slot.items is None or not {int, float} & set(slot.items.domain.kinds):
        return sorted(_repeated(value, slot, size), key=repr)
    step = pick(slot, (1, 1, 2, 3, 10))
    start = pick(slot, (0, 1, 1, -size, 10))
    made: list[Value] = [start + step * at for at in range(size)]
    if slot.items.domain.kinds == (float,):
        made = list(map(float, made))
    way = below(slot, 4)
    if way == 0:
        made.reverse()
    elif way == 1:
        made.append(made[below(slot, size)])  # a repetition far from the original
    elif way == 2:
        shuffle(slot, made)
    return made


_LIST_FORMS: tuple[tuple[str, Callable[[list[Value], Slot, int], list[Value]]], ...] = (
    ("repeat", _repeated),
    ("sample", _sampled),
    ("alike", _alike),
    ("run", _running),
    ("run", _running),
    ("needle", lambda v, slot, size: [*_repeated(_samples(v, slot, 1), slot, size), *v]),
)


def _distinct(made: Sequence[Value], slot: Slot, size: int) -> Sequence[Value]:
    """Return elements for a set: distinct integers if it may have some."""
    if slot.items is not None and int in slot.items.domain.kinds:
        return range(size)
    return made


def _mapping(value: dict[Value, Value], slot: Slot, size: int) -> dict[Value, Value]:
    if slot.keys is None or slot.values is None:
        return value
    made = dict(value)
    pool = [slot.values.sample() for _ in range(_FEW)]
    for at in range(size):
        letter = pick(slot.keys, slot.keys.seen_characters)
        # Keys are numbered, so that none replaces another and the dict gets the requested size.
        key = at if int in slot.keys.domain.kinds else f"{letter}{_numbered(at)}"
        made[key] = pick(slot, pool)
    return made


def _numbered(at: int) -> str:
    """Return a distinct word for a number."""
    word = ""
    while at or not word:
        at, letter = divmod(at, 26)
        word += chr(97 + letter)
    return word


SCALING: dict[str, tuple[Way, ...]] = {"magnitude": ("magnitude",), "length": ("length", "parts")}
"""The kinds of challenges, and the ways in which they make inputs large."""


@dataclass
class Challenges:
    """Draws large inputs from those in the pool; ``last`` is the dimension and size of the last."""

    slots: list[Slot]
    pool: Pool
    random: Callable[[], float]
    scales: Scales
    fit: Callable[[Arguments], Arguments | None] | None = None
    """See ``Generator``."""
    last: tuple[Dimension, int] | None = None

    def draw(self, kind: str) -> Case | None:
        """Return an input of a kind, or None if none can be enlarged in this way."""
        chosen = [each for way in SCALING[kind] for each in self.scales.of_way(way)]
        if not chosen or not self.pool.size:
            return None
        dimension = chosen[int(self.random() * len(chosen))]
        parent, arguments = self.pool.pick()
        size = self.scales.ranges[dimension].draw(self.random, self.scales.affordable)
        made, name = self._scaled(arguments, dimension, size)
        # Use the measured size, since a form may come out shorter or longer.
        self.last = dimension, dimension.measure(made)
        return Case(made, kind, parent, (f"{dimension.way}.{name}",))

    def ladder(self, base: Sequence[Case]) -> Iterator[Rung]:
        """Yield two inputs for each rung of each dimension, lower rungs first."""
        levels = max((len(sizes.rungs) for sizes in self.scales.ranges.values()), default=0)
        # Low rungs of all dimensions come first: a run of the reference ends at the first slow
        # input (``ROUNDS`` in ``jobs.augmented_task``), and every dimension should have been tried
        # by then.
        for level in range(levels):
            for dimension, sizes in self.scales.ranges.items():
                # A rung that base inputs reach needs no probe.
                if level >= len(sizes.rungs) or sizes.rungs[level] <= sizes.seen:
                    continue
                # One input comes from the median base input in the plain form, which keeps most
                # relations between arguments, one from the largest in a random form. A contract
                # that rejects one may accept the other.
                models = sorted(
                    (at for at, case in enumerate(base) if _has(case.arguments, dimension)),
                    key=lambda at: dimension.measure(base[at].arguments),
                )
                for is_largest in (False, True) if models else ():
                    parent = models[-1] if is_largest else models[len(models) // 2]
                    arguments, size = base[parent].arguments, sizes.rungs[level]
                    made, _ = self._scaled(arguments, dimension, size, is_plain=not is_largest)
                    kind = next(name for name, ways in SCALING.items() if dimension.way in ways)
                    fitted = made if self.fit is None else self.fit(made)
                    # ``fit`` may have cut the input back to the size of a base input, which would
                    # prove nothing.
                    if fitted is not None and dimension.measure(fitted) > sizes.seen:
                        case = Case(fitted, kind, parent, (f"{dimension.way}.ladder",))
                        yield Rung(dimension, level, case, dimension.measure(fitted))

    def _scaled(
        self, arguments: Arguments, dimension: Dimension, size: int, *, is_plain: bool = False
    ) -> tuple[Arguments, str]:
        """Return an input of this size in one dimension; with ``is_plain``, in the form that keeps
        most relations."""
        at, way = dimension.at, dimension.way
        ats = range(len(arguments)) if at == ALL else range(at, min(at + 1, len(arguments)))
        if way == "magnitude":
            # A factor needs a number to multiply; a base input without one is given a new number.
            in_proportion = is_plain or (self.random() < 0.3 and _has(arguments, dimension))
            chosen = [arguments[at] for at in ats]
            factor = factor_for(chosen, size) if in_proportion else None
            name = "factor" if in_proportion else "number"
        made, names = list(arguments), ["none"]
        for place in ats:
            value, slot = arguments[place], self.slots[place]
            if way == "magnitude":
                made[place] = magnified(value, slot, size, factor=factor)
                names.append(name)
                continue
            if way == "parts":
                made[place], name = lengthened_parts(value, slot, size)
            elif type(value) not in SIZED or slot.has_fixed_size:
                continue
            elif at == ALL or is_plain:
                # One form for all, so that arguments of equal length stay so.
                made[place], name = repeated(value, slot, size), "repeat"
            else:
                made[place], name = lengthened(value, slot, size)
            names.append(name)
        return tuple(made), names[-1]


def _has(arguments: Arguments, dimension: Dimension) -> bool:
    """Return whether an input can be enlarged in a dimension."""
    if dimension.way == "magnitude":
        chosen = arguments if dimension.at == ALL else arguments[dimension.at : dimension.at + 1]
        return any(largest_magnitude(each) for each in chosen) or any(
            type(each) is str for each in chosen
        )
    return dimension.measure(arguments) > 0
