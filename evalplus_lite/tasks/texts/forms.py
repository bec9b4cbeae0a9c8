"""Forms of input texts: lines of values, counts of items that follow, and repeated parts.

A text is parsed to values and rendered from values. Counts are not values: rendering computes them,
so a list that grows still has the right count. Rendering also adjusts values that do not fit (a row
with the wrong width, a number out of range), so a change to any value still gives a valid text.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evalplus_lite.types import Value

# The parts of a form: fields, lines, and blocks of repeated lines.

Kind: TypeAlias = Literal["int", "float", "word", "char", "text", "literal", "any"]
Scope: TypeAlias = dict[str, int]
LARGEST = 10**399
MOST_REPEATED = 200_000
"""Limit on repetitions of a part, and on values in all rows of a rendered text."""
INTEGER = re.compile(r"[-+]?[0-9]{1,400}")
NUMBER = re.compile(r"[-+]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][-+]?\d{1,3})?")


def is_number(token: str) -> bool:
    """Return whether a token is a decimal number that is finite as a float."""
    return NUMBER.fullmatch(token) is not None and math.isfinite(float(token))


class Unfit(ValueError):
    """A text or its values do not have the form; the message says where."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A number, or a linear term in an integer of the text: ``times * name + plus``."""

    name: str = ""
    times: int = 1
    plus: int = 0

    def of(self, scope: Scope) -> int:
        """Return the amount; raise Unfit if the name has no value in the scope."""
        if not self.name:
            return self.plus
        if self.name not in scope:
            raise Unfit(f"{self.name} is not known here")
        return self.times * scope[self.name] + self.plus

    def solved(self, amount: int) -> int:
        """Return the largest value of the name for which the term is at most ``amount``."""
        return (amount - self.plus) // self.times


@dataclass(frozen=True, slots=True)
class Field:
    """A value of a line, ``count`` values in a row (``char``s without spaces), or, if ``is_open``,
    the rest of the line.

    ``low`` and ``high`` bound numbers; ``letters`` are the characters allowed in words, or the text
    of a ``literal``. A row of numbers may have an ``order``: ``increasing``, ``sorted``,
    ``distinct`` or a ``permutation``. ``is_signed`` numbers are written with their plus sign, and
    ``decimals`` is the least and greatest number of decimals of floats.
    """

    name: str
    kind: Kind = "int"
    count: Amount | None = None
    is_open: bool = False
    low: Amount | float | None = None
    high: Amount | float | None = None
    letters: str = ""
    order: str = ""
    is_signed: bool = False
    decimals: tuple[int, int] | None = None

    @property
    def is_row(self) -> bool:
        """Whether the field is a list of values."""
        return self.is_open or self.count is not None


