"""Challenges: kinds of inputs that testers know, each a source with a name of its own.

Mutation stays near what was seen, and sampling below the sizes that are quick to write. What is
large, odd in its letters, or cancels exactly has to be made on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from evalplus_lite.generate.engine.enlarging import (
    lengthened,
    lengthened_parts,
    magnified,
    repeated,
)
from evalplus_lite.generate.engine.growth import largest_magnitude
from evalplus_lite.generate.engine.pool import Pool
from evalplus_lite.generate.engine.scale import ALL, Dimension, Rung, Scales, Way, factor_for
from evalplus_lite.generate.engine.slots import Slot
from evalplus_lite.generate.operators.registry import below, pick
from evalplus_lite.types import Case, Value

# Lettering: texts of the right form with other letters: case, marks alone, other scripts.

LETTERS = "éÉñüÅøßẞİıſΩσςЖя漢字あاक"
"""With marks, of odd case maps (``ß``, ``İ``), of other scripts."""
SPECIAL = (
    "e\u0301",
    "ﬁ",
    "ǆ",
    "Ａ",
    "٣",
    "３",
    "²",
    "½",
    "Ⅷ",
    "\u00a0",
    "\u2003",
    "\u200b",
    "😀",
    "—",
)
"""Combining, ligatures, wide and foreign digits, blanks and marks that are none of ASCII."""
BLANKS = (" ", "\t", "\n", "\r\n", "\x0b")
MARKS = "!?.,;:-_'\"()/+*@#$%&=<>|~^`\\{}[]"

Made = TypeVar("Made", bound=Value)


def relettered(arguments: tuple[Value, ...], slots: list[Slot]) -> tuple[tuple[Value, ...], str]:
    """Return an input with one of its texts written otherwise, and how; itself if it has none."""
    places = [at for at, value in enumerate(arguments) if _has_text(value)]
    if not places:
        return arguments, ""
    at = pick(slots[0], places)
    name, form = pick(slots[0], _FORMS)
    changed = _changed(arguments[at], slots[at], form)
    return (*arguments[:at], changed, *arguments[at + 1 :]), name


def _has_text(value: Value) -> bool:
    if type(value) in (list, tuple):
        return any(map(_has_text, value))
    return type(value) is str or (
        type(value) is dict and any(map(_has_text, (*value, *value.values())))
    )


def _changed(value: Value, slot: Slot, form: Callable[[str, Slot], str]) -> Value:
    kind = type(value)
    if kind is str:
        return value if slot.choices else form(value, slot)
    if kind in (list, tuple):
        inner = slot.positions or [slot.items or slot] * len(value)
        if len(inner) != len(value):
            return value
        ats = [at for at, each in enumerate(value) if _has_text(each)]
        chosen = set(ats) if not ats or slot.random() < 0.25 else {pick(slot, ats)}
        return kind(
            _changed(each, inner[at], form) if at in chosen else each
            for at, each in enumerate(value)
        )
    if kind is dict and slot.keys is not None and slot.values is not None and value:
        way = slot.random() < 0.5
        chosen = pick(slot, list(value))
        return {
            (_changed(name, slot.keys, form) if way and name == chosen else name): (
                _changed(item, slot.values, form) if not way and name == chosen else item
            )
            for name, item in value.items()
        }
    return value


def _other_case(text: str, slot: Slot) -> str:
    way = below(slot, 5)
    if way == 0:
        return text.swapcase()
    if way == 1:
        return text.upper()
    if way == 2:
        return text.title()
    if way == 3:
        return text.lower()
    return "".join([each.upper() if slot.random() < 0.5 else each.lower() for each in text])


def _one_case(text: str, slot: Slot) -> str:
    """Change one letter's case."""
    ats = [at for at, each in enumerate(text) if each.isalpha()]
    if not ats:
        return text
    at = pick(slot, ats)
    return text[:at] + text[at].swapcase() + text[at + 1 :]


def _same_form(text: str, slot: Slot) -> str:
    """Replace every letter, every digit, or both, each by another of its kind."""
    way = below(slot, 3)
    made = []
    for each in text:
        if each.isdigit() and way != 1:
            made.append(str(below(slot, 10)))
        elif each.isalpha() and way != 0:
            letter = chr(97 + below(slot, 26))
            made.append(letter.upper() if each.isupper() else letter)
        else:
            made.append(each)
    return "".join(made)


def _wrong_letter(text: str, slot: Slot) -> str:
    """One character in the right place, but of another kind."""
    if not text:
        return str(pick(slot, (" ", "a", "A", "0", "_")))
    at = below(slot, len(text))
    kinds = ("aZ", "09", MARKS, " ")
    return text[:at] + str(pick(slot, pick(slot, kinds))) + text[at + 1 :]


def _marks(text: str, slot: Slot) -> str:
    """Marks alone, of a few kinds."""
    few = [pick(slot, slot.punctuation or MARKS) for _ in range(1 + below(slot, 3))]
    return "".join([pick(slot, few) for _ in range(max(1, min(len(text), 30)))])


def _blanks(text: str, slot: Slot) -> str:
    """Blanks alone, or around the text, doubled within, or of another kind than they were."""
    blank = BLANKS[0] if slot.random() < 0.6 else str(pick(slot, BLANKS))
    way = below(slot, 6)
    if way == 0:
        return blank * (1 + below(slot, 4))
    if way == 1:
        return blank + text
    if way == 2:
        return text + blank
    if way == 3:
        return text.replace(" ", blank + blank) if " " in text else blank.join(text)
    if way == 4 and " " in text:
        most = -1 if slot.random() < 0.5 else 1
        return text.replace(" ", str(pick(slot, BLANKS[1:])), most)
    at = below(slot, len(text) + 1)
    return text[:at] + blank + text[at:]


