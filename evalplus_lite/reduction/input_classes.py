"""Input classes of a suite's inputs and answers: those that a tester would name.

Wrong programs that no mutant resembles fail on unusual inputs: empty, of one element, all equal,
sorted, with an argument contained in another, the largest or smallest possible. Each class that
occurs in a suite is a requirement, satisfied by its cases. Nothing is run for it, so it does not
depend on any program.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

from evalplus_lite.types import Value

# The classes of texts that a tester would name: characters, order, words, marks.

MOST_CHARACTERS = 1000
"""Characters of a longer text that are inspected."""

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
        matches = sum(map(test, chars))
        yield f"{'all' if matches == len(chars) else 'some' if matches else 'no'} {name}"
    for name, marks in _MARKS:
        if not chars.isdisjoint(marks):
            yield f"with {name}"
    if not value.isascii():
        yield "beyond ASCII"
    for where, char in (("begins", whole[0]), ("ends", whole[-1])):
        kind = next((name for name, test in _KINDS if test(char)), "other letters")
        yield f"{where} with {kind}"
    yield from _text_order(value, chars)
    yield from _of_words(value)
    if _NUMERAL.fullmatch(value):
        yield "a numeral"
        if value.lstrip("+-").startswith("0"):
            yield "begins with zero"
    elif _DECIMAL.fullmatch(value):
        yield "a decimal"
    if not chars.isdisjoint("()[]{}<>"):
        yield from _of_brackets(value)


def _text_order(value: str, chars: set[str]) -> Iterator[str]:
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


# The classes of numbers that a tester would name: sign, size, form.

MOST_BITS = 256
"""The form of longer integers is not looked at: to write one out takes its length squared."""
_LANDMARKS = frozenset((-1, 1, 2, 3, 10, 100, 1000))


def of_number(value: float) -> Iterator[str]:
    """Yield the names of the classes that an integer or float is in."""
    if value != value:
        yield "not a number"
        return
    yield sign(value)
    yield magnitude(value)
    if value in _LANDMARKS:
        yield f"{value:g}"
    if isinstance(value, float):
        yield from _of_float(value)
    elif value.bit_length() <= MOST_BITS:
        yield from _of_integer(value)


def sign(value: float) -> str:
    """Return ``negative``, ``zero`` or ``positive``."""
    return "negative" if value < 0 else "zero" if value == 0 else "positive"


def magnitude(value: float) -> str:
    """Return which power of ten a number's size is below."""
    size = abs(value)
    if size < 1:
        return "of no size" if not size else "below one"
    if isinstance(size, int) and size.bit_length() > MOST_BITS:
        return "huge"
    if size == math.inf:
        return "infinite"
    if size < 1000:
        return "of one digit" if size < 10 else "of two digits" if size < 100 else "of three digits"
    digits = math.log10(size)
    return next((f"below 1e{most}" for most in (4, 6, 9, 12, 20) if digits < most), "huge")


def _of_float(value: float) -> Iterator[str]:
    if not math.isfinite(value):
        return
    if value.is_integer():
        yield "whole"
        return
    yield "with a fraction"
    if (2 * value).is_integer():
        yield "half way"  # where rounding rules differ
    elif not (1000 * value).is_integer():
        yield "of many decimals"
    part = value - math.floor(value)
    yield "above the middle" if part > 0.5 else "below the middle"


def _of_integer(value: int) -> Iterator[str]:
    yield "odd" if value % 2 else "even"
    size = abs(value)
    for divisor in (3, 4, 5, 10):
        if value and not value % divisor:
            yield f"a multiple of {divisor}"
    if size > 3:
        if not size & (size - 1):
            yield "a power of two"
        root = math.isqrt(size)
        if root * root == size:
            yield "a square"
        elif round(size ** (1 / 3)) ** 3 == size:
            yield "a cube"
    if size >= 10:
        digits = str(size)
        if digits == digits[::-1]:
            yield "the same digits backwards"
        if "0" in digits:
            yield "with a digit zero"
        yield "with repeated digits" if len(set(digits)) < len(digits) else "of distinct digits"
        if all(digit in "02468" for digit in digits):
            yield "of even digits"
        elif all(digit in "13579" for digit in digits):
            yield "of odd digits"
        yield "digits sum to odd" if sum(map(int, digits)) % 2 else "digits sum to even"


