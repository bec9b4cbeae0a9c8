"""Scale: how large the numbers and lengths of a task's inputs may be.

The contract and the reference's speed set the limits, not the base inputs. Each *dimension* (the
numbers of an argument, its length, the lengths of its elements) has a ladder of a few rungs.
``jobs.augmented_task.probe`` finds out once which rungs are accepted; sizes are then drawn
log-uniformly up to there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from evalplus_lite.generate.domains.profile import SIZED
from evalplus_lite.generate.engine.slots import Slot
from evalplus_lite.types import Case, Value
from evalplus_lite.values.kinds.registry import BY_TYPE

Way: TypeAlias = Literal["magnitude", "length", "parts"]
Bound: TypeAlias = Literal["contract", "time", "end"]
"""The end of a ladder: the contract rejects more, the reference is too slow, or no rung is left."""

RUNGS: dict[Way, tuple[int, ...]] = {
    "magnitude": (10**4, 10**6, 10**9, 10**13, 10**18, 10**30, 10**60),
    # 900 is the longest container that a program may recurse over (``LONGEST`` in
    # ``grading.screens``), so it can be a test; 3,000 can only be a stress test.
    "length": (100, 300, 900, 3000, 10_000),
    "parts": (30, 100, 300, 1000),
}
MOST: dict[Way, int] = {"magnitude": 10**30, "length": 900, "parts": 300}
"""The largest sizes of correctness cases; larger rungs of a ladder become stress cases."""
ALL = -1
"""The ``at`` of a dimension in which all arguments grow together."""
LARGE = 400
"""Characters and elements above which inputs are never mutated, and come last in a suite."""


@dataclass(frozen=True, slots=True, order=True)
class Dimension:
    """A way in which inputs can be large; ``at`` is the argument, or ``ALL``."""

    at: int
    way: Way

    def measure(self, arguments: Sequence[Value]) -> int:
        """Return the size of an input in this dimension."""
        chosen = arguments if self.at == ALL else arguments[self.at : self.at + 1]
        if self.way == "magnitude":
            return int(max(map(largest_magnitude, chosen), default=0))
        if self.way == "length":
            return max((len(each) for each in chosen if type(each) in SIZED), default=0)
        inner = [part for each in chosen for part in parts_of(each)]
        return largest_size(inner) if inner else 0


@dataclass(slots=True)
class Range:
    """The sizes in one dimension, from base inputs to the last accepted rung."""

    rungs: tuple[int, ...]
    seen: int
    most: int
    """The largest size of a correctness case."""
    usable: int = 0
    """The number of accepted rungs."""
    bound: Bound = "end"
    slow: int | None = None
    """The smallest size that was too slow."""
    costs: dict[int, int] = field(default_factory=dict)
    """The most steps that the reference took on an input of a rung, by size."""

    def draw(self, random: Callable[[], float], affordable: int | None = None) -> int:
        """Draw a size log-uniformly, up to the last accepted rung, or the next one.

        The reference must be able to handle it in ``affordable`` steps.
        """
        low = max(2, self.seen // 2)
        # If the contract ended the ladder, its own bound is between the last accepted rung and the
        # next one. Draws go up to the next one, and the contract rejects those that are too large.
        above = self.usable + (self.bound == "contract")
        high = self.rungs[min(above, len(self.rungs)) - 1] if above else low
        # A slow size limits draws even if another input of that rung was accepted.
        high = min(high, self.most, self.slow - 1 if self.slow else high)
        if affordable is not None:
            high = min(high, self.affordable(affordable))
        return log_uniform(random, low, max(low, high, 10))

    def charge(self, level: int, steps: int) -> None:
        """Record the reference's steps on an input of a rung."""
        size = self.rungs[level]
        self.costs[size] = max(steps, self.costs.get(size, 0))

    def affordable(self, steps: int) -> int:
        """Estimate the size at which the reference takes this many steps, from the rungs' costs.

        Between two rungs, steps are assumed to grow as a power of the size.
        """
        # The sizes of base inputs are assumed to cost nothing, which starts the first interval.
        size, cost = max(1, self.seen), 1
        for larger, more in sorted(self.costs.items()):
            if more > steps:
                # Exact fractions and integer logarithms, because floats may round differently on
                # another platform, and the size decides which inputs are written.
                part = Fraction(
                    _log(max(steps, cost)) - _log(cost), max(1, _log(more) - _log(cost))
                )
                return _exp(_log(size) + int(part * (_log(larger) - _log(size))))
            size, cost = larger, max(cost, more)
        return self.rungs[-1]

    def learn(self, level: int, *, accepted: bool, slow: bool) -> None:
        """Record the outcome of a rung's inputs."""
        if accepted:
            self.usable = max(self.usable, level + 1)
        elif slow:
            self.shrink(self.rungs[level], is_slow=True)

    def shrink(self, size: int, *, is_slow: bool) -> None:
        """Limit sizes to below one that was too demanding; far below if the reference was slow."""
        # Just below is fine for a size that was only set apart as too demanding.
        if is_slow:
            # Halfway in orders of magnitude, because only a few slow inputs are tolerated.
            size = max(self.seen + 1, math.isqrt(max(1, self.seen) * size))
        self.slow = size if self.slow is None else min(size, self.slow)
        self.bound = "time"


