"""Arguments that are code: the generator chooses among known texts, and makes none up.

To the generator such an argument is a number, the index of its text among those known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.types import Case, Value
from evalplus_lite.values.identity import key

Arguments = tuple[Value, ...]

GENERIC = ("lambda *a: a[0]", "lambda *a: not a[0]", "lambda *a: 0")
"""Functions of any arguments, tried with a task's own: the first argument, whether it is falsy, and
a constant."""


class CodeTexts:
    """The code arguments of a task's cases, by position: a ``Form`` for an ``AdaptedGenerator``."""

    def __init__(self, positions: Iterable[int], base: Sequence[Case]) -> None:
        self.known: dict[int, list[Value]] = {position: [] for position in positions}
        for case in base:
            self.values(case.arguments)
        for texts in self.known.values():
            if all(type(text) is str for text in texts):
                texts.extend(text for text in GENERIC if text not in texts)

    def values(self, arguments: Arguments) -> Arguments:
        """Return arguments with indices for their code; new code is added to the known texts."""
        found = list(arguments)
        for position, texts in self.known.items():
            if position < len(found):
                names = list(map(key, texts))
                name = key(found[position])
                if name not in names:
                    names.append(name)
                    texts.append(found[position])
                found[position] = names.index(name)
        return tuple(found)

    def fit(self, values: Arguments) -> Arguments | None:
        """Return values whose indices are in range; None if another type is in their place."""
        found = list(values)
        for position, texts in self.known.items():
            if position < len(found):
                if type(found[position]) is not int:
                    return None
                found[position] %= len(texts)
        return tuple(found)

    def written(self, values: Arguments) -> Arguments:
        """Return arguments with the texts that the indices stand for."""
        found = list(values)
        for position, texts in self.known.items():
            if position < len(found):
                found[position] = texts[found[position]]
        return tuple(found)

    def unrelated(self, found: InputFilter) -> InputFilter:
        """Return a filter without what it says of the numbers, which mean nothing."""
        places = self.known.keys()
        return replace(
            found,
            strict=found.strict and self.unrelated(found.strict),
            stated=None,
            relations=tuple(r for r in found.relations if not places & set(r.positions)),
            found=tuple(c for c in found.found if not places & _positions(c.name)),
        )


def _positions(name: str) -> set[int]:
    """Return the places of arguments that a constraint is named by, such as ``0.less.1``."""
    parts = name.split(".")
    return {int(part) for part in (parts[0], parts[-1]) if part.isdecimal()}
