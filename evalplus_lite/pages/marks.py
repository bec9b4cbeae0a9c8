"""Characters that cannot be seen, or that turn the text around them, shown as what they are."""

from __future__ import annotations

import re
import unicodedata

from markupsafe import Markup, escape

ODD = re.compile(r"[^\x20-\x7e\n\t]")
"""What may have to be marked: all but plain ASCII."""
INVISIBLE = frozenset("\u115f\u1160\u3164\uffa0\u034f\u2800\u17b4\u17b5")
"""Characters that leave no mark on a page though their category is a letter's or a symbol's."""
HIDDEN = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp", "Zs"})


def is_hidden(character: str) -> bool:
    """Say whether a reader could not see a character, or would be misled by it."""
    return (
        unicodedata.category(character) in HIDDEN
        or character in INVISIBLE
        or "\ufe00" <= character <= "\ufe0f"
        or "\U000e0100" <= character <= "\U000e01ef"
    )


def marked(text: object) -> Markup:
    """Return a text as HTML in which each hidden character is a mark such as U+202E."""
    found: list[str] = []
    place = 0
    whole = str(text)
    for match in ODD.finditer(whole):
        if is_hidden(match[0]):
            found.append(str(escape(whole[place : match.start()])))
            found.append(f'<span class="odd">U+{ord(match[0]):04X}</span>')
            place = match.end()
    found.append(str(escape(whole[place:])))
    return Markup("".join(found))
