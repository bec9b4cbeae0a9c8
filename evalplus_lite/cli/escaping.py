"""Escaping of untrusted text, so that no control or hidden character reaches a screen.

Ids, file names, and messages of programs and servers may contain terminal escapes, invisible
characters, or characters that reverse a line. All output of commands is escaped here.
"""

from __future__ import annotations

import json
import re
from typing import Any

LONGEST = 2000
"""Maximum length of a text, in characters."""

# Letters and marks by category, but invisible: fillers and variation selectors.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)


def printable(text: str, *, longest: int = LONGEST) -> str:
    r"""Return a text for one line of a screen, with unprintable characters escaped (``\x1b``).

    Line ends are escaped, too; a text over ``longest`` characters is cut and ends in ``...``.
    """
    if len(text) > longest:
        text = text[: longest - 3] + "..."
    if text.isprintable() and not _INVISIBLE.search(text):
        return text
    return "".join(c if is_shown(c) else _escaped(c) for c in text)


def printable_json(value: Any) -> str:
    """Return a value as indented JSON, keys in order, with unprintable characters escaped."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    if text.replace("\n", "").isprintable() and not _INVISIBLE.search(text):
        return text
    return "".join(c if c == "\n" or is_shown(c) else json.dumps(c)[1:-1] for c in text)


def is_shown(character: str) -> bool:
    """Return whether a character is visible and leaves the others where they are."""
    return character.isprintable() and not _INVISIBLE.match(character)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
