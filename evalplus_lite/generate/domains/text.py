"""Characters and patterns of observed strings, and how far new strings may depart from them."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import zip_longest
from urllib.parse import unquote

ENOUGH = 3
"""Number of distinct strings that a pattern must match."""

LONGEST_NUMERAL = 1000
_COMMON = 0.3
"""A pattern is common if this share of the strings has it."""
# ASCII letters only: any other letter is a token by itself, which patterns keep unchanged.
_RUNS = re.compile(r"[0-9]+|[A-Za-z]+|\s+|.")


def tokens(text: str) -> list[str]:
    """Split a text into runs of digits, letters and blanks, and single other characters."""
    return _RUNS.findall(text)


def is_numeral(token: str) -> bool:
    """Return whether a token is an integer of reasonable size, in ASCII digits."""
    return token.isascii() and token.isdigit() and len(token) <= LONGEST_NUMERAL


def token_kind(token: str) -> str:
    """Return ``digits``, ``letters``, ``blanks``, or the character itself."""
    first = token[:1]
    if first.isascii():
        if first.isdigit():
            return "digits"
        if first.isalpha():
            return "letters"
        if first.isspace():
            return "blanks"
    return first


def widths_of(values: tuple[str, ...]) -> tuple[int, ...] | None:
    """Return the length of each run of digits if it is the same, and at least two, in all strings,
    and 0 otherwise; None if strings differ in the number of runs, or no run has a fixed length.

    ``("1.50", "12.00")`` gives ``(0, 2)``: two decimals, as in prices.
    """
    runs = [tuple(map(len, re.findall("[0-9]+", value))) for value in values]
    if len({*map(len, runs)}) != 1:
        return None
    sizes = [{*column} for column in zip(*runs, strict=True)]
    widths = tuple(min(each) if len(each) == 1 and min(each) > 1 else 0 for each in sizes)
    return widths if any(widths) else None


def has_widths(text: str, widths: Sequence[int]) -> bool:
    """Return whether a text's runs of digits have the lengths that ``widths_of`` returned."""
    runs = re.findall("[0-9]+", text)
    pairs = zip(runs, widths, strict=False)
    return len(runs) == len(widths) and all(wide in (0, len(run)) for run, wide in pairs)


def has_common_pattern(values: tuple[str, ...]) -> bool:
    """Return whether a compound pattern is common among the strings."""
    patterns = Counter(tuple(map(token_kind, tokens(value))) for value in values)
    pattern, times = max(patterns.items(), key=lambda item: item[1])
    return len(pattern) > 2 and times >= ENOUGH and times >= _COMMON * len(values)


def words_of(values: tuple[str, ...], known: Collection[str]) -> frozenset[str] | None:
    """Return the vocabulary, if every word is one of the reference's string constants."""
    words = {word for value in values for word in value.split()}
    # All one-word constants are the vocabulary, not only those in the examples.
    vocabulary = frozenset(each for each in known if len(each.split()) == 1)
    is_closed = (
        # Single letters are often among a reference's constants by chance.
        len(words) >= ENOUGH and words <= vocabulary and any(len(word) > 1 for word in words)
    )
    return vocabulary if is_closed else None


PRINTABLE = "".join(map(chr, range(32, 127)))
"""Printable ASCII: characters that strings may have even if no example has them."""

CLASSES: tuple[str, ...] = (string.ascii_lowercase, string.ascii_uppercase, string.digits)
"""Classes of characters that are allowed as a whole once examples have one of them."""

BRACKETS: tuple[str, ...] = ("()", "[]", "{}", "<>")

# A class counts as closed (say, binary digits) if at most this share of it occurs, although each
# occurring character repeats this often on average.
_CLOSED_SHARE = 1 / 3
_CLOSED_REPEATS = 4


