"""Inference of domains from examples.

Without a contract, a domain is *inferred*: it stays close to the examples, because nothing else
keeps inputs valid. With a contract it is *typed*: it keeps types and fixed forms, and allows
printable ASCII plus the examples' characters. Published contracts alone were measured to accept
inputs that no prompt intends, such as an empty string for a list.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any

from evalplus_lite.generate.domains.domain import Domain, union
from evalplus_lite.generate.domains.evidence import Ledger
from evalplus_lite.generate.domains.layout import FORMATS, Layout
from evalplus_lite.generate.domains.profile import CONTAINERS, SEQUENCES, SIZED, Profile, View
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
from evalplus_lite.values.kinds.registry import BY_TYPE

_MOST_CHARACTERS = 40
_OFTEN = 4
_GROWTH = 10
"""Factor from the largest example number to the inferred bound; lengths may double."""
_DEEPER = 2
"""Levels that freely nested values may have beyond those in the examples."""
_FLOOR = 100
_SIZE_FLOOR = 12


class ConstraintFinder:
    """Submits constraints at one slot to the ledger; ``profile`` has the examples' values there.

    ``text`` is the part of the task's text that may be about the slot's argument.
    """

    def __init__(self, profile: Profile, ledger: Ledger) -> None:
        self.profile, self.ledger = profile, ledger
        self._position = int(profile.name.partition(".")[0])
        self.text = ledger.about(self._position)

    def mentions(self, words: str) -> bool:
        """Return whether the text matches one of these words."""
        return mentions(self.text, words)

    def permits(self, words: str) -> bool:
        """Return whether the text has one of these words, and not only where it denies them."""
        return mentions(undenied(self.text), words)

    def takes(self, kind: str, text: str, informs: Callable[[Value], bool]) -> bool:
        """Return whether a constraint is required; informative examples support it."""
        return self.put(kind, text, self.profile.support(informs))

    def put(self, kind: str, text: str, seen: int, *, is_said: bool = False) -> bool:
        """Return whether a constraint is required, as ``Ledger.takes``."""
        return self.ledger.takes(
            f"{self.profile.name}.{kind}",
            f"{self.profile.place}: {text}",
            kind=kind,
            seen=seen,
            position=self._position,
            is_said=is_said,
        )

    @property
    def has_only_texts(self) -> bool:
        """Whether all values are strings."""
        return self.profile.kinds == (str,)

    def has_size(self) -> bool:
        """Return whether strings and containers must have one length.

        Values count rather than examples: two lists in one example are two chances to differ.
        """
        sizes = self.profile.sizes
        if sizes is None or sizes.smallest != sizes.largest or sizes.largest == 0:
            return False
        seen = self.profile.distinct(_is_sized)
        if self.has_only_texts and self.mentions(ANY_TEXT):
            return False
        is_said = says_size(self.text, sizes.smallest)
        return self.put("size", f"always of length {sizes.smallest}", seen, is_said=is_said)

    def has_closed_characters(self) -> bool:
        """Return whether some classes of characters are restricted to those in the examples."""
        counts = self.profile.characters
        narrow = "".join(closed(counts))
        if not narrow:
            return True
        # Only characters of restricted classes are evidence: a text without digits says nothing
        # about digits.
        used = "".join(each for each in counts if each in narrow)
        return self.put(
            "alphabet",
            f"of {_class_of(narrow)} only {used!r}",
            self.profile.support(lambda v: _is_text(v) and any(each in narrow for each in v)),
            is_said=stands_alone(self.text, used),
        )

    def well_formed(self) -> Iterator[str]:
        """Yield the properties of ``text.WELL_FORMED`` that strings must have."""
        for name, check in WELL_FORMED.items():
            is_free = name == "decimals" and self.mentions(f"{ANY_TEXT}|{NO_NUMBER}")
            if {*map(check, self.profile.texts)} - {None} == {True} and not is_free:
                seen = {value for value in self.profile.texts if check(value) is True}
                if self.put(name, f"well-formed {name}", len(seen)):
                    yield name

    def words(self, known: Collection[str]) -> frozenset[str] | None:
        """Return the only allowed words: the reference's vocabulary, or a few that examples repeat
        and prompt or reference quote."""
        words = words_of(self.profile.texts, known)
        if words is not None and self.takes("words", "only words that the reference knows", bool):
            return words
        values = list(filter(_is_text, self.profile.every))
        quoted = {*quoted_words(self.text)}
        if len({*values}) > 1 and {*values} <= quoted:
            words = frozenset({*values, *(quoted & {*known})})
            if self.put("choices", f"one of {', '.join(sorted(words))[:80]}", len(values)):
                return words
        are_few = len(values) >= _OFTEN and 2 * len({*values}) <= len(values)
        if are_few and {*values} & {*known} and all(v.isalpha() and len(v) > 2 for v in values):
            words = frozenset({*values, *(word for word in known if word.isalpha())})
            if self.put("choices", f"one of {', '.join(sorted(words))[:80]}", len(values)):
                return words
        return None

    def is_square(self) -> bool:
        """Return whether each container must have as many rows as columns."""
        # A list of two pairs is square by chance, so tables of two sizes, or a word in the text,
        # are needed.
        sizes = {len(value) for value in self.profile.every if _is_larger(value)}
        is_said = self.mentions(WORDS["square"])
        if not is_said and (len(sizes) < 2 or self.mentions(EQUAL_ROWS)):
            return False
        return self.takes("square", "as many rows as columns", _is_larger)


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


def inferred(profile: Profile, ledger: Ledger, *, known: Collection[str] = ()) -> Domain:
    """Return a domain close to the examples; ``known`` are the reference's string constants.

    ``ledger`` decides on each constraint.
    """

    def inner(part: Profile) -> Domain | None:
        return inferred(part, ledger, known=known) if part else None

    def view(of: View[Profile]) -> Domain | None:
        if BY_TYPE[of.kind].is_atom and of.about.positions:
            return _near(of.about, ledger, is_signed=BY_TYPE[of.kind].is_signed)
        return _record(of.about, inner)

    finder = ConstraintFinder(profile, ledger)
    positions = _positions(finder, inner)
    lowest, highest = _bounds(finder)
    values = inner(profile.values)
    if values and dict in values.kinds and profile.sizes and profile.sizes.smallest == 0:
        values = replace(values, smallest=0)  # nested dicts may be empty if outer ones are
    keys, required = inner(profile.keys), _required(finder, known)
    # Records: other fields are meaningless.
    if keys and required and profile.keys.texts and {*profile.keys.texts} == {*required}:
        keys = replace(keys, words=frozenset(" ".join(required).split()))
    # A stated divisor counts only if the examples confirm it.
    step = multiple_of(finder.text)
    is_multiple = all(number % step == 0 for number in filter(_is_number, profile.every))
    return Domain(
        lowest=lowest,
        highest=highest,
        multiple=step if is_multiple else 1,
        **_text(finder, known),
        items=inner(profile.items),
        positions=positions,
        keys=keys,
        values=values,
        required=required,
        fields=_fields(required, profile, ledger, known),
        **_span(finder, is_record=positions is not None),
        **_form(finder),
        **_views(profile, view),
    )


def _required(finder: ConstraintFinder, known: Collection[str]) -> dict[str, frozenset[type]]:
    dicts = [value for value in finder.profile.every if type(value) is dict]
    names = frozenset.intersection(*map(frozenset, dicts)) & {*known} if dicts else frozenset()
    text = f"always with the keys {', '.join(sorted(names))}"
    seen = finder.profile.distinct(lambda value: type(value) is dict)
    if not names or not finder.put("fields", text, seen):
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


def _fields(
    required: Collection[str], profile: Profile, ledger: Ledger, known: Collection[str]
) -> dict[str, Domain]:
    """Return the domains of record fields; none inside other dicts, where each level would double
    the work, or if dicts contain dicts with the same keys, as nodes of a tree do."""
    dicts = [value for value in profile.every if type(value) is dict]
    is_tree = any(each.keys() == top.keys() for top in dicts for each in [*_nodes(top)][1:])
    if is_tree or ".[" in profile.name or ".values" in profile.name:
        return {}
    return {name: inferred(profile.entry(name), ledger, known=known) for name in required}


def typed(profile: Profile, ledger: Ledger, *, characters: str = "") -> Domain:
    """Return a domain with the types and fixed forms of the examples, and printable ASCII.

    ``characters`` are also allowed in strings. Lists that mix lists with other values may nest a
    little deeper than in the examples.
    """
    return _deepened(_typed(profile, ledger, characters, is_inner=False))


def _typed(profile: Profile, ledger: Ledger, characters: str, *, is_inner: bool = True) -> Domain:
    def inner(part: Profile) -> Domain | None:
        return _typed(part, ledger, characters) if part else None

    finder = ConstraintFinder(profile, ledger)
    positions = _positions(finder, inner)
    sizes = profile.sizes
    # A list that is itself an argument may have any length, unless its elements differ by position:
    # the contract decides whether the length matters.
    may_be_fixed = profile.kinds == (tuple,) or (is_inner and profile.kinds == (list,))
    is_form = (may_be_fixed and finder.has_size()) or positions is not None
    return Domain(
        smallest=sizes.smallest if sizes and is_form else 0,
        largest=sizes.largest if sizes and is_form else None,
        alphabet="".join(sorted({*PRINTABLE, *characters, *profile.characters}))
        if profile.texts
        else "",
        items=inner(profile.items),
        positions=positions,
        keys=inner(profile.keys),
        values=inner(profile.values),
        **_form(finder),
        **_views(profile, lambda of: _record(of.about, inner)),
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
    finder: ConstraintFinder, inner: Callable[[Profile], Domain | None]
) -> tuple[Domain, ...] | None:
    """Return the domains of a record's fields, if each position has its own types."""
    positions = finder.profile.positions
    if positions is None:
        return None
    # Infer fields before testing for a record: their constraints are recorded either way.
    fields = tuple(filter(None, map(inner, positions)))
    kinds = ", ".join("/".join(kind.__name__ for kind in each.kinds) for each in positions)
    is_record = finder.takes("record", f"always ({kinds})", lambda v: type(v) in SEQUENCES)
    return fields if is_record else None


