"""Slots: the generator's state at one position of the inputs, and mutation there."""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.domains.domain import Domain
from evalplus_lite.generate.domains.profile import (
    CONTAINERS,
    NOTHING,
    SIZED,
    Profile,
    elements_of,
    hashable,
    made,
)
from evalplus_lite.generate.domains.text import BRACKETS, token_kind, tokens
from evalplus_lite.generate.operators import containers, numbers, strings
from evalplus_lite.generate.operators.numbers import LANDMARKS
from evalplus_lite.generate.operators.registry import (
    OPERATORS,
    Family,
    Operator,
    below,
    pick,
    shuffle,
)
from evalplus_lite.types import Value
from evalplus_lite.values.identity import key
from evalplus_lite.values.kinds.registry import BY_TYPE


class OperatorTable(NamedTuple):
    """The operators for one type at one slot, with their cumulative weights."""

    operators: Sequence[Operator]
    cumulative: Sequence[float]

    def draw(self, random: Callable[[], float]) -> Operator:
        """Return an operator, chosen by weight."""
        return self.operators[bisect(self.cumulative, random() * self.cumulative[-1])]


_USUAL = 8
"""Most containers and texts are at most this long."""
_DEEP = 6


def _of_kind(kind: type, slot: Slot) -> Value:
    # Choices come first: types with listed values have no others.
    if kind in slot.choices:
        return pick(slot, slot.choices[kind])
    if kind in slot.views:
        return slot.made(kind, slot.views[kind].sample())
    if kind in BY_TYPE:  # from an annotation, without examples
        return pick(slot, BY_TYPE[kind].examples)
    # NoneType has no maker: its only value is the default.
    maker = _MAKERS.get(kind)
    return maker(slot) if maker else None


def integer(slot: Slot) -> int:
    """Return an int: small, a known one, a constant, or of any size within the bounds."""
    way = slot.random()
    low, high = slot.lowest, slot.highest
    if way < 0.35:
        number = below(slot, 13) - 2
    elif way < 0.5:
        number = slot.constant(int) or int(pick(slot, LANDMARKS))
    elif way < 0.65:
        number = slot.fragment(int) or below(slot, 100)
    elif way < 0.85:
        number = below(slot, 200) - 50
    else:
        number = below(slot, int(10 ** (1 + below(slot, 9))))
        number = -number if slot.random() < 0.3 else number
    # Drawing again until a number is in bounds might take forever in a narrow domain. Instead, try
    # the other sign, then a number near the lower bound.
    if low <= number <= high:
        return number
    number = -number
    if low <= number <= high:
        return number
    bottom = int(max(low, -100.0)) if low <= 0 else math.ceil(low)
    span = int(min(high - bottom, 50.0)) if high >= bottom else 0
    return bottom + below(slot, span + 1)


def real(slot: Slot) -> float:
    """Return a float: whole, with few decimals, a known one, or a constant."""
    way = slot.random()
    if way < 0.25:
        number = float(integer(slot))
    elif way < 0.65:
        number = round((slot.random() - 0.3) * pick(slot, (1, 10, 100)), 1 + below(slot, 3))
    elif way < 0.8:
        number = slot.fragment(float) or 0.5
    else:
        number = slot.constant(float) or 1.0
    low, high = slot.lowest, slot.highest
    # As with ints, try the other sign before the bounds themselves.
    for candidate in (number, -number, low, high):
        if low <= candidate <= high and math.isfinite(candidate):
            return float(candidate)
    return 0.0


def text(slot: Slot) -> str:
    """Return a string by one of several plans, mostly with known characters."""
    # Zero except in mining (``exe.inputs.call_space``).
    recall = slot.state.recall
    if recall and slot.random() < recall:
        known = (slot.constant if slot.random() < 0.4 else slot.fragment)(str)
        if known is not None and slot.domain.explain(known) is None:
            return str(known)
    # Other plans rarely match a pattern (dates, versions, addresses).
    if slot.domain.has_common_pattern and slot.random() < 0.6:
        return _reformed(slot)
    return str(pick(slot, _TEXT_PLANS)(slot))


