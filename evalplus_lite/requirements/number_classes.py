"""The classes of numbers that a tester would name: sign, size, form."""

from __future__ import annotations

import math
from collections.abc import Iterator

MOST_BITS = 256
"""The form of longer integers is not looked at: to write one out takes its length squared."""
_LANDMARKS = frozenset((-1, 1, 2, 3, 10, 100, 1000))


def of_number(value: float) -> Iterator[str]:
    """Yield the names of the classes that an integer or float is in."""
    if value != value:
        yield "not a number"
        return
    yield sign(value)
    yield magnitude(value)
    if value in _LANDMARKS:
        yield f"{value:g}"
    if isinstance(value, float):
        yield from _of_float(value)
    elif value.bit_length() <= MOST_BITS:
        yield from _of_integer(value)


def sign(value: float) -> str:
    """Return ``negative``, ``zero`` or ``positive``."""
    return "negative" if value < 0 else "zero" if value == 0 else "positive"


def magnitude(value: float) -> str:
    """Return which power of ten a number's size is below."""
    size = abs(value)
    if size < 1:
        return "of no size" if not size else "below one"
    if isinstance(size, int) and size.bit_length() > MOST_BITS:
        return "huge"
    if size == math.inf:
        return "infinite"
    if size < 1000:
        return "of one digit" if size < 10 else "of two digits" if size < 100 else "of three digits"
    digits = math.log10(size)
    return next((f"below 1e{most}" for most in (4, 6, 9, 12, 20) if digits < most), "huge")


def _of_float(value: float) -> Iterator[str]:
    if not math.isfinite(value):
        return
    if value.is_integer():
        yield "whole"
        return
    yield "with a fraction"
    if (2 * value).is_integer():
        yield "half way"  # where rounding rules differ
    elif not (1000 * value).is_integer():
        yield "of many decimals"
    part = value - math.floor(value)
    yield "above the middle" if part > 0.5 else "below the middle"


def _of_integer(value: int) -> Iterator[str]:
    yield "odd" if value % 2 else "even"
    size = abs(value)
    for divisor in (3, 4, 5, 10):
        if value and not value % divisor:
            yield f"a multiple of {divisor}"
    if size > 3:
        if not size & (size - 1):
            yield "a power of two"
        root = math.isqrt(size)
        if root * root == size:
            yield "a square"
        elif round(size ** (1 / 3)) ** 3 == size:
            yield "a cube"
    if size >= 10:
        digits = str(size)
        if digits == digits[::-1]:
            yield "the same digits backwards"
        if "0" in digits:
            yield "with a digit zero"
        yield "with repeated digits" if len(set(digits)) < len(digits) else "of distinct digits"
        if all(digit in "02468" for digit in digits):
            yield "of even digits"
        elif all(digit in "13579" for digit in digits):
            yield "of odd digits"
        yield "digits sum to odd" if sum(map(int, digits)) % 2 else "digits sum to even"