def _record(profile: Profile, inner: Callable[[Profile], Domain | None]) -> Domain | None:
    """Return the domain of the views of one type; tuples have a domain for each field."""
    if not profile.positions:
        return inner(profile)
    size = len(profile.positions)
    fields = tuple(filter(None, map(inner, profile.positions)))
    return Domain((tuple,), smallest=size, largest=size, positions=fields)


def _near(profile: Profile, ledger: Ledger, *, is_signed: bool) -> Domain | None:
    """Return a domain for the parts of dates, Decimals and the like, close to the examples.

    Constraints on them would mean nothing to the user, except on the sign of a number.
    """

    def near(part: Profile) -> Domain:
        if is_signed and profile.positions and part is profile.positions[0]:
            return inferred(part, ledger)
        # A separate ledger, whose constraints are discarded.
        domain = typed(part, Ledger())
        if part.numbers is None:
            return domain
        reach = max(_GROWTH * max(map(abs, part.numbers)), _FLOOR)
        return replace(domain, lowest=-reach, highest=reach)

    return _record(profile, near)


def _views(profile: Profile, inner: Callable[[View[Profile]], Domain | None]) -> dict[str, Any]:
    """Return the fields about extended types; some allow only values from the examples."""
    # Types that cannot be built from a plain value allow only values from the examples.
    seen_only = {each.kind for each in profile.views if BY_TYPE[each.kind].viewed is None}
    choices = {key(each): each for each in profile.every if type(each) in seen_only}
    return {
        "choices": tuple(choices.values()),
        "views": tuple(
            View(each.kind, each.like, domain)
            for each in profile.views
            if each.kind not in seen_only and (domain := inner(each))
        ),
    }


