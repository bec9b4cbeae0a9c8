"""Inference of domains from examples.

Without a contract, a domain is *inferred*: it stays close to the examples, because nothing else
keeps inputs valid. With a contract it is *typed*: it keeps types and fixed forms, and allows
printable ASCII plus the examples' characters. Published contracts alone were measured to accept
inputs that no prompt intends, such as an empty string for a list.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evalplus_lite.generate.domains.domain import Domain, union
from evalplus_lite.generate.domains.evidence import Ledger
from evalplus_lite.generate.domains.layout import FORMATS, Layout
from evalplus_lite.generate.domains.profile import (
    CONTAINERS,
    SEQUENCES,
    SIZED,
    Profile,
    SizeRange,
    View,
    elements_of,
)
from evalplus_lite.generate.domains.text import (
    PRINTABLE,
    WELL_FORMED,
    DateForm,
    closed,
    has_common_pattern,
    widen,
    widths_of,
    words_of,
)
from evalplus_lite.generate.domains.words import (
    ANY_CASE,
    ANY_NUMBER,
    ANY_TEXT,
    BLANK_LINES,
    EQUAL_ROWS,
    MAY_BE_EMPTY,
    MAY_BE_ZERO,
    NO_NUMBER,
    OF_ANY_SIGN,
    OF_ONE_SIGN,
    OTHER_TEXT,
    WORDS,
    listed,
    mentions,
    most_decimals,
    multiple_of,
    quoted_words,
    says_size,
    stands_alone,
    undenied,
)
from evalplus_lite.types import Value
from evalplus_lite.values.identity import key
from evalplus_lite.values.kinds.kind import Kind
from evalplus_lite.values.kinds.registry import BY_TYPE

# Columns: for each slot of the inputs, the examples' values there.

Values = Sequence[Value]


class Column:
    """The values at one slot, grouped by example; ``name`` and ``text`` identify the slot."""

    def __init__(self, groups: Sequence[Values], name: str, text: str) -> None:
        self.groups = [group for group in groups if group]
        self.name, self.text = name, text

    @classmethod
    def of_argument(cls, examples: Sequence[Sequence[Value]], position: int) -> Column:
        """Return the column of an argument."""
        # Group by example, so that support counts examples rather than elements.
        groups = [[each[position]] if len(each) > position else [] for each in examples]
        return cls(groups, str(position), f"argument {position}")

    def elements(self) -> Column:
        """Return the column of the elements of lists, tuples and sets."""
        return self._inner(
            "items",
            "the elements of",
            lambda value: elements_of(value) if type(value) in CONTAINERS else (),
        )

    def keys(self) -> Column:
        """Return the column of the keys of dicts."""
        return self._inner("keys", "the keys of", lambda v: v if type(v) is dict else ())

    def values(self) -> Column:
        """Return the column of the values of dicts."""
        return self._inner(
            "values", "the values of", lambda v: v.values() if type(v) is dict else ()
        )

    def view(self, kind: Kind) -> Column:
        """Return the column of the views of an extended type's values."""
        return self._inner(
            kind.name,
            f"the {kind.name} of",
            lambda value: (kind.view(value),) if type(value) is kind.type else (),
        )

    def field(self, position: int) -> Column:
        """Return the column of one field of records."""
        return self._inner(
            str(position),
            f"field {position} of",
            lambda value: value[position : position + 1] if type(value) in SEQUENCES else (),
        )

    @property
    def is_in_dict(self) -> bool:
        """Whether the slot is inside a dict."""
        return ".[" in self.name or ".values" in self.name

    def entry(self, name: str) -> Column:
        """Return the column of the values of one key of dicts."""
        return self._inner(
            f"[{name}]",
            f"field {name} of",
            lambda value: (value[name],) if type(value) is dict else (),
        )

    def seen(self, informs: Callable[[Value], bool]) -> int:
        """Return the number of distinct examples with an informative value."""
        # Examples that are equal here count once, however they differ elsewhere.
        return len({key(list(each)) for each in self.groups if any(map(informs, each))})

    def distinct(self, informs: Callable[[Value], bool]) -> int:
        """Return the number of distinct informative values in all examples together."""
        return len({key(value) for group in self.groups for value in group if informs(value)})

    def _inner(self, step: str, text: str, part: Callable[[Value], Value]) -> Column:
        # Keep the groups: the elements of one example are one piece of evidence.
        groups = [[inner for value in group for inner in part(value)] for group in self.groups]
        return Column(groups, f"{self.name}.{step}", f"{text} {self.text}")


