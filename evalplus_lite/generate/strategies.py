"""Hypothesis strategies for a task's inputs, with reproducible draws.

By default, Hypothesis also draws constants from imported modules, and keeps files. Both are
disabled here: the same seed gives the same values under every Python, hash seed and working
directory (for one version of Hypothesis).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider

from evalplus_lite.generate.domains.domain import Domain
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.domains.profile import NOTHING, Profile, hashable, made
from evalplus_lite.types import Case, Value
from evalplus_lite.values.identity import key

Strategy = st.SearchStrategy[Any]

_BACKEND = "evalplus_lite"
_LONGEST = 12
_REACH = 10**6
_SAMPLES = 30
_ANYTHING = 6
_AT_ONCE = 8
"""Inputs drawn together, because Hypothesis's overhead for a draw exceeds the draw itself."""
_MOST_CHOICES = 2000
"""Approximate number of choices drawn together; Hypothesis discards examples with many more."""


class _Isolated(HypothesisProvider):
    """Hypothesis's own distributions, without constants from imported modules."""

    def _maybe_draw_constant(self, *_: Any, **__: Any) -> None:
        return None


def sampled(input_filter: InputFilter, *, count: int, seed: str) -> list[Case]:
    """Return up to ``count`` distinct admitted cases from the strategies of the filter's domains.

    There are fewer if domains are small, or relations between arguments are rarely satisfied by
    chance.
    """
    if count < 1 or not input_filter.domains:
        return []
    choices = sum(map(_choices, input_filter.domains))
    together = max(1, min(count, _AT_ONCE, int(_MOST_CHOICES / choices)))
    drawn = st.tuples(*[inputs(input_filter)] * together)
    # SHA-256 gives the same number in each process; ``hash`` would not.
    number = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big")
    found: dict[bytes, Case] = {}

    def collect(rows: tuple[tuple[Value, ...], ...]) -> None:
        for arguments in rows:
            # Strategies only know domains; the filter decides about relations between arguments.
            if input_filter.admits(arguments):
                found.setdefault(key(arguments), Case(arguments, "hypothesis"))

    AVAILABLE_PROVIDERS[_BACKEND] = _Isolated  # settings look the name up here
    try:
        plan = settings(
            backend=_BACKEND,
            database=None,
            deadline=None,
            max_examples=1 + -(-count // together),  # the first is just the simplest value
            phases=(Phase.generate,),
            # Slow or large draws are expected, and limited by the number of examples.
            suppress_health_check=tuple(HealthCheck),
            verbosity=Verbosity.quiet,
        )
        seeded(number)(plan(given(drawn)(collect)))()
    finally:
        del AVAILABLE_PROVIDERS[_BACKEND]
    return list(found.values())[:count]


def inputs(input_filter: InputFilter) -> Strategy:
    """Return the strategy for inputs: tuples of arguments, with an allowed length."""
    each = [
        slot(domain, profile)
        for domain, profile in zip(input_filter.domains, input_filter.profiles, strict=True)
    ]
    return st.one_of([st.tuples(*each[:arity]) for arity in input_filter.arities])


def slot(domain: Domain, profile: Profile) -> Strategy:
    """Return the strategy for one slot: any of its types, within the domain's limits."""
    parts = [
        st.sampled_from(choices) if choices else _BY_KIND[kind](domain, profile)
        for kind in domain.kinds
        if (choices := domain.choices_of(kind)) or kind in _BY_KIND
    ]
    profiles = {each.kind: each.about for each in profile.views}
    for each in domain.views:
        views = slot(each.about, profiles.get(each.kind, NOTHING))
        parts.append(views.map(partial(made, like=each.like)))
    return st.one_of(parts)


def _choices(domain: Domain) -> float:
    """Estimate the number of choices in a value of the domain; nested levels multiply."""
    inner = [each for each in (domain.items, domain.keys, domain.values) if each is not None]
    deepest = max(
        [
            sum(map(_choices, domain.positions or ())),
            *(_choices(each.about) for each in domain.views),
        ],
        default=0.0,
    )
    low, high = _sizes(domain)
    length = min(max(2 * low, low + 5), (low + high) / 2)  # what Hypothesis aims at
    return 1 + max(deepest, length * sum(1 + _choices(each) for each in inner))


def _integers(domain: Domain, profile: Profile) -> Strategy:
    # Half of the draws are near zero, as the whole range would rarely give a small number.
    low, high = _limits(domain)
    near = st.integers(max(low, min(-10, high)), min(high, max(10, low)))
    return near | st.integers(low, high)


def _floats(domain: Domain, profile: Profile) -> Strategy:
    low, high = _limits(domain)
    tenths = st.integers(low * 10, high * 10).map(lambda number: number / 10)
    near = st.integers(max(low, min(-10, high)) * 4, min(high, max(10, low)) * 4)
    return near.map(lambda number: number / 4) | tenths


def _limits(domain: Domain) -> tuple[int, int]:
    low = -_REACH if domain.lowest is None else int(max(domain.lowest, -_REACH))
    high = _REACH if domain.highest is None else int(min(domain.highest, _REACH))
    return min(low, high), max(low, high)


def _texts(domain: Domain, profile: Profile) -> Strategy:
    seen = "".join(profile.characters)
    # Not `st.text`, which keeps a table of all of Unicode in the working directory.
    parts: list[Strategy] = [
        st.lists(st.sampled_from(letters), min_size=low, max_size=high).map("".join)
        for letters in (seen, domain.alphabet)
        if letters
        for low, high in [_sizes(domain)]
    ]
    if profile.texts:
        # Known texts have a form that random characters lack.
        parts.append(st.sampled_from(profile.texts[:_SAMPLES]))
    return st.one_of(parts) if parts else st.just("")


def _sizes(domain: Domain) -> tuple[int, int]:
    longest = max(_LONGEST, domain.smallest) if domain.largest is None else domain.largest
    return domain.smallest, longest


def _lists(domain: Domain, profile: Profile) -> Strategy:
    if domain.positions is not None and profile.positions is not None:
        pairs = zip(domain.positions, profile.positions, strict=True)
        return st.tuples(*(slot(*pair) for pair in pairs)).map(list)
    if domain.items is None or not domain.items.kinds:
        return st.just([])
    low, high = _sizes(domain)
    inner = profile.items
    if domain.is_rectangular:
        return _grids(domain, domain.items, inner, low, high)
    if domain.is_uniform and len(domain.items.kinds) > 1:
        # The type is drawn once for the whole list, because no example mixes types.
        kinds = [
            _BY_KIND[kind](domain.items, inner) for kind in domain.items.kinds if kind in _BY_KIND
        ]
        return st.one_of([st.lists(kind, min_size=low, max_size=high) for kind in kinds])
    return st.lists(slot(domain.items, inner), min_size=low, max_size=high)


def _grids(domain: Domain, rows: Domain, profile: Profile, low: int, high: int) -> Strategy:
    if rows.items is None:
        return st.just([])
    cell = slot(rows.items, profile.items)
    height = st.integers(max(low, 1), max(min(high, _ANYTHING), low, 1))
    narrow, wide = _sizes(rows)

    def grid(size: tuple[int, int]) -> Strategy:
        width = size[0] if domain.is_square else size[1]
        row = st.lists(cell, min_size=width, max_size=width)
        return st.lists(row, min_size=size[0], max_size=size[0])

    return st.tuples(height, st.integers(narrow, min(wide, max(narrow, _ANYTHING)))).flatmap(grid)


def _sets(domain: Domain, profile: Profile) -> Strategy:
    # Equal elements collapse, so a set may be smaller than drawn; the filter checks its size.
    return _lists(domain, profile).map(hashable).map(set)


def _dicts(domain: Domain, profile: Profile) -> Strategy:
    if domain.keys is None or domain.values is None:
        return st.just({})
    low, high = _sizes(domain)
    names = slot(domain.keys, profile.keys)
    items = slot(domain.values, profile.values)
    return st.dictionaries(names, items, min_size=low, max_size=min(high, _ANYTHING))


_BY_KIND: dict[type, Callable[[Domain, Profile], Strategy]] = {
    bool: lambda domain, profile: st.booleans(),
    int: _integers,
    float: _floats,
    complex: lambda domain, profile: st.builds(complex, st.integers(-9, 9), st.integers(-9, 9)),
    str: _texts,
    bytes: lambda domain, profile: st.binary(max_size=_LONGEST),
    list: _lists,
    tuple: lambda domain, profile: _lists(domain, profile).map(tuple),
    set: _sets,
    frozenset: lambda domain, profile: _sets(domain, profile).map(frozenset),
    dict: _dicts,
    type(None): lambda domain, profile: st.none(),
}