@dataclass
class Scales:
    """The dimensions of a task's inputs and their ranges."""

    ranges: dict[Dimension, Range] = field(default_factory=dict)
    affordable: int | None = None
    """Steps that the reference may currently take on one input; None means no limit."""

    @classmethod
    def of(cls, slots: Sequence[Slot], seen: Iterable[Sequence[Value]]) -> Scales:
        """Return the dimensions of these slots; ``seen`` are the inputs so far."""
        # Each argument alone, then all together: a contract that requires equal lengths rejects the
        # former.
        dimensions = [Dimension(at, way) for at, slot in enumerate(slots) for way in _ways(slot)]
        for way in RUNGS:
            if sum(each.way == way for each in dimensions) > 1:
                dimensions.append(Dimension(ALL, way))
        inputs = list(seen)
        ranges = {}
        for each in dimensions:
            sizes = [each.measure(arguments) for arguments in inputs]
            ranges[each] = Range(RUNGS[each.way], max(sizes, default=0), MOST[each.way])
        return cls(ranges)

    def of_way(self, way: Way) -> list[Dimension]:
        """Return the dimensions of one kind."""
        return [each for each in self.ranges if each.way == way]

    def settle(self) -> None:
        """Record what ended each ladder, once its rungs have been tried."""
        for each in self.ranges.values():
            # A dimension with a slow input keeps the bound "time". For the others, either the last
            # rung was accepted, or the contract rejected it.
            if each.slow is None:
                each.bound = "end" if each.usable == len(each.rungs) else "contract"

    def is_beyond(self, rung: Rung) -> bool:
        """Return whether a rung is at least as large as one that was too slow."""
        sizes = self.ranges[rung.dimension]
        return sizes.slow is not None and sizes.rungs[rung.level] >= sizes.slow

    def facts(self) -> list[dict[str, Any]]:
        """Return each dimension's largest size, and what limits it, for a suite's provenance."""
        return [
            {
                "argument": "all" if each.at == ALL else each.at,
                "way": each.way,
                "largest": sizes.rungs[sizes.usable - 1] if sizes.usable else sizes.seen,
                "bound": sizes.bound,
            }
            for each, sizes in self.ranges.items()
        ]


@dataclass(frozen=True, slots=True)
class Rung:
    """One input of a ladder."""

    dimension: Dimension
    level: int
    case: Case
    size: int = 0
    """The size of the case in its dimension."""


def log_uniform(random: Callable[[], float], low: int, high: int) -> int:
    """Return a random number between bounds, with all orders of magnitude equally likely.

    It uses only integers, so results do not depend on a platform's logarithm.
    """
    # Draw the number of bits first, then the bits.
    bits = low.bit_length() + int(random() * (high.bit_length() - low.bit_length() + 1))
    number = 1
    for _ in range(bits - 1):
        number = 2 * number + (random() < 0.5)
    return min(max(number, low), high)


def _log(number: int) -> int:
    """Return eight times the binary logarithm, rounded up; it uses only integers, so results do not
    depend on a platform's logarithm."""
    return int(number**8).bit_length()


def _exp(log: int) -> int:
    """Return the inverse of ``_log``, rounded down."""
    return math.isqrt(math.isqrt(math.isqrt(1 << max(0, log - 1))))


def weight(value: Value) -> int:
    """Return the number of characters and elements of a value at all levels."""
    total, pending = 0, [value]
    while pending:
        part = pending.pop()
        kind = type(part)
        if kind is int:
            # A long int is slow to write and to compute with, so its 64-bit words count.
            total += part.bit_length() // 64
            continue
        parts = parts_of(part)
        total += len(part) if kind in (str, bytes) else len(parts)
        # A shortcut for flat lists of numbers, in which long ints do not count.
        if not {*map(type, parts)} <= {int, float, bool, type(None)}:
            pending += parts
    return total