def closed(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return the classes that look closed: few of their characters occur, but often."""
    # If both cases occur, treat the letters as one class.
    letters = Counter[str]()
    for character, count in counts.items():
        if character in string.ascii_letters:
            letters[character.lower()] += count
    both = [any(each in members for each in counts) for members in CLASSES[:2]]
    is_few = 0 < len(letters) <= len(CLASSES[0]) * _CLOSED_SHARE
    if all(both) and is_few and letters.total() >= _CLOSED_REPEATS * len(letters):
        return (*CLASSES[:2], *closed({c: n for c, n in counts.items() if c in CLASSES[2]}))
    found = []
    for members in CLASSES:
        times = [count for character, count in counts.items() if character in members]
        is_few = 0 < len(times) <= len(members) * _CLOSED_SHARE
        if is_few and sum(times) >= _CLOSED_REPEATS * len(times):
            found.append(members)
    return tuple(found)


def widen(counts: Mapping[str, int], *, keep_closed: bool = True) -> str:
    """Return the characters that strings may have, given the counts of those in the examples.

    A letter or digit allows its whole class, unless (with ``keep_closed``) that looks closed; any
    other character allows only itself. Sentences may have digits.
    """
    narrow = closed(counts) if keep_closed else ()
    allowed = set(counts)
    if {*CLASSES[:2]} <= {*narrow}:
        allowed.update(each.swapcase() for each in counts)
    # A space, a capital letter and punctuation make a sentence, which may have numbers.
    if not narrow and " " in counts and any(map(str.isupper, counts)) and {*counts} & {*".,!?"}:
        allowed.update(CLASSES[-1])
    # One lower-case letter allows all lower-case letters, but no upper-case ones.
    for members in CLASSES:
        if members not in narrow and any(character in members for character in counts):
            allowed.update(members)
    return "".join(sorted(allowed))


# Parts of texts that can be well-formed or not, anywhere in a text.

_TIME = re.compile(r"(?<![\d:.])(\d\d?):(\d\d)(?::(\d\d))?(?![\d:])(\s*[ap]\.?m\b)?", re.I)
TELLING_TIMES = (
    "00:00", "23:59", "12:00", "00:01", "11:59", "12:59", "01:00", "13:00", "09:05", "20:10",
)  # fmt: skip
"""Limits of a day and of its halves, and numbers with significant zeros."""


def times_in(text: str) -> list[tuple[str, ...]]:
    """Return hour, minute, second and am/pm of each time in a text, such as 09:30."""
    return _TIME.findall(text)


def has_times(text: str) -> bool | None:
    """Return whether each time in a text is a valid time of day; None if there is none."""
    if ":" not in text:
        return None
    found = times_in(text)
    if len(re.findall(r"(?<!\d)\d+(?::\d+)+", text)) > len(found):
        return False
    return (
        None
        if not found
        else all(
            (1 <= int(hour) <= 12 if half else int(hour) < 24) and minute < "60" and second < "60"
            for hour, minute, second, half in found
        )
    )


def has_days(text: str) -> bool | None:
    """Return whether each ``2024-02-29`` or ``2024-02`` in a text is a valid date or month; None if
    there is none."""
    found = re.findall(r"(?<![\w.-])(\d{4,})-(\d{2,})(?:-(\d{2,}))?(?![\w-])", text)
    days = [_is_day("ymd", (year, month, day or "01")) for year, month, day in found]
    return all(days) if days else None


def is_month_day(text: str) -> bool | None:
    """Return whether a text such as 02-29 is a valid day and month; None for other texts."""
    if not re.fullmatch(r"\d+-\d+", text):
        return None
    month, _, day = text.partition("-")
    return len(month) == len(day) == 2 and _is_day("ymd", ("2000", month, day))


def has_escapes(text: str) -> bool | None:
    """Return whether each percent sign starts a valid UTF-8 escape; None if there is none."""
    if "%" not in text:
        return None
    try:
        unquote(text, errors="strict")
    except UnicodeDecodeError:
        return False
    return not re.search("%(?![0-9A-Fa-f]{2})", text)


def has_brackets(text: str) -> bool | None:
    """Return whether the brackets ()[]{} in a text are balanced; None if there are none."""
    closing, found = dict(zip(")]}", "([{", strict=True)), list[str]()
    brackets = [each for each in text if each in "()[]{}"]
    for each in brackets:
        if each not in closing:
            found.append(each)
        elif not found or found.pop() != closing[each]:
            return False
    return not found if brackets else None


def has_quotes(text: str) -> bool | None:
    """Return whether each kind of quote occurs an even number of times; None if there is none."""
    counts = [text.count(mark) for mark in "'\""]
    return all(count % 2 == 0 for count in counts) if any(counts) else None


def is_decimal(text: str) -> bool | None:
    """Return whether a text is a decimal number, such as 0.50; None for a whole number."""
    return None if text.isdecimal() else bool(re.fullmatch(r"[-+]?\d+\.\d+", text))


WELL_FORMED: Mapping[str, Callable[[str], bool | None]] = {
    "days": has_days,
    "month-days": is_month_day,
    "times": has_times,
    "escapes": has_escapes,
    "brackets": has_brackets,
    "quotes": has_quotes,
    "decimals": is_decimal,
}
"""Properties of texts that can be well-formed or not, with their tests."""


_DATE = re.compile(r"(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})")
_DAYS = (
    (1900, 2, 28), (2000, 2, 29), (2024, 2, 29), (2023, 2, 28), (2100, 2, 28), (1999, 12, 31),
    (2024, 12, 31), (2024, 1, 1), (1900, 3, 1), (2023, 3, 1), (2024, 3, 1), (2023, 4, 30),
    (2023, 7, 31), (2023, 8, 31), (2023, 1, 31), (2100, 3, 1), (2000, 1, 1), (2096, 2, 29),
)  # fmt: skip
"""Ends of months and years, leap days, and century years that are and are not leap years."""
_PAIRS = (
    ((2000, 2, 29), (2001, 2, 28)), ((2000, 2, 29), (2001, 3, 1)), ((2004, 2, 29), (2008, 2, 29)),
    ((2023, 12, 31), (2024, 1, 1)), ((2024, 2, 28), (2024, 3, 1)), ((2023, 2, 28), (2023, 3, 1)),
    ((2024, 2, 29), (2024, 2, 29)), ((1999, 3, 1), (2000, 2, 29)), ((2023, 1, 31), (2023, 2, 28)),
    ((1900, 2, 28), (1900, 3, 1)), ((2020, 5, 17), (2021, 5, 16)), ((2020, 5, 17), (2021, 5, 17)),
)  # fmt: skip
_NO_DAYS = (
    (1900, 2, 29), (2023, 2, 29), (2024, 2, 30), (2023, 4, 31), (2023, 6, 31), (2023, 1, 32),
    (2023, 13, 1), (2023, 0, 10), (2023, 5, 0), (2023, 9, 31), (2023, 11, 31), (2100, 2, 29),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DateForm:
    """A date format: the possible ``orders`` of year, month and day, the separator (``mark``), and
    whether months and days have two digits.

    ``is_strict`` means that all examples are valid dates.
    """

    orders: tuple[str, ...]
    mark: str
    is_padded: bool
    is_strict: bool

    @classmethod
    def of(cls, texts: Sequence[str]) -> DateForm | None:
        """Return the format in which at least half of the texts are dates, or None."""
        # Half is enough, because tasks about dates have examples that are not dates.
        matches = [match for text in texts if (match := _DATE.fullmatch(text))]
        if not matches or 2 * len(matches) < len(texts):
            return None
        rows = [match.group(1, 3, 4) for match in matches]
        # Try each order: one with few valid dates is not intended.
        days = {order: sum(_is_day(order, row) for row in rows) for order in ("ymd", "mdy", "dmy")}
        most = max(days.values())
        # If both orders give valid dates, it is unclear whether day or month comes first.
        orders = tuple(order for order, count in days.items() if count and 3 * count >= 2 * most)
        short = sum(any(len(each) == 1 for each in row) for row in rows)
        # Examples that are not valid dates show that the task expects those as well.
        is_strict = most == len(texts)
        return cls(orders, matches[0][2], 2 * short < len(rows), is_strict) if orders else None

    def telling(self) -> Iterator[str]:
        """Yield dates that reveal faults, and invalid dates unless all examples are valid."""
        others = () if self.is_strict else _NO_DAYS
        # Valid and invalid dates alternate, so that a few inputs already have both.
        for pair in zip_longest(_DAYS, others):
            for day in filter(None, pair):
                yield from (self._written(order, *day) for order in self.orders)

    def pairs(self) -> list[tuple[str, str]]:
        """Return pairs of dates, in order, between which programs miscount days."""
        order = self.orders[0]
        return [(self._written(order, *one), self._written(order, *other)) for one, other in _PAIRS]

    def _written(self, order: str, year: int, month: int, day: int) -> str:
        width = 2 if self.is_padded else 1
        parts = {"y": f"{year:04}", "m": f"{month:0{width}}", "d": f"{day:0{width}}"}
        return self.mark.join(parts[each] for each in order)

    def admits(self, text: str) -> bool:
        """Return whether a text is a valid date, from 1583 on."""
        if (match := _DATE.fullmatch(text)) is None or match[2] != self.mark:
            return False
        row = match.group(1, 3, 4)
        if self.is_padded and any(len(each) == 1 for each in row):
            return False
        return any(_is_day(order, row) for order in self.orders)


def _is_day(order: str, row: Sequence[str]) -> bool:
    parts = dict(zip(order, row, strict=True))
    # The Gregorian calendar, which Python assumes, has been in use for full years since 1583.
    if len(parts["y"]) != 4 or parts["y"] < "1583":
        return False
    try:
        date(int(parts["y"]), int(parts["m"]), int(parts["d"]))
    except (ValueError, OverflowError):
        return False
    return True