def _only(text: str, slot: Slot) -> str:
    """One kind of character alone: digits, letters, vowels, consonants, capitals."""
    kinds = ("0123456789", "abcdefghijklmnopqrstuvwxyz", "aeiou", "bcdfghjklmnpqrstvwxyz")
    letters = str(pick(slot, kinds))
    letters = letters.upper() if slot.random() < 0.4 else letters
    return "".join([pick(slot, letters) for _ in range(max(1, min(len(text), 40)))])


def _beyond_ascii(text: str, slot: Slot) -> str:
    """Put one to three characters beyond ASCII in."""
    for _ in range(1 + below(slot, 3)):
        strange = str(pick(slot, LETTERS)) if slot.random() < 0.6 else str(pick(slot, SPECIAL))
        at = below(slot, len(text) + 1)
        text = text[:at] + strange + text[at + (slot.random() < 0.5) :]
    return text


_FORMS: tuple[tuple[str, Callable[[str, Slot], str]], ...] = (
    ("other-case", _other_case),
    ("one-case", _one_case),
    ("same-form", _same_form),
    ("wrong-letter", _wrong_letter),
    ("marks", _marks),
    ("blanks", _blanks),
    ("only", _only),
    ("beyond-ascii", _beyond_ascii),
    ("beyond-ascii", _beyond_ascii),
)


Arguments: TypeAlias = tuple[Value, ...]
Draw: TypeAlias = Callable[[], Case | None]

SCALING: dict[str, tuple[Way, ...]] = {"magnitude": ("magnitude",), "length": ("length", "parts")}
"""The kinds that draw a size, and the dimensions that they draw it in."""


@dataclass
class Challenges:
    """Draws inputs of each kind from those in the pool; ``last`` is the size drawn last, if any."""

    slots: list[Slot]
    pool: Pool
    random: Callable[[], float]
    scales: Scales
    fit: Callable[[Arguments], Arguments | None] | None = None
    """As of the ``Generator``."""
    last: tuple[Dimension, int] | None = None

    def draws(self) -> dict[str, Draw]:
        """Return how each kind is drawn, by its name."""
        scaling = {name: self._scaling(name, ways) for name, ways in SCALING.items()}
        return {**scaling, "letters": self._relettered}

    def ladder(self, base: Sequence[Case]) -> Iterator[Rung]:
        """Yield two inputs for each rung of each dimension, lower rungs first."""
        levels = max((len(found.rungs) for found in self.scales.ranges.values()), default=0)
        for level in range(levels):
            for dimension, found in self.scales.ranges.items():
                if level >= len(found.rungs) or found.rungs[level] <= found.seen:
                    continue
                models = sorted(
                    (at for at, case in enumerate(base) if _has(case.arguments, dimension)),
                    key=lambda at: dimension.measure(base[at].arguments),
                )
                for way in (False, True) if models else ():
                    parent = models[-1] if way else models[len(models) // 2]
                    arguments, size = base[parent].arguments, found.rungs[level]
                    made, _ = self._scaled(arguments, dimension, size, is_plain=not way)
                    kind = next(name for name, ways in SCALING.items() if dimension.way in ways)
                    fitted = made if self.fit is None else self.fit(made)
                    if fitted is not None and dimension.measure(fitted) > found.seen:
                        case = Case(fitted, kind, parent, (f"{dimension.way}.ladder",))
                        yield Rung(dimension, level, case, dimension.measure(fitted))

    def _scaling(self, kind: str, ways: Sequence[Way]) -> Draw:
        chosen = [dimension for way in ways for dimension in self.scales.of_way(way)]

        def draw() -> Case | None:
            if not chosen or not self.pool.size:
                return None
            dimension = chosen[int(self.random() * len(chosen))]
            parent, arguments = self.pool.pick()
            size = self.scales.draw(dimension, self.random)
            made, name = self._scaled(arguments, dimension, size)
            self.last = dimension, dimension.measure(made)
            return Case(made, kind, parent, (f"{dimension.way}.{name}",))

        return draw

    def _relettered(self) -> Case | None:
        if not self.slots or not self.pool.size:
            return None
        parent, arguments = self.pool.pick()
        made, name = relettered(arguments, self.slots)
        return Case(made, "letters", parent, (f"letters.{name}",)) if name else None

    def _scaled(
        self, arguments: Arguments, dimension: Dimension, size: int, *, is_plain: bool = False
    ) -> tuple[Arguments, str]:
        """Return an input of this size in one dimension; ``is_plain``: in the form that keeps most
        relations."""
        at, way = dimension.at, dimension.way
        ats = range(len(arguments)) if at == ALL else range(at, min(at + 1, len(arguments)))
        if way == "magnitude":
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
            elif type(value) not in _SIZED or slot.has_fixed_size:
                continue
            elif at == ALL or is_plain:
                # One form for all, so that arguments of equal length stay so.
                made[place], name = repeated(value, slot, size), "repeat"
            else:
                made[place], name = lengthened(value, slot, size)
            names.append(name)
        return tuple(made), names[-1]


_SIZED = (str, bytes, list, tuple, set, frozenset, dict)


def _has(arguments: Arguments, dimension: Dimension) -> bool:
    """Return whether an input has anything that can be made large in a dimension."""
    if dimension.way == "magnitude":
        chosen = arguments if dimension.at == ALL else arguments[dimension.at : dimension.at + 1]
        return any(largest_magnitude(each) for each in chosen) or any(
            type(each) is str for each in chosen
        )
    return dimension.measure(arguments) > 0
