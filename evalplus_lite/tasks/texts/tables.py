"""Input texts that are tables: lines of as many fields each, such as CSV, without a count before.

A text's only value is the list of its rows, so that rows are added, dropped, repeated and changed
as records of an argument are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evalplus_lite.tasks.texts.forms import INTEGER, Field, TextForm, Unfit, is_number, written
from evalplus_lite.types import Value

MARKS = (";", ",", "\t", "|", " ")
"""What separates fields; a blank only where nothing else does."""
FEWEST = 3
"""Rows of all examples together from which a form is believed."""


@dataclass(frozen=True, slots=True)
class Table(TextForm):
    """Rows of ``fields`` separated by a ``mark``, after a ``head`` line ("" for none)."""

    fields: tuple[Field, ...]
    mark: str
    head: str

    @classmethod
    def of(cls, texts: Sequence[str]) -> Table | None:
        """Return the form of texts that are all tables of one width, None if they are not."""
        lines = [text.rstrip("\n").split("\n") for text in texts]
        for mark in MARKS:
            heads = {each[0] for each in lines}
            head = heads.pop() if len(heads) == 1 else ""
            rows = [line.split(mark) for each in lines for line in each[bool(head) :]]
            # A first line that all texts share is a head if it has none of the numbers below it.
            if not head or not _is_head(head.split(mark), rows):
                head, rows = "", [line.split(mark) for each in lines for line in each]
            widths = {*map(len, rows)}
            if len(rows) < FEWEST or len(widths) != 1 or widths == {1} or not all(map(all, rows)):
                continue
            columns = list(zip(*rows, strict=True))
            fields = tuple(_field(f"v{n}", column) for n, column in enumerate(columns))
            return cls(fields, mark, head)
        return None

    def parse(self, text: str) -> tuple[Value, ...]:
        """Return the list of a text's rows; raises Unfit."""
        lines = text.rstrip("\n").split("\n")
        if self.head and lines.pop(0) != self.head:
            raise Unfit("another head")
        return ([self._row(line.split(self.mark)) for line in lines if line],)

    def _row(self, words: Sequence[str]) -> Value:
        if len(words) != len(self.fields) or not all(words):
            raise Unfit(f"a row of {len(words)} fields")
        return tuple(
            _value(field, word.strip()) for field, word in zip(self.fields, words, strict=True)
        )

    def render(self, values: Sequence[Value]) -> str:
        """Return the text of rows; raises Unfit for values of other types."""
        (rows,) = values
        if type(rows) is not list:
            raise Unfit("no rows")
        lines = [self.head] if self.head else []
        for row in rows:
            if type(row) not in (list, tuple) or len(row) != len(self.fields):
                raise Unfit("no row")
            words = [written(each, value, {}) for each, value in zip(self.fields, row, strict=True)]
            lines.append(self.mark.join(word.replace(self.mark, "") for word in words))
        return "".join(f"{line}\n" for line in lines)


def _is_head(head: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    columns = list(zip(*rows, strict=False))
    return not any(map(is_number, head)) and any(all(map(is_number, each)) for each in columns)


def _field(name: str, words: Sequence[str]) -> Field:
    """Return what a column holds: numbers that are written as numbers are, or words."""
    if all(INTEGER.fullmatch(word) and str(int(word)) == word for word in words):
        return Field(name, "int")
    if all(map(is_number, words)):
        places = [len(word.partition(".")[2]) for word in words]
        return Field(name, "float", decimals=(min(places), max(places)))
    return Field(name, "text" if any(" " in word for word in words) else "word")


def _value(field: Field, word: str) -> Value:
    if field.kind == "int":
        if not INTEGER.fullmatch(word):
            raise Unfit(f"{word[:40]!r} is no integer")
        return int(word)
    if field.kind == "float":
        if not is_number(word):
            raise Unfit(f"{word[:40]!r} is no number")
        return float(word)
    return word