def _size(slot: Slot, usual: int = _USUAL) -> int:
    domain = slot.domain
    if slot.has_fixed_size:
        sizes = slot.profile.sizes
        return int(sizes.largest) if sizes else 0
    way = slot.random()
    # Mostly short: long values have their own source (``engine.challenges``).
    size = below(slot, 4) if way < 0.3 else below(slot, usual + 1)
    if way > 0.95:
        size = below(slot, 40)
    # Levels multiply, so deeply nested values have few elements at each.
    if slot.height > 2:
        size = min(size, max(1, 8 >> (slot.height - 3)))
    size = max(size, int(domain.smallest))
    return size if domain.largest is None else min(size, int(domain.largest))


def _few_letters(slot: Slot) -> str:
    characters = [pick(slot, slot.seen_characters) for _ in range(1 + below(slot, 3))]
    return "".join([pick(slot, characters) for _ in range(_size(slot, 12))])


def _any_letters(slot: Slot) -> str:
    characters = slot.seen_characters if slot.random() < 0.7 else slot.characters
    return "".join([pick(slot, characters) for _ in range(_size(slot, 12))])


def _mirrored(slot: Slot) -> str:
    half = _few_letters(slot) if slot.random() < 0.5 else _any_letters(slot)
    return half + (half[::-1] if slot.random() < 0.5 else half[-2::-1])


def _words(slot: Slot) -> str:
    if " " not in slot.characters:
        return _few_letters(slot)
    # Values are split again at each draw, so only the first ones are used.
    known = [
        word for value in slot.seen[:40] if type(value) is str for word in value.split() if word
    ]
    words = []
    for _ in range(1 + below(slot, 6)):
        way = slot.random()
        if known and way < 0.5:
            words.append(pick(slot, known))
        elif way < 0.75:
            words.append(slot.token())
        else:
            words.append(_few_letters(slot))
    return " ".join(words)


def _sentence(slot: Slot) -> str:
    """Return words with punctuation between them, from examples and the task's text."""
    punctuation = slot.punctuation
    if not punctuation:
        return _words(slot)
    has_blank = " " in slot.characters
    made = ""
    for _ in range(1 + below(slot, 5)):
        word = slot.token() if slot.random() < 0.4 else _few_letters(slot)
        sign = str(pick(slot, punctuation))
        made += word + sign + (" " if has_blank and sign != " " and slot.random() < 0.5 else "")
    return made if slot.random() < 0.5 else made[:-1]


def _pieces(slot: Slot) -> str:
    return "".join([slot.token() for _ in range(1 + below(slot, 5))])


def _reformed(slot: Slot) -> str:
    """Return a known string with every token replaced by another of its kind."""
    model = slot.fragment(str)
    if not model:
        return _few_letters(slot)
    made = []
    # Only the beginning of a long string, to keep a draw cheap.
    for token in tokens(str(model)[:80]):
        kind = token_kind(token)
        if kind == "digits":
            made.append(_digits(slot, token))
        elif kind == "letters":
            size = len(token) if slot.random() < 0.6 else 1 + below(slot, 6)
            characters = [each for each in slot.seen_characters if each.isalpha()] or ["x"]
            made.append("".join([pick(slot, characters) for _ in range(size)]))
        else:
            made.append(token)
    return "".join(made)


def _digits(slot: Slot, token: str) -> str:
    """Return another numeral, mostly of the same width: random digits, or a task's constant."""
    constant = slot.constant(int)
    if constant is not None and slot.random() < 0.5:
        return str(abs(constant)).zfill(len(token))
    size = len(token) if slot.random() < 0.7 else 1 + below(slot, 4)
    return "".join([pick(slot, "0123456789") for _ in range(size)])


