"""What a class's known sequences of calls say about new ones, beside the domains of arguments.

A class comes with few examples, so a word is rather a key or a choice than a text, and a state that
no test looks at is the class's own affair.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from evalplus_lite.types import Case, Value

Calls: TypeAlias = Sequence[Sequence[Value]]
FEW = 5
"""Below so many different texts at one place, they are all there are."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts that were seen at one place of a method's arguments, at any depth."""

    seen: frozenset[str]

    def admit(self, value: Value) -> bool:
        """Return whether all texts in a value may stand at this place.

        A text with digits (a time, an address, a name with a number) has a form that a change would
        break: it has to be a known one, but where all are numbers, without a zero before them.
        """
        return all(map(self._admits, texts(value)))

    def _admits(self, text: str) -> bool:
        if text in self.seen:
            return True
        if len(self.seen) < FEW:
            return False
        if all(map(str.isdecimal, self.seen)):
            return text.isdecimal() and not text.startswith("0")
        return not any(character.isdigit() for character in text)


class KnownUse:
    """The texts and the looks at attributes that known sequences show.

    ``attributes`` are the names that are read, not called. One is looked at only where, for each
    method called before, some known sequence looks at it after a call of that method.
    """

    def __init__(self, base: Sequence[Case], owner: str, methods: Collection[str]) -> None:
        self.looks: set[tuple[str, str]] = set()
        self.methods = {owner, *methods}
        seen: dict[tuple[str, int], set[str]] = {}
        for case in base:
            self.looks.update(self._looks(case.arguments))
            for name, *arguments in case.arguments:
                for at, value in enumerate(arguments):
                    seen.setdefault((name, at), set()).update(texts(value))
        self.texts = {place: Texts(frozenset(found)) for place, found in seen.items()}

    def admits_call(self, name: str, arguments: Sequence[Value]) -> bool:
        """Return whether the texts in the arguments of a call are of the kind seen there."""
        return all(
            (name, at) not in self.texts or self.texts[name, at].admit(value)
            for at, value in enumerate(arguments)
        )

    def admits(self, calls: Calls) -> bool:
        """Return whether a sequence looks at nothing that known ones do not look at."""
        return self.looks.issuperset(self._looks(calls))

    def _looks(self, calls: Calls) -> Iterator[tuple[str, str]]:
        called: list[str] = []
        for name, *_ in calls:
            if name in self.methods:
                called.append(name)
            else:
                yield from ((each, name) for each in called)


def texts(value: Value) -> Iterator[str]:
    """Yield the texts in a value, keys of dicts among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from texts(name)
            yield from texts(each)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for each in value:
            yield from texts(each)
