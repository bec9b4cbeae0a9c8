"""The form of an input text: lines of values, counts that say how many follow, repeated parts.

A text is parsed to its values and rendered from them. Counts are no values: rendering computes
them, so that a list which is made longer has its count right. What does not fit (a row of another
width than the first, a number out of its range) is made to fit, so that a change to any value gives
a text of the form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from evalplus_lite.texts.parts import Block, Note, Part, Unfit
from evalplus_lite.texts.reader import Reader
from evalplus_lite.texts.writer import Writer
from evalplus_lite.types import Value


class TextForm(Protocol):
    """Texts as values: of a form, or of the shapes of examples."""

    def parse(self, text: str, /) -> tuple[Value, ...]:
        """Return a text's values; raises Unfit."""
        ...

    def render(self, values: Sequence[Value], /) -> str:
        """Return the text of values that are near to the form's; raises Unfit if they are not."""
        ...

    def fit(self, values: Sequence[Value], /) -> tuple[Value, ...] | None:
        """Return the values that a text made of these has, None if none can be made."""
        ...


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a whole text."""

    parts: tuple[Part, ...]
    counts: frozenset[str]
    """The names of integers that say how many of something there are."""

    @classmethod
    def of(cls, parts: Sequence[Part]) -> Form:
        """Return the form of these parts."""
        return cls(tuple(parts), frozenset(_counts(parts)) - {""})

    def parse(self, text: str, note: Note | None = None) -> tuple[Value, ...]:
        """Return a text's values; raises Unfit. ``note`` is told of every field's value."""
        lines = text.split("\n")
        if lines and not lines[-1]:
            lines.pop()
        reader = Reader(lines, self.counts, note)
        values = reader.parts(self.parts, {})
        if reader.at < len(lines):
            raise Unfit(f"line {reader.at + 1}: more than the form has")
        return tuple(values)

    def render(self, values: Sequence[Value]) -> str:
        """Return the text of values that are near to the form's; raises Unfit if they are not."""
        writer = Writer(self.counts)
        writer.parts(self.parts, list(values), {})
        return "".join(line + "\n" for line in writer.lines)

    def fit(self, values: Sequence[Value]) -> tuple[Value, ...] | None:
        """Return the values that a text made of these has, None if none can be made."""
        try:
            return self.parse(self.render(values))
        except Unfit:
            return None


def _counts(parts: Sequence[Part]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Block):
            yield part.count.name
            yield from _counts(part.parts)
        else:
            yield from (each.count.name for way in part.ways for each in way if each.count)