# Finding the constraints at one slot of the inputs and submitting them to the ledger.

_MOST_CHARACTERS = 40
_OFTEN = 4


class ConstraintFinder:
    """Finds the constraints at one slot; ``column`` has the values of the examples there."""

    def __init__(self, column: Column, ledger: Ledger) -> None:
        self._column, self._ledger = column, ledger
        self._position = int(column.name.partition(".")[0])
        self._text = ledger.about(self._position)

    def mentions(self, words: str) -> bool:
        """Return whether the text that may be about this argument matches one of these words."""
        return mentions(self._text, words)

    def permits(self, words: str) -> bool:
        """Return whether the text has one of these words, and not only where it denies them."""
        return mentions(undenied(self._text), words)

    def most_decimals(self) -> int | None:
        """Return the maximum number of decimals, if the text states one."""
        return most_decimals(self._text)

    def multiple_of(self) -> int:
        """Return a divisor of all numbers that the text states and the examples confirm, or 1."""
        step = multiple_of(self._text)
        numbers = [v for group in self._column.groups for v in group if type(v) in (int, float)]
        return step if all(number % step == 0 for number in numbers) else 1

    def listed(self) -> frozenset[str]:
        """Return the words of enumerations in the task's text."""
        return listed(self._text)

    def is_element(self) -> bool:
        """Return whether the slot is inside a container."""
        return "." in self._column.name

    def is_field(self) -> bool:
        """Return whether the slot is one key of records."""
        return self._column.name.endswith("]")

    def is_not_negative(self) -> bool:
        """No number is below zero; only numbers other than zero are evidence."""
        return self._takes("not-negative", "never negative", lambda v: _is_number(v) and v != 0)

    def is_not_positive(self) -> bool:
        """No number is above zero."""
        return self._takes("not-positive", "never positive", lambda v: _is_number(v) and v != 0)

    def is_not_zero(self) -> bool:
        """No number is zero, and the text does not mention zero."""
        if self.mentions(f"{MAY_BE_ZERO}|{ANY_NUMBER}"):
            return False
        return self._takes("not-zero", "never zero", _is_number)

    def has_magnitude_bound(self, max_magnitude: float) -> bool:
        """Numbers have at most this magnitude."""
        try:
            words = f"from {-max_magnitude:g} to {max_magnitude:g}"
        except OverflowError:  # an integer beyond all floats
            words = f"of at most {int(max_magnitude).bit_length()} bits"
        return self._takes("reach", words, _is_number)

    def is_not_empty(self) -> bool:
        """No string or container is empty, and the text does not mention empty ones."""
        # "A list may be empty" says nothing about the strings in it.
        texts = self.is_element() and all(type(v) is str for g in self._column.groups for v in g)
        said = rf"empty (?:strings?|texts?|words?)|{BLANK_LINES}" if texts else MAY_BE_EMPTY
        if self.permits(said):
            return False
        return self._takes("not-empty", "never empty", _is_sized)

    def has_size(self, sizes: SizeRange) -> bool:
        """All strings and containers have the same length; each distinct value is evidence."""
        if sizes.smallest != sizes.largest:
            return False
        # Count values, not examples: two lists in one example are two chances to differ.
        seen = self._column.distinct(_is_sized)
        texts = all(type(v) is str for group in self._column.groups for v in group)
        if texts and self.mentions(ANY_TEXT):
            return False
        is_said = says_size(self._text, sizes.smallest)
        return self._put("size", f"always of length {sizes.smallest}", seen, is_said=is_said)

    def has_size_bound(self, largest: int) -> bool:
        """Strings and containers are no longer than this."""
        return self._takes("length", f"at most {largest} long", _is_sized)

    def has_characters(self, characters: str) -> bool:
        """Characters are of the same classes as in the examples."""
        shown = (
            characters
            if len(characters) <= _MOST_CHARACTERS
            else characters[:_MOST_CHARACTERS] + "..."
        )
        return self._takes("letters", f"only characters of {shown!r}", _is_text)

    def has_closed_characters(self, counts: Mapping[str, int]) -> bool:
        """Some classes of characters are restricted to those in the examples."""
        narrow = "".join(closed(counts))
        if not narrow:
            return True
        # Only characters of restricted classes are evidence: a text without digits says nothing
        # about digits.
        used = "".join(each for each in counts if each in narrow)
        return self._put(
            "alphabet",
            f"of {_class_of(narrow)} only {used!r}",
            self._column.seen(lambda v: _is_text(v) and any(each in narrow for each in v)),
            is_said=stands_alone(self._text, used),
        )

    def has_widths(self, widths: Sequence[int]) -> bool:
        """Each run of digits has a fixed length."""
        shown = ", ".join(str(width or "any") for width in widths)
        seen = self._column.distinct(_is_text)
        return self._put("widths", f"numbers always of {shown} digits", seen)

    def is_well_formed(self, name: str) -> bool:
        """No string violates this property of ``text.WELL_FORMED``."""
        if name == "decimals" and self.mentions(f"{ANY_TEXT}|{NO_NUMBER}"):
            return False
        check = WELL_FORMED[name]
        seen = self._column.distinct(lambda value: _is_text(value) and check(value) is True)
        return self._put(name, f"well-formed {name}", seen)

    def has_dates(self) -> bool:
        """All strings are valid dates."""
        return self._put("dates", "always a day of the calendar", self._column.distinct(_is_text))

    def repeated_words(self, known: Collection[str]) -> frozenset[str] | None:
        """Return the allowed words, if examples repeat a few that prompt or reference quote."""
        values = [value for group in self._column.groups for value in group if _is_text(value)]
        quoted = {*quoted_words(self._text)}
        if len({*values}) > 1 and {*values} <= quoted:
            words = frozenset({*values, *(quoted & {*known})})
            if self._put("choices", f"one of {', '.join(sorted(words))[:80]}", len(values)):
                return words
        are_few = len(values) >= _OFTEN and 2 * len({*values}) <= len(values)
        if are_few and {*values} & {*known} and all(v.isalpha() and len(v) > 2 for v in values):
            words = frozenset({*values, *(word for word in known if word.isalpha())})
            if self._put("choices", f"one of {', '.join(sorted(words))[:80]}", len(values)):
                return words
        return None

    def has_layout(self) -> bool:
        """Strings have the format of the examples."""
        return self._put("layout", "in the format of the examples", self._column.distinct(_is_text))

    def has_keys(self, names: Collection[str]) -> bool:
        """Dicts have these keys."""
        text = f"always with the keys {', '.join(sorted(names))}"
        return self._put("fields", text, self._column.distinct(lambda v: type(v) is dict))

    def has_words(self) -> bool:
        """All words occur in the reference's vocabulary."""
        return self._takes("words", "only words that the reference knows", lambda v: bool(v))

    def is_record(self, fields: Sequence[Profile]) -> bool:
        """Each position of the lists or tuples has its own types."""
        kinds = ", ".join("/".join(kind.__name__ for kind in each.kinds) for each in fields)
        return self._takes("record", f"always ({kinds})", lambda v: type(v) in SEQUENCES)

    def is_uniform(self, profile: Profile) -> bool:
        """No container mixes types, although the examples have several."""
        inner = [part for part in (profile.items, profile.values) if part is not None]
        # With a single type there is nothing to mix, and no constraint to show to the user.
        if not any(len(part.kinds) > 1 for part in inner):
            return True
        return self._takes("uniform", "elements of one type in each", _is_larger)

    def is_rectangular(self) -> bool:
        """All rows of a container have the same length."""
        return self._takes("rectangular", "rows of one length in each", _is_larger)

    def is_square(self) -> bool:
        """Each container has as many rows as columns."""
        groups = self._column.groups
        # A list of two pairs is square by chance, so tables of two sizes, or a word in the text,
        # are needed.
        sizes = {len(value) for group in groups for value in group if _is_larger(value)}
        is_said = self.mentions(WORDS["square"])
        if not is_said and (len(sizes) < 2 or self.mentions(EQUAL_ROWS)):
            return False
        return self._takes("square", "as many rows as columns", _is_larger)

    def _takes(self, kind: str, text: str, informs: Callable[[Value], bool]) -> bool:
        return self._put(kind, text, self._column.seen(informs))

    def _put(self, kind: str, text: str, seen: int, *, is_said: bool = False) -> bool:
        return self._ledger.takes(
            f"{self._column.name}.{kind}",
            f"{self._column.text}: {text}",
            kind=kind,
            seen=seen,
            position=self._position,
            is_said=is_said,
        )