def _form(finder: ConstraintFinder) -> dict[str, Any]:
    """Return the fields that inferred and typed domains have in common."""
    profile, takes = finder.profile, finder.takes
    # With a single type there is nothing to mix, and no constraint to show to the user.
    is_mixed = len(profile.items.kinds) > 1 or len(profile.values.kinds) > 1
    return {
        "kinds": profile.kinds,
        "has_common_pattern": bool(profile.texts) and has_common_pattern(profile.texts),
        "has_special": profile.has_special,
        "is_uniform": profile.is_uniform
        and (not is_mixed or takes("uniform", "elements of one type in each", _is_larger)),
        "is_rectangular": profile.is_rectangular
        and takes("rectangular", "rows of one length in each", _is_larger),
        "is_square": profile.is_square and finder.is_square(),
    }


def _text(finder: ConstraintFinder, known: Collection[str]) -> dict[str, Any]:
    texts, counts = finder.profile.texts, finder.profile.characters
    if not texts:
        return {}
    # From narrow to wide: a vocabulary already determines the characters, so their classes need not
    # be restricted as well.
    words = finder.words(known)
    keep_closed = finder.has_closed_characters() and words is None
    near = widen(counts, keep_closed=keep_closed)
    layout = Layout.of(
        texts,
        known={*known, *listed(finder.text)},
        is_said=finder.mentions(FORMATS),
        decimals=most_decimals(finder.text),
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
    dates, widths, seen = DateForm.of(texts), widths_of(texts), finder.profile.distinct(_is_text)
    is_laid_out = layout and finder.put("layout", "in the format of the examples", seen)
    digits = ", ".join(str(width or "any") for width in widths or ())
    has_widths = widths and finder.put("widths", f"numbers always of {digits} digits", seen)
    well_formed = tuple(finder.well_formed())
    is_dated = dates and dates.is_strict
    is_dated = is_dated and finder.put("dates", "always a day of the calendar", seen)
    shown = near if len(near) <= _MOST_CHARACTERS else near[:_MOST_CHARACTERS] + "..."
    is_near = finder.takes("letters", f"only characters of {shown!r}", _is_text)
    return {
        "layout": layout if is_laid_out else None,
        "widths": widths if has_widths else None,
        "well_formed": well_formed,
        "dates": dates if is_dated else None,
        "alphabet": near if is_near else "".join(sorted({*PRINTABLE, *near})),
        "words": words,
    }


def _bounds(finder: ConstraintFinder) -> tuple[float | None, float | None]:
    """Return bounds that keep signs: zero and negative numbers need examples or a mention."""
    numbers, takes = finder.profile.numbers, finder.takes
    # The numbers of one field are bounded together with those of the others.
    if numbers is None or finder.profile.name.endswith("]"):
        return None, None
    low, high = numbers
    most = max(_GROWTH * max(abs(low), abs(high)), _FLOOR)
    try:
        words = f"from {-most:g} to {most:g}"
    except OverflowError:  # an integer beyond all floats
        words = f"of at most {int(most).bit_length()} bits"
    lowest, highest = (-most, most) if takes("reach", words, _is_number) else (None, None)
    is_not_zero = (
        (low > 0 or high < 0)
        and not finder.mentions(f"{MAY_BE_ZERO}|{ANY_NUMBER}")
        and takes("not-zero", "never zero", _is_number)
    )
    # "A list of integers" promises no sign, whatever the examples have.
    is_any = finder.mentions(ANY_NUMBER) or (
        "." in finder.profile.name and finder.permits(OF_ANY_SIGN)
    )
    is_any = is_any and not finder.mentions(OF_ONE_SIGN)

    def has_sign(value: Value) -> bool:
        return _is_number(value) and value != 0

    if low >= 0 and not is_any and takes("not-negative", "never negative", has_sign):
        lowest = min(low, 1) if is_not_zero else 0
    elif high <= 0 and takes("not-positive", "never positive", has_sign):
        highest = max(high, -1) if is_not_zero else 0
    return lowest, highest


def _span(finder: ConstraintFinder, *, is_record: bool) -> dict[str, Any]:
    """Return limits of length: a fixed size is kept, and empty values need an empty example, or a
    mention in the text."""
    sizes = finder.profile.sizes
    if sizes is None:
        return {"smallest": 0, "largest": None}
    bound = max(2 * sizes.largest, _SIZE_FLOOR)
    largest = bound if finder.takes("length", f"at most {bound} long", _is_sized) else None
    # "A list may be empty" says nothing about the strings in it.
    texts = "." in finder.profile.name and finder.has_only_texts
    said = rf"empty (?:strings?|texts?|words?)|{BLANK_LINES}" if texts else MAY_BE_EMPTY
    is_not_empty = (
        sizes.smallest > 0
        and not finder.permits(said)
        and finder.takes("not-empty", "never empty", _is_sized)
    )
    if finder.has_size() or is_record:
        return {"smallest": sizes.smallest, "largest": sizes.largest}
    return {"smallest": int(is_not_empty), "largest": largest}
