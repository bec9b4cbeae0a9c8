"""``verify_code_execution``: verdicts on existing outputs, as text.

For users who run programs themselves; ``Verifier`` runs programs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from typing import Any

from evalplus_lite.errors import InputError

# Decimals, not integers or fractions, because int() takes quadratic time in the number of digits.
# With this context, differences are exact.
_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
KEYS = ("expected", "actual", "status")


def verify_code_execution(
    test_cases: Sequence[Mapping[str, Any]], numeric_tolerance: float = 1e-6
) -> dict[str, Any]:
    """Return pass and error rates and a verdict for each test of a programming benchmark.

    Each test is a dict: ``expected`` (the right output as text), ``actual`` (the program's output,
    or None if it has none) and ``status`` (``success``, ``error``, ``timeout``, ...). A status
    other than ``success``, or an ``actual`` of None, is an ``error``. Otherwise surrounding white
    space does not count; if both strings are numbers, they may differ by ``numeric_tolerance``
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


def _tolerance(value: Any) -> Decimal:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number) or number < 0:
        raise InputError(
            f"numeric_tolerance is {value!r}", remedy="give a number that is at least 0"
        )
    return Decimal(number)


def _verdict(index: int, test: Any, tolerance: Decimal) -> str:
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
    except Exception:  # the ``__str__`` of the caller's object may fail
        return object.__repr__(value)


def _equal(expected: str, actual: str, tolerance: Decimal) -> bool:
    if expected == actual:
        return True
    a, b = _number(expected), _number(actual)
    if a is None or b is None:
        return False
    if a.is_finite() and b.is_finite():
        return _EXACT.subtract(a, b).copy_abs() <= tolerance
    return a == b or (a.is_nan() and b.is_nan())


def _number(text: str) -> Decimal | None:
    """Return the number that ``float`` reads in a string, exactly.

    An integer of any length is exact; a decimal is rounded to a float, and one beyond the range of
    floats is not a number here, only a string.
    """
    try:
        value = float(text)
    except (ValueError, OverflowError):
        return None
    digits = text.replace("_", "").lstrip("+-")
    if digits.isdecimal():
        return Decimal(text)
    # "1e400" overflows to inf, too, but only text that spells inf is infinite.
    return Decimal(value) if math.isfinite(value) or digits[:1].isalpha() else None