def _class_of(characters: str) -> str:
    names = (("a", "lower-case letters"), ("A", "upper-case letters"), ("0", "digits"))
    return " and ".join(name for first, name in names if first in characters)


def _is_number(value: Value) -> bool:
    return type(value) in (int, float)


def _is_text(value: Value) -> bool:
    return type(value) is str


def _is_sized(value: Value) -> bool:
    return type(value) in SIZED


def _is_larger(value: Value) -> bool:
    return type(value) in (dict, *CONTAINERS) and len(value) > 1


_GROWTH = 10
"""Factor from the largest example number to the inferred bound; lengths may double."""
_DEEPER = 2
"""Levels that freely nested values may have beyond those in the examples."""
_FLOOR = 100
_SIZE_FLOOR = 12


def inferred(
    profile: Profile, column: Column, ledger: Ledger, *, known: Collection[str] = ()
) -> Domain:
    """Return a domain close to the examples; ``known`` are the reference's string constants.

    ``column`` has the values that ``profile`` describes. ``ledger`` decides on each constraint.
    """

    def inner(part: Profile | None, values: Column) -> Domain | None:
        return inferred(part, values, ledger, known=known) if part else None

    def view(of: View[Profile], values: Column) -> Domain | None:
        if BY_TYPE[of.kind].is_atom and of.about.positions:
            return _near(of.about, values, ledger, is_signed=BY_TYPE[of.kind].is_signed)
        return _record(of.about, values, inner)

    finder = ConstraintFinder(column, ledger)
    positions = _positions(profile, column, finder, inner)
    lowest, highest = _bounds(profile, finder)
    values = inner(profile.values, column.values())
    if values and dict in values.kinds and profile.sizes and profile.sizes.smallest == 0:
        values = replace(values, smallest=0)  # nested dicts may be empty if outer ones are
    keys, required = inner(profile.keys, column.keys()), _required(column, finder, known)
    seen = profile.keys.text.values if profile.keys and profile.keys.text else ()
    if keys and required and {*seen} == {*required}:  # records: other fields are meaningless
        keys = replace(keys, words=frozenset(" ".join(required).split()))
    return Domain(
        lowest=lowest,
        highest=highest,
        multiple=finder.multiple_of(),
        **_text(profile, finder, known),
        items=inner(profile.items, column.elements()),
        positions=positions,
        keys=keys,
        values=values,
        required=required,
        fields={} if _is_recursive(column) else _fields(required, column, ledger, known),
        **_span(profile, finder, is_record=positions is not None),
        **_form(profile, finder),
        **_views(profile, column, view),
    )