SIZED = (str, bytes, list, tuple, set, frozenset, dict)
MOST_ITEMS = 200
"""Items of a longer container that are inspected."""


def length(count: int) -> str:
    """Return the class of a length: up to three as it is, then by powers of two, and of ten."""
    if count < 4:
        return ("empty", "of one", "of two", "of three")[count]
    if count < 64:
        return f"of {1 << (count.bit_length() - 1)} and more"
    return f"of {next(most for most in (1000, 100, 64) if count >= most)} and more"


def of_items(items: Sequence[Value]) -> Iterator[str]:
    """Yield the names of the classes that a list of one item or more is in."""
    kinds = {type(item) for item in items}
    names = sorted(kind.__name__ for kind in kinds)
    yield f"of {' and '.join(names)}"
    if len(items) > 1:
        yield from _of_order(items, kinds)
    if kinds <= {int, float}:
        yield from _of_numbers([item for item in items if item == item])
    elif kinds == {str}:
        yield from _of_texts(items)
    elif all(issubclass(kind, SIZED) for kind in kinds):
        yield from _of_lengths(list(map(len, items)))
        if kinds <= {list, tuple}:
            yield from _of_rows(items)
    if len(kinds) > 1:
        for name in names:
            yield f"with {name}"


def text(value: Value) -> str:
    """Return a text that identifies a value, hashable or not."""
    try:
        return repr(value)
    except ValueError:  # an integer too long to be written
        return f"{type(value).__name__} {hash(value)}" if isinstance(value, int) else "?"


def _of_order(items: Sequence[Value], kinds: set[type]) -> Iterator[str]:
    try:
        keys: list[Value] = list(items)
        distinct = len(set(keys))
    except TypeError:
        keys = list(map(text, items))
        distinct = len(set(keys))
    yield "with repetitions" if distinct < len(keys) else "without repetitions"
    yield "all equal" if distinct == 1 else "not all equal"
    if len(kinds) > 1 and distinct < len(set(map(text, items))):
        yield "equal items of two types"
    if distinct > 1:
        if any(a == b for a, b in itertools.pairwise(keys)):
            yield "equal neighbours"
        if keys == keys[::-1]:
            yield "the same backwards"
        if distinct < len(keys):
            counts: dict[Value, int] = {}
            for key in keys:
                counts[key] = counts.get(key, 0) + 1
            most = sorted(counts.values())
            yield "most frequent tied" if most[-1] == most[-2] else "one most frequent"
            if most[0] == 1:
                yield "some item once"
    try:
        ordered = sorted(items)
    except TypeError:
        yield "of items without an order"
        return
    given = list(items)
    ascending, descending = ordered == given, ordered[::-1] == given
    yield "ascending" if ascending else "not ascending"
    yield "descending" if descending else "not descending"
    if not ascending and not descending and len(given) > 2:
        falls = sum(1 for a, b in itertools.pairwise(given) if b < a)
        if falls == 1:
            yield "turned round" if given[-1] <= given[0] else "falls once"
        elif falls == len(given) - 2:
            yield "rises once"
        if ordered[1:] == given[1:] or ordered[:-1] == given[:-1]:
            yield "ascending but for an end"


def _of_numbers(numbers: Sequence[float]) -> Iterator[str]:
    """Classify ``numbers``, which contain no booleans and no NaN."""
    if not numbers:
        return
    for name, test in _TESTS:
        yield f"{_count(sum(map(test, numbers)), len(numbers))} {name}"
    yield f"greatest {magnitude(max(numbers, key=abs))}"
    for name, edge in (("maximum", max), ("minimum", min)):
        best = edge(numbers)
        yield f"{name} {sign(best)}"
        if len(numbers) > 2 and (times := numbers.count(best)) < len(numbers):
            place = "tied" if times > 1 else None
            place = place or ("first" if numbers[0] == best else None)
            yield f"{name} {place or ('last' if numbers[-1] == best else 'inside')}"
    if not all(map(_is_moderate, numbers)):
        return  # other sums tell too little for their cost
    yield f"sum {_sum(numbers)}"
    yield f"product {_product(numbers)}"
    if len(numbers) > 1:
        small, large = min(numbers), max(numbers)
        yield f"range {'zero' if large == small else magnitude(large - small)}"
        present = set(numbers)
        if any(number and -number in present for number in present):
            yield "a number and its opposite"
        if 0 < len(numbers) - (large - small) <= 1 and len(present) == len(numbers):
            yield "without gaps"