def _nested(slot: Slot) -> str:
    """Return balanced brackets of the known kinds, often with one missing."""
    characters = slot.seen_characters
    kinds = [each for each in BRACKETS if each[0] in characters and each[1] in characters]
    if not kinds:
        return _few_letters(slot)
    made = _balanced(slot, kinds, _DEEP)
    # A missing bracket gives the unbalanced texts that a bracket checker must reject.
    if slot.random() < 0.4 and made:
        at = below(slot, len(made))
        made = made[:at] + made[at + 1 :]
    return made


def _balanced(slot: Slot, kinds: list[str], depth: int) -> str:
    parts = []
    for _ in range(1 + below(slot, 3)):
        opening, closing = pick(slot, kinds)
        within = _balanced(slot, kinds, depth - 1) if depth and slot.random() < 0.5 else ""
        parts.append(opening + within + closing)
    return "".join(parts)


def sequence(slot: Slot) -> list[Value]:
    """Return a list by one of several plans, with new or known elements."""
    # A record needs one value for each field, which the plans below do not ensure.
    if slot.positions is not None:
        return [each.sample() for each in slot.positions]
    item, size = slot.items, _size(slot)
    if item is None:
        return []
    # Shapes come first: a table has rows of one length, a square as many rows as columns.
    if slot.domain.is_square and size:
        size = 1 + below(slot, 4)
        return [_row(item, size) for _ in range(size)]
    if slot.domain.is_rectangular:
        width = below(slot, 6)
        return [_row(item, width) for _ in range(size)]
    kinds = item.domain.kinds
    # Examples have several types but never two in one list, so the type is drawn once.
    if len(kinds) > 1 and slot.domain.is_uniform:
        kind = pick(slot, kinds)
        return [_of_kind(kind, item) for _ in range(size)]
    way = slot.random()
    # Repeat a few values: duplicates are rare among values drawn independently.
    if way < 0.35:
        few = 1 + below(slot, 4)
        pool = [item.sample() for _ in range(min(few, size) if slot.height > 2 else few)]
        return [pick(slot, pool) for _ in range(size)]
    if way < 0.5 and kinds == (int,):
        return _progression(item, size)
    if way < 0.7 and item.seen:
        return [pick(slot, item.seen) for _ in range(size)]
    made = [item.sample() for _ in range(size)]
    if way > 0.9 and kinds in ((int,), (float,), (str,)):
        made.sort(reverse=way > 0.95)
    return made


def _row(item: Slot, size: int) -> list[Value]:
    if item.items is None:
        return []
    if item.random() < 0.5:
        pool = [item.items.sample() for _ in range(2)]
        return [pick(item, pool) for _ in range(size)]
    return [item.items.sample() for _ in range(size)]


def _progression(item: Slot, size: int) -> list[Value]:
    """Return an arithmetic progression of ints, perhaps shuffled."""
    start, step = integer(item), pick(item, (1, 1, 1, 2, -1, 0))
    numbers = [start + step * at for at in range(size)]
    numbers = [number for number in numbers if item.lowest <= number <= item.highest]
    if item.random() < 0.5:
        shuffle(item, numbers)
    return numbers


def _mapping(slot: Slot) -> dict[Value, Value]:
    if slot.keys is None or slot.values is None:
        return {}
    return {slot.keys.sample(): slot.values.sample() for _ in range(_size(slot, 4))}


# A plan listed twice is drawn twice as often.
_TEXT_PLANS: tuple[Callable[[Slot], str], ...] = (
    *(_few_letters, _few_letters, _any_letters, _mirrored, _words),
    *(_sentence, _pieces, _reformed, _reformed, _nested),
)