def _required(
    column: Column, finder: ConstraintFinder, known: Collection[str]
) -> dict[str, frozenset[type]]:
    dicts = [value for group in column.groups for value in group if type(value) is dict]
    names = frozenset.intersection(*map(frozenset, dicts)) & {*known} if dicts else frozenset()
    if not names or not finder.has_keys(names):
        return {}
    # In trees, the types at any level are allowed at all levels.
    alike = [each for top in dicts for each in _nodes(top) if names <= each.keys()]
    return {name: frozenset(type(each[name]) for each in alike) for name in sorted(names)}


def _nodes(value: Value) -> Iterator[Value]:
    """Yield a dict and the dicts within its values, outermost first."""
    if type(value) is dict:
        yield value
        for each in value.values():
            yield from _nodes(each)


def _is_recursive(column: Column) -> bool:
    """Return whether dicts contain dicts with the same keys, as nodes of a tree do."""
    dicts = [value for group in column.groups for value in group if type(value) is dict]
    return any(each.keys() == top.keys() for top in dicts for each in [*_nodes(top)][1:])


def _fields(
    required: Collection[str], column: Column, ledger: Ledger, known: Collection[str]
) -> dict[str, Domain]:
    """Return the domains of record fields; none inside other dicts, where each level would double
    the work."""
    if column.is_in_dict:
        return {}
    columns = {name: column.entry(name) for name in required}
    return {
        name: inferred(
            Profile.of(value for group in each.groups for value in group), each, ledger, known=known
        )
        for name, each in columns.items()
    }