_TESTS = (
    ("negative", lambda n: n < 0),
    ("zero", lambda n: n == 0),
    ("one", lambda n: n == 1),
    ("below one", lambda n: 0 < abs(n) < 1),
    ("odd", lambda n: n % 2 == 1),
    ("even", lambda n: n % 2 == 0),
    ("with a fraction", lambda n: isinstance(n, float) and not n.is_integer()),
    ("above 99", lambda n: abs(n) > 99),
)


def _count(count: int, total: int) -> str:
    if count == total:
        return "all"
    return ("no", "one", "two")[count] if count < 3 else "some"


def _is_moderate(number: float) -> bool:
    """Return whether a number can be added to any other without an error."""
    return abs(number) < 1e300 and (isinstance(number, float) or number.bit_length() <= MOST_BITS)


def _sum(numbers: Sequence[float]) -> str:
    total = sum(numbers)
    if total in (-1, 0, 1):
        return f"{total:g}"
    return "between" if -1 < total < 1 else "negative" if total < 0 else "above one"


def _product(numbers: Sequence[float]) -> str:
    if 0 in numbers:
        return "zero"
    with_sign = "negative" if sum(number < 0 for number in numbers) % 2 else "positive"
    product = abs(math.prod(map(float, numbers)))
    if product == 1:
        return f"one, {with_sign}"
    return f"below one, {with_sign}" if product < 1 else with_sign


def _of_texts(items: Sequence[str]) -> Iterator[str]:
    lengths = list(map(len, items))
    yield from _of_lengths(lengths)
    for name, test in (
        ("with capitals", lambda t: t.lower() != t),
        ("with digits", lambda t: any(map(str.isdigit, t))),
        ("with spaces", lambda t: " " in t),
        ("with marks", lambda t: not t.replace(" ", "").isalnum() and t.strip() != ""),
        ("numerals", str.isdigit),
        ("of one", lambda t: len(t) == 1),
    ):
        yield f"{_count(sum(map(test, items)), len(items))} {name}"
    if len(items) > 1:
        if len({item.lower() for item in items}) < len(set(items)):
            yield "equal but for case"
        if len(items) <= 40:
            others = [(a, b) for i, a in enumerate(items) for j, b in enumerate(items) if i != j]
            if any(a and a != b and b.startswith(a) for a, b in others):
                yield "one begins another"
            elif any(a and a != b and a in b for a, b in others):
                yield "one is in another"
            if any(a != b and len(a) == len(b) and sorted(a) == sorted(b) for a, b in others):
                yield "one is another rearranged"


def _of_lengths(lengths: Sequence[int]) -> Iterator[str]:
    yield f"{_count(lengths.count(0), len(lengths))} empty"
    if len(lengths) > 1:
        most, least = max(lengths), min(lengths)
        yield "of one length" if most == least else "of several lengths"
        if most != least:
            yield "longest tied" if lengths.count(most) > 1 else "one longest"
            yield "shortest tied" if lengths.count(least) > 1 else "one shortest"
            if lengths[0] == most:
                yield "longest first"
            ordered = sorted(lengths)
            if ordered == lengths:
                yield "by length"
            elif ordered[::-1] == lengths:
                yield "by falling length"
    yield f"longest {length(max(lengths))}"


