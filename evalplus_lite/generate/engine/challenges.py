"""Challenges: kinds of inputs that testers know, each a source with a name of its own.

Mutation stays near what was seen, and sampling below the sizes that are quick to write. What is
large has to be made on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from evalplus_lite.generate.engine.enlarging import (
    lengthened,
    lengthened_parts,
    magnified,
    repeated,
)
from evalplus_lite.generate.engine.growth import largest_magnitude
from evalplus_lite.generate.engine.pool import Pool
from evalplus_lite.generate.engine.scale import ALL, Dimension, Rung, Scales, Way, factor_for
from evalplus_lite.generate.engine.slots import Slot
from evalplus_lite.types import Case, Value

Arguments: TypeAlias = tuple[Value, ...]
Draw: TypeAlias = Callable[[], Case | None]

SCALING: dict[str, tuple[Way, ...]] = {"magnitude": ("magnitude",), "length": ("length", "parts")}
"""The kinds that draw a size, and the dimensions that they draw it in."""


@dataclass
class Challenges:
    """Draws inputs of each kind from those in the pool; ``last`` is the size drawn last, if any."""

    slots: list[Slot]
    pool: Pool
    random: Callable[[], float]
    scales: Scales
    fit: Callable[[Arguments], Arguments | None] | None = None
    """As of the ``Generator``."""
    last: tuple[Dimension, int] | None = None

    def draws(self) -> dict[str, Draw]:
        """Return how each kind is drawn, by its name."""
        return {name: self._scaling(name, ways) for name, ways in SCALING.items()}

    def ladder(self, base: Sequence[Case]) -> Iterator[Rung]:
        """Yield two inputs for each rung of each dimension, lower rungs first."""
        levels = max((len(found.rungs) for found in self.scales.ranges.values()), default=0)
        for level in range(levels):
            for dimension, found in self.scales.ranges.items():
                if level >= len(found.rungs) or found.rungs[level] <= found.seen:
                    continue
                models = sorted(
                    (at for at, case in enumerate(base) if _has(case.arguments, dimension)),
                    key=lambda at: dimension.measure(base[at].arguments),
                )
                for way in (False, True) if models else ():
                    parent = models[-1] if way else models[len(models) // 2]
                    arguments, size = base[parent].arguments, found.rungs[level]
                    made, _ = self._scaled(arguments, dimension, size, is_plain=not way)
                    kind = next(name for name, ways in SCALING.items() if dimension.way in ways)
                    fitted = made if self.fit is None else self.fit(made)
                    if fitted is not None and dimension.measure(fitted) > found.seen:
                        case = Case(fitted, kind, parent, (f"{dimension.way}.ladder",))
                        yield Rung(dimension, level, case, dimension.measure(fitted))

    def _scaling(self, kind: str, ways: Sequence[Way]) -> Draw:
        chosen = [dimension for way in ways for dimension in self.scales.of_way(way)]

        def draw() -> Case | None:
            if not chosen or not self.pool.size:
                return None
            dimension = chosen[int(self.random() * len(chosen))]
            parent, arguments = self.pool.pick()
            size = self.scales.draw(dimension, self.random)
            made, name = self._scaled(arguments, dimension, size)
            self.last = dimension, dimension.measure(made)
            return Case(made, kind, parent, (f"{dimension.way}.{name}",))

        return draw

    def _scaled(
        self, arguments: Arguments, dimension: Dimension, size: int, *, is_plain: bool = False
    ) -> tuple[Arguments, str]:
        """Return an input of this size in one dimension; ``is_plain``: in the form that keeps most
        relations."""
        at, way = dimension.at, dimension.way
        ats = range(len(arguments)) if at == ALL else range(at, min(at + 1, len(arguments)))
        if way == "magnitude":
            in_proportion = is_plain or (self.random() < 0.3 and _has(arguments, dimension))
            chosen = [arguments[at] for at in ats]
            factor = factor_for(chosen, size) if in_proportion else None
            name = "factor" if in_proportion else "number"
        made, names = list(arguments), ["none"]
        for place in ats:
            value, slot = arguments[place], self.slots[place]
            if way == "magnitude":
                made[place] = magnified(value, slot, size, factor=factor)
                names.append(name)
                continue
            if way == "parts":
                made[place], name = lengthened_parts(value, slot, size)
            elif type(value) not in _SIZED or slot.has_fixed_size:
                continue
            elif at == ALL or is_plain:
                # One form for all, so that arguments of equal length stay so.
                made[place], name = repeated(value, slot, size), "repeat"
            else:
                made[place], name = lengthened(value, slot, size)
            names.append(name)
        return tuple(made), names[-1]


_SIZED = (str, bytes, list, tuple, set, frozenset, dict)


def _has(arguments: Arguments, dimension: Dimension) -> bool:
    """Return whether an input has anything that can be made large in a dimension."""
    if dimension.way == "magnitude":
        chosen = arguments if dimension.at == ALL else arguments[dimension.at : dimension.at + 1]
        return any(largest_magnitude(each) for each in chosen) or any(
            type(each) is str for each in chosen
        )
    return dimension.measure(arguments) > 0
