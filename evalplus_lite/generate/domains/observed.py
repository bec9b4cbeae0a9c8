"""What was observed at one place of the base inputs, as far as a schema can say it.

Kept apart from ``shape``, which serves mutation and grows with it: a schema is part of every
recorded request, so a change here makes the recorded replies useless.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evalplus_lite.generate.domains.profile import elements_of
from evalplus_lite.types import Value

SEQUENCES: tuple[type, ...] = (list, tuple)
COLLECTIONS: tuple[type, ...] = (list, tuple, set, frozenset)
SIZED: tuple[type, ...] = (str, bytes, *COLLECTIONS, dict)

FIXED_AFTER = 5
"""A size that never varied over this many values counts as fixed; in tuples, always."""


@dataclass(frozen=True, slots=True)
class Observed:
    """The values seen at one place; ``Observed.of(values)`` reads it off."""

    kinds: tuple[type, ...]
    """The exact types seen, in the order of their names."""
    largest: int
    """The greatest length of a string or container, 0 where there was none."""
    is_fixed: bool
    """Whether all strings and containers have one length, for a reason."""
    has_special: bool
    """Whether NaN or an infinity was seen."""
    items: Observed | None
    """All elements of lists, tuples, sets and frozensets, None where all were empty."""
    positions: tuple[Observed, ...] | None
    """One for each position, where the size is fixed and the positions differ in kind."""
    keys: Observed | None
    values: Observed | None

    @classmethod
    def of(cls, values: Iterable[Value]) -> Observed:
        """Return what the values have in common; depends on nothing but them."""
        values = list(values)
        containers = [value for value in values if type(value) in COLLECTIONS]
        dicts = [value for value in values if type(value) is dict]
        lengths = [len(value) for value in values if type(value) in SIZED]
        elements = [element for container in containers for element in elements_of(container)]
        is_form = len(lengths) >= FIXED_AFTER or all(
            type(value) is tuple for value in values if type(value) in SIZED
        )
        is_fixed = bool(lengths) and is_form and min(lengths) == max(lengths) > 0
        return cls(
            kinds=tuple(sorted({type(value) for value in values}, key=lambda kind: kind.__name__)),
            largest=max(lengths, default=0),
            is_fixed=is_fixed,
            has_special=any(type(v) is float and not math.isfinite(v) for v in values),
            items=cls.of(elements) if elements else None,
            positions=_positions(containers) if is_fixed else None,
            keys=cls.of(key for value in dicts for key in value) if any(dicts) else None,
            values=cls.of(v for value in dicts for v in value.values()) if any(dicts) else None,
        )


def _positions(containers: Sequence[Sequence[Value]]) -> tuple[Observed, ...] | None:
    if not containers or any(type(container) not in SEQUENCES for container in containers):
        return None
    positions = tuple(Observed.of(column) for column in zip(*containers, strict=True))
    return positions if len({each.kinds for each in positions}) > 1 else None
