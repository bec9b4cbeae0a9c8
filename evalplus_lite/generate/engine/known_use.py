"""What a class's known sequences of calls say about new ones, beside the domains of arguments.

A class comes with few examples, so a word is rather a key or a choice than a text, and a state that
no test looks at is the class's own affair.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from evalplus_lite.types import Case, Value

Calls: TypeAlias = Sequence[Sequence[Value]]
Place: TypeAlias = tuple[Value, ...]
FEW = 5
"""Below so many different texts at one place, they are all there are."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts that were seen at one place of a method's arguments."""

    seen: set[str] = field(default_factory=set)

    def admit(self, text: str) -> bool:
        """Return whether a text may stand at this place.

        One with digits (a time, an address, a name with a number) has a form that a change would
        break: it has to be a known one, but where all are numbers, without a zero before them.
        """
        if text in self.seen:
            return True
        if len(self.seen) < FEW:
            return False
        if all(map(str.isdecimal, self.seen)):
            return text.isdecimal() and not text.startswith("0")
        return not has_digits(text) and not all(map(has_digits, self.seen))


class KnownUse:
    """The texts and the looks at attributes that known sequences show.

    ``attributes`` are the names that are read, not called. One is looked at only where, for each
    method called before, some known sequence looks at it after a call of that method.
    """

    def __init__(self, base: Sequence[Case], owner: str, methods: Collection[str]) -> None:
        self.looks: set[tuple[str, str]] = set()
        self.methods = {owner, *methods}
        self.texts: dict[Place, Texts] = {}
        for case in base:
            self.looks.update(self._looks(case.arguments))
            for name, *arguments in case.arguments:
                for place, text in texts((name,), arguments):
                    self.texts.setdefault(place, Texts()).seen.add(text)

    def admits_call(self, name: str, arguments: Sequence[Value]) -> bool:
        """Return whether the texts in the arguments of a call are of the kind seen there."""
        return all(
            place in self.texts and self.texts[place].admit(text)
            for place, text in texts((name,), list(arguments))
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


def has_digits(text: str) -> bool:
    """Return whether there is a digit in a text."""
    return any(character.isdigit() for character in text)


def texts(place: Place, value: Value) -> Iterator[tuple[Place, str]]:
    """Yield the texts in a value with the place of each: the keys of dicts on the way to it.

    The items of a tuple and the arguments of a call have places of their own; those of a list or
    set share theirs, as do all keys of a dict.
    """
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from texts((*place, "a key"), name)
            yield from texts((*place, "of", name), each)
    elif isinstance(value, (list, tuple, set, frozenset)):
        own = isinstance(value, tuple) or len(place) == 1
        for at, each in enumerate(value):
            yield from texts((*place, at if own else "an item"), each)
