"""Operators for str and bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from evalplus_lite.generate.domains.text import is_numeral, token_kind, tokens
from evalplus_lite.generate.operators.registry import below, copying, either, operator, pick

if TYPE_CHECKING:
    from evalplus_lite.generate.engine.slots import Slot

Text = TypeVar("Text", str, bytes)


def span(size: int, slot: Slot) -> tuple[int, int]:
    """Return the ends of a non-empty substring, mostly short; ``size`` must be at least 1."""
    start = below(slot, size)
    max_size = size - start
    if slot.random() < 0.6:
        max_size = min(max_size, 2)
    return start, start + 1 + below(slot, max_size)


def character(slot: Slot) -> str:
    """Return a character, mostly one from known strings."""
    characters = slot.seen_characters if slot.random() < 0.8 else slot.characters
    return str(pick(slot, characters))


def another(token: str, slot: Slot) -> str:
    """Return another token of the same kind; signs are kept."""
    kind = token_kind(token)
    if kind == "digits":
        return str(numeral(token, slot))
    if kind == "letters":
        characters = [each for each in slot.seen_characters if each.isalpha()] or list("abxyz")
        size = 1 + below(slot, 6) if slot.random() < 0.5 else len(token)
        if size == 1:
            return str(pick(slot, [*characters, "x"]))
        return "".join([str(pick(slot, characters)) for _ in range(size)])
    if kind == "blanks":
        return token[: 1 + below(slot, len(token))] if slot.random() < 0.5 else token + token[-1]
    return token


def numeral(token: str, slot: Slot) -> str:
    """Return another numeral: a neighbor, a random one, a landmark, or a constant."""
    if len(token) > 18:
        return token[:-1]
    way, number = below(slot, 6), int(token)
    if way == 0:
        number += 1
    elif way == 1:
        number = max(0, number - 1)
    elif way == 2:
        number = below(slot, 10 ** (1 + below(slot, 4)))
    elif way == 3:
        number = int(pick(slot, (0, 1, 9, 10, 99, 100, 12, 31)))
    else:
        constant = slot.constant(int)
        number = number if constant is None else abs(constant)
    # If strings share a pattern, the width of a numeral is usually part of it ("09:05").
    keeps_width = slot.random() < (0.9 if slot.has_common_pattern else 0.5)
    return str(number).zfill(len(token)) if keeps_width else str(number)


@operator("bytes.remove", bytes, (b"abc", b"ac"), weight=3)
@operator("str.remove", str, ("abc", "ac"), ("abc", "c"), weight=4)
def remove(value: Text, slot: Slot) -> Text:
    """Remove a part (Table 1)."""
    if not value:
        return value
    start, end = span(len(value), slot)
    return value[:start] + value[end:]


@operator("bytes.replace", bytes, (b"abc", b"\x00bc"), (b"abc", b"ab\xff"), weight=4)
def bytes_replace(value: bytes, slot: Slot) -> bytes:
    """Change one byte: to the next one, a limit of the range, or any."""
    if not value:
        return value
    at = below(slot, len(value))
    byte = pick(slot, (0, 255, 127, 128, (value[at] + 1) % 256, below(slot, 256)))
    return value[:at] + bytes([byte]) + value[at + 1 :]


@operator("bytes.insert", bytes, (b"abc", b"ab\x00c"), weight=3)
def bytes_insert(value: bytes, slot: Slot) -> bytes:
    """Insert a byte."""
    at = below(slot, len(value) + 1)
    byte = 0 if slot.random() < 0.3 else below(slot, 256)
    return value[:at] + bytes([byte]) + value[at:]


copying("bytes.constant", bytes, (b"abc", b"kept"), family="constant")


@operator("str.repeat", str, ("abc", "abbc"), ("abc", "abcbc"), weight=3)
def str_repeat(value: str, slot: Slot) -> str:
    """Repeat a part (Table 1)."""
    if not value:
        return value
    start, end = span(len(value), slot)
    return value[:end] + value[start:]


@operator("str.replace", str, ("abc", "adc"), weight=4)
def str_replace(value: str, slot: Slot) -> str:
    """Change one character (Table 1: a part replaced by its mutant)."""
    if not value:
        return value
    at = below(slot, len(value))
    return value[:at] + character(slot) + value[at + 1 :]


@operator("str.insert", str, ("abc", "abdc"), ("", "d"), weight=3)
def str_insert(value: str, slot: Slot) -> str:
    """Insert a character."""
    at = below(slot, len(value) + 1)
    return value[:at] + character(slot) + value[at:]


@operator(
    "str.run", str, ("12-ab", "7-ab"), ("12-ab", "12-x"), ("a  b", "a b"), weight=4, keeps_form=True
)
def str_run(value: str, slot: Slot) -> str:
    """Replace one token of digits, letters or blanks by another of its kind."""
    if not value:
        return value
    parts = tokens(value)
    at = below(slot, len(parts))
    parts[at] = another(parts[at], slot)
    return "".join(parts)


@operator("str.align", str, ("12-ab", "77-ab"), ("12-ab", "12-wxyz"), weight=2, keeps_form=True)
def str_align(value: str, slot: Slot) -> str:
    """Copy one token from a known string with the same number of tokens."""
    other = slot.fragment(str)
    mine, others = tokens(value), tokens(other or "")
    # Only strings with the same number of tokens correspond token by token.
    if not mine or len(mine) != len(others):
        return value
    at = below(slot, len(mine))
    if token_kind(mine[at]) == token_kind(others[at]):
        mine[at] = others[at]
    return "".join(mine)


@operator(
    "str.numeral",
    str,
    ("12-ab", "42-ab"),
    ("123-ab", "042-ab"),
    weight=2,
    family="constant",
    keeps_form=True,
)
def str_numeral(value: str, slot: Slot) -> str:
    """Replace one numeral by a constant of the task's text, or by a neighbor of one."""
    parts = tokens(value)
    numerals = [at for at, part in enumerate(parts) if is_numeral(part)]
    constant = slot.constant(int)
    if not numerals or constant is None:
        return value
    at = pick(slot, numerals)
    numeral = str(abs(constant))
    keeps_width = slot.random() < (0.9 if slot.has_common_pattern else 0.5)
    parts[at] = numeral.zfill(len(parts[at])) if keeps_width else numeral
    return "".join(parts)