@dataclass(frozen=True, slots=True)
class Line:
    """A line with one or several alternative layouts (``ways``), each a sequence of fields."""

    ways: tuple[tuple[Field, ...], ...]


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that are repeated ``count`` times."""

    count: Amount
    parts: tuple[Part, ...]


Part: TypeAlias = Line | Block


Note: TypeAlias = Callable[[Field, Value, Scope], None]


def bounds(field: Field, scope: Scope) -> tuple[float, float]:
    """Return the least and the greatest value of a field; raise Unfit if there is none."""
    ends = [e.of(scope) if isinstance(e, Amount) else e for e in (field.low, field.high)]
    low, high = -math.inf if ends[0] is None else ends[0], math.inf if ends[1] is None else ends[1]
    if low > high:
        raise Unfit(f"{field.name} has no value between {low} and {high}")
    return low, high


# Rendering: counts are computed, and values are adjusted to fit.


class Writer:
    """Writes lines, computing counts and adjusting values."""

    def __init__(self, counts: frozenset[str]) -> None:
        self.counts = counts
        self.lines: list[str] = []
        self.room = MOST_REPEATED

    def parts(self, parts: Sequence[Part], values: Sequence[Value], scope: Scope) -> None:
        """Write lines; raise Unfit for values of the wrong types."""
        given = self._dealt(parts, values)
        for at, (part, own) in enumerate(given):
            if not isinstance(part, Block):
                self._line(part, own, scope, given[at:])
                continue
            width = sum(map(self._width, part.parts))
            for item in self._fitted(_items(own[0]), part.count.of(scope), None):
                several = width != 1 and isinstance(item, list | tuple)
                self.parts(part.parts, list(item) if several else [item], {**scope})

    def _dealt(
        self, parts: Sequence[Part], values: Sequence[Value]
    ) -> list[tuple[Part, list[Value]]]:
        """Return each part with its own values, None for missing ones."""
        rest = iter(values)
        return [(part, [next(rest, None) for _ in range(self._width(part))]) for part in parts]

    def _width(self, part: Part) -> int:
        """Return the number of values of a part."""
        if isinstance(part, Block) or len(part.ways) > 1:
            return 1
        return sum(each.kind != "literal" and not self._is_count(each) for each in part.ways[0])

    def _is_count(self, field: Field) -> bool:
        return field.name in self.counts and field.kind == "int" and not field.is_row

    def _line(
        self,
        line: Line,
        values: list[Value],
        scope: Scope,
        following: Sequence[tuple[Part, list[Value]]],
    ) -> None:
        way = line.ways[0]
        if len(line.ways) > 1:
            record = values[0]
            if not isinstance(record, tuple | list) or not record or type(record[0]) is not int:
                record = (0,)
            way = line.ways[record[0] % len(line.ways)]
            values = list(record[1:])
        rest, words = iter(values), []
        for each in way:
            if each.kind == "literal":
                words.append(each.letters)
                continue
            if self._is_count(each):
                amount = self._measured(each.name, following)
                low, high = bounds(each, scope)
                amount = int(min(max(1 if amount is None else amount, low, 0), high, MOST_REPEATED))
                scope[each.name] = amount
                words.append(str(amount))
                continue
            value = next(rest, None)
            if not each.is_row:
                text = written(each, value, scope)
                if each.kind == "int":
                    scope[each.name] = int(text)
            elif each.kind == "char":
                glued = "".join(value.split()) if isinstance(value, str) else ""
                letters: list[Value] = list(_lettered(_printable(each, glued), each.letters))
                size = each.count.of(scope) if each.count else len(letters)
                text = "".join(self._fitted(letters, size, each.letters[:1] or "a"))
            else:
                items = _items(value)
                if each.is_open and not items:
                    items = [None]
                if each.count:
                    items = self._fitted(items, each.count.of(scope), None)
                texts = [written(each, item, scope) for item in items]
                text = " ".join(_arranged(each, texts, scope) if each.order else texts)
            words.append(text)
        self.lines.append(" ".join(words))

    def _fitted(self, items: list[Value], size: int, filling: Value) -> list[Value]:
        """Cut or cyclically repeat items to ``size``.

        Raises Unfit if the text gets too large, since nested rows multiply.
        """
        size = max(0, min(size, MOST_REPEATED))
        self.room -= size
        if self.room < 0:
            raise Unfit(f"more than {MOST_REPEATED} values")
        if len(items) >= size:
            return items[:size]
        items = items or [filling]
        return (items * math.ceil(size / len(items)))[:size]

    def _measured(self, name: str, parts: Sequence[tuple[Part, Sequence[Value]]]) -> int | None:
        """Return a count's value, measured on the first part that it counts."""
        sizes = (self._size(name, *each) for each in parts)
        return next((size for size in sizes if size is not None), None)

    def _size(self, name: str, part: Part, values: Sequence[Value]) -> int | None:
        if isinstance(part, Block):
            items = _items(values[0] if values else None)
            if part.count.name == name:
                return part.count.solved(len(items))
            if not items:
                return None
            inner = [items[0]] if sum(map(self._width, part.parts)) == 1 else _items(items[0])
            return self._measured(name, self._dealt(part.parts, inner))
        if len(part.ways) > 1:
            return None
        rest = iter(values)
        for each in part.ways[0]:
            if each.kind == "literal" or self._is_count(each):
                continue
            value = next(rest, None)
            if each.count and each.count.name == name:
                size = len("".join(value.split())) if isinstance(value, str) else len(_items(value))
                return each.count.solved(size)
        return None


def written(field: Field, value: Value, scope: Scope) -> str:
    """Return the text of one value of a field; raise Unfit if it has the wrong type."""
    plus = "+" if field.is_signed else ""
    if field.kind == "int":
        if type(value) is float:
            raise Unfit("not an integer")
        return f"{_within(int(_number(value)), *bounds(field, scope)):{plus}}"
    if field.kind == "float":
        number = float(min(max(_number(value), -1e300), 1e300))
        low, high = bounds(field, scope)
        number = min(max(number, low), high)
        least, most = field.decimals or (1, 17)
        text = str(int(number)) if not least and number.is_integer() else repr(round(number, most))
        if "e" in text or len(text.partition(".")[2]) < least:
            text = f"{number:.{max(least, min(most, 6))}f}"
        return plus + text if plus and number >= 0 else text
    text = value if isinstance(value, str) else "a" if value is None else str(value)
    if field.kind == "text":
        return " ".join(text.split("\n")).strip() if text.isprintable() else "a"
    text = _printable(field, "".join(text.split()))
    return _lettered(text, field.letters) or field.letters[:1] or "a"


