"""Boundary values: the limits and simple values of a slot's domain, simplest first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, pairwise

from evalplus_lite.generate.domains.profile import SEQUENCES, hashable
from evalplus_lite.generate.domains.text import CLASSES, is_numeral, tokens
from evalplus_lite.generate.engine.pool import in_turn
from evalplus_lite.generate.engine.scale import largest_magnitude, parts_of
from evalplus_lite.generate.engine.slots import Slot
from evalplus_lite.types import Value
from evalplus_lite.values.identity import key
from evalplus_lite.values.kinds.registry import BY_TYPE

_NUMBERS: tuple[int, ...] = (0, 1, -1, 2, -2, 3, 4, 5, 7, 9, 10, -10, 11, 12, 16, 99, 100, 101)
_FRACTIONS: tuple[float, ...] = (0.5, -0.5, 1.5, -1.5, 2.5, 0.1, 0.99, -0.1, 0.01, 1.01, 3.14159)
# Limits of fixed-width types, primes near round numbers, and the first int that floats cannot hold.
_LARGE: tuple[int, ...] = (
    255, 256, 999, 1000, 1001, -1000, 1024, 9999, 10**4, 12345, 65535, 10**5, 10**6, -(10**6),
    999983, 10**6 + 3, 2**31 - 1, 2**31, 10**9 + 7, -(10**9), 2**53 + 1, 2**63,
    10**18 + 9, -(10**18),
)  # fmt: skip
_MOST = 80
"""Limit on boundary values of a slot."""
_SAMPLE = 12
"""Number of elements that containers are built from."""
_LONG = 40
_MOST_PARTS = 10_000

Of = Callable[[Slot], list[Value]]
"""A function that returns the boundary values of an inner slot."""


def boundary_values(slot: Slot) -> list[Value]:
    """Return distinct boundary values of the slot that its domain admits, simplest first."""
    memo: dict[int, list[Value]] = {}

    def of(inner: Slot) -> list[Value]:
        # Several types of container may use the same elements: compute each slot once.
        if id(inner) not in memo:
            memo[id(inner)] = _values(inner, of)
        return memo[id(inner)]

    return of(slot)


def _values(slot: Slot, of: Of) -> list[Value]:
    found: dict[bytes, Value] = {}
    free = [kind for kind in slot.domain.kinds if kind not in slot.choices]
    made = [_BY_KIND[kind](slot, of) for kind in free if kind in _BY_KIND]
    made += map(iter, slot.choices.values())
    made += [_of_views(kind, slot, of) for kind in free if kind in BY_TYPE]
    # Types take turns, so that each contributes its simplest values. The domain may reject most
    # values, and some streams are long, so at most four times the limit are tried.
    for value in islice(in_turn(made), 4 * _MOST):
        # Check the size first: the domain would traverse all parts of a value.
        if not _is_small(value):
            continue
        if slot.domain.explain(value) is None and _is_within(value, slot):
            found.setdefault(key(value), value)
            if len(found) >= _MOST:
                break
    return list(found.values())


def _of_views(kind: type, slot: Slot, of: Of) -> Iterator[Value]:
    """Yield values of an extended type: its examples, then those with boundary values as views."""
    yield from () if BY_TYPE[kind].is_declared else BY_TYPE[kind].examples
    if kind in slot.views:
        yield from (slot.made(kind, view) for view in of(slot.views[kind]))


def _is_small(value: Value) -> bool:
    """Return whether a value has few parts; nested lists grow with every level."""
    waiting, seen = [value], 0
    while waiting:
        parts = parts_of(waiting.pop())
        seen += len(parts)
        if seen > _MOST_PARTS:
            return False
        waiting += parts
    return True


def _is_within(value: Value, slot: Slot) -> bool:
    kind = type(value)
    return (kind is not int and kind is not float) or slot.lowest <= value <= slot.highest


def _integers(slot: Slot, of: Of) -> Iterator[Value]:
    yield from _NUMBERS
    numbers = slot.profile.numbers
    if numbers is not None:
        for edge in (numbers.lowest, numbers.highest):
            if abs(edge) < 1e15:
                yield from (int(edge) - 1, int(edge) + 1, 2 * int(edge))
    # The limits of the domain itself, and the numbers just inside.
    for edge, step in ((slot.lowest, 1), (slot.highest, -1)):
        if abs(edge) < 1e30:
            yield from (int(edge), int(edge) + step)
    yield from _LARGE


def _floats(slot: Slot, of: Of) -> Iterator[Value]:
    # Whole numbers and fractions alternate, since only the first values are combined.
    yield from chain.from_iterable(zip(map(float, _NUMBERS), _FRACTIONS, strict=False))
    yield from map(float, _NUMBERS)
    numbers = slot.profile.numbers
    if numbers is not None:
        for edge in (numbers.lowest, numbers.highest):
            yield from (float(edge) + step for step in (-0.5, 0.5, -1.0, 1.0))
    yield from (-0.0, 1e-3, 1e-6, 1000.0, 123456.789, 1e6, 1e9, -1e6, 1e15, 1e-9)
    if slot.domain.has_special:
        yield from (float("inf"), float("-inf"), float("nan"))


def _texts(slot: Slot, of: Of) -> Iterator[Value]:
    characters = _leading(slot.seen_characters)
    yield ""
    # These come first, since a pattern rejects most of the texts below.
    if slot.domain.has_common_pattern or slot.domain.layout:
        yield from _refilled(slot)
    yield from characters[:4]
    for first, second in islice(pairwise(characters), 4):
        yield from (first + first, first + second, first + second + first, first * 3 + second)
    if " " in slot.seen_characters and characters:
        word = characters[0] * 2
        yield from (" ", "  ", f" {word}", f"{word} ", f"{word} {characters[-1]}")
        yield from (f"{word}  {word}", f"  {word}  {characters[-1]} ", f"{word}   {word}")
        yield " ".join(characters)
    yield from slot.characters[:1] and (slot.characters[0], slot.characters[-1])
    # All letters of a class, and all allowed characters.
    classes = [each for each in CLASSES if each[0] in slot.characters]
    yield from map("".join, (classes[:2], classes, *[[each] for each in classes]))
    yield "".join(sorted(slot.characters, key=lambda each: (not each.isalnum(), each)))
    # Limited, since a reference may contain a whole table of words.
    yield from islice(slot.state.constants.strings, 12)
    yield from islice(slot.state.constants.tokens, 24)
    yield from (characters[0] * _LONG, "".join(characters) * 3) if characters else ()
    yield "".join(characters)
    yield slot.seen_characters
    yield from (each for each in slot.characters if each not in slot.seen_characters)


def _refilled(slot: Slot) -> Iterator[str]:
    """Yield the first example string with boundary values for one or all of its numerals."""
    model = next((tokens(each) for each in slot.seen if type(each) is str and each), [])
    numerals = [at for at, token in enumerate(model) if is_numeral(token)]
    for digit in ("0", "1", "9"):
        for ats in (*[[at] for at in numerals], numerals):
            parts = list(model)
            for at in ats:
                width = len(model[at])
                parts[at] = digit.zfill(width) if digit == "1" else digit * width
            yield "".join(parts)
    for at in numerals:
        for number in (int(model[at]) + 1, max(0, int(model[at]) - 1)):
            yield "".join([*model[:at], str(number).zfill(len(model[at])), *model[at + 1 :]])


def _leading(characters: str) -> str:
    """Return a few characters of each class, so that short strings mix classes."""
    kinds = (str.islower, str.isupper, str.isdigit)
    chosen = [each for is_kind in kinds for each in [c for c in characters if is_kind(c)][:3]]
    others = [c for c in characters if not c.isalnum() and not c.isspace()][:6]
    return "".join([*chosen, *others])


def _bytestrings(slot: Slot, of: Of) -> Iterator[Value]:
    yield from (b"", b"\x00", b"\xff", b"a", b"\x00\x00", b"ab", b"aa", b"\x7f\x80")
    yield bytes(range(256))
    yield from slot.state.constants.bytestrings


def _lists(slot: Slot, of: Of) -> Iterator[list[Value]]:
    """Yield simple patterns of the elements' boundary values, shortest first."""
    if slot.positions is not None:
        sequences = (each for each in slot.seen if type(each) in SEQUENCES)
        # An example record, with one field at a time at a boundary.
        model = next((each for each in sequences if len(each) == len(slot.positions)), None)
        if model is not None:
            yield from in_turn(
                [_replaced(model, at, of(inner)) for at, inner in enumerate(slot.positions)]
            )
        return
    yield []
    if slot.items is None:
        return
    # Elements are boundary values themselves, simplest first.
    pool = of(slot.items)[:_SAMPLE]
    seen = list(slot.items.seen[:_SAMPLE])
    if slot.has_fixed_size and slot.profile.sizes:
        size = slot.profile.sizes.largest
        yield from ([value] * size for value in pool)
        return
    if slot.profile.is_rectangular:
        yield from _grids(slot, of)
        return
    yield from ([value] for value in pool)
    for one, other in pairwise(pool):
        yield from ([one, one], [one, other], [other, one], [one, other, one], [one, one, one])
        yield from ([one, one, other], [one, other, other])
    if _is_orderly(pool):
        # Sorted both ways: some contracts require an order, and some programs assume one.
        for some in (pool[:4], pool, seen):
            if _is_orderly(some):
                yield sorted(some)
                yield sorted(some, reverse=True)
    yield from (seen, pool, [*pool, *pool[::-1]], [*seen, *seen[::-1]])
    yield from _constants(slot.items)
    yield from ([value] for value in pool[6:])
    if pool:
        yield from (pool[:1] * 10, (pool[:2] * _LONG)[:_LONG], [*seen[:2]] * 5)