def _of_rows(rows: Sequence[Sequence[Value]]) -> Iterator[str]:
    if all(len(row) == len(rows) for row in rows):
        yield "square"
    inner = [item for row in rows for item in row]
    kinds = sorted({type(item).__name__ for item in inner})
    if kinds:
        yield f"of rows of {' and '.join(kinds)}"
    if inner and all(type(item) in (int, float) for item in inner):
        yield f"{_count(sum(item < 0 for item in inner), len(inner))} negative within"
        yield f"{_count(inner.count(0), len(inner))} zero within"
        yield f"greatest within {magnitude(max(inner, key=abs))}"


# Relations between two values of a case: order, containment, lengths, remainders.


def relations(a: Value, b: Value) -> Iterator[str]:
    """Yield the relations of the first value to the second."""
    if isinstance(a, SIZED) and len(a) > MOST_CHARACTERS:
        return
    with contextlib.suppress(TypeError):
        yield "equals" if a == b else "is below" if a < b else "is above"
    if _is_number(a) and _is_number(b):
        yield from _between_numbers(a, b)
    elif isinstance(a, str) and isinstance(b, str):
        yield from _between_texts(a[:MOST_CHARACTERS], b[:MOST_CHARACTERS])
    elif isinstance(a, list | tuple) and isinstance(b, list | tuple):
        yield from _between_lists(list(a[:MOST_ITEMS]), list(b[:MOST_ITEMS]))
    if isinstance(a, SIZED) and isinstance(b, SIZED):
        more = len(a) - len(b)
        yield "is as long as" if not more else "is shorter than" if more < 0 else "is longer than"
    if isinstance(b, SIZED):
        yield from _of_member(a, b, "")
    if isinstance(a, SIZED):
        yield from _of_member(b, a, "the other way: ")


def _is_number(value: Value) -> bool:
    """Return whether it is a number whose sums and ratios are cheap."""
    if type(value) is int:
        return value.bit_length() <= MOST_BITS
    return type(value) is float and abs(value) < 1e300


def _between_numbers(a: float, b: float) -> Iterator[str]:
    for name, total in (("sum", a + b), ("difference", a - b), ("product", a * b)):
        if total in (-1, 0, 1):
            yield f"{name} {total:g}"
        elif -1 < total < 1:
            yield f"{name} between"
        if isinstance(total, int) and name != "product":
            yield f"{name} {'odd' if total % 2 else 'even'}"
    if abs(a) == abs(b):
        yield "the same size"
    if b and not a % b:
        yield "a multiple"
    if a and not b % a:
        yield "a divisor"


def _between_texts(a: str, b: str) -> Iterator[str]:
    small, other = a.lower(), b.lower()
    if a != b and small == other:
        yield "equals but for case"
    if a not in b and small in other:
        yield "is in but for case"
    if b not in a and other in small:
        yield "has it in but for case"
    if a and b:
        if b.startswith(a):
            yield "begins"
        if b.endswith(a):
            yield "ends"
        if set(a) == set(b):
            yield "the same characters"
            if len(a) == len(b) and sorted(a) == sorted(b):
                yield "the same characters as often"
        elif set(a).isdisjoint(b):
            yield "no character in common"
        elif set(a) < set(b):
            yield "characters among the other's"
        times = b.count(a)
        if times > 1:
            yield "is in twice"
        if len(a) == len(b) and a != b and b in a + a:
            yield "turned round"


def _between_lists(a: list[Value], b: list[Value]) -> Iterator[str]:
    with contextlib.suppress(TypeError):
        ours, theirs = set(a), set(b)
        if ours == theirs:
            yield "the same items"
            if len(a) == len(b) and sorted(a) == sorted(b) and a != b:
                yield "the same items in another order"
        elif ours.isdisjoint(theirs):
            yield "no item in common"
        elif ours < theirs:
            yield "items among the other's"
        elif ours > theirs:
            yield "items beyond the other's"
    if a and a != b and a == b[: len(a)]:
        yield "begins"
    with contextlib.suppress(TypeError):
        if len(a) == len(b) and sum(map(_length, a)) == sum(map(_length, b)):
            yield "as long items"


def _length(value: Value) -> int:
    return len(value) if isinstance(value, SIZED) else 0