def typed(profile: Profile, column: Column, ledger: Ledger, *, characters: str = "") -> Domain:
    """Return a domain with the types and fixed forms of the examples, and printable ASCII.

    ``characters`` are also allowed in strings. Lists that mix lists with other values may nest a
    little deeper than in the examples.
    """
    return _deepened(_typed(profile, column, ledger, characters, is_inner=False))


def _typed(
    profile: Profile, column: Column, ledger: Ledger, characters: str, *, is_inner: bool = True
) -> Domain:
    def inner(part: Profile | None, values: Column) -> Domain | None:
        return _typed(part, values, ledger, characters) if part else None

    finder = ConstraintFinder(column, ledger)
    positions = _positions(profile, column, finder, inner)
    sizes = profile.sizes
    # A list that is itself an argument may have any length, unless its elements differ by position:
    # the contract decides whether the length matters.
    may_be_fixed = profile.kinds == (tuple,) or (is_inner and profile.kinds == (list,))
    has_size = may_be_fixed and sizes is not None and sizes.largest > 0 and finder.has_size(sizes)
    is_form = has_size or positions is not None
    return Domain(
        smallest=sizes.smallest if sizes and is_form else 0,
        largest=sizes.largest if sizes and is_form else None,
        alphabet="".join(sorted({*PRINTABLE, *characters, *profile.text.counts}))
        if profile.text
        else "",
        items=inner(profile.items, column.elements()),
        positions=positions,
        keys=inner(profile.keys, column.keys()),
        values=inner(profile.values, column.values()),
        **_form(profile, finder),
        **_views(profile, column, lambda of, values: _record(of.about, values, inner)),
    )


def _deepened(domain: Domain) -> Domain:
    """Return the domain with more levels if containers hold their own type among others."""
    items = domain.items
    # Lists with only lists are tables of a fixed depth. Those that mix lists with other values nest
    # freely.
    if items is None or items.kinds in ((list,), (tuple,)):
        return domain
    if not any(kind in items.kinds for kind in domain.kinds if kind in SEQUENCES):
        return domain
    within, depth = items, _DEEPER
    # Merge all levels in the examples into one domain, then nest it a few times.
    while (inner := within.items) is not None:
        plain = _joined(replace(within, items=None), replace(inner, items=None))
        within, depth = replace(plain, items=inner.items), depth + 1
    level = within
    for _ in range(depth):
        level = replace(within, items=level)
    return replace(domain, items=level)


