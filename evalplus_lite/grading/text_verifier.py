"""``verify_code_execution``: verdicts for outputs that are already there, as text.

For people who ran the programs themselves. Programs that have to be run are for ``Verifier``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from evalplus_lite.errors import InputError

# Digits of an integer that Python reads at once; the tolerance, a float, has 309 at most.
MOST_DIGITS = 4000
AT_ONCE = 1000
KEYS = ("expected", "actual", "status")


def verify_code_execution(
    test_cases: Sequence[Mapping[str, Any]], numeric_tolerance: float = 1e-6
) -> dict[str, Any]:
    """Return pass and error rates and a verdict for each test of a programming benchmark.

    Each test is a dict: ``expected`` (the right output as text), ``actual`` (the program's output,
    or None if it has none) and ``status`` (``success``, ``error``, ``timeout``, ...). A status
    other than ``success``, or an ``actual`` of None, is an ``error``. Otherwise surrounding white
    space does not count; where both texts are numbers, they may differ by ``numeric_tolerance``
    (absolute), else they have to be equal.

    The result has ``pass_rate`` and ``error_rate`` (rounded to 4 decimals, 0.0 for no tests),
    ``passed_count``, ``total_count`` and ``verdicts`` (``pass``, ``fail`` or ``error``).

    Edges: an infinity equals itself only; nan equals nan; two integers that a float cannot tell
    apart are compared exactly; blank strings are equal. Values never raise; InputError is raised
    for a test that is not a dict or misses a key, and for a tolerance that is not a number from 0.

    >>> verify_code_execution([{"expected": "1", "actual": "1.0000001", "status": "success"},
    ...                        {"expected": "a", "actual": None, "status": "timeout"}])["verdicts"]
    ['pass', 'error']
    """
    tolerance = _tolerance(numeric_tolerance)
    if not isinstance(test_cases, Iterable):
        raise InputError(
            f"test_cases is a {type(test_cases).__name__}", remedy="give a list of dicts"
        )
    verdicts = [_verdict(index, test, tolerance) for index, test in enumerate(test_cases)]
    total = len(verdicts)
    passed, errors = verdicts.count("pass"), verdicts.count("error")
    return {
        "pass_rate": round(passed / total, 4) if total else 0.0,
        "error_rate": round(errors / total, 4) if total else 0.0,
        "passed_count": passed,
        "total_count": total,
        "verdicts": verdicts,
    }


def _tolerance(value: Any) -> Fraction | float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number) or number < 0:
        raise InputError(
            f"numeric_tolerance is {value!r}", remedy="give a number that is at least 0"
        )
    return number if math.isinf(number) else Fraction(number)


def _verdict(index: int, test: Any, tolerance: Fraction | float) -> str:
    if not isinstance(test, Mapping):
        raise InputError(
            f"test case {index} is a {type(test).__name__}",
            remedy=f"give a dict with {', '.join(KEYS)}",
        )
    missing = [key for key in KEYS if key not in test]
    if missing:
        raise InputError(
            f"test case {index} has no {' and no '.join(map(repr, missing))}",
            remedy=f"each test case needs {', '.join(KEYS)}",
        )
    status = test["status"]
    if not (isinstance(status, str) and status == "success") or test["actual"] is None:
        return "error"
    expected, actual = _text(test["expected"]), _text(test["actual"])
    return "pass" if _equal(expected, actual, tolerance) else "fail"


def _text(value: Any) -> str:
    """Return the value as a stripped string; one that is not a string is converted by ``str``."""
    if isinstance(value, str):
        return value.strip()
    try:
        return str(value).strip()
    except Exception:  # printing is the caller's object's business, and may fail
        return object.__repr__(value)


@dataclass(frozen=True, slots=True)
class _LongInteger:
    """An integer of so many decimal digits that making it a number would take its square."""

    digits: str
    negative: bool


_Number = Fraction | float | _LongInteger  # an exact number; a float is an infinity or NaN


def _equal(expected: str, actual: str, tolerance: Fraction | float) -> bool:
    if expected == actual:
        return True
    a, b = _number(expected), _number(actual)
    if a is None or b is None:
        return False
    if isinstance(a, float) or isinstance(b, float):  # an infinity or nan on one side at least
        both = isinstance(a, float) and isinstance(b, float)
        return both and (a == b or (a != a and b != b))
    if isinstance(a, _LongInteger) or isinstance(b, _LongInteger):
        if isinstance(tolerance, float):  # any two numbers are near enough
            return True
        x, y = _digits(a), _digits(b)
        return x.negative == y.negative and _are_near(x.digits, y.digits, tolerance)
    return abs(a - b) <= tolerance


def _digits(number: Fraction | _LongInteger) -> _LongInteger:
    """Return a number's whole part: what follows it decides nothing beside a long integer, as a
    decimal number has 309 digits at most."""
    if isinstance(number, _LongInteger):
        return number
    return _LongInteger(str(abs(int(number))), number < 0)


def _are_near(a: str, b: str, tolerance: Fraction) -> bool:
    """Return whether two integers differ by at most ``tolerance``, in time linear in their digits.

    The difference is made from the front, some digits at a time; once it exceeds the tolerance by
    two, what follows, which is less than one in this place, cannot make up for it.
    """
    width = max(len(a), len(b))
    width += -width % AT_ONCE
    a, b = a.zfill(width), b.zfill(width)
    difference = 0
    for at in range(0, width, AT_ONCE):
        end = at + AT_ONCE
        difference = difference * 10**AT_ONCE + int(a[at:end]) - int(b[at:end])
        if abs(difference) > tolerance + 2:
            return False
    return abs(difference) <= tolerance


def _number(text: str) -> _Number | None:
    """Return the number that ``float`` reads in a text, exactly; nan and infinities as floats.

    An integer stays exact however long; a decimal is the float that it rounds to, and one beyond
    the range of floats is not a number here, only a string.
    """
    try:
        value = float(text)
    except (ValueError, OverflowError):
        return None
    plain = text.replace("_", "").lstrip("+-")
    if plain.isdecimal():
        if not plain.isascii():  # other scripts' digits as well
            plain = plain.translate({ord(digit): str(int(digit)) for digit in set(plain)})
        digits = plain.lstrip("0") or "0"
        if len(digits) > MOST_DIGITS:
            return _LongInteger(digits, text.startswith("-"))
        return Fraction(-int(digits) if text.startswith("-") else int(digits))
    if math.isnan(value) or math.isinf(value):
        # "1e400" overflows to inf as well: only what is spelled inf is infinite.
        return value if plain[:1].isalpha() else None
    return Fraction(value)
