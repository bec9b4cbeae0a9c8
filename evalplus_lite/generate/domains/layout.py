"""Layouts: the features that formatted texts share, line by line.

Few tasks state the grammar of their texts, but examples reveal it: which kinds of tokens are
adjacent, which signs every text has, which words start lines. On a text without these features,
correct programs differ: one splits, another matches a pattern, a third raises.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from evalplus_lite.generate.domains.text import WELL_FORMED

FORMATS = (
    r"separated by|commas|of the form|in the form|formats?\b|notation|written as|such as [\"'`]"
    r"|lines? [\"'`]|joined by|followed by|h+:mm|encoded|expressions?\b|pattern|versions?\b"
)
"""Phrases in a task's text that suggest formatted texts."""
_TOKEN = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?!\w)|\d+|[^\W\d_]+|[^\S\n]+|.")
_PROSE = frozenset(".,!?'\"")
"""Signs that occur in plain sentences."""
_ENOUGH, _FEW = 3, 4
_ONE_TOKEN = 3  # with the two ends of its line


@dataclass(frozen=True, slots=True)
class Layout:
    """``pairs`` are the kinds of adjacent tokens, ``signs`` and ``line_signs`` occur in every text
    and in every line, and ``starts`` are the reference's words, if all words that start lines are
    among them. ``shapes`` are the kinds of tokens in whole lines, if there are few different ones.
    """

    pairs: frozenset[tuple[str, str]]
    shapes: frozenset[tuple[str, ...]]
    signs: frozenset[str]
    line_signs: frozenset[str]
    starts: frozenset[str]
    letters: frozenset[str]
    """The letters next to numbers, such as units, if they are few: others are meaningless."""
    head: tuple[str, ...] = ()
    """The kinds of tokens that start all lines, if several signs are among them."""
    around: frozenset[tuple[str, str]] = frozenset()
    """The kinds of tokens on both sides of a blank."""
    first_signs: frozenset[str] = frozenset()
    """The first signs of lines, if they are few and every line has one."""
    singles: frozenset[str] = frozenset()
    """Signs that occur at most once in a line."""
    markers: frozenset[str] = frozenset()
    """Lines that occur exactly once in every text."""
    columns: tuple[frozenset[str], ...] = ()
    """The sorts of characters at each position, if all texts have the same length."""
    well_formed: tuple[str, ...] = ()
    decimals: int | None = None
    """The most decimals that a number may have."""
    may_be_blank: bool = False

    @classmethod
    def of(
        cls,
        texts: Sequence[str],
        *,
        known: Collection[str] = (),
        is_said: bool = False,
        decimals: int | None = None,
        may_be_blank: bool = False,
    ) -> Layout | None:
        """Return the layout of formatted texts; None for prose, single words and plain numbers.

        ``known`` are words of reference and task. ``is_said``: the task mentions a format.
        """
        lines = [line for text in texts for line in _lines(text)]
        if not lines or _is_board(lines):
            return None
        # A sign that all texts have by chance is rare among their lines.
        signs = frozenset(
            sign
            for sign in frozenset.intersection(*map(_signs, texts))
            if 2 * sum(sign in line for line in lines) >= len(lines)
        )
        starts = [start for line in lines if (start := _first_word(line))]
        words = {word for each in known for word in each.split()[:1]}
        for is_case, case in ((str.isupper, str.upper), (str.islower, str.lower)):
            if all(map(is_case, starts)):
                words |= {*map(case, words)}
        is_known = {*starts} <= words and len(starts) >= _ENOUGH
        is_mixed = all(re.search(r"\d", text) and re.search(r"[^\d\s.+-]", text) for text in texts)
        kinds = list(map(_kinds, lines))
        shapes = frozenset(map(_shape, kinds))
        is_alike = len(shapes) == 1 and len(lines) > 1 and len(kinds[0]) > _ONE_TOKEN
        is_said = is_said and any(map(_signs, texts))
        columns, markers = _columns(texts), _markers(texts)
        is_placed = any(columns[0] != each for each in columns)  # not the letters of any word
        is_format = is_mixed or is_known or is_said or is_alike or is_placed or markers
        if not (signs - _PROSE or is_format):
            return None
        units = [unit for line in lines for unit in _units(line)]
        letters = frozenset(units if len({*units}) <= _FEW and len(units) >= _ENOUGH else ())
        return cls(
            frozenset(pair for each in kinds for pair in pairwise(each)),
            shapes if 2 * len(shapes) <= len(lines) else frozenset(),
            signs,
            frozenset.intersection(*map(_signs, lines)),
            frozenset(words) if is_known else frozenset(),
            letters,
            _head(lines),
            frozenset(pair for each in kinds for pair in _around(each)),
            _first_signs(lines),
            _singles(lines),
            markers,
            columns,
            tuple(
                name
                for name, check in WELL_FORMED.items()
                if name not in ("days", "month-days")  # only if the task's text mentions them
                and {*map(check, texts)} - {None} == {True}
            ),
            decimals,
            may_be_blank,
        )

    def explain(self, text: str) -> str | None:
        """Return how a text departs from the layout, or None."""
        if self.may_be_blank and not text.strip():
            return None
        if missing := self.signs - _signs(text):
            return f"no {min(missing)!r}, which every example has"
        if not _lines(text):
            return "nothing but blanks"
        if any(text.split("\n").count(each) != 1 for each in self.markers):
            return "another number of lines that stand once in every example"
        if self.columns and not _stands(text, self.columns):
            return "characters at other places"
        for name in self.well_formed:
            if WELL_FORMED[name](text) is False:
                return f"{name} that are not well-formed"
        if self.decimals and re.search(rf"\d\.\d{{{self.decimals + 1}}}", text):
            return f"a number with more than {self.decimals} decimals"
        for line in _lines(text):
            kinds = _kinds(line)
            if missing := self.line_signs - _signs(line):
                return f"a line without {min(missing)!r}"
            if self.starts and (word := _first_word(line)) not in (*self.starts, ""):
                return f"a line whose first word is {word[:40]!r}"
            if self.letters and (other := {*_units(line)} - self.letters):
                return f"{min(other)!r} beside a number"
            if twice := min((each for each in self.singles if line.count(each) > 1), default=""):
                return f"{twice!r} twice"
            is_other = self.first_signs and _first_sign(line) not in self.first_signs
            if is_other or (self.head and not _has_head(line, self.head)):
                return f"a line like {line[:40]!r}"
            if strange := next((pair for pair in _around(kinds) if pair not in self.around), None):
                return f"{strange[1]} after {strange[0]} and a blank"
            if self.shapes and _shape(kinds) not in self.shapes:
                return f"a line like {line[:40]!r}"
            if strange := next((pair for pair in pairwise(kinds) if pair not in self.pairs), None):
                return f"{strange[1]} after {strange[0]}"
        return None


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


