"""Promises in a task's text that could not be parsed, and the inputs they may exclude.

Such a promise may exclude any input that looks unlike the examples. If it names parameters, fields
of records, or keys, only these are compared with the examples.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from evalplus_lite.types import Value
from evalplus_lite.values.identity import key

ANY_LETTERS = 8
"""Number of different letters in the examples' texts from which any letter is allowed."""
_GUARANTEE = re.compile(r"guarantee|generated|are such|assume|rely on|count on|promise", re.I)
_SHORTEST = 3
"""Shortest parameter name that also matches longer words: ``sep`` matches "separator"."""


@dataclass(frozen=True, slots=True)
class Promise:
    """A sentence, the parts of inputs that it names, and how these look in the examples.

    ``arguments`` has, for each example, the shapes of the arguments at ``positions``; ``fields``
    has the shapes of all values of a record field, by name; ``keys`` are all keys, or None if the
    sentence does not mention keys.
    """

    text: str
    positions: tuple[int, ...]
    arguments: frozenset[Value]
    fields: Mapping[str, frozenset[Value]]
    keys: frozenset[str] | None
    is_open: bool

    @classmethod
    def read(
        cls, text: str, parameters: Sequence[str], examples: Sequence[Sequence[Value]]
    ) -> Promise:
        """Return the promise of a sentence, with the shapes of the parts that it names."""
        letters = {c for each in examples for v in each if type(v) is str for c in v.lower()}
        # With this many different letters, texts are names or words, and any letter would do.
        is_open = sum(map(str.isalpha, letters)) >= ANY_LETTERS
        words = {each.lower() for each in re.findall(r"[A-Za-z]+", text)}
        known = [pair for each in examples for pair in _fields(each)]
        fields = {name for name, _ in known if _is_named(name, words)}
        keys = frozenset(name for name, _ in known) if words & {"key", "keys"} and known else None
        places = [n for n, name in enumerate(parameters) if _is_named(name, words)]
        # A guarantee is about the input as a whole, whatever it names.
        if _GUARANTEE.search(text) or not (places or fields or keys):
            places = list(range(max(map(len, examples), default=0)))
        return cls(
            text,
            tuple(places),
            frozenset(_shapes(each, places, is_open=is_open) for each in examples),
            {
                field: frozenset(shape(v, is_open=is_open) for name, v in known if name == field)
                for field in sorted(fields)
            },
            keys,
            is_open,
        )

    def may_exclude(self, arguments: Sequence[Value]) -> bool:
        """Return whether the parts that the promise names look unlike all examples."""
        if _shapes(arguments, self.positions, is_open=self.is_open) not in self.arguments:
            return True
        return any(
            (self.keys is not None and name not in self.keys)
            or (name in self.fields and shape(v, is_open=self.is_open) not in self.fields[name])
            for name, v in _fields(arguments)
        )


def _is_named(name: str, words: Collection[str]) -> bool:
    """Return whether one of the words is a part of a name, or starts with one."""
    parts = [each for each in re.split(r"[\W\d_]+", name.lower()) if each not in ("", "a", "i")]
    return any(
        word.removesuffix("s") == each.removesuffix("s")
        or (len(each) >= _SHORTEST and word.startswith(each))
        for each in parts
        for word in words
    )


def _fields(value: Value) -> Iterator[tuple[str, Value]]:
    """Yield the string keys and their values of all dicts in a value."""
    if type(value) is dict:
        for name, each in value.items():
            if type(name) is str:
                yield name, each
            yield from _fields(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _fields(each)


def _shapes(arguments: Sequence[Value], places: Sequence[int], *, is_open: bool) -> Value:
    return tuple(shape(arguments[n], is_open=is_open) for n in places if n < len(arguments))


def shape(value: Value, *, is_open: bool) -> Value:
    """Return a value's shape: strings have digits masked, and letters too if ``is_open``."""
    if type(value) is not str:
        return key(value)
    # A numeral keeps its width, and a leading zero, as in times, codes or versions.
    digits = re.sub(r"\d+", lambda m: "01"[m[0][0] != "0"] + "0" * (len(m[0]) - 1), value)
    return re.sub("[a-z]", "a", re.sub("[A-Z]", "A", digits)) if is_open else digits
