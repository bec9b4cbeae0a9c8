"""Slots: what is known of one position of the inputs while generating, and mutation there."""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.domains.domain import Domain
from evalplus_lite.generate.domains.profile import CONTAINERS, SIZED, Profile, elements_of
from evalplus_lite.generate.domains.views import made
from evalplus_lite.generate.engine import sampling
from evalplus_lite.generate.engine.tables import Step, Table
from evalplus_lite.generate.operators import bytestrings, containers, lists, numbers, strings
from evalplus_lite.generate.operators.registry import OPERATORS, Family, Operator, Trait
from evalplus_lite.types import Value
from evalplus_lite.values.identity import key
from evalplus_lite.values.kinds.registry import BY_TYPE

__all__ = ["GenerationState", "Slot", "Step", "Table"]

# Importing these registers their operators.
_REGISTERED = (numbers, strings, bytestrings, lists, containers)

_SEEN_LIMIT = 300
"""A slot remembers this many values; later ones replace earlier ones in turn."""
_TRIES = 3
_FRESH = 0.08
"""How often a value is replaced from scratch instead of being changed."""
_FORM_FAVOUR = 20
"""Where strings share a form, operators that keep it are chosen so many times as often."""
_LOCAL = 0.8
"""How often a fragment comes from the same slot rather than from any."""


@dataclass(slots=True)
class GenerationState:
    """What all slots of a task share while generating."""

    random: Callable[[], float]
    constants: Constants
    draws_constants: bool = False
    """Whether operators draw on constants at the moment, rather than on values near."""
    trace: list[Step] = field(default_factory=list)
    """The operators applied since the engine last cleared it."""
    fragments: dict[type, list[Value]] = field(default_factory=dict)
    """Values seen anywhere in the inputs, by type."""
    known: set[bytes] = field(default_factory=set)
    max_magnitude: float = math.inf
    """No number further from zero than this is made."""
    max_size: int = 10_000
    """No text or container longer than this is made."""
    recall: float = 0.0
    """How often a sampled string is a constant, or one seen, as it is."""

    def remember(self, kind: type, value: Value, identity: bytes) -> None:
        """Keep the value, whose identity is given, to be drawn as a fragment of its type."""
        if identity not in self.known:
            self.known.add(identity)
            _keep(self.fragments.setdefault(kind, []), value, len(self.known))


