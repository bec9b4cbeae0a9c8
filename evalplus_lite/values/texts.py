"""Whether a printed text is right, as judges of programming contests say it.

Both texts are UTF-8 as it came; white space is what ASCII knows. They are read side by side up to
the first difference, so that a text of any size costs about what the expected one costs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import zip_longest

from evalplus_lite.types import Rule
from evalplus_lite.values.leaves import close

TEXT_RULES = frozenset({"lines", "tokens", "numbers"})
LONGEST_NUMBER = 400
"""Characters beyond which a token is no number that a tolerance applies to."""

_TOKEN = re.compile(rb"[^ \t\n\r\f\v]+")
_SPACE = b" \t\n\r\f\v"
_NUMBER = re.compile(rb"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?")
_INTEGER = re.compile(rb"[-+]?[0-9]+")


def same_text(output: bytes, expected: bytes, rule: Rule) -> bool:
    """Return whether a text is right by a rule of ``TEXT_RULES``."""
    if output == expected:
        return True
    if rule.kind == "lines":
        return _same(_lines(output), _lines(expected))
    if rule.kind == "tokens":
        return _same(_tokens(output), _tokens(expected))
    return _same(_tokens(output), _tokens(expected), lambda a, b: _near(a, b, rule))


def _same(
    ours: Iterator[bytes],
    theirs: Iterator[bytes],
    near: Callable[[bytes, bytes], bool] = lambda a, b: False,
) -> bool:
    for a, b in zip_longest(ours, theirs):
        if a != b and (a is None or b is None or not near(a, b)):
            return False
    return True


def _lines(text: bytes) -> Iterator[bytes]:
    """Yield the lines without white space at their ends, up to the last that holds any other."""
    text = text.rstrip(_SPACE)
    begin = 0
    while (end := text.find(b"\n", begin)) >= 0:
        yield text[begin:end].rstrip(_SPACE)
        begin = end + 1
    yield text[begin:]


def _tokens(text: bytes) -> Iterator[bytes]:
    return (found[0] for found in _TOKEN.finditer(text))


def _near(a: bytes, b: bytes, rule: Rule) -> bool:
    """Return whether a token is near an expected one that is a number with a fraction."""
    if max(len(a), len(b)) > LONGEST_NUMBER or _INTEGER.fullmatch(b):
        return False
    if not (_NUMBER.fullmatch(a) and _NUMBER.fullmatch(b)):
        return False
    return close(float(a), float(b), rule)