def _is_board(lines: Sequence[str]) -> bool:
    """Return whether lines are rows of boards: a few signs, without letters, digits or blanks."""
    signs = set("".join(lines))
    return len(signs) <= _FEW and not any(each.isalnum() or each.isspace() for each in signs)


def _first_sign(line: str) -> str:
    return next((each for each in line if not each.isalnum() and not each.isspace()), "")


def _first_signs(lines: Sequence[str]) -> frozenset[str]:
    found = frozenset(map(_first_sign, lines))
    return (
        found if len(lines) >= _FEW and len(found) <= _ENOUGH and "" not in found else frozenset()
    )


def _singles(lines: Sequence[str]) -> frozenset[str]:
    counts = {sign: [line.count(sign) for line in lines] for sign in _signs("".join(lines))}
    many = len(lines) >= _ENOUGH
    return frozenset(s for s, each in counts.items() if many and max(each) == 1 < sum(each))


def _markers(texts: Sequence[str]) -> frozenset[str]:
    """Return the lines without letters or digits that occur once in each of several texts."""
    lines = [text.split("\n") for text in texts]
    once = [{each for each in some if each.strip() and some.count(each) == 1} for some in lines]
    found = frozenset.intersection(*map(frozenset, once)) if len(texts) > 1 else frozenset()
    many = all(len(some) > _ENOUGH for some in lines)
    return frozenset(each for each in found if many and not any(map(str.isalnum, each)))


