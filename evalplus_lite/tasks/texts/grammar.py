"""Grammars: a small language in which tasks state the form of their input texts.

A line of the grammar is a line of the text: ``n m`` is two integers, ``a[n]:1..10^9`` is n integers
on one line; ``x:float(0..1)``, ``s:word(a..z)``, ``row[m]:char(.#)``, ``title:text`` (the rest of
the line), ``"add" x | "pop"`` (alternatives). ``repeat n:`` repeats the indented lines below it;
``grid[n][m]:char(.#)`` is short for n such lines. docs/guide/harnesses.md explains it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

from evalplus_lite.tasks.texts.forms import Amount, Block, Field, Form, Kind, Line, Part

_ITEM = re.compile(
    r"""(?:"(?P<quoted>[^"\s]+)"|(?P<digits>\d+)(?![\w.*]))
    |(?P<name>[A-Za-z_]\w*)
     (?P<first>\[[^\]\s]*\])?(?P<second>\[[^\]\s]*\])?
     (?::(?:(?P<kind>int|float|word|char|text)(?:\((?P<letters>[^)\s]+)\))?|(?P<range>[^\s:|"]+)))?
    |(?P<bar>\|)""",
    re.VERBOSE,
)
_AMOUNT = re.compile(
    r"(?:(?P<times>\d+)\*)?(?P<name>[A-Za-z_]\w*)(?P<plus>[-+]\d+)?|(?P<number>\d+)"
)
_REPEAT = re.compile(r"repeat\s+(\S+)\s*:")
_NUMBER = re.compile(r"(-?)(\d+(?:\.\d+)?)(?:\^(\d{1,3}))?")
MOST_LINES = 100
MOST_DIGITS = 300
"""Limit on digits: numbers outside the range of a float cannot be drawn."""


class GrammarError(ValueError):
    """A grammar is invalid; the message names the line and the problem."""


def form_of(grammar: str) -> Form:
    """Return the form that a grammar describes; may raise GrammarError."""
    lines = []
    for number, line in enumerate(grammar.expandtabs().split("\n"), 1):
        text = line.partition("#")[0] if "(" not in line else line
        if text.strip():
            lines.append((number, len(text) - len(text.lstrip()), text.strip()))
    if not lines or len(lines) > MOST_LINES:
        raise GrammarError(f"it has {len(lines)} lines; 1 to {MOST_LINES} can be used")
    parts, rest = _parts(lines, lines[0][1], frozenset())
    if rest:
        raise GrammarError(f"line {rest[0][0]}: it is indented less than the lines before it")
    return Form.of(parts)


def _parts(
    lines: Sequence[tuple[int, int, str]], indent: int, names: frozenset[str]
) -> tuple[list[Part], Sequence[tuple[int, int, str]]]:
    parts: list[Part] = []
    while lines and lines[0][1] >= indent:
        number, own, text = lines[0]
        if own > indent:
            raise GrammarError(f"line {number}: it is indented, but nothing is repeated")
        lines = lines[1:]
        try:
            if repeat := _REPEAT.fullmatch(text):
                count = _amount(repeat[1], names)
                if not lines or lines[0][1] <= indent:
                    raise GrammarError("no indented line follows")
                inner, lines = _parts(lines, lines[0][1], names)
                parts.append(Block(count, tuple(inner)))
                continue
            part = _line(text, names)
        except GrammarError as error:
            told = str(error)
            raise GrammarError(
                told if told.startswith("line") else f"line {number}: {told}"
            ) from None
        parts.append(part)
        if isinstance(part, Line) and len(part.ways) == 1:
            names |= {each.name for each in part.ways[0] if each.kind == "int" and not each.is_row}
    return parts, lines


def _line(text: str, names: frozenset[str]) -> Part:
    ways: list[list[Field]] = [[]]
    known = names
    for found in _items(text):
        if found["bar"]:
            ways.append([])
            known = names
        elif literal := found["quoted"] or found["digits"]:
            ways[-1].append(Field(literal, "literal", letters=literal))
        elif found["second"]:
            if len(ways) > 1 or ways[0] or found.end() < len(text):
                raise GrammarError(
                    f"{found['name']} fills several lines, so it must be alone on its line"
                )
            field = _field(found, found["second"], known)
            return Block(_amount(found["first"][1:-1], known), (Line(((field,),)),))
        else:
            field = _field(found, found["first"], known)
            ways[-1].append(field)
            known |= {field.name} if field.kind == "int" and not field.is_row else frozenset()
    if any(each.is_open or each.kind == "text" for way in ways for each in way[:-1]):
        raise GrammarError("a field that takes the rest of a line must be its last")
    return Line(tuple(map(tuple, ways)))


def _items(text: str) -> Iterator[re.Match[str]]:
    at = 0
    while at < len(text):
        found = _ITEM.match(text, at)
        if not found or not (found.end() == len(text) or text[found.end()].isspace()):
            raise GrammarError(f"{text[at : at + 40]!r} cannot be read")
        yield found
        at = found.end() + len(text[found.end() :]) - len(text[found.end() :].lstrip())


def _field(found: re.Match[str], size: str | None, names: frozenset[str]) -> Field:
    options: dict[str, Any] = {}
    if size == "[]":
        options["is_open"] = True
    elif size:
        options["count"] = _amount(size[1:-1], names)
    kind, inside = cast("Kind", found["kind"] or "int"), found["letters"]
    if found["range"]:
        kind, inside = ("float" if re.search(r"\d\.\d", found["range"]) else "int"), found["range"]
    if inside and kind in ("int", "float"):
        low, dots, high = inside.partition("..")
        if not dots:
            raise GrammarError(f"{inside!r} is neither a type nor a range such as 1..n")
        options["low"], options["high"] = (_bound(each, names) for each in (low, high))
    elif inside:
        options["letters"] = _letters(inside)
    return Field(found["name"], kind, **options)


def _amount(text: str, names: frozenset[str]) -> Amount:
    found = _AMOUNT.fullmatch(text)
    if not found:
        raise GrammarError(f"{text!r} is not a number of times, such as n, n-1, 2*n or 3")
    if max(map(len, re.findall(r"\d+", text)), default=0) > MOST_DIGITS:
        raise GrammarError(f"a number of more than {MOST_DIGITS} digits")
    if found["number"]:
        return Amount(plus=int(found["number"]))
    if found["name"] not in names:
        raise GrammarError(f"{found['name']} is not an integer defined earlier")
    times = int(found["times"] or 1)
    if not times:
        raise GrammarError(f"{text!r} is always the same")
    return Amount(found["name"], times, int(found["plus"] or 0))


def _bound(text: str, names: frozenset[str]) -> Amount | float | None:
    if not text:
        return None
    if found := _NUMBER.fullmatch(text):
        power = int(found[3] or 1)
        # The exponent counts one digit less than the number has: 10^299 has 300.
        if max(len(found[2]), (len(found[2].partition(".")[0]) - 1) * power) > MOST_DIGITS:
            raise GrammarError(f"a number of more than {MOST_DIGITS} digits")
        number = float(found[2]) if "." in found[2] else int(found[2])
        try:
            number **= power
        except OverflowError:
            raise GrammarError(f"{text[:40]!r} is too large") from None
        if abs(number) >= 10**MOST_DIGITS:
            raise GrammarError(f"{text[:40]!r} is a number of more than {MOST_DIGITS} digits")
        return -number if found[1] else number
    return _amount(text, names)


def _letters(text: str) -> str:
    """Expand character ranges such as ``a..z0..9.#``."""
    found = re.sub(
        r"(\w)\.\.(\w)", lambda m: "".join(map(chr, range(ord(m[1]), ord(m[2]) + 1))), text
    )
    return "".join(dict.fromkeys(found))