_MAKERS: dict[type, Callable[[Slot], Value]] = {
    int: integer,
    float: real,
    bool: lambda slot: slot.random() < 0.5,
    complex: lambda slot: complex(below(slot, 11) - 5, below(slot, 11) - 5),
    str: text,
    bytes: lambda slot: bytes(below(slot, 256) for _ in range(_size(slot))),
    list: sequence,
    tuple: lambda slot: tuple(sequence(slot)),
    set: lambda slot: set(hashable(sequence(slot))),
    frozenset: lambda slot: frozenset(hashable(sequence(slot))),
    dict: _mapping,
}


# Importing these registers their operators; naming them here keeps the imports in use.
_REGISTERED = (numbers, strings, containers)

_SEEN_LIMIT = 300
"""Number of values that a slot remembers; later ones replace the oldest."""
_TRIES = 3
_FRESH = 0.08
"""Probability that a value is replaced by a new one instead of being changed."""
# Most operators break a pattern, and few keep one of several tokens.
_FORM_FAVOUR = 20
"""Factor on the weight of operators that keep a pattern, if strings share one."""
_LOCAL = 0.8
"""Probability that a fragment comes from the same slot rather than from any."""


@dataclass(slots=True)
class GenerationState:
    """The state shared by all slots of a task."""

    random: Callable[[], float]
    constants: Constants
    draws_constants: bool = False
    """Whether operators currently use constants, rather than similar values."""
    trace: list[Operator] = field(default_factory=list)
    """The operators applied since the generator last cleared it."""
    fragments: dict[type, list[Value]] = field(default_factory=dict)
    """Values from anywhere in the inputs, by type."""
    known: set[bytes] = field(default_factory=set)
    max_magnitude: float = math.inf
    """The largest magnitude of new numbers."""
    max_size: int = 10_000
    """The largest length of new strings and containers."""
    characters: str = ""
    """Characters of strings where no example has some."""
    recall: float = 0.0
    """Probability that a sampled string is an unchanged constant or known string."""

    def remember(self, kind: type, value: Value, identity: bytes) -> None:
        """Keep the value as a fragment of its type, unless its identity is known."""
        if identity not in self.known:
            self.known.add(identity)
            _keep(self.fragments.setdefault(kind, []), value, len(self.known))


