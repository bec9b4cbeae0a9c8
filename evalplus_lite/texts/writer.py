"""Writing an input text of values: counts are computed, and values made to fit."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evalplus_lite.texts.parts import (
    LARGEST,
    MOST_REPEATED,
    Block,
    Field,
    Line,
    Part,
    Scope,
    Unfit,
    bounds,
)
from evalplus_lite.types import Value


class Writer:
    """Writes lines, computing counts and making values fit."""

    def __init__(self, counts: frozenset[str]) -> None:
        self.counts = counts
        self.lines: list[str] = []

    def parts(self, parts: Sequence[Part], values: list[Value], scope: Scope) -> None:
        """Write lines; raises Unfit for values of other types."""
        rest = iter(values)
        given = [(part, [next(rest, None) for _ in range(self._width(part))]) for part in parts]
        for at, (part, own) in enumerate(given):
            if isinstance(part, Block):
                self._block(part, own[0], scope)
            else:
                self._line(part, own, scope, given[at:])

    def _width(self, part: Part) -> int:
        """Return how many values a part has."""
        if isinstance(part, Block) or len(part.ways) > 1:
            return 1
        return sum(each.kind != "literal" and not self._is_count(each) for each in part.ways[0])

    def _is_count(self, field: Field) -> bool:
        return field.name in self.counts and field.kind == "int" and not field.is_row

    def _block(self, block: Block, value: Value, scope: Scope) -> None:
        width = sum(map(self._width, block.parts))
        items = _fitted(_items(value), block.count.of(scope), None)
        for item in items:
            own = list(item) if width != 1 and isinstance(item, list | tuple) else [item]
            self.parts(block.parts, own, {**scope})

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
                amount = int(min(max(amount, low, 0), high, MOST_REPEATED))
                scope[each.name] = amount
                words.append(str(amount))
                continue
            value = next(rest, None)
            if not each.is_row:
                text = written(each, value, scope)
                if each.kind == "int":
                    scope[each.name] = int(text)
            elif each.kind == "char":
                text = self._glued(each, value, scope)
            else:
                items = _items(value)
                if each.is_open and not items:
                    items = [None]
                if each.count:
                    items = _fitted(items, each.count.of(scope), None)
                text = " ".join([written(each, item, scope) for item in items])
            words.append(text)
        self.lines.append(" ".join(words))

    def _glued(self, field: Field, value: Value, scope: Scope) -> str:
        text = "".join(value.split()) if isinstance(value, str) else ""
        if not text.isprintable():
            raise Unfit(f"{field.name} has characters that no text of a test should have")
        letters = list(_lettered(text, field.letters))
        size = len(letters) if field.count is None else field.count.of(scope)
        return "".join(_fitted(letters, size, field.letters[:1] or "a"))

    def _measured(self, name: str, following: Sequence[tuple[Part, list[Value]]]) -> int:
        """Return the count that the first part which is counted by it has."""
        for part, values in following:
            if (found := self._size(name, part, values)) is not None:
                return found
        return 1

    def _size(self, name: str, part: Part, values: Sequence[Value]) -> int | None:
        if isinstance(part, Block):
            items = _items(values[0] if values else None)
            if part.count.name == name:
                return part.count.solved(len(items))
            if not items:
                return None
            inner = [items[0]] if sum(map(self._width, part.parts)) == 1 else _items(items[0])
            rest = iter(inner)
            given = [
                (each, [next(rest, None) for _ in range(self._width(each))]) for each in part.parts
            ]
            return next(
                (n for each, own in given if (n := self._size(name, each, own)) is not None), None
            )
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
    """Return the text of one value of a field; raises Unfit if it is of another type."""
    if field.kind == "int":
        return str(_within(_whole(value), *bounds(field, scope)))
    if field.kind == "float":
        number = float(min(max(_number(value), -1e300), 1e300))
        low, high = bounds(field, scope)
        text = repr(min(max(number, low), high))
        return f"{float(text):f}" if "e" in text else text
    text = value if isinstance(value, str) else "a" if value is None else str(value)
    if field.kind == "text":
        return " ".join(text.split("\n")).strip() if text.isprintable() else "a"
    text = "".join(text.split())
    if not text.isprintable():
        raise Unfit(f"{field.name} has characters that no text of a test should have")
    return _lettered(text, field.letters) or field.letters[:1] or "a"


def _items(value: Value) -> list[Value]:
    return list(value) if isinstance(value, list | tuple) else []


def _fitted(items: list[Value], size: int, filling: Value) -> list[Value]:
    """Return so many items: the first ones, or those there are over and over."""
    size = max(0, min(size, MOST_REPEATED))
    if len(items) >= size:
        return items[:size]
    items = items or [filling]
    return (items * math.ceil(size / len(items)))[:size]


def _number(value: Value) -> float:
    if type(value) is int and abs(value) <= LARGEST:
        return value
    if type(value) is float and math.isfinite(value):
        return value
    if value is None:
        return 0
    raise Unfit("not a number")


def _whole(value: Value) -> int:
    if type(value) is float:
        raise Unfit("not an integer")
    return int(_number(value))


def _within(value: int, low: float, high: float) -> int:
    """Return an integer between the bounds: itself, or what remains of it, as a hash table does."""
    if low <= value <= high:
        return value
    if math.isfinite(low) and math.isfinite(high):
        return int(low) + (value - int(low)) % (int(high) - int(low) + 1)
    return int(low) if value < low else int(high)


def _lettered(text: str, letters: str) -> str:
    if not letters:
        return text
    return "".join([c if c in letters else letters[ord(c) % len(letters)] for c in text])