def _columns(texts: Sequence[str]) -> tuple[frozenset[str], ...]:
    """Return the sorts of characters at each position of texts with the same length."""
    is_one = len({*map(len, texts)}) == 1 and len({*texts}) >= _ENOUGH and len(texts[0]) >= _FEW
    if not is_one:
        return ()
    letters = frozenset(each for each in "".join(texts) if each.isalpha())
    if len(letters) > _FEW:  # any letter of the case will do
        letters = frozenset()
    return tuple(frozenset(_sort(c, letters) for c in row) for row in zip(*texts, strict=True))


def _sort(character: str, letters: Collection[str]) -> str:
    if character.isdigit():
        return "0"
    if character.isalpha() and (not letters or character not in letters):
        return "A" if character.isupper() else "a"
    return character


def _stands(text: str, columns: Sequence[frozenset[str]]) -> bool:
    letters = {each for column in columns for each in column if each.isalpha()} - {"a", "A"}
    pairs = zip(text, columns, strict=False)
    return len(text) == len(columns) and all(_sort(c, letters) in seen for c, seen in pairs)


def _around(kinds: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of kinds that a blank separates."""
    triples = zip(kinds, kinds[1:], kinds[2:], strict=False)
    return [(one, other) for one, blank, other in triples if blank == "a blank"]


def _first_word(line: str) -> str:
    """Return the first token that is a word, or ""."""
    return next((each for each in line.split() if each.isalpha()), "")


def _signs(text: str) -> frozenset[str]:
    return frozenset(each for each in text if not each.isalnum() and not each.isspace())


def _kinds(line: str) -> list[str]:
    """Return the kinds of a line's tokens, including its two ends."""
    return ["the beginning", *map(_kind, _TOKEN.findall(line)), "the end"]


def _shape(kinds: Sequence[str]) -> tuple[str, ...]:
    """Return the kinds, with a pair that repeats more than three times in a row cut to three."""
    found: list[str] = []
    for kind in kinds:
        found.append(kind)
        if len(found) > 7 and found[-2:] == found[-4:-2] == found[-6:-4] == found[-8:-6]:
            del found[-2:]
    return tuple(found)


def _head(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the kinds of tokens that start all lines, if three signs or blanks are among them.

    Padded numbers with the same number of digits in each line include that number. After the signs
    the head ends with the first word, or with a later sign: the rest may be free text.
    """
    head, signs, end = list[str](), set[str](), 0
    for column in zip(*map(_sized, lines), strict=False):
        kinds, sizes, padded = zip(*column, strict=True)
        if len({*kinds}) > 1:
            break
        head.append(sizes[0] if len({*sizes}) == 1 and any(padded) else kinds[0])
        if kinds[0] not in _PLAIN or not (len(signs) >= _ENOUGH and "a word" in head[:-1]):
            end = len(head)
        signs |= {kinds[0]} - _PLAIN | {*kinds} & {"a blank"}
    return tuple(head[:end]) if len(lines) >= _FEW and len(signs) > _ENOUGH else ()


_PLAIN = frozenset(("a word", "a letter", "a number", "a blank"))


def _sized(line: str) -> list[tuple[str, str, bool]]:
    """Return for each token its kind, the kind with the length of a number, and whether it is a
    number that looks fixed-width, such as a year or 07."""
    tokens = [
        (kind, f"{kind} of {len(token)}" if kind == "a number" else kind, is_padded)
        for token in _TOKEN.findall(line)
        for kind, is_padded in [(_kind(token), bool(re.fullmatch(r"0\d+|\d{4,}", token)))]
    ]
    ends = [(end, end, False) for end in ("the beginning", "the end")]
    return [ends[0], *tokens, ends[1]]


def _has_head(line: str, head: Sequence[str]) -> bool:
    pairs = [*zip(head, _sized(line), strict=False)]
    return len(pairs) == len(head) and all(wanted in kinds[:2] for wanted, kinds in pairs)


def _units(line: str) -> list[str]:
    """Return the single letters next to numbers."""
    return re.findall(r"(?<=\d)[^\W\d_](?![^\W_])|(?<![^\W_])[^\W\d_](?=\d)", line)


def _kind(token: str) -> str:
    if token[-1].isdigit():
        return "a number"
    if token.isalpha():
        return "a word" if len(token) > 1 else "a letter"
    if token.isspace():
        return "a blank" if len(token) == 1 else "several blanks"
    return repr(token)
