"""Lettering: texts of the right form with other letters: case, marks alone, other scripts.

Programs compare with ``a`` to ``z``, ask ``isalpha`` or change case; what they take for granted
shows with a capital in the middle, a text of blanks or marks only, ``ß`` or a wide digit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from evalplus_lite.generate.engine.slots import Slot
from evalplus_lite.generate.operators.registry import below, pick
from evalplus_lite.types import Value

LETTERS = "éÉñüÅøßẞİıſΩσςЖя漢字あاक"
"""With marks, of odd case maps (``ß``, ``İ``), of other scripts."""
SPECIAL = (
    "e\u0301",
    "ﬁ",
    "ǆ",
    "Ａ",
    "٣",
    "３",
    "²",
    "½",
    "Ⅷ",
    "\u00a0",
    "\u2003",
    "\u200b",
    "😀",
    "—",
)
"""Combining, ligatures, wide and foreign digits, blanks and marks that are none of ASCII."""
BLANKS = (" ", "\t", "\n", "\r\n", "\x0b")
MARKS = "!?.,;:-_'\"()/+*@#$%&=<>|~^`\\{}[]"

Made = TypeVar("Made", bound=Value)


def relettered(arguments: tuple[Value, ...], slots: list[Slot]) -> tuple[tuple[Value, ...], str]:
    """Return an input with one of its texts written otherwise, and how; itself if it has none."""
    places = [at for at, value in enumerate(arguments) if _has_text(value)]
    if not places:
        return arguments, ""
    at = pick(slots[0], places)
    name, form = pick(slots[0], _FORMS)
    changed = _changed(arguments[at], slots[at], form)
    return (*arguments[:at], changed, *arguments[at + 1 :]), name


def _has_text(value: Value) -> bool:
    if type(value) in (list, tuple):
        return any(map(_has_text, value))
    return type(value) is str or (
        type(value) is dict and any(map(_has_text, (*value, *value.values())))
    )


def _changed(value: Value, slot: Slot, form: Callable[[str, Slot], str]) -> Value:
    kind = type(value)
    if kind is str:
        return value if slot.choices else form(value, slot)
    if kind in (list, tuple):
        inner = slot.positions or [slot.items or slot] * len(value)
        if len(inner) != len(value):
            return value
        ats = [at for at, each in enumerate(value) if _has_text(each)]
        chosen = set(ats) if not ats or slot.random() < 0.25 else {pick(slot, ats)}
        return kind(
            _changed(each, inner[at], form) if at in chosen else each
            for at, each in enumerate(value)
        )
    if kind is dict and slot.keys is not None and slot.values is not None and value:
        way = slot.random() < 0.5
        chosen = pick(slot, list(value))
        return {
            (_changed(name, slot.keys, form) if way and name == chosen else name): (
                _changed(item, slot.values, form) if not way and name == chosen else item
            )
            for name, item in value.items()
        }
    return value


def _other_case(text: str, slot: Slot) -> str:
    way = below(slot, 5)
    if way == 0:
        return text.swapcase()
    if way == 1:
        return text.upper()
    if way == 2:
        return text.title()
    if way == 3:
        return text.lower()
    return "".join([each.upper() if slot.random() < 0.5 else each.lower() for each in text])


def _one_case(text: str, slot: Slot) -> str:
    """Change one letter's case."""
    ats = [at for at, each in enumerate(text) if each.isalpha()]
    if not ats:
        return text
    at = pick(slot, ats)
    return text[:at] + text[at].swapcase() + text[at + 1 :]


def _same_form(text: str, slot: Slot) -> str:
    """Replace every letter, every digit, or both, each by another of its kind."""
    way = below(slot, 3)
    made = []
    for each in text:
        if each.isdigit() and way != 1:
            made.append(str(below(slot, 10)))
        elif each.isalpha() and way != 0:
            letter = chr(97 + below(slot, 26))
            made.append(letter.upper() if each.isupper() else letter)
        else:
            made.append(each)
    return "".join(made)


def _wrong_letter(text: str, slot: Slot) -> str:
    """One character in the right place, but of another kind."""
    if not text:
        return str(pick(slot, (" ", "a", "A", "0", "_")))
    at = below(slot, len(text))
    kinds = ("aZ", "09", MARKS, " ")
    return text[:at] + str(pick(slot, pick(slot, kinds))) + text[at + 1 :]


def _marks(text: str, slot: Slot) -> str:
    """Marks alone, of a few kinds."""
    few = [pick(slot, slot.punctuation or MARKS) for _ in range(1 + below(slot, 3))]
    return "".join([pick(slot, few) for _ in range(max(1, min(len(text), 30)))])


def _blanks(text: str, slot: Slot) -> str:
    """Blanks alone, or around the text, doubled within, or of another kind than they were."""
    blank = BLANKS[0] if slot.random() < 0.6 else str(pick(slot, BLANKS))
    way = below(slot, 6)
    if way == 0:
        return blank * (1 + below(slot, 4))
    if way == 1:
        return blank + text
    if way == 2:
        return text + blank
    if way == 3:
        return text.replace(" ", blank + blank) if " " in text else blank.join(text)
    if way == 4 and " " in text:
        most = -1 if slot.random() < 0.5 else 1
        return text.replace(" ", str(pick(slot, BLANKS[1:])), most)
    at = below(slot, len(text) + 1)
    return text[:at] + blank + text[at:]


def _only(text: str, slot: Slot) -> str:
    """One kind of character alone: digits, letters, vowels, consonants, capitals."""
    kinds = ("0123456789", "abcdefghijklmnopqrstuvwxyz", "aeiou", "bcdfghjklmnpqrstvwxyz")
    letters = str(pick(slot, kinds))
    letters = letters.upper() if slot.random() < 0.4 else letters
    return "".join([pick(slot, letters) for _ in range(max(1, min(len(text), 40)))])


def _beyond_ascii(text: str, slot: Slot) -> str:
    """Put one to three characters beyond ASCII in."""
    for _ in range(1 + below(slot, 3)):
        strange = str(pick(slot, LETTERS)) if slot.random() < 0.6 else str(pick(slot, SPECIAL))
        at = below(slot, len(text) + 1)
        text = text[:at] + strange + text[at + (slot.random() < 0.5) :]
    return text


_FORMS: tuple[tuple[str, Callable[[str, Slot], str]], ...] = (
    ("other-case", _other_case),
    ("one-case", _one_case),
    ("same-form", _same_form),
    ("wrong-letter", _wrong_letter),
    ("marks", _marks),
    ("blanks", _blanks),
    ("only", _only),
    ("beyond-ascii", _beyond_ascii),
    ("beyond-ascii", _beyond_ascii),
)
