"""The constraints found at one slot of the inputs, put to the ledger.

Every method is asked only where all examples keep to its constraint, and returns whether it is
taken on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from evalplus_lite.generate.domains.characters import closed
from evalplus_lite.generate.domains.columns import Column
from evalplus_lite.generate.domains.evidence import Ledger
from evalplus_lite.generate.domains.profile import CONTAINERS, SEQUENCES, SIZED, Profile, SizeRange
from evalplus_lite.types import Value

_MOST_CHARACTERS = 40


class ConstraintFinder:
    """Finds the constraints at one slot; ``column`` holds the examples' values there."""

    def __init__(self, column: Column, ledger: Ledger) -> None:
        self._column, self._ledger = column, ledger

    def is_not_negative(self) -> bool:
        """No number is below zero, which only numbers other than zero show."""
        return self._takes("not-negative", "never negative", lambda v: _is_number(v) and v != 0)

    def is_not_positive(self) -> bool:
        """No number is above zero."""
        return self._takes("not-positive", "never positive", lambda v: _is_number(v) and v != 0)

    def is_not_zero(self) -> bool:
        """No number is zero."""
        return self._takes("not-zero", "never zero", _is_number)

    def has_magnitude_bound(self, max_magnitude: float) -> bool:
        """Numbers stay this near to zero."""
        try:
            words = f"from {-max_magnitude:g} to {max_magnitude:g}"
        except OverflowError:  # an integer beyond all floats
            words = f"of at most {int(max_magnitude).bit_length()} bits"
        return self._takes("reach", words, _is_number)

    def is_not_empty(self) -> bool:
        """No string or container is empty."""
        return self._takes("not-empty", "never empty", _is_sized)

    def has_size(self, sizes: SizeRange) -> bool:
        """All strings and containers are of one length: each distinct one might have another."""
        if sizes.smallest != sizes.largest:
            return False
        seen = self._column.distinct(_is_sized)
        return self._put("size", f"always of length {sizes.smallest}", seen)

    def has_size_bound(self, largest: int) -> bool:
        """Strings and containers are no longer than this."""
        return self._takes("length", f"at most {largest} long", _is_sized)

    def has_characters(self, characters: str) -> bool:
        """Characters are of the classes seen."""
        shown = (
            characters
            if len(characters) <= _MOST_CHARACTERS
            else characters[:_MOST_CHARACTERS] + "..."
        )
        return self._takes("letters", f"only characters of {shown!r}", _is_text)

    def has_closed_characters(self, counts: Mapping[str, int]) -> bool:
        """Of a class of characters only those seen are used."""
        narrow = "".join(closed(counts))
        if not narrow:
            return True
        used = "".join(each for each in counts if each in narrow)
        return self._takes(
            "alphabet",
            f"of {_class_of(narrow)} only {used!r}",
            lambda v: _is_text(v) and any(each in narrow for each in v),
        )

    def has_pattern(self, pattern: Sequence[str]) -> bool:
        """All strings consist of the same kinds of token."""
        seen = self._column.distinct(_is_text)
        return self._put("form", f"always of the form {' '.join(map(repr, pattern))}", seen)

    def has_words(self) -> bool:
        """All words are ones that the reference knows."""
        return self._takes("words", "only words that the reference knows", lambda v: bool(v))

    def is_record(self, fields: Sequence[Profile]) -> bool:
        """Each position of the lists or tuples has types of its own."""
        kinds = ", ".join("/".join(kind.__name__ for kind in each.kinds) for each in fields)
        return self._takes("record", f"always ({kinds})", lambda v: type(v) in SEQUENCES)

    def is_uniform(self, profile: Profile) -> bool:
        """No container holds several types, though several came up."""
        inner = [part for part in (profile.items, profile.values) if part is not None]
        if not any(len(part.kinds) > 1 for part in inner):
            return True
        return self._takes("uniform", "elements of one type in each", _is_larger)

    def is_rectangular(self) -> bool:
        """In each container all rows are of one length."""
        return self._takes("rectangular", "rows of one length in each", _is_larger)

    def is_square(self) -> bool:
        """Each container has as many rows as columns."""
        return self._takes("square", "as many rows as columns", _is_larger)

    def _takes(self, kind: str, text: str, informs: Callable[[Value], bool]) -> bool:
        return self._put(kind, text, self._column.seen(informs))

    def _put(self, kind: str, text: str, seen: int) -> bool:
        name, text = f"{self._column.name}.{kind}", f"{self._column.text}: {text}"
        return self._ledger.takes(name, text, kind=kind, seen=seen)


def _class_of(characters: str) -> str:
    names = (("a", "lower-case letters"), ("A", "upper-case letters"), ("0", "digits"))
    return " and ".join(name for first, name in names if first in characters)


def _is_number(value: Value) -> bool:
    return type(value) in (int, float)


def _is_text(value: Value) -> bool:
    return type(value) is str


def _is_sized(value: Value) -> bool:
    return type(value) in SIZED


def _is_larger(value: Value) -> bool:
    return type(value) in (dict, *CONTAINERS) and len(value) > 1