def _printable(field: Field, text: str) -> str:
    if not text.isprintable():
        raise Unfit(f"{field.name} has characters that no text of a test should have")
    return text


def _arranged(field: Field, texts: list[str], scope: Scope) -> list[str]:
    """Change the integers of a row to have the field's order; raise Unfit if that is impossible."""
    if field.kind != "int":
        return texts
    values = list(map(int, texts))
    if field.order == "sorted":
        return list(map(str, sorted(values)))
    low, high = bounds(field, scope)
    if field.order == "permutation":
        places = sorted(range(len(values)), key=values.__getitem__)
        ranks = {place: rank for rank, place in enumerate(places, int(low) if low == 0 else 1)}
        return [str(ranks[place]) for place in range(len(values))]
    taken: set[int] = set()
    for at, value in enumerate(values):  # the next free number, or else the lowest free one
        while value in taken and value < high:
            value += 1
        if value in taken:
            value = int(low) if math.isfinite(low) else min(values)
            while value in taken:
                value += 1
            if value > high:
                raise Unfit(f"{field.name} has no more values that differ")
        taken.add(value)
        values[at] = value
    return list(map(str, sorted(values) if field.order == "increasing" else values))


def _items(value: Value) -> list[Value]:
    return list(value) if isinstance(value, list | tuple) else []


def _number(value: Value) -> float:
    if type(value) is int and abs(value) <= LARGEST:
        return value
    if type(value) is float and math.isfinite(value):
        return value
    if value is None:
        return 0
    raise Unfit("not a number")


def _within(value: int, low: float, high: float) -> int:
    """Map an integer to one between the bounds: unchanged, modulo the range, or the near bound."""
    if low <= value <= high:
        return value
    if math.isfinite(low) and math.isfinite(high):
        return int(low) + (value - int(low)) % (int(high) - int(low) + 1)
    return int(low) if value < low else int(high)


def _lettered(text: str, letters: str) -> str:
    if not letters:
        return text
    return "".join([c if c in letters else letters[ord(c) % len(letters)] for c in text])


# Parsing the values of an input text.


class Reader:
    """Parses lines, starting at ``at``."""

    def __init__(
        self, lines: list[str], counts: frozenset[str] = frozenset(), note: Note | None = None
    ) -> None:
        self.lines, self.at, self.counts = lines, 0, counts
        self.note = note or (lambda *_: None)

    def parts(self, parts: Sequence[Part], scope: Scope) -> list[Value]:
        """Return the values of the next lines; may raise Unfit."""
        values: list[Value] = []
        for part in parts:
            if isinstance(part, Block):
                count = part.count.of(scope)
                if not 0 <= count <= MOST_REPEATED:
                    raise Unfit(f"line {self.at + 1}: {count} repetitions")
                values.append([_record(self.parts(part.parts, {**scope})) for _ in range(count)])
            else:
                values += self._line(part, scope)
        return values

    def _line(self, line: Line, scope: Scope) -> list[Value]:
        if self.at >= len(self.lines):
            raise Unfit(f"line {self.at + 1} is missing")
        text = self.lines[self.at]
        self.at += 1
        for number, way in enumerate(line.ways):
            try:
                found = self._way(way, text, scope)
            except Unfit:
                if number + 1 < len(line.ways):
                    continue
                raise
            return found if len(line.ways) == 1 else [(number, *found)]
        raise Unfit(f"line {self.at}")

    def _way(self, way: Sequence[Field], text: str, scope: Scope) -> list[Value]:
        if way and way[-1].kind == "text":
            tokens = text.split(None, len(way) - 1)
            tokens += [""] * (len(way) - len(tokens))
        else:
            tokens = text.split()
        place, values = 0, []
        for each in way:
            end = place + 1
            if each.is_open:
                end = max(place + 1, len(tokens))
            elif each.count and each.kind != "char":
                end = place + each.count.of(scope)
            if not place <= end <= len(tokens):
                raise Unfit(f"line {self.at}: {each.name} is missing")
            try:
                found = [value_of(each, token, scope) for token in tokens[place:end]]
            except Unfit as error:
                raise Unfit(f"line {self.at}: {error}") from None
            place = end
            if each.kind == "literal":
                continue
            if each.kind == "char" or not each.is_row:
                self.note(each, found[0], scope)
                if type(found[0]) is int:
                    scope[each.name] = found[0]
                    if each.name in self.counts:
                        continue
                values.append(found[0])
            else:
                self.note(each, found, scope)
                values.append(found)
        if place < len(tokens):
            raise Unfit(f"line {self.at}: more than the form has")
        return values


