"""Values of a form drawn at random, from small to large: what mutation of a few examples misses."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence

from evalplus_lite.tasks.texts.forms import Block, Field, Form, Line, Part, Scope, Unfit, bounds
from evalplus_lite.types import Value

SCALES = 10
"""Texts are drawn at scales from 1, where a count is 2 at most, to this, where it is 1,024."""
MOST_PARTS = 20_000
"""Values that a text is made of, about."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Drawing:
    """Draws values of a form; numbers without bounds are near those that ``texts`` have.

    All chance is ``random()``'s.
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
        """Return values of a scale, None if a bound leaves none."""
        self.cap = 2.0**scale
        # How numbers are spread is one thing for a whole text: all alike, few, or any.
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
                values.append([row[0] if len(row) == 1 else tuple(row) for row in rows])
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