def _constants(items: Slot) -> Iterator[list[Value]]:
    """Yield lists of all constants of an element's type, so that one input hits every threshold."""
    constants = items.state.constants
    for pool in (constants.floats, constants.integers, constants.strings, constants.tokens):
        fitting = [each for each in pool[:_LONG] if items.domain.explain(each) is None]
        if fitting:
            yield from (fitting, fitting[: len(fitting) // 2], fitting[len(fitting) // 2 :])


def _replaced(model: Sequence[Value], at: int, choices: list[Value]) -> Iterator[list[Value]]:
    return ([*model[:at], choice, *model[at + 1 :]] for choice in choices)


def _grids(slot: Slot, of: Of) -> Iterator[list[Value]]:
    if slot.items is None or slot.items.items is None:
        return
    pool = of(slot.items.items)[:4]
    for rows, columns in ((1, 1), (2, 2), (1, 3), (3, 1), (3, 3), (2, 3), (5, 5)):
        for value in pool:
            yield [[value] * columns for _ in range(rows)]
        if pool:
            cells = [pool[at % len(pool)] for at in range(rows * columns)]
            yield [cells[row * columns : (row + 1) * columns] for row in range(rows)]
    yield [[]]


def _is_orderly(some: list[Value]) -> bool:
    kinds = set(map(type, some))
    return kinds <= {int, float} or (len(kinds) == 1 and kinds <= {str, bytes})


def _dicts(slot: Slot, of: Of) -> Iterator[Value]:
    yield {}
    if slot.keys is None or slot.values is None:
        return
    names, items = of(slot.keys)[:_SAMPLE], of(slot.values)[:_SAMPLE]
    yield from ({name: item} for name, item in zip(names, items, strict=False))
    yield dict(zip(names, items, strict=False))
    yield from (dict.fromkeys(names[:count], items[0]) for count in (2, 3, 5) if items)


_BY_KIND: dict[type, Callable[[Slot, Of], Iterator[Value]]] = {
    bool: lambda slot, of: iter((False, True)),
    int: _integers,
    float: _floats,
    complex: lambda slot, of: iter(
        (0j, 1 + 0j, 1j, -1j, 1 + 1j, -1 - 1j, 2.5 - 0.5j, 1000 + 1000j)
    ),
    str: _texts,
    bytes: _bytestrings,
    list: _lists,
    tuple: lambda slot, of: map(tuple, _lists(slot, of)),
    set: lambda slot, of: (set(hashable(value)) for value in _lists(slot, of)),
    frozenset: lambda slot, of: (frozenset(hashable(value)) for value in _lists(slot, of)),
    dict: _dicts,
    type(None): lambda slot, of: iter((None,)),
}


Assignment = dict[int, Value]
"""Boundary values by argument position."""

_LEADING = 10
"""Number of simplest values of each argument that are paired systematically, not at random."""


@dataclass(slots=True)
class _Boundaries:
    """The boundary values of one argument, and which have been tried."""

    slot: Slot
    values: dict[bytes, Value] = field(default_factory=dict)
    """By identity, simplest first."""
    waiting: deque[bytes] = field(default_factory=deque)
    rejected: set[bytes] = field(default_factory=set)
    usable: list[Value] = field(default_factory=list)
    """The values not rejected when tried alone, simplest first."""

    def refresh(self) -> None:
        """Append values that are newly within the magnitude bound."""
        for value in boundary_values(self.slot):
            identity = key(value)
            if identity not in self.values:
                self.values[identity] = value
                self.waiting.append(identity)
        # Recompute the usable values without those rejected since. The bound falls after slow
        # inputs, so values listed earlier may now be too large.
        rejected, max_magnitude = self.rejected, self.slot.state.max_magnitude
        self.usable = [
            value
            for known, value in self.values.items()
            if known not in rejected and largest_magnitude(value) <= max_magnitude
        ]


class BoundaryCombinations:
    """Chooses boundary values for arguments: single values, pairs, and random combinations."""

    def __init__(self, slots: Sequence[Slot], random: Callable[[], float]) -> None:
        self._random = random
        self._arguments = [_Boundaries(slot) for slot in slots]
        self._turn = 0
        self.refresh()
        # Pairs are listed when the first is drawn. Later values are tried alone or at random.
        self._pairwise = self._pairs()

    def refresh(self) -> None:
        """Update the values to the slots' current bounds."""
        for argument in self._arguments:
            argument.refresh()

    def draw(self) -> Assignment:
        """Return the next choice: a single value, a pair, or a random combination; may be empty."""
        if not self._arguments:
            return {}
        # Every second draw is a single value while there are some: values rejected alone need not
        # be combined. Of the others two in three are pairs while there are some, the rest random.
        self._turn += 1
        if self._turn % 2:
            single = self._single()
            if single:
                return single
        if len(self._arguments) > 1 and self._turn % 3:
            choice = next(self._pairwise, None)
            if choice is not None:
                return choice
        return self._random_subset()

    def learn(self, choice: Assignment, *, accepted: bool) -> None:
        """Record whether a single value was accepted; a rejected one is no longer combined."""
        # A rejected pair does not reveal which of its values was at fault.
        if len(choice) == 1:
            ((at, value),) = choice.items()
            rejected = self._arguments[at].rejected
            (rejected.discard if accepted else rejected.add)(key(value))

    def _single(self) -> Assignment:
        """Return the simplest untried value of the argument with the most left."""
        # Taking turns this way, all arguments run out at about the same time.
        at = max(range(len(self._arguments)), key=lambda at: len(self._arguments[at].waiting))
        argument = self._arguments[at]
        while argument.waiting:
            value = argument.values[argument.waiting.popleft()]
            if largest_magnitude(value) <= argument.slot.state.max_magnitude:
                return {at: value}
        return {}

    def _pairs(self) -> Iterator[Assignment]:
        """Yield pairs of two arguments' leading values, simplest first, unless rejected."""
        leading = [list(islice(argument.values.items(), _LEADING)) for argument in self._arguments]
        pairs = [
            (one + other, first, second, leading[first][one], leading[second][other])
            for first in range(len(leading))
            for second in range(first + 1, len(leading))
            for one in range(len(leading[first]))
            for other in range(len(leading[second]))
        ]
        # Sort by the sum of both ranks, so that pairs of simple values come first.
        for _, first, second, one, other in sorted(pairs, key=lambda pair: pair[:3]):
            rejected = (
                one[0] in self._arguments[first].rejected,
                other[0] in self._arguments[second].rejected,
            )
            max_magnitude = self._arguments[first].slot.state.max_magnitude
            if not any(rejected) and largest_magnitude([one[1], other[1]]) <= max_magnitude:
                yield {first: one[1], second: other[1]}

    def _random_subset(self) -> Assignment:
        """Return random values for a random subset of arguments, preferring simple values."""
        random = self._random
        choice: Assignment = {}
        # One argument is always chosen, so that the choice is not empty.
        always = int(random() * len(self._arguments))
        for at, argument in enumerate(self._arguments):
            values = argument.usable
            if values and (at == always or random() < 0.5):
                choice[at] = values[int(random() * random() * len(values))]
        return choice
