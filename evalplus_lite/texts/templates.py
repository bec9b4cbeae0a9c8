"""Input texts whose form is not understood: only numbers and words in them change, one for one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from evalplus_lite.texts.parts import INTEGER, Field, Kind, Unfit, is_number
from evalplus_lite.texts.writer import written
from evalplus_lite.types import Value

_TOKEN = re.compile(r"\S+")
_KINDS: tuple[Kind, ...] = ("int", "float", "word")
_FIELDS = {kind: Field(kind, kind) for kind in _KINDS}
Shape: TypeAlias = tuple[tuple[str, ...], tuple[Kind, ...]]
"""What is between the tokens of a text, and the kind of each token."""


class Templates:
    """The shapes of some texts; a text's values are its shape's number and its tokens by kind."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.shapes: list[Shape] = list(dict.fromkeys(shape for shape, _ in map(_split, texts)))

    def parse(self, text: str) -> tuple[Value, ...]:
        """Return a text's values; raises Unfit if it has none of the shapes."""
        shape, tokens = _split(text)
        if shape not in self.shapes:
            raise Unfit("it has the shape of none of the examples")
        found: dict[Kind, list[Value]] = {kind: [] for kind in _FIELDS}
        for kind, token in zip(shape[1], tokens, strict=True):
            found[kind].append(
                int(token) if kind == "int" else float(token) if kind == "float" else token
            )
        return (self.shapes.index(shape), *found.values())

    def render(self, values: Sequence[Value]) -> str:
        """Return the text of a shape with these tokens; raises Unfit if they are of other types."""
        number, *given = values
        if type(number) is not int:
            raise Unfit("the shape's number is none")
        gaps, kinds = self.shapes[number % len(self.shapes)]
        lists = dict(zip(_FIELDS, given, strict=True))
        used = dict.fromkeys(_FIELDS, 0)
        text = gaps[0]
        for kind, gap in zip(kinds, gaps[1:], strict=True):
            items = lists[kind] if isinstance(lists[kind], list | tuple) else []
            value = items[used[kind] % len(items)] if items else None
            used[kind] += 1
            text += written(_FIELDS[kind], value, {}) + gap
        return text

    def fit(self, values: Sequence[Value]) -> tuple[Value, ...] | None:
        """Return the values that a text made of these has, None if none can be made."""
        try:
            return self.parse(self.render(values))
        except Unfit:
            return None


def _split(text: str) -> tuple[Shape, list[str]]:
    tokens = _TOKEN.findall(text)
    gaps = tuple(_TOKEN.split(text))
    kinds: tuple[Kind, ...] = tuple(
        "int" if INTEGER.fullmatch(each) else "float" if is_number(each) else "word"
        for each in tokens
    )
    return (gaps, kinds), tokens