def _joined(one: Domain, other: Domain) -> Domain:
    """Return a domain that admits the values of both, without bounds, forms or relations."""

    def part(first: Domain | None, second: Domain | None) -> Domain | None:
        return _joined(first, second) if first and second else first or second

    return Domain(
        union(one.kinds, other.kinds),
        has_special=one.has_special or other.has_special,
        alphabet="".join(sorted({*one.alphabet, *other.alphabet})),
        items=part(one.items, other.items),
        keys=part(one.keys, other.keys),
        values=part(one.values, other.values),
    )


def _positions(
    profile: Profile,
    column: Column,
    finder: ConstraintFinder,
    inner: Callable[[Profile, Column], Domain | None],
) -> tuple[Domain, ...] | None:
    if profile.positions is None:
        return None
    # Infer fields before testing for a record: their constraints are recorded either way.
    fields = [inner(each, column.field(at)) for at, each in enumerate(profile.positions)]
    is_record = finder.is_record(profile.positions)
    return tuple(field for field in fields if field is not None) if is_record else None


def _record(
    profile: Profile, column: Column, inner: Callable[[Profile, Column], Domain | None]
) -> Domain | None:
    """Return the domain of the views of one type; tuples have a domain for each field."""
    if not profile.positions:
        return inner(profile, column)
    fields = [inner(part, column.field(at)) for at, part in enumerate(profile.positions)]
    size = len(fields)
    return Domain((tuple,), smallest=size, largest=size, positions=tuple(filter(None, fields)))


def _near(profile: Profile, column: Column, ledger: Ledger, *, is_signed: bool) -> Domain | None:
    """Return a domain for the parts of dates, Decimals and the like, close to the examples.

    Constraints on them would mean nothing to the user, except on the sign of a number.
    """

    def near(part: Profile, values: Column) -> Domain:
        if is_signed and part is first:
            return inferred(part, values, ledger)
        # A separate ledger, whose constraints are discarded.
        domain = typed(part, values, Ledger())
        if part.numbers is None:
            return domain
        lowest, highest = part.numbers.lowest, part.numbers.highest
        reach = max(_GROWTH * max(abs(lowest), abs(highest)), _FLOOR)
        return replace(domain, lowest=-reach, highest=reach)

    first = profile.positions[0] if profile.positions else None
    return _record(profile, column, near)


def _views(
    profile: Profile, column: Column, inner: Callable[[View[Profile], Column], Domain | None]
) -> dict[str, Any]:
    """Return the fields about extended types; some allow only values from the examples."""
    kinds = [BY_TYPE[each.kind] for each in profile.views]
    seen = (value for group in column.groups for value in group)
    # Types that cannot be built from a plain value allow only values from the examples.
    seen_only = {kind.type for kind in kinds if kind.viewed is None}
    return {
        "choices": tuple({key(each): each for each in seen if type(each) in seen_only}.values()),
        "views": tuple(
            View(each.kind, each.like, domain)
            for each in profile.views
            if each.kind not in seen_only
            and (domain := inner(each, column.view(BY_TYPE[each.kind])))
        ),
    }


def _form(profile: Profile, finder: ConstraintFinder) -> dict[str, Any]:
    """Return the fields that inferred and typed domains have in common."""
    return {
        "kinds": profile.kinds,
        "has_common_pattern": profile.text is not None and has_common_pattern(profile.text.values),
        "has_special": profile.has_special,
        "is_uniform": profile.is_uniform and finder.is_uniform(profile),
        "is_rectangular": profile.is_rectangular and finder.is_rectangular(),
        "is_square": profile.is_square and finder.is_square(),
    }