def value_of(field: Field, token: str, scope: Scope) -> Value:
    """Return the value of a token; raise Unfit if it is not one of the field."""
    if field.kind in ("int", "any") and INTEGER.fullmatch(token):
        value: Value = int(token)
    elif field.kind == "float" and is_number(token):
        value = float(token)
    elif field.kind in ("int", "float") or (field.kind == "literal" and token != field.letters):
        raise Unfit(f"{token[:40]!r} is not the {field.kind} {field.name}")
    else:
        value = token
        if field.letters and field.kind != "literal" and set(token) - set(field.letters):
            raise Unfit(f"{field.name} has other characters")
        if field.kind == "char" and field.count and len(token) != field.count.of(scope):
            raise Unfit(f"{field.name} is not of its length")
    if field.kind in ("int", "float"):
        low, high = bounds(field, scope)
        if not low <= value <= high:
            raise Unfit(f"{field.name} is {value}, not in {low}..{high}")
    return value


def _record(values: list[Value]) -> Value:
    return values[0] if len(values) == 1 else tuple(values)


class TextForm(ABC):
    """A way to represent texts as values: a form, a table, or the shapes of examples."""

    @abstractmethod
    def parse(self, text: str, /) -> tuple[Value, ...]:
        """Return a text's values; raise Unfit if it does not have the form."""

    @abstractmethod
    def render(self, values: Sequence[Value], /) -> str:
        """Return the text of values, adjusted to fit; raise Unfit if they cannot be."""

    def fit(self, values: Sequence[Value], /) -> tuple[Value, ...] | None:
        """Return the values adjusted to fit, by rendering and parsing them; None if impossible."""
        try:
            return self.parse(self.render(values))
        except Unfit:
            return None


@dataclass(frozen=True, slots=True)
class Form(TextForm):
    """The form of a whole text."""

    parts: tuple[Part, ...]
    counts: frozenset[str]
    """The names of integers that count items or lines."""

    @classmethod
    def of(cls, parts: Sequence[Part]) -> Form:
        """Return a form with these parts."""
        return cls(tuple(parts), frozenset(_counts(parts)) - {""})

    def parse(self, text: str, note: Note | None = None) -> tuple[Value, ...]:
        """Return a text's values; may raise Unfit. ``note`` is called with every field's value."""
        lines = text.split("\n")
        if lines and not lines[-1]:
            lines.pop()
        reader = Reader(lines, self.counts, note)
        values = reader.parts(self.parts, {})
        if reader.at < len(lines):
            raise Unfit(f"line {reader.at + 1}: more than the form has")
        return tuple(values)

    def render(self, values: Sequence[Value]) -> str:
        """Return the text of values, adjusted to fit; raise Unfit if they cannot be."""
        writer = Writer(self.counts)
        writer.parts(self.parts, list(values), {})
        return "".join(line + "\n" for line in writer.lines)

    def mapped(self, change: Change) -> Form:
        """Return the form with each field changed by a function of the field, its way, its line,
        and the names of the single values before it."""
        return Form.of(_mapped(self.parts, change, frozenset()))


Change: TypeAlias = Callable[[Field, tuple[Field, ...], Line, frozenset[str]], Field]


def _mapped(parts: Sequence[Part], change: Change, before: frozenset[str]) -> list[Part]:
    made: list[Part] = []
    for part in parts:
        if isinstance(part, Block):
            made.append(Block(part.count, tuple(_mapped(part.parts, change, before))))
            continue
        ways = []
        for way in part.ways:
            fields = []
            for field in way:
                fields.append(change(field, way, part, before))
                before |= frozenset() if field.is_row else {field.name}
            ways.append(tuple(fields))
        made.append(Line(tuple(ways)))
    return made


