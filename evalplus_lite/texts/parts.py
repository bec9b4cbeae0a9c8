"""What a form of input texts consists of: fields, lines, and lines that are repeated."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evalplus_lite.types import Value

Kind: TypeAlias = Literal["int", "float", "word", "char", "text", "literal", "any"]
Scope: TypeAlias = dict[str, int]
LARGEST = 10**399
MOST_REPEATED = 200_000
"""How often a part may be repeated in a text."""
INTEGER = re.compile(r"[-+]?[0-9]{1,400}")
NUMBER = re.compile(r"[-+]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][-+]?\d{1,3})?")


def is_number(token: str) -> bool:
    """Return whether a token is a number in decimal that a float can hold."""
    return NUMBER.fullmatch(token) is not None and math.isfinite(float(token))


class Unfit(ValueError):
    """A text or its values are not of the form; the message says where."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A number, or a linear term of a count or integer of the text: ``times * name + plus``."""

    name: str = ""
    times: int = 1
    plus: int = 0

    def of(self, scope: Scope) -> int:
        """Return the amount; Unfit if the name has no value there."""
        if not self.name:
            return self.plus
        if self.name not in scope:
            raise Unfit(f"{self.name} is not known here")
        return self.times * scope[self.name] + self.plus

    def solved(self, amount: int) -> int:
        """Return what the name is if the whole is at most this amount."""
        return (amount - self.plus) // self.times


@dataclass(frozen=True, slots=True)
class Field:
    """One value of a line, ``count`` of them in a row (without a space between ``char``s), or, if
    ``is_open``, all that the line still has.

    ``low`` and ``high`` bound numbers; ``letters`` are the characters allowed in words, and of a
    ``literal`` its text.
    """

    name: str
    kind: Kind = "int"
    count: Amount | None = None
    is_open: bool = False
    low: Amount | float | None = None
    high: Amount | float | None = None
    letters: str = ""

    @property
    def is_row(self) -> bool:
        """Whether it is a list of values."""
        return self.is_open or self.count is not None


@dataclass(frozen=True, slots=True)
class Line:
    """A line in one of several ways, each a sequence of fields."""

    ways: tuple[tuple[Field, ...], ...]


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that are there ``count`` times."""

    count: Amount
    parts: tuple[Part, ...]


Part: TypeAlias = Line | Block


Note: TypeAlias = Callable[[Field, Value, Scope], None]


def bounds(field: Field, scope: Scope) -> tuple[float, float]:
    """Return the least and the greatest number that a field may be; Unfit if there is none."""
    low, high = -math.inf, math.inf
    if field.low is not None:
        low = field.low.of(scope) if isinstance(field.low, Amount) else field.low
    if field.high is not None:
        high = field.high.of(scope) if isinstance(field.high, Amount) else field.high
    if low > high:
        raise Unfit(f"{field.name} has no value between {low} and {high}")
    return low, high