def _text(profile: Profile, finder: ConstraintFinder, known: Collection[str]) -> dict[str, Any]:
    text = profile.text
    if text is None:
        return {}
    # From narrow to wide: a vocabulary already determines the characters, so their classes need not
    # be restricted as well.
    words = words_of(text.values, known)
    words = words if words is not None and finder.has_words() else finder.repeated_words(known)
    keep_closed = finder.has_closed_characters(text.counts) and words is None
    near = widen(text.counts, keep_closed=keep_closed)
    layout = Layout.of(
        text.values,
        known={*known, *finder.listed()},
        is_said=finder.mentions(FORMATS),
        decimals=finder.most_decimals(),
        may_be_blank=finder.mentions(BLANK_LINES),
    )
    # In lines with a head, only the rest is free text.
    has_head = layout is not None and layout.head
    if finder.mentions(OTHER_TEXT if has_head else ANY_TEXT):
        return {"alphabet": "".join(sorted({*PRINTABLE, *near}))}
    # A task that mentions whitespace includes tabs and newlines.
    if " " in near and finder.mentions("whitespace|white space|tabs?"):
        near = "".join(sorted({*near, *"\t\n"}))
    if finder.mentions(ANY_CASE):
        near = "".join(sorted({*near, *near.swapcase()}))
    dates = DateForm.of(text.values)
    widths = widths_of(text.values)
    return {
        "layout": layout if layout and finder.has_layout() else None,
        "widths": widths if widths and finder.has_widths(widths) else None,
        "well_formed": tuple(
            name
            for name, check in WELL_FORMED.items()
            if {*map(check, text.values)} - {None} == {True} and finder.is_well_formed(name)
        ),
        "dates": dates if dates and dates.is_strict and finder.has_dates() else None,
        "alphabet": near if finder.has_characters(near) else "".join(sorted({*PRINTABLE, *near})),
        "words": words,
    }


def _bounds(profile: Profile, finder: ConstraintFinder) -> tuple[float | None, float | None]:
    """Return bounds that keep signs: zero and negative numbers need examples."""
    # The numbers of one field are bounded together with those of the others.
    if profile.numbers is None or finder.is_field():
        return None, None
    low, high = profile.numbers.lowest, profile.numbers.highest
    max_magnitude = max(_GROWTH * max(abs(low), abs(high)), _FLOOR)
    lowest, highest = (
        (-max_magnitude, max_magnitude)
        if finder.has_magnitude_bound(max_magnitude)
        else (None, None)
    )
    is_not_zero = (low > 0 or high < 0) and finder.is_not_zero()
    # "A list of integers" promises no sign, whatever the examples have.
    is_any = finder.mentions(ANY_NUMBER) or (finder.is_element() and finder.permits(OF_ANY_SIGN))
    is_any = is_any and not finder.mentions(OF_ONE_SIGN)
    if low >= 0 and not is_any and finder.is_not_negative():
        lowest = min(low, 1) if is_not_zero else 0
    elif high <= 0 and finder.is_not_positive():
        highest = max(high, -1) if is_not_zero else 0
    return lowest, highest


def _span(profile: Profile, finder: ConstraintFinder, *, is_record: bool) -> dict[str, Any]:
    """Return limits of length: a fixed size is kept, and empty values need an empty example."""
    sizes = profile.sizes
    if sizes is None:
        return {"smallest": 0, "largest": None}
    bound = max(2 * sizes.largest, _SIZE_FLOOR)
    largest = bound if finder.has_size_bound(bound) else None
    smallest = int(sizes.smallest > 0 and finder.is_not_empty())
    is_one_size = sizes.smallest == sizes.largest > 0 and finder.has_size(sizes)
    if is_one_size or is_record:
        return {"smallest": sizes.smallest, "largest": sizes.largest}
    return {"smallest": smallest, "largest": largest}