def _counts(parts: Sequence[Part]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Block):
            yield part.count.name
            yield from _counts(part.parts)
        else:
            yield from (each.count.name for way in part.ways for each in way if each.count)


# Drawing random values of a form, from small to large, which mutation of a few examples misses.

SCALES = 10
"""The largest scale: counts are at most 2 at scale 1, and at most 1,024 at this one."""
MOST_PARTS = 20_000
"""Approximate limit on values of a text."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Drawing:
    """Draws values of a form; unbounded numbers are near those in ``texts``.

    ``random()`` is the only source of randomness.
    """

    def __init__(self, form: Form, texts: Sequence[str], random: Callable[[], float]) -> None:
        self.form, self.random = form, random
        found: defaultdict[str, list[float]] = defaultdict(list)

        def note(field: Field, value: Value, _: Scope) -> None:
            values = value if isinstance(value, list) else [value]
            found[field.name] += [each for each in values if isinstance(each, int | float)]

        for text in texts:
            form.parse(text, note)
        self.seen = {name: (min(values), max(values)) for name, values in found.items() if values}
        self.cap = 0.0
        self.breadth: dict[str, int] = {}

    def draw(self, scale: int) -> tuple[Value, ...] | None:
        """Return values at a scale, or None if the bounds allow none."""
        self.cap = 2.0**scale
        # All values of a field share one spread in a text: few distinct numbers, or the full range.
        self.breadth = {}
        try:
            return tuple(self._parts(self.form.parts, {}, 1))
        except Unfit:
            return None

    def _parts(self, parts: Sequence[Part], scope: Scope, times: int) -> list[Value]:
        values: list[Value] = []
        for part in parts:
            if isinstance(part, Block):
                count = max(0, min(part.count.of(scope), MOST_PARTS // times))
                inner = times * max(1, count)
                rows = [self._parts(part.parts, {**scope}, inner) for _ in range(count)]
                values.append(list(map(_record, rows)))
            elif len(part.ways) > 1:
                way = int(self.random() * len(part.ways))
                values.append((way, *self._line(part, way, scope, times)))
            else:
                values += self._line(part, 0, scope, times)
        return values

    def _line(self, line: Line, way: int, scope: Scope, times: int) -> list[Value]:
        values: list[Value] = []
        for field in line.ways[way]:
            if field.kind == "literal":
                continue
            if field.is_row:
                count = field.count.of(scope) if field.count else self._log(1, self.cap / times)
                count = max(0, min(int(count), MOST_PARTS // times))
                items = [self._value(field, scope) for _ in range(count)]
                values.append("".join(items) if field.kind == "char" else items)
                continue
            if field.name in self.form.counts and field.kind == "int":
                scope[field.name] = self._count(field, scope, times)
                continue
            value = self._value(field, scope)
            if type(value) is int:
                scope[field.name] = value
            values.append(value)
        return values

    def _count(self, field: Field, scope: Scope, times: int) -> int:
        low, high = bounds(field, scope)
        least = max(low, 0) if math.isfinite(low) else 1
        most = max(least, min(high, self.cap / times**0.5))
        return int(self._log(max(1, least), max(1, most))) if most >= 1 else int(least)

    def _value(self, field: Field, scope: Scope) -> Value:
        random = self.random
        if field.kind in ("int", "float"):
            low, high = self._range(field, scope)
            breadth = self.breadth.setdefault(field.name, int(random() * 3))
            if breadth == 0:  # few different ones
                high = min(high, low + 3)
            number = low + random() * (high - low + (field.kind == "int"))
            return min(int(number), int(high)) if field.kind == "int" else round(number, 3)
        letters = field.letters or LETTERS
        if field.kind == "char":
            return letters[int(random() * len(letters))]
        size = int(self._log(1, max(2.0, self.cap**0.5)))
        return "".join(letters[int(random() * len(letters))] for _ in range(size))

    def _range(self, field: Field, scope: Scope) -> tuple[float, float]:
        low, high = bounds(field, scope)
        least, most = self.seen.get(field.name, (0, 10))
        wide = 2.0 ** int(self.random() * 4)
        if not math.isfinite(low):
            low = min(least, high) * (wide if least < 0 else 1)
        if not math.isfinite(high):
            high = max(most * (wide if most > 0 else 1), low)
        return low, high

    def _log(self, low: float, high: float) -> float:
        return float(low * (max(high, low) / low) ** self.random())