def _of_member(inner: Value, outer: Value, way: str) -> Iterator[str]:
    with contextlib.suppress(TypeError, ValueError):
        if inner in outer:
            yield f"{way}is in"
            if isinstance(outer, list | tuple) and outer.count(inner) > 1:
                yield f"{way}is in twice"
        else:
            yield f"{way}is not in"
    if type(inner) is int:
        size = len(outer)
        if size and not inner % size:
            yield f"{way}a multiple of the length"
        if inner in (size - 1, size, size + 1):
            yield f"{way}the length {inner - size:+d}"
        yield f"{way}{'below' if inner < size else 'above'} the length"
    if type(inner) in (int, float) and isinstance(outer, list | tuple) and outer:
        with contextlib.suppress(TypeError):
            most, least = max(outer), min(outer)
            place = "above all" if inner > most else "below all" if inner < least else "among"
            place = "the most" if inner == most else "the least" if inner == least else place
            yield f"{way}{place}"


def input_classes(cases: Sequence[tuple[Value, ...]], answers: Sequence[Value]) -> dict[str, int]:
    """Return, a class, the bitset of the cases of it, by the classes' names.

    A class is about one argument, two arguments, or the right answer; or it is being the largest
    or smallest of the suite in an argument.
    """
    rows: dict[str, int] = {}
    for number, (case, answer) in enumerate(zip(cases, answers, strict=True)):
        for name in set(_of_case(case, answer)):
            rows[name] = rows.get(name, 0) | 1 << number
    rows |= _extremes(cases)
    return {name: rows[name] for name in sorted(rows)}


def _of_case(case: tuple[Value, ...], answer: Value) -> Iterator[str]:
    values = [(f"argument {place}", value) for place, value in enumerate(case, 1)]
    values.append(("answer", answer))
    for place, value in values:
        for name in classes(value):
            yield f"{place}: {name}"
    for (one, a), (other, b) in combinations(values, 2):
        for name in relations(a, b):
            yield f"{one} and {other}: {name}"


def classes(value: Value) -> Iterator[str]:
    """Yield the names of the classes that a value is in; no two types share one."""
    kind = type(value).__name__
    yield f"{kind}"
    if isinstance(value, bool):
        yield f"{value}"
    elif isinstance(value, int | float):
        for name in of_number(value):
            yield f"{kind} {name}"
    elif isinstance(value, SIZED):
        yield f"{kind} {length(len(value))}"
        if len(value) > 2:
            yield f"{kind} of {'odd' if len(value) % 2 else 'even'} length"
        names = of_text(value) if isinstance(value, str) and value else _of_parts(value)
        for name in names:
            yield f"{kind} {name}"


def _of_parts(value: Any) -> Iterator[str]:
    if not value or isinstance(value, str):
        return
    if isinstance(value, dict):
        yield from (f"keys {name}" for name in of_items(list(value)[:MOST_ITEMS]))
        yield from (f"values {name}" for name in of_items(list(value.values())[:MOST_ITEMS]))
    else:
        yield from of_items(list(value)[:MOST_ITEMS])


def _extremes(cases: Sequence[tuple[Value, ...]]) -> dict[str, int]:
    rows = {}
    for place in range(max(map(len, cases), default=0)):
        for what, measure in (("size", _size), ("greatest item", _greatest)):
            measures: list[tuple[Any, int]] = []
            for number, case in enumerate(cases):
                amount = measure(case[place]) if place < len(case) else None
                if amount is not None:
                    measures.append((amount, number))
            amounts = [amount for amount, _ in measures]
            for name, edge in (("most", max), ("least", min)):
                if amounts:
                    best = edge(amounts)
                    rows[f"argument {place + 1}: {name} {what}"] = sum(
                        1 << number for amount, number in measures if amount == best
                    )
    return rows


def _size(value: Value) -> float | int | None:
    if isinstance(value, int | float):
        return value if value == value else None
    return len(value) if isinstance(value, SIZED) else None


def _greatest(value: Value) -> float | int | None:
    if not isinstance(value, list | tuple):
        return None
    numbers = [abs(item) for item in value if isinstance(item, int | float) and item == item]
    return max(numbers, default=None)
