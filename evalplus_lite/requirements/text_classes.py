"""The classes of texts that a tester would name: characters, order, words, marks."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator

MOST_CHARACTERS = 1000
"""Of a longer text only so many characters are looked at."""

_KINDS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("capitals", str.isupper),
    ("small letters", str.islower),
    ("digits", str.isdigit),
    ("spaces", str.isspace),
    ("letters", str.isalpha),
    ("marks", lambda char: not char.isalnum() and not char.isspace()),
)
_MARKS = (
    ("brackets", "()[]{}<>"),
    ("ends of sentences", ".!?"),
    ("commas and colons", ",;:"),
    ("hyphens", "-_"),
    ("quotes", "'\"`"),
    ("operators", "+*/=%^&|~"),
    ("other marks", "#$@\\"),
    ("tabs", "\t"),
    ("line ends", "\n\r"),
    ("control characters", "\0\x01\x1b\x7f"),
    ("vowels", "aeiou"),
    ("capital vowels", "AEIOU"),
)
_NUMERAL = re.compile(r"[+-]?\d+")
_DECIMAL = re.compile(r"[+-]?\d*\.\d+")
_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}
_NO_MARKS = re.compile(r"[\W_]+")


def of_text(whole: str) -> Iterator[str]:
    """Yield the names of the classes that a text of one character or more is in."""
    value = whole[:MOST_CHARACTERS]
    chars = set(value)
    for name, test in _KINDS:
        found = sum(map(test, chars))
        yield f"{'all' if found == len(chars) else 'some' if found else 'no'} {name}"
    for name, marks in _MARKS:
        if not chars.isdisjoint(marks):
            yield f"with {name}"
    if not value.isascii():
        yield "beyond ASCII"
    for where, char in (("begins", whole[0]), ("ends", whole[-1])):
        kind = next((name for name, test in _KINDS if test(char)), "other letters")
        yield f"{where} with {kind}"
    yield from _of_order(value, chars)
    yield from _of_words(value)
    if _NUMERAL.fullmatch(value):
        yield "a numeral"
        if value.lstrip("+-").startswith("0"):
            yield "begins with zero"
    elif _DECIMAL.fullmatch(value):
        yield "a decimal"
    if not chars.isdisjoint("()[]{}<>"):
        yield from _of_brackets(value)


def _of_order(value: str, chars: set[str]) -> Iterator[str]:
    small = value.lower()
    yield "with repetitions" if len(chars) < len(value) else "without repetitions"
    if len(set(small)) < len(chars):
        yield "both cases of a letter"
    if len(value) < 2:
        return
    yield "all equal" if len(chars) == 1 else "not all equal"
    if any(a == b for a, b in itertools.pairwise(value)):
        yield "equal neighbours"
    if value == value[::-1]:
        yield "a palindrome"
    elif small == small[::-1]:
        yield "a palindrome but for case"
    elif (plain := _NO_MARKS.sub("", small)) and plain == plain[::-1]:
        yield "a palindrome but for marks"
    else:
        yield "no palindrome"
        if len(value) > 2 and value[0] == value[-1]:
            yield "equal ends"
    ordered = sorted(value)
    if value == "".join(ordered):
        yield "ascending"
    elif value == "".join(reversed(ordered)):
        yield "descending"
    counts = sorted(map(value.count, chars))
    if len(counts) > 1:
        yield "most frequent tied" if counts[-1] == counts[-2] else "one most frequent"


def _of_words(value: str) -> Iterator[str]:
    if "  " in value:
        yield "two spaces together"
    words = value.split()
    yield f"words: {('none', 'one', 'two', 'three')[len(words)] if len(words) < 4 else 'many'}"
    if len(words) > 1:
        if len(set(words)) < len(words):
            yield "a word twice"
        elif len({word.lower() for word in words}) < len(words):
            yield "a word twice but for case"
        if len(words[-1]) == 1:
            yield "last word of one"
        if min(map(len, words)) == 1:
            yield "some word of one"
        if any(map(_NUMERAL.fullmatch, words)):
            yield "some word a numeral"
        longest = sorted(map(len, words))
        yield "longest word tied" if longest[-1] == longest[-2] else "one longest word"


def _of_brackets(value: str) -> Iterator[str]:
    depth = deepest = 0
    open_now: list[str] = []
    for char in value:
        if char in "([{<":
            open_now.append(char)
            depth += 1
            deepest = max(deepest, depth)
        elif char in _PAIRS:
            if not open_now or open_now.pop() != _PAIRS[char]:
                yield "a bracket closed that was not open"
                return
            depth -= 1
    yield "brackets left open" if open_now else "brackets in pairs"
    yield f"brackets {deepest if deepest < 4 else 'many'} deep"