def factor_for(arguments: Sequence[Value], size: int) -> int:
    """Return the factor that scales the largest number of an input to about this size."""
    largest = int(max(map(largest_magnitude, arguments), default=0))
    return max(1, size // max(1, largest))


def _ways(slot: Slot) -> list[Way]:
    ways: list[Way] = []
    # Values chosen from a list (members of an enumeration) cannot be enlarged.
    kinds = {kind for each in slot.every() if not each.choices for kind in each.domain.kinds}
    if kinds & {int, float}:
        ways.append("magnitude")
    if not set(slot.domain.kinds).isdisjoint(SIZED) and not slot.has_fixed_size:
        ways.append("length")
    inner = [each for each in slot.every() if each is not slot]
    if any(not set(each.domain.kinds).isdisjoint(SIZED) for each in inner):
        ways.append("parts")
    return ways


# Five factors of a thousand lead from the first bound to the last, beyond signed 64-bit integers.
_FIRST_MAGNITUDE = 10_000
_MAGNITUDE_GROWTH = 1_000
_LAST_MAGNITUDE = 10**19
_FIRST_SIZE = 64


@dataclass(frozen=True, slots=True)
class GrowthLimits:
    """Limits on the magnitude of numbers, and on the length of strings and containers, in a batch.

    ``floor`` is the largest number in a base input, below which the bound never falls.
    """

    max_magnitude: float
    max_size: int
    floor: float
    has_slowed: bool = False

    @classmethod
    def of(cls, base: Sequence[Sequence[Value]]) -> GrowthLimits:
        """Return the initial limits, somewhat above the base inputs."""
        largest = max((largest_magnitude(each) for each in base), default=0.0)
        max_size = max((largest_size(each) for each in base), default=0)
        # The minimums are for tasks with tiny examples.
        return cls(max(10 * largest, _FIRST_MAGNITUDE), max(2 * max_size, _FIRST_SIZE), largest)

    def after(
        self, accepted: Sequence[Sequence[Value]], slow: Sequence[Sequence[Value]]
    ) -> GrowthLimits:
        """Return the limits after a batch: below slow inputs, or otherwise possibly raised."""
        if slow:
            # The cause of slowness is unknown, a number or a length. So both are lowered: numbers
            # to half of the smallest slow one, lengths to one less.
            number = min(map(largest_magnitude, slow))
            size = min(map(largest_size, slow))
            return replace(
                self,
                # Never below the numbers of base inputs, which the task itself has.
                max_magnitude=max(self.floor, min(self.max_magnitude, number // 2), 10),
                max_size=max(_FIRST_SIZE // 4, min(self.max_size, size - 1))
                if size
                else self.max_size,
                has_slowed=True,
            )
        # After a slow input the bound never rises again, as it would return to slow sizes.
        if self.has_slowed or self.max_magnitude >= _LAST_MAGNITUDE:
            return self
        # Accepted inputs within a factor of ten of the bound suggest that larger ones are valid.
        if any(largest_magnitude(each) * 10 >= self.max_magnitude for each in accepted):
            return replace(
                self, max_magnitude=min(self.max_magnitude * _MAGNITUDE_GROWTH, _LAST_MAGNITUDE)
            )
        return self


def largest_magnitude(value: Value) -> float:
    """Return the largest magnitude of the finite ints and floats within a value, or 0."""
    numbers = (each for each in every_part(value) if type(each) in (int, float))
    # An infinity says nothing about the range of finite numbers, and isfinite fails on huge ints.
    finite = (each for each in numbers if type(each) is int or math.isfinite(each))
    return max(map(abs, finite), default=0)


def largest_size(value: Sequence[Value]) -> int:
    """Return the length of the longest string or container within a list of arguments, or 0."""
    parts = (each for part in value for each in every_part(part))
    return max(
        (len(each) if type(each) in (str, bytes) else len(parts_of(each)) for each in parts),
        default=0,
    )


def every_part(value: Value) -> Iterator[Value]:
    """Yield a value and all values within it; a loop, because values may nest deeply."""
    pending = [value]
    while pending:
        part = pending.pop()
        yield part
        pending += parts_of(part)


def parts_of(value: Value) -> list[Value]:
    """Return the elements of a container, the keys and values of a dict, or the view of an extended
    value; an empty list for others."""
    kind = type(value)
    if kind is dict:
        return [*value, *value.values()]
    if kind in BY_TYPE:
        return [BY_TYPE[kind].view(value)]
    return list(value) if kind in (list, tuple, set, frozenset) else []