@operator("str.mark", str, ("a-b", "a/b"), ("a b", "a/b"), weight=3)
def str_mark(value: str, slot: Slot) -> str:
    """Replace one character that is neither letter nor digit by another such."""
    places = [at for at, character in enumerate(value) if not character.isalnum()]
    if not places or not slot.punctuation:
        return value
    at = pick(slot, places)
    return value[:at] + str(pick(slot, slot.punctuation)) + value[at + 1 :]


@operator("str.join", str, ("ab", "ab wxyz"), ("ab", "wxyz/ab"), ("ab", "ab/ wxyz"), weight=2)
def str_join(value: str, slot: Slot) -> str:
    """Join it with another known string, with punctuation between them if some is known."""
    other = slot.fragment(str)
    if other is None:
        return value
    sign = str(pick(slot, slot.punctuation)) if slot.punctuation else ""
    if sign and " " in slot.punctuation and sign != " " and slot.random() < 0.5:
        sign += " "
    return str(either(slot, value + sign + other, other + sign + value))


copying("str.fragment", str, ("abc", "wxyz"))
copying("str.constant", str, ("abc", "kept"), family="constant")


@operator("str.piece", str, ("abc", "abkeptc"), ("abc", "akept"), weight=4, family="constant")
def str_piece(value: str, slot: Slot) -> str:
    """Insert a word or character of the task's text, or replace a part by it."""
    token = slot.token()
    start = below(slot, len(value) + 1)
    end = start if slot.random() < 0.5 else start + below(slot, len(value) - start + 1)
    return value[:start] + token + value[end:]


@operator("str.pieces", str, ("a b", "kept b"), ("a b", "kept kept"), family="constant")
def str_pieces(value: str, slot: Slot) -> str:
    """Replace one or all words by words of the task's text."""
    words = value.split(" ")
    if slot.random() < 0.5:
        words[below(slot, len(words))] = slot.token()
        return " ".join(words)
    separator = " " if " " in slot.seen_characters else ""
    return separator.join([slot.token() for _ in range(1 + below(slot, 5))])