class Slot:
    """One position of the inputs: its domain, the values seen there, and its operators."""

    def __init__(
        self, domain: Domain, profile: Profile, state: GenerationState, *, is_fixed: bool = False
    ) -> None:
        self.domain, self.profile, self.state = domain, profile, state
        self.random: Callable[[], float] = state.random
        self.seen: list[Value] = []
        self._known: set[bytes] = set()
        self._fitted: Constants | None = None
        self._pieces: list[str] = []
        """The tokens of the constants last used that the alphabet allows."""
        self.has_fixed_size = is_fixed or domain.is_square or _has_one_size(domain)
        self.has_common_pattern = domain.has_common_pattern
        self.items = self._child(domain.items, profile.items, is_fixed=domain.is_rectangular)
        self.keys = self._child(domain.keys, profile.keys)
        self.values = self._child(domain.values, profile.values)
        self.positions: list[Slot] | None = None
        if domain.positions and profile.positions:
            pairs = zip(domain.positions, profile.positions, strict=True)
            self.positions = [Slot(domain, profile, state) for domain, profile in pairs]
        profiles = {each.kind: each.about for each in profile.views}
        self.views = {
            each.kind: Slot(each.about, profiles.get(each.kind) or Profile.of(()), state)
            for each in domain.views
        }
        self._likes = {each.kind: each.like for each in domain.views}
        """For each type beyond the plain ones, the slot of what stands for its values."""
        self.seen_characters = "".join(profile.text.counts) if profile.text else ""
        self.seen_characters = self.seen_characters or domain.alphabet or "a"
        self.characters = domain.alphabet or self.seen_characters
        tokens = (each for each in state.constants.tokens if len(each) == 1)
        punctuation = dict.fromkeys(
            each
            for each in (*self.seen_characters, *tokens)
            if not each.isalnum() and each in self.characters
        )
        self.punctuation = "".join(punctuation)
        self._near = self._tables(Family.NEAR)
        self._constant = self._tables(Family.CONSTANT)
        self._kinds = domain.kinds
        self.choices = {kind: found for kind in domain.kinds if (found := domain.choices_of(kind))}
        self._bound()

    def reweigh(self) -> None:
        """Choose the operators here and within by their success so far."""
        for slot in self.every():
            for table in (*slot._near.values(), *slot._constant.values()):
                table.reweigh()

    def bound(self) -> None:
        """Bound numbers made here and within by the domains and the state's magnitude bound."""
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

        Returns the value itself where nothing was found to do in a few tries.
        """
        random, kind = self.random, type(value)
        chance = random()
        if chance < _FRESH and (chance < _FRESH / 2 or len(self._kinds) > 1):
            return self.sample()
        if kind in self.choices:
            return self.sample()
        if kind in BY_TYPE:
            return self._mutate_view(kind, value)
        table = self._table(kind)
        if table is None:
            return value
        trace = self.state.trace
        for _ in range(_TRIES):
            index = bisect(table.cumulative, random() * table.total)
            mark = len(trace)
            changed = table.applies[index](value, self)
            if changed is value or (
                not self.lowest <= changed <= self.highest
                if kind is int or kind is float
                else kind in SIZED and len(changed) > self.state.max_size
            ):
                del trace[mark:]
                continue
            trace.append((table, index))
            return changed
        return value

    def _mutate_view(self, kind: type, value: Value) -> Value:
        """Return a value beyond the plain ones of which what stands for it was changed."""
        if (slot := self.views.get(kind)) is None:
            return self.sample()
        view = BY_TYPE[kind].view(value)
        for _ in range(_TRIES):
            if slot.positions is None:
                changed = slot.mutate(view)
            else:
                at = int(self.random() * len(slot.positions))
                changed = (*view[:at], slot.positions[at].mutate(view[at]), *view[at + 1 :])
            if key(found := made(changed, value)) != key(value):
                return found
        return value

    def made(self, kind: type, view: Value) -> Value:
        """Return the value of a type beyond the plain ones that a plain one stands for, if any."""
        like = self.fragment(kind)
        return made(view, self._likes[kind] if like is None else like)

    def choose(self, kind: type) -> Operator | None:
        """Return an operator for a type, chosen by weight, and note it in the trace."""
        table = self._table(kind)
        if table is None:
            return None
        index = bisect(table.cumulative, self.random() * table.total)
        self.state.trace.append((table, index))
        return table.operators[index]

    def fragment(self, kind: type) -> Value | None:
        """Return some value of the type seen here, or now and then anywhere."""
        seen: list[Value] | None = self.seen
        if kind in CONTAINERS or kind is dict or (seen and self.random() < _LOCAL):
            value = seen[int(self.random() * len(seen))] if seen else None
            if type(value) is kind:
                return value
            if kind in CONTAINERS or kind is dict:
                return None
        seen = self.state.fragments.get(kind)
        return seen[int(self.random() * len(seen))] if seen else None

    def constant(self, kind: type) -> Value | None:
        """Return some constant of the type from the task's text."""
        constants = self.state.constants
        pool: tuple[Value, ...]
        if kind is int:
            pool = constants.integers
        elif kind is float:
            pool = constants.floats
        elif kind is str:
            pool = constants.strings
        else:
            pool = constants.bytestrings if kind is bytes else ()
        return pool[int(self.random() * len(pool))] if pool else None

    def token(self) -> str:
        """Return a word or character of the task's string constants, or a seen character."""
        constants = self.state.constants
        if constants is not self._fitted:
            allowed = self.domain.characters or frozenset(self.seen_characters)
            self._pieces = [each for each in constants.tokens if allowed.issuperset(each)]
            self._fitted = constants
        pool = self._pieces or self.seen_characters
        return pool[int(self.random() * len(pool))]

    def sample(self) -> Value:
        """Return a random value for this slot, made from scratch."""
        return sampling.make(self)

    def learn(self, value: Value) -> None:
        """Keep the value and its parts, to be reused as fragments."""
        kind, identity = type(value), key(value)
        if identity in self._known:
            return
        self._known.add(identity)
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
        self, domain: Domain | None, profile: Profile | None, *, is_fixed: bool = False
    ) -> Slot | None:
        if domain is None:
            return None
        return Slot(domain, profile or Profile.of(()), self.state, is_fixed=is_fixed)

    def _tables(self, family: Family) -> dict[type, Table]:
        """Return the tables of a family by type, those without any operator left out."""
        tables = {}
        for kind in (*self.domain.kinds, list):
            operators = [each for each in OPERATORS.get(kind, []) if self._suits(each, family)]
            if operators:
                tables[kind] = Table(operators, [self._weight(each) for each in operators])
        return tables

    def _table(self, kind: type) -> Table | None:
        """Return the operators to choose from at the moment: of the family, else those near."""
        if self.state.draws_constants and kind in self._constant:
            return self._constant[kind]
        return self._near.get(kind)

    def _weight(self, each: Operator) -> float:
        is_favoured = self.domain.has_common_pattern and Trait.KEEPS_FORM in each.traits
        return each.weight * (_FORM_FAVOUR if is_favoured else 1)

    def _suits(self, each: Operator, family: Family) -> bool:
        if Trait.RESIZES in each.traits and self.has_fixed_size:
            return False
        if Trait.FOR_GRIDS in each.traits and not self.domain.is_rectangular:
            return False
        return each.family is family or each.family is Family.EITHER


def _has_one_size(domain: Domain) -> bool:
    return domain.largest is not None and domain.smallest == domain.largest


def _keep(pool: list[Value], value: Value, count: int) -> None:
    """Append to the pool; once it is full, replace the value that came first, in turn."""
    if len(pool) < _SEEN_LIMIT:
        pool.append(value)
    else:
        pool[count % _SEEN_LIMIT] = value
