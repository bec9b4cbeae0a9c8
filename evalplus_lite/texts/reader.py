"""Reading the values of an input text by its form."""

from __future__ import annotations

from collections.abc import Sequence

from evalplus_lite.texts.parts import (
    INTEGER,
    MOST_REPEATED,
    Block,
    Field,
    Line,
    Note,
    Part,
    Scope,
    Unfit,
    bounds,
    is_number,
)
from evalplus_lite.types import Value


class Reader:
    """Reads lines from ``at`` on."""

    def __init__(
        self, lines: list[str], counts: frozenset[str] = frozenset(), note: Note | None = None
    ) -> None:
        self.lines, self.at, self.counts = lines, 0, counts
        self.note = note or (lambda *_: None)

    def parts(self, parts: Sequence[Part], scope: Scope) -> list[Value]:
        """Return the values of the next lines; raises Unfit."""
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
            found = [self._value(each, token, scope) for token in tokens[place:end]]
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
                for one in found:
                    self.note(each, one, scope)
                values.append(found)
        if place < len(tokens):
            raise Unfit(f"line {self.at}: more than the form has")
        return values

    def _value(self, field: Field, token: str, scope: Scope) -> Value:
        if field.kind in ("int", "any") and INTEGER.fullmatch(token):
            value: Value = int(token)
        elif field.kind == "float" and is_number(token):
            value = float(token)
        elif field.kind in ("int", "float") or (field.kind == "literal" and token != field.letters):
            raise Unfit(f"line {self.at}: {token[:40]!r} is not the {field.kind} {field.name}")
        else:
            value = token
            if field.letters and field.kind != "literal" and set(token) - set(field.letters):
                raise Unfit(f"line {self.at}: {field.name} has other characters")
            if field.kind == "char" and field.count and len(token) != field.count.of(scope):
                raise Unfit(f"line {self.at}: {field.name} is not of its length")
        if field.kind in ("int", "float"):
            low, high = bounds(field, scope)
            if not low <= value <= high:
                raise Unfit(f"line {self.at}: {field.name} is {value}, not in {low}..{high}")
        return value


def _record(values: list[Value]) -> Value:
    return values[0] if len(values) == 1 else tuple(values)