class Slot:
    """One position of the inputs: its domain, its known values, and its operators."""

    def __init__(
        self, domain: Domain, profile: Profile, state: GenerationState, *, is_fixed: bool = False
    ) -> None:
        self.domain, self.profile, self.state = domain, profile, state
        self.random: Callable[[], float] = state.random
        self.seen: list[Value] = []
        self._known: set[bytes] = set()
        self._pieces: list[str] | None = None
        """The tokens of the constants that the alphabet allows, computed on first use."""
        # The rows of a table have a fixed size too, because changing one row would break the table.
        # ``list.grid`` changes whole rows and columns.
        has_one_size = domain.largest is not None and domain.smallest == domain.largest
        self.has_fixed_size = is_fixed or domain.is_square or has_one_size
        self.has_common_pattern = domain.has_common_pattern
        self.items = self._child(domain.items, profile.items, is_fixed=domain.is_rectangular)
        self.keys = self._child(domain.keys, profile.keys)
        self.values = self._child(domain.values, profile.values)
        inner = [each.height for each in (self.items, self.keys, self.values) if each]
        self.height: int = 1 + max(inner) if inner else 0
        """The levels of containers here; 0 for other values."""
        self.positions: list[Slot] | None = None
        if domain.positions:
            inside = profile.positions or [NOTHING] * len(domain.positions)
            pairs = zip(domain.positions, inside, strict=True)
            self.positions = [Slot(domain, profile, state) for domain, profile in pairs]
        profiles = {each.kind: each.about for each in profile.views}
        self.views = {
            each.kind: Slot(each.about, profiles.get(each.kind, NOTHING), state)
            for each in domain.views
        }
        """For each extended type, the slot of its views (the plain values that represent it)."""
        self._likes = {each.kind: each.like for each in domain.views}
        # There must be some character even if all examples are empty.
        seen = "".join(profile.characters) or (state.characters if domain.alphabet else "")
        self.seen_characters = seen or domain.alphabet or "a"
        self.characters = domain.alphabet or self.seen_characters
        tokens = (each for each in state.constants.tokens if len(each) == 1)
        punctuation = dict.fromkeys(
            each
            for each in (*self.seen_characters, *tokens)
            if not each.isalnum() and each in self.characters
        )
        self.punctuation = "".join(punctuation)
        # Tables are built once for each slot, since its operators depend only on the domain.
        self._near = self._tables("near")
        self._constant = self._tables("constant")
        self._kinds = domain.kinds
        self.choices = {kind: found for kind in domain.kinds if (found := domain.choices_of(kind))}
        self._bound()

    def bound(self) -> None:
        """Limit new numbers, here and inside, to the domains and the current magnitude bound."""
        for slot in self.every():
            slot._bound()

    def _bound(self) -> None:
        low, high, max_magnitude = self.domain.lowest, self.domain.highest, self.state.max_magnitude
        self.lowest = -max_magnitude if low is None else max(low, -max_magnitude)
        self.highest = max_magnitude if high is None else min(high, max_magnitude)

    def every(self) -> Iterator[Slot]:
        """Yield this slot and all slots within it."""
        yield self
        inner = (self.items, self.keys, self.values, *self.views.values())
        for child in (*inner, *(self.positions or ())):
            if child is not None:
                yield from child.every()

    def mutate(self, value: Value) -> Value:
        """Return the value changed by an operator for its type, within numeric bounds.

        Returns the value itself if a few tries change nothing.
        """
        random, kind = self.random, type(value)
        chance = random()
        # Half as often with a single type. With several, this is the only way to change the type,
        # because operators keep it.
        if chance < _FRESH and (chance < _FRESH / 2 or len(self._kinds) > 1):
            return self.sample()
        # Operators would leave the choices, so another choice is drawn instead.
        if kind in self.choices:
            return self.sample()
        if kind in BY_TYPE:
            return self._mutate_view(kind, value)
        table = self._table(kind)
        if table is None:
            return value
        trace = self.state.trace
        # An operator may have nothing to do, or leave the bounds. A few tries are cheap; the
        # generator rejects an unchanged input, because it is known.
        for _ in range(_TRIES):
            operator = table.draw(random)
            mark = len(trace)
            changed = operator.apply(value, self)
            if changed is value or (
                not self.lowest <= changed <= self.highest
                if kind is int or kind is float
                else kind in SIZED and len(changed) > self.state.max_size
            ):
                # Remove the records of element operators, since the whole change was rejected.
                del trace[mark:]
                continue
            trace.append(operator)
            return changed
        return value

    def _mutate_view(self, kind: type, value: Value) -> Value:
        """Return an extended value with its view mutated."""
        # Values of this type have no views, so only known ones are used.
        if (slot := self.views.get(kind)) is None:
            return self.sample()
        view = BY_TYPE[kind].view(value)
        for _ in range(_TRIES):
            if slot.positions is None:
                changed = slot.mutate(view)
            else:
                at = int(self.random() * len(slot.positions))
                changed = (*view[:at], slot.positions[at].mutate(view[at]), *view[at + 1 :])
            # The changed view may be invalid, or represent the same value; ``made`` then returns
            # the value itself.
            if key(found := made(changed, value)) != key(value):
                return found
        return value

    def made(self, kind: type, view: Value) -> Value:
        """Return the extended value that a view represents; a known one if the view is invalid."""
        like = self.fragment(kind)
        return made(view, self._likes[kind] if like is None else like)

    def choose(self, kind: type) -> Operator | None:
        """Return an operator for a type, chosen by weight, and record it in the trace."""
        if (table := self._table(kind)) is None:
            return None
        self.state.trace.append(table.draw(self.random))
        return self.state.trace[-1]

    def fragment(self, kind: type) -> Value | None:
        """Return a known value of the type, mostly from this slot, sometimes from any."""
        seen: list[Value] | None = self.seen
        # Fragments are kept by type, and "a list" says nothing about its elements. So containers
        # come only from this slot.
        if kind in CONTAINERS or kind is dict or (seen and self.random() < _LOCAL):
            value = seen[int(self.random() * len(seen))] if seen else None
            if type(value) is kind:
                return value
            if kind in CONTAINERS or kind is dict:
                return None
        seen = self.state.fragments.get(kind)
        return seen[int(self.random() * len(seen))] if seen else None

    def constant(self, kind: type) -> Value | None:
        """Return a random constant of the type from the task's text."""
        constants = self.state.constants
        pools: dict[type, tuple[Value, ...]] = {
            int: constants.integers,
            float: constants.floats,
            str: constants.strings,
            bytes: constants.bytestrings,
        }
        pool = pools.get(kind, ())
        return pool[int(self.random() * len(pool))] if pool else None

    def token(self) -> str:
        """Return a word or character of the task's string constants, or a known character."""
        if self._pieces is None:
            allowed = self.domain.characters or frozenset(self.seen_characters)
            tokens = self.state.constants.tokens
            self._pieces = [each for each in tokens if allowed.issuperset(each)]
        pool = self._pieces or self.seen_characters
        return pool[int(self.random() * len(pool))]

    def sample(self) -> Value:
        """Return a new random value for this slot, of one of its types."""
        return _of_kind(pick(self, self.domain.kinds), self)

    def learn(self, value: Value) -> None:
        """Keep the value and its parts as fragments."""
        kind, identity = type(value), key(value)
        if identity in self._known:
            return
        self._known.add(identity)
        # Record it for the whole task, then for this slot, then its parts for the slots inside.
        self.state.remember(kind, value, identity)
        _keep(self.seen, value, len(self._known))
        if kind in self.views:
            self.views[kind].learn(BY_TYPE[kind].view(value))
        if kind is dict:
            for name, item in value.items():
                if self.keys is not None and self.values is not None:
                    self.keys.learn(name)
                    self.values.learn(item)
        elif kind in CONTAINERS:
            for at, element in enumerate(elements_of(value)):
                if self.positions is not None and at < len(self.positions):
                    self.positions[at].learn(element)
                elif self.items is not None:
                    self.items.learn(element)

    def _child(
        self, domain: Domain | None, profile: Profile, *, is_fixed: bool = False
    ) -> Slot | None:
        return None if domain is None else Slot(domain, profile, self.state, is_fixed=is_fixed)

    def _tables(self, family: Family) -> dict[type, OperatorTable]:
        """Return the operator tables of a family by type, without empty ones."""
        tables = {}
        # Always include lists, because tuples and sets are changed as lists.
        for kind in (*self.domain.kinds, list):
            # Exclude operators that cannot yield an allowed value here, rather than at each draw.
            operators = [
                each
                for each in OPERATORS.get(kind, [])
                if each.family in (family, "either")
                and not (each.resizes and self.has_fixed_size)
                and not (each.for_grids and not self.domain.is_rectangular)
            ]
            has_pattern = self.domain.has_common_pattern
            weights = [
                each.weight * (_FORM_FAVOUR if has_pattern and each.keeps_form else 1)
                for each in operators
            ]
            if operators:
                tables[kind] = OperatorTable(operators, list(accumulate(weights)))
        return tables

    def _table(self, kind: type) -> OperatorTable | None:
        """Return the operators of the current family, or else those that need no constants."""
        if self.state.draws_constants and kind in self._constant:
            return self._constant[kind]
        return self._near.get(kind)


def _keep(pool: list[Value], value: Value, count: int) -> None:
    """Append to the pool; once it is full, replace the oldest values in turn."""
    if len(pool) < _SEEN_LIMIT:
        pool.append(value)
    else:
        pool[count % _SEEN_LIMIT] = value
