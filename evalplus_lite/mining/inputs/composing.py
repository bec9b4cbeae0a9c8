"""Arguments put together from what a program's own text mentions, and places that fit them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.domains.domain import Domain
from evalplus_lite.types import Value

MOST_PIECES, MOST_ITEMS = 8, 4
LONGEST_PIECE, LONGEST = 24, 2000
"""Characters of one piece, and of a text that is stretched to a length that the program names."""
_STRETCHED, _PLACED, _EMPTY = 0.06, 0.5, 0.1
_PLAIN = ("a", "b", "x1", "word", "0", "42", " ", "\n")
_First = TypeVar("_First")


@dataclass(frozen=True, slots=True)
class Composer:
    """Makes texts of pieces: the program's constants, their characters, and a few plain words."""

    pieces: tuple[tuple[str, ...], ...]
    """Groups, each as likely as the others."""
    lengths: tuple[int, ...]

    @classmethod
    def of(cls, constants: Constants, matches: Sequence[str]) -> Composer:
        """Collect the pieces of a program; ``matches`` are strings that its expressions match."""
        texts = [text for text in constants.strings if 0 < len(text) <= LONGEST_PIECE]
        characters = [each for text in texts for each in text]
        short = [text for text in matches if 0 < len(text) <= LONGEST_PIECE]
        groups = (texts, characters, short, code_points(constants), _PLAIN)
        pieces = tuple(tuple(dict.fromkeys(group)) for group in groups if group)
        lengths = tuple(n for n in constants.integers if 1 < n < LONGEST)
        return cls(pieces, lengths)

    def fits(self, domain: Domain) -> bool:
        """Say whether values of a domain can be put together here."""
        return _is_text(domain) or (
            list in domain.kinds and domain.items is not None and _is_text(domain.items)
        )

    def value(self, domain: Domain, random: Callable[[], float]) -> Value:
        """Return a text, or a list of texts, of a domain that fits."""
        if _is_text(domain):
            return self._text(random)
        return [self._text(random) for _ in range(int(random() * (MOST_ITEMS + 1)))]

    def _text(self, random: Callable[[], float]) -> str:
        if random() < _EMPTY:
            return ""
        count = 1 + int(random() * random() * MOST_PIECES)
        text = "".join(_pick(_pick(self.pieces, random), random) for _ in range(count))
        if self.lengths and random() < _STRETCHED:
            length = _pick(self.lengths, random) + int(random() * 3) - 1
            text = (text * (length // len(text) + 1))[:length]
        return text


def placed(
    values: Sequence[Value], domains: Sequence[Domain], random: Callable[[], float]
) -> list[Value]:
    """Return arguments of which some whole numbers have become places in a text or list of them."""
    sizes = [len(value) for value in values if isinstance(value, str | list | tuple | bytes)]
    return [
        int(random() * (_pick(sizes, random) + 2))
        if sizes and type(value) is int and not domain.choices and random() < _PLACED
        else value
        for value, domain in zip(values, domains, strict=True)
    ]


def code_points(constants: Constants) -> list[str]:
    """Return the characters whose numbers a program mentions, beyond plain ones."""
    return [chr(n) for n in constants.integers if 0x7F < n < 0xD800 or 0xDFFF < n < 0x110000]


def _is_text(domain: Domain) -> bool:
    return str in domain.kinds and bool(domain.alphabet) and not domain.choices


def _pick(options: Sequence[_First], random: Callable[[], float]) -> _First:
    return options[int(random() * len(options))]
