"""Guaranteed inputs: those that every suite of a task should have, whatever the seed.

A random input is found with one seed and missed with the next. These follow from the task alone:
both sides of each condition of the reference, each kind of blank at each position of a text, lists
of numbers with ties and extremes, every type that an argument may have, the dates on which
calendars differ, and every short length.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, cycle, islice, product
from typing import Any

from evalplus_lite.generate.domains.text import (
    TELLING_TIMES,
    DateForm,
    has_times,
    is_numeral,
    tokens,
)
from evalplus_lite.generate.engine.conditions import Condition, Equation, Subject, conditions
from evalplus_lite.generate.engine.pool import in_turn
from evalplus_lite.generate.engine.slots import Slot
from evalplus_lite.types import Arguments, Case, Value
from evalplus_lite.values.identity import key

Inputs = Iterator[tuple[str, Arguments]]
"""Inputs with the names of their kinds."""

BLANKS = (" ", "\n", "\t", "  ")
# Few, because each kind of input is repeated on each of them, within a part of the budget.
_MODELS = 3
"""Base inputs that others are built from."""
_LONGEST = 200
_FORMS = 400
"""Maximum forms of one argument; a tenth for a long one."""
_PARTS = 40
"""Maximum parts of a container at one depth that are tried as another argument."""
_FIELDS = 8
"""Maximum keys of a dictionary whose values are varied."""
_DEEPEST = 3
"""Depth of nesting at which elements are exchanged for values of foreign types."""
FOREIGN: tuple[Value, ...] = (2.5, "b", None, (1, 2))
"""Values to probe with: hashable, and not bool, which programs may or may not treat as an int."""
_MIXED = (float, str)
"""The foreign types that become test inputs; None is not one, as it may mark a missing value."""
_LARGE = 10**9
# Short lengths one by one, then squares, cubes and powers of two.
_LENGTHS = (*range(21), 25, 27, 32, 49, 64, 100)
_DECIMALS = ("1.15", "0.29", "4.35", "19.99", "0.07", "1.005", "2.675", "0.5", "2.5", "0.3")
"""Decimals that binary floats represent a little too small, or that are halfway to the next."""
_NUMBERS = (
    *range(21), 24, 25, 27, 30, 32, 36, 49, 50, 60, 64, 81, 97, 100, 121, 127, 128, 129, 169, 255,
    256, 1000,
)  # fmt: skip
_RUNS = (2, 3, 9, 10, 11, 18, 100)
"""Lengths of runs of one character."""


def guaranteed(
    slots: Sequence[Slot], base: Sequence[Arguments], source: str, entry_point: str
) -> Iterator[Case]:
    """Yield the inputs that follow from the reference and the types, each kind in turn.

    They are built from a few of the base inputs, and may be outside the domain.
    """
    models = _models(base)
    # There is nothing to vary without arguments.
    if not models or not slots:
        return
    comparisons, names = conditions(source, entry_point)
    # Kinds take turns: the budget may end at any point, and by then each kind should have yielded
    # its most revealing inputs. Conditions come first in each round.
    streams: list[Inputs] = [
        in_turn([_on_condition(slots, models, each, names) for each in comparisons]),
        _for_each(slots, models, _texts),
        _of_types(slots, models),
        _related(slots, models),
        _linked(models),
        _dates(base, models[0]),
        _for_each(slots, models, _numbers),
        _for_each(slots, models, _records),
        _for_each(slots, models, _sizes),
    ]
    for name, arguments in in_turn(streams):
        yield Case(arguments, "guaranteed", None, (f"guaranteed.{name}",))


def _models(base: Sequence[Arguments]) -> list[Arguments]:
    """Return a few base inputs: the first, and those with the most parts of moderate size."""
    sized = [(len(repr(each)), -at, each) for at, each in enumerate(base)]
    # Inputs built from a long one are long. So long ones are used only if there are no others, or
    # as the first base input.
    usual = [each for each in sized if each[0] <= 4 * _LONGEST] or sized
    chosen = [*base[:1], *[each for *_, each in sorted(usual, key=lambda e: e[:2], reverse=True)]]
    return list({key(each): each for each in chosen}.values())[:_MODELS]


def _with(arguments: Arguments, at: int, value: Value) -> Arguments:
    return (*arguments[:at], value, *arguments[at + 1 :])


def _for_each(
    slots: Sequence[Slot],
    models: Sequence[Arguments],
    forms: Callable[[Slot, Value], Iterator[tuple[str, Value]]],
) -> Inputs:
    """Yield inputs with one argument in each of its forms; arguments take turns."""
    made = [
        [
            (at, *form)
            for form in islice(forms(slot, arguments[at]), _most_forms(arguments[at]))
            if slot.domain.explain(form[1]) is None
        ]
        for at, slot in enumerate(slots)
        for arguments in models[::-1]
        if at < len(arguments)
    ]
    count = max(map(len, made), default=0)
    for turn in range(len(models)):
        for row in range(count):
            for place, each in enumerate(made):
                # The first turn has every form of an argument once, with models taking turns.
                if row < len(each) and (place + row) % len(models) == turn:
                    at, name, value = each[row]
                    yield name, _with(models[::-1][place % len(models)], at, value)


def _most_forms(value: Value) -> int:
    # Each form copies and checks the whole argument, and records of records have very many.
    return _FORMS if len(repr(value)) <= 4 * _LONGEST else _FORMS // 10


def _on_condition(
    slots: Sequence[Slot],
    models: Sequence[Arguments],
    condition: Condition | Equation,
    names: Sequence[str],
) -> Inputs:
    """Yield inputs at a threshold of the reference, and on both sides of it."""
    at = condition.subject.argument
    if isinstance(condition, Equation):
        models = [*models[:1], tuple(map(_negated, models[0])), *models[1:]]
    for arguments in models:
        if at >= len(arguments) or at >= len(slots):
            continue
        if isinstance(condition, Equation):
            values = condition.values(dict(zip(names, arguments, strict=False)))
        else:
            values = condition.values
        for value in values:
            for made in _placed(slots[at], arguments[at], condition.subject, value):
                yield "condition", _with(arguments, at, made)


def _placed(slot: Slot, value: Value, subject: Subject, new: Value) -> Iterator[Value]:
    """Yield the value with the subject of a condition replaced or added."""
    if subject.depth == 0:
        if not subject.is_length:
            yield from _fitting(slot, new)
        elif type(new) is int and 0 <= new <= _LONGEST and not slot.has_fixed_size:
            made = _resized(slot, value, new)
            # Repeated elements violate an order that the task may require, so the sorted list is
            # yielded as well, and the filter decides.
            yield from (made, sorted(made)) if _is_orderly(made) else (made,)
        return
    inner = Subject(subject.argument, subject.depth - 1, subject.is_length)
    if type(value) is str and type(new) is str and not subject.is_length:
        yield from (new, value + new, new + value, value[: len(value) // 2] + new + value[1:])
    elif type(value) in (list, tuple) and slot.items is not None and slot.positions is None:
        kind = type(value)
        # An empty list has no element to change, so use one from another example.
        like = value[-1] if value else next(iter(slot.items.seen), None)
        for part in _placed(slot.items, like, inner, new):
            # With a fixed length, the new element replaces the last one.
            rest = value[:-1] if slot.has_fixed_size else value
            made = [*rest, part]
            yield kind(made)
            yield kind(sorted(made) if _is_orderly(made) else [part, *rest])
            yield kind([part])
    elif type(value) is dict and slot.values is not None and value:
        name = next(reversed(value))
        for part in _placed(slot.values, value[name], inner, new):
            yield {**value, name: part}


def _negated(value: Value) -> Value:
    return -value if type(value) in (int, float) else value


def _fitting(slot: Slot, new: Value) -> Iterator[Value]:
    """Yield a value converted to the types that the slot allows."""
    kinds = slot.domain.kinds
    if type(new) is int and int not in kinds and float in kinds:
        yield float(new)
    elif type(new) is float and float not in kinds and int in kinds:
        # The integers on both sides of the threshold.
        yield from (int(new), int(new) + 1)
    else:
        yield new


def _resized(slot: Slot, value: Value, size: int) -> Value:
    """Cut or repeat the value to this length."""
    if type(value) is str:
        return "".join(islice(cycle(value or slot.seen_characters), size))
    if type(value) in (list, tuple):
        items = list(value) or (list(slot.items.seen[:3]) if slot.items else [])
        return type(value)(islice(cycle(items), size)) if items else value
    return value


def _is_orderly(value: Value) -> bool:
    return type(value) in (list, tuple) and {*map(type, value)} <= {int, float}


def _texts(slot: Slot, value: Value) -> Iterator[tuple[str, Value]]:
    if type(value) is str:
        # Forms of an empty text are all the same, so use another example instead.
        text = value or next((each for each in slot.seen if each), slot.seen_characters[:3])
        if not slot.choices and len(text) <= _LONGEST:
            text = text.strip() or text
            # Kinds take turns, because only the first guaranteed inputs fit into a small suite.
            yield from in_turn([_blanked(text), _in_pieces(text), _numerals(text), _variants(text)])
    elif type(value) in (list, tuple) and slot.items is not None and slot.positions is None:
        for name, made in _texts(slot.items, value[-1]) if value else ():
            if slot.items.domain.explain(made) is None:
                if name in ("part", "numeral"):  # only with the text that it was built from
                    yield name, type(value)([value[-1], made])
                    yield name, type(value)([made, value[-1]])
                else:
                    yield name, type(value)([*value[:-1], made])
    else:
        yield from _of_fields(slot, value, _texts)


def _of_fields(
    slot: Slot, value: Value, forms: Callable[[Slot, Value], Iterator[tuple[str, Value]]]
) -> Iterator[tuple[str, Value]]:
    """Yield a record with one field in each of its forms; fields take turns.

    Only with a contract: examples seldom show which forms a field may have.
    """
    if not slot.domain.has_any_characters:
        return iter(())

    def changed(field: Any, inner: Slot) -> Iterator[tuple[str, Value]]:
        for name, made in forms(inner, value[field]):
            yield name, _with_field(value, field, made)

    return in_turn([changed(*each) for each in _fields(slot, value)])


def _fields(slot: Slot, value: Value) -> list[tuple[Any, Slot]]:
    """Return the keys of a dictionary, or the positions of a row, with their slots."""
    if type(value) is dict and slot.values is not None:
        return [(name, slot.values) for name in islice(value, _FIELDS)]
    if type(value) in (list, tuple) and len(slot.positions or ()) == len(value):
        return list(enumerate(slot.positions or ()))
    return []


def _with_field(value: Value, field: Any, made: Value) -> Value:
    if type(value) is dict:
        return {**value, field: made}
    return type(value)([*value[:field], made, *value[field + 1 :]])


def _blanked(text: str) -> Iterator[tuple[str, str]]:
    middle = len(text) // 2
    # Before the last character, at the end, inside, at the start, alone, and in place of blanks:
    # programs that split at " ", strip only one end or test for emptiness fail on different ones.
    for blank in BLANKS:
        yield "blank", text[:-1] + blank + text[-1:]
        yield "blank", text + blank
        yield "blank", text[:middle] + blank + text[middle:]
        yield "blank", blank + text
        yield "blank", blank
        if " " in text and blank != " ":
            yield "blank", text.replace(" ", blank)


def _in_pieces(text: str) -> Iterator[tuple[str, str]]:
    """Yield a text with more and with fewer pieces between its signs: versions, paths, lists."""
    for sign in dict.fromkeys(each for each in text if not each.isalnum()):
        pieces = text.split(sign)
        for some in ([*pieces, "0"], [*pieces, pieces[0]], pieces[:-1], pieces[:1], pieces[::-1]):
            yield "part", sign.join(some)


def _numerals(text: str) -> Iterator[tuple[str, str]]:
    parts = tokens(text)
    for at, part in enumerate(parts):
        # Only the first tokens, since a list of many numbers would use up all turns.
        if at < 6 and is_numeral(part):
            for other in (part + "000", "0" + part, part[1:], "0" * len(part), str(int(part) + 1)):
                yield "numeral", "".join([*parts[:at], other, *parts[at + 1 :]])
            if parts[at + 1 : at + 2] == ["."] and is_numeral("".join(parts[at + 2 : at + 3])):
                for other in _DECIMALS:
                    yield "numeral", "".join([*parts[:at], other, *parts[at + 3 :]])


def _variants(text: str) -> Iterator[tuple[str, str]]:
    for case in (str.upper, str.lower, str.title, str.swapcase):
        yield "case", case(text)
    # Lower and upper case outside ASCII, a letter without case, and one whose upper case has two
    # letters.
    for letter in "éÉ漢ß":
        yield "script", "".join(letter if each.isalpha() else each for each in text)
        yield "script", text + letter
    yield from (("twin", made) for made in (text * 2, text[::-1], text + text[::-1], text[:-1]))
    yield from (("mark", text + mark) for mark in ("!", ".", "-", "0", "'s", "_"))
    yield from (("mark", mark + text) for mark in ("-", "0", "+", "."))
    yield from (("run", text[:1] * count) for count in _RUNS)
    for kind in ("0123456789", "abcdefghij", "aeiou", "bcdfghjk", "AEIOU", "!?.,;:-_"):
        yield "only", "".join(islice(cycle(kind), max(1, len(text))))
    if words := text.split() if " " in text else []:
        for count in (2, 3, 5, 8, 13, 21):
            yield "words", " ".join(islice(cycle(words), count))
            yield "words", " ".join(words[:1] * count)
            yield "words", " ".join(word for word in words[:count] for _ in range(2))
    yield from (("shift", made + text[:-1]) for made in "0 a")
    # A separator is moved by one place, to the left and to the right.
    marks = [at for at, each in enumerate(text[:-1]) if at and not each.isalnum()]
    for at in marks[:4]:
        yield "shift", text[: at - 1] + text[at] + text[at - 1] + text[at + 1 :]
        yield "shift", text[:at] + text[at + 1] + text[at] + text[at + 2 :]


def _of_types(slots: Sequence[Slot], models: Sequence[Arguments]) -> Inputs:
    """Yield inputs whose numbers are ints and floats in all combinations."""
    for arguments in models[:2]:
        ways = [_as_types(slot, each) for slot, each in zip(slots, arguments, strict=False)]
        # The first combination is the model itself. Up to four arguments are combined in all ways.
        combined = islice(product(*ways), 1, 17)
        yield from (("type", made) for made in combined if key(made) != key(arguments))


def _as_types(slot: Slot, value: Value) -> list[Value]:
    kinds = (*slot.domain.kinds, *slot.domain.also)
    # Floats hold every int up to 1e15. NaN and infinities fail the comparison.
    if type(value) in (int, float) and {int, float} <= {*kinds} and abs(value) < 1e15:
        return [value, float(value) if type(value) is int else int(value)]
    if type(value) in (list, tuple) and slot.items is not None and value:
        *rest, last = value
        return [type(value)([*rest, each]) for each in _as_types(slot.items, last)]
    return [value]


# Types that no example has: probed, since only contract and reference decide where they are valid.


@dataclass(frozen=True, slots=True)
class Probe:
    """An input with one value of a foreign type; ``place`` is its argument, depth, and old type."""

    arguments: Arguments
    place: tuple[int, int, type]
    kind: type


def probes(base: Sequence[Arguments]) -> list[Probe]:
    """Return inputs with the first or last value at a depth replaced by foreign ones."""
    found: dict[bytes, Probe] = {}
    for arguments in _models(base)[:2]:
        for at, depth in product(range(len(arguments)), range(_DEEPEST + 1)):
            for new, step in product(FOREIGN, (-1, 1)):
                if pair := _exchanged(arguments[at], depth, new, step):
                    made = _with(arguments, at, pair[1])
                    found.setdefault(key(made), Probe(made, (at, depth, pair[0]), type(new)))
    return [each for identity, each in found.items() if identity not in set(map(key, base))]


def _exchanged(value: Value, depth: int, new: Value, step: int) -> tuple[type, Value] | None:
    """Replace the first value at a depth (the last for a step of -1); return its old type, and the
    whole value."""
    kind = type(value)
    if depth == 0:
        return None if kind is type(new) else (kind, new)
    for at in range(len(value))[::step] if kind in (list, tuple) else ():
        if pair := _exchanged(value[at], depth - 1, new, step):
            return pair[0], kind([*value[:at], pair[1], *value[at + 1 :]])
    return None


def at_open_places(tried: Sequence[Probe], accepted: Sequence[int]) -> list[int]:
    """Return the accepted probes to use as tests: floats and strings where any type is accepted,
    and floats in place of ints. Places take turns."""
    places: dict[object, list[int]] = defaultdict(list)
    for at in accepted:
        places[tried[at].place].append(at)
    chosen = []
    for some in places.values():
        old, kinds = tried[some[0]].place[-1], {tried[at].kind for at in some}
        is_open = {*map(type, FOREIGN)} - {old} <= kinds
        wanted = _MIXED if is_open else (float,) if old is int else ()
        chosen.append(iter([at for at in some if tried[at].kind in wanted]))
    return list(in_turn(chosen))


# Two arguments of a type: equal, swapped, one a prefix of the other.


def _related(slots: Sequence[Slot], models: Sequence[Arguments]) -> Inputs:
    for arguments in models:
        for one, other in combinations(range(min(len(arguments), len(slots))), 2):
            a, b = arguments[one], arguments[other]
            if type(a) is not type(b):
                continue
            pairs = [(b, a), (a, a), (b, b)]
            if type(a) in (str, list, tuple):
                tails = [a[-1:], a[-2:], b, *([".0"] if type(a) is str else [])]
                pairs += [both for tail in tails for both in ((a, a + tail), (a + tail + tail, a))]
                pairs += [(a[:-1], a), (a, a[1:]), (a, a[::-1]), (a[:0], b), (a, b[:0])]
            for first, second in pairs:
                yield "related", _with(_with(arguments, one, first), other, second)


def _linked(models: Sequence[Arguments]) -> Inputs:
    """Yield inputs with an argument that is a part of another: a key, an element, a field."""
    for arguments in models:
        found = {
            (at, part): None
            for at, value in enumerate(arguments)
            if type(value) in (str, int)
            for other in arguments
            for part in _atoms(other, type(value))
            if part != value
        }
        yield from (("linked", _with(arguments, at, part)) for at, part in found)


def _atoms(value: Value, kind: type) -> Iterator[Value]:
    """Yield the keys and elements of a type in a container, to a depth, the outer ones first."""
    level = [value]
    for _ in range(_DEEPEST):
        inner = [
            part
            for each in level
            if type(each) in (list, tuple, dict)
            for part in ([*each, *each.values()] if type(each) is dict else each)
        ][:_PARTS]
        yield from (part for part in inner if type(part) is kind)
        level = inner


def _numbers(slot: Slot, value: Value) -> Iterator[tuple[str, Value]]:
    kind, items = type(value), slot.items
    if kind in (int, float) and not slot.choices:
        for text in _DECIMALS if kind is float else ():
            yield "number", float(text)
        for number in (*_NUMBERS, *[-each for each in _NUMBERS]):
            yield "number", kind(number)
    yield from _of_fields(slot, value, _numbers)
    if kind not in (list, tuple) or items is None or slot.has_fixed_size or slot.positions:
        return
    if {int, float} & {*items.domain.kinds}:
        as_kind = int if int in items.domain.kinds else float
        low, high = items.domain.lowest, items.domain.highest
        # The extremes are those of the domain, but moderate: challenges have the huge numbers.
        highest = as_kind(_LARGE if high is None else min(high, _LARGE))
        lowest = as_kind(-_LARGE if low is None else max(low, -_LARGE))
        one, two = as_kind(1), as_kind(2)
        for made in (
            [highest] * 3, [highest, lowest, highest, lowest], [lowest, lowest],
            [highest, highest - one, highest], [one] * 5, [lowest, one, highest, one, lowest],
            [one, one, two, two], [two, one, two, one, two], [two] * 20 + [one], [one] * 21,
            [highest, one, one, highest], [as_kind(0)] * 4, [as_kind(0), highest, as_kind(0)],
            [*map(as_kind, range(12))], [*map(as_kind, range(12, 0, -1))],
        ):  # fmt: skip
            yield "crossed", kind(made)
            if sorted(made) != made:
                yield "crossed", kind(sorted(made))
    elif value and type(value[-1]) in (list, tuple, dict):
        for name, row in _numbers(items, value[-1]):
            if items.domain.explain(row) is None:
                yield name, kind([*value[:-1], row])


def _records(slot: Slot, value: Value) -> Iterator[tuple[str, Value]]:
    """Yield lists of records with ties in each field, and with strings that share a prefix."""
    kind, items = type(value), slot.items
    if kind not in (list, tuple) or items is None or not value:
        return
    fields = [field for field, _ in _fields(items, value[0])]
    if not fields or any(type(row) is not type(value[0]) for row in value):
        return
    # A tie takes two records.
    rows = [*value, *value][: max(2, len(value))] if not slot.has_fixed_size else [*value]
    for field in fields:
        first = rows[0][field]
        changes = [(row, first) for row in rows]
        if type(first) is str and first and ord(first[-1]) + len(rows) <= sys.maxunicode:
            # Strings that differ only in the last character, in descending order, so that a sort
            # must compare whole strings.
            ends = range(ord(first[-1]) + len(rows), ord(first[-1]), -1)
            changes = [(rows[0], first[:-1] + chr(end)) for end in ends]
        made = [_with_field(row, field, new) for row, new in changes]
        yield "tie", kind(made)
        yield "tie", kind(made[::-1])
    yield "tie", kind(rows[::-1])


def _sizes(slot: Slot, value: Value) -> Iterator[tuple[str, Value]]:
    if type(value) in (str, list, tuple) and not slot.has_fixed_size and not slot.choices:
        for size in _LENGTHS:
            made = _resized(slot, value, size)
            yield "length", made
            if _is_orderly(made) and size > 1:
                yield "length", type(value)(sorted(made))
    elif type(value) is dict:
        for size in range(len(value)):
            yield "length", dict(islice(value.items(), size))
            yield "length", dict(islice(reversed(value.items()), size))


def _dates(base: Sequence[Arguments], arguments: Arguments) -> Inputs:
    """Yield inputs with dates and times that reveal faults: single ones, then pairs."""
    # Infer the format from all base inputs, since one date may leave day and month ambiguous.
    columns = ([each[at] for each in base if len(each) > at] for at in range(len(arguments)))
    forms = {
        at: form
        for at, column in enumerate(columns)
        if (form := DateForm.of([each for each in column if type(each) is str]))
    }
    days = {at: list(form.telling()) for at, form in forms.items()}
    for at, value in enumerate(arguments):
        if type(value) is str and has_times(value) and len(value) == len(TELLING_TIMES[0]):
            days[at] = list(TELLING_TIMES)
    numbers = [at for at, each in enumerate(arguments) if type(each) is int]
    for one, other in combinations(forms, 2):
        for pair in zip(forms[one].pairs(), forms[other].pairs(), strict=True):
            yield "date", _with(_with(arguments, one, pair[0][0]), other, pair[1][1])
    for at, texts in days.items():
        for text in texts:
            yield "date", _with(arguments, at, text)
            # An int next to a date is often a number of days.
            for place, count in product(numbers, (0, 1, 365)):
                yield "date", _with(_with(arguments, at, text), place, count)
    # Pairs come last, since they are the most.
    for one, other in combinations(days, 2):
        for first, second in product(days[one][:12], days[other][:12]):
            yield "date", _with(_with(arguments, one, first), other, second)
