"""Parsing of untrusted JSON within limits.

The cost of a text is estimated before it is parsed: values outside strings are counted, and
integers have a budget of digits, because reading one takes more than linear time.
"""

from __future__ import annotations

import json
import re
from typing import Any

from evalplus_lite.errors import InputError

# Maximum values in a text: about 0.5 s and 100 MB. The largest published row has 42,000.
MAX_VALUES = 1_000_000
MAX_DIGITS = 100_000  # maximum digits of an integer, as reading one takes more than linear time
MAX_LONG_DIGITS = 1_000_000  # maximum total digits of all integers too long for ``int()``

_FREE = 1 << 20  # shorter texts always have fewer than ``MAX_VALUES`` values
_STRING_OR_MARK = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[{,]', re.DOTALL)


class _Duplicate(ValueError):
    """An object has a key twice."""


def parse_json(
    text: str, *, path: object = None, line: int | None = None, max_values: int = MAX_VALUES
) -> Any:
    """Parse a JSON text; raise InputError, naming the place, if it is rejected.

    Rejected are texts that are not JSON, nest too deeply, have far more than ``max_values`` values
    (estimated, and only in texts over 1 MiB, as others cannot have many), a key twice in one
    object, or integers beyond ``MAX_DIGITS``. ``NaN`` and ``Infinity``, as Python's json writes
    them, are accepted, because published sets have them.
    """
    if len(text) > _FREE and _holds_more(text, max_values):
        raise InputError(
            f"holds more than {max_values} values", path=path, line=line, remedy="split it up"
        )
    try:
        try:
            return _DECODER.decode(text)
        except (json.JSONDecodeError, _Duplicate):
            raise
        except ValueError:  # an integer with too many digits for int()
            return json.JSONDecoder(object_pairs_hook=_unique, parse_int=_LongIntegers()).decode(
                text
            )
    except json.JSONDecodeError as error:
        if line is None:
            line, column = error.lineno, error.colno
        else:
            column = error.pos + 1
        problem = error.msg.removesuffix(" at")  # as some of them end
        raise InputError(
            f"is not valid JSON: {problem} at column {column}",
            path=path,
            line=line,
            remedy=None if text.lstrip()[:1] in ("{", "[") else "JSONL has one {...} a line",
        ) from None
    except RecursionError:
        raise InputError("nests too deeply", path=path, line=line) from None
    except ValueError as error:
        raise InputError(str(error), path=path, line=line) from None


def nests_deeper(value: Any, limit: int) -> bool:
    """Return whether lists and objects nest deeper than ``limit``, without recursion."""
    level = [value]
    for _ in range(limit):
        level = [
            item
            for part in level
            for item in (
                part.values() if type(part) is dict else part if type(part) is list else ()
            )
        ]
    return bool(level)


def _holds_more(text: str, limit: int) -> bool:
    """Return whether a text has more than ``limit`` values, in linear time and without a copy."""
    if text.count(",") + text.count("[") + text.count("{") < limit:
        return False
    # Strings are matched as a whole, so brackets and commas inside them do not count. Strings
    # count, too, so that a text of only strings also ends the search.
    return any(number > 2 * limit for number, _ in enumerate(_STRING_OR_MARK.finditer(text)))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _Duplicate(f"names the key {key[:60]!r} twice in one object")
            seen.add(key)
    return unique


_DECODER = json.JSONDecoder(object_pairs_hook=_unique)


class _LongIntegers:
    """Reads the integers of a text within the limit on their total digits."""

    def __init__(self) -> None:
        self.left = MAX_LONG_DIGITS

    def __call__(self, digits: str) -> int:
        if len(digits) <= 4_000:
            return int(digits)
        self.left -= len(digits)
        if len(digits) > MAX_DIGITS + 1 or self.left < 0:
            raise ValueError(
                f"holds integers of more than {MAX_DIGITS} digits, or too many of them"
            )
        return _integer(digits)


def _integer(digits: str) -> int:
    """Return an integer of any length, by halves, because int() rejects thousands of digits."""
    if digits.startswith("-"):
        return -_integer(digits[1:])
    if len(digits) <= 4_000:
        return int(digits)
    half = len(digits) // 2
    return int(_integer(digits[:half]) * 10 ** (len(digits) - half)) + _integer(digits[half:])
