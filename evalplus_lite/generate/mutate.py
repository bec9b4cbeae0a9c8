"""The generator: proposes new inputs for a task, learns from which were kept, and never repeats.

The budget is split (design measured in testgen): half near the seeds, the rest constants of the
task's text, boundary shapes, and drawn values. Everything is decided by one ``random.Random``, in
terms of its ``random()`` only, whose sequence Python promises to keep.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from evalplus_lite.generate import boundary
from evalplus_lite.generate.constants import Constants
from evalplus_lite.generate.guards import Guards
from evalplus_lite.generate.identity import key
from evalplus_lite.generate.linking import LINKS
from evalplus_lite.generate.operators import Family
from evalplus_lite.generate.places import Place, Step, World
from evalplus_lite.generate.pool import Pool
from evalplus_lite.generate.sizes import Extent
from evalplus_lite.types import Case, Value

Arguments = tuple[Value, ...]

_PATIENCE = 60
"""Tries in a row without a new, admitted input before a source is given up for the batch."""
_MORE = 0.4
"""Chance of each further change to an input, after the first."""
_MOST_CHANGES = 6
_LINKED = 0.2
"""How often arguments are changed together rather than one of them, where there are several."""


@dataclass(frozen=True, slots=True)
class Mix:
    """The shares of the sources among the inputs kept; a source that runs dry leaves its share."""

    mutation: float = 0.5
    constant: float = 0.2
    boundary: float = 0.25
    hypothesis: float = 0.05


@dataclass(slots=True)
class _Source:
    """A source of inputs and how it has fared."""

    name: str
    share: float
    draw: Callable[[], Case | None]
    proposed: int = 0
    kept: int = 0

    @property
    def wanted(self) -> float:
        """How much of the next batch it should have: its share, more if much of it is refused."""
        return self.share * min(3.0, (self.proposed + 5) / (self.kept + 5))


@dataclass(slots=True)
class _Pending:
    source: _Source | None
    steps: tuple[Step, ...] = field(default=())


class Generator:
    """Proposes cases in batches; the caller says which of them were valid.

    ``base`` are the cases of the suite so far: parents are positions in it, continued by the cases
    reported as kept, in that order. ``seeds`` (of a model, of the prompt's examples) and ``drawn``
    (of Hypothesis strategies) are proposed as they are, and built on only once kept.
    """

    def __init__(
        self,
        base: Sequence[Case],
        *,
        guards: Guards,
        rng: random.Random,
        seeds: Sequence[Case] = (),
        drawn: Sequence[Case] = (),
        constants: Constants | None = None,
        mix: Mix | None = None,
    ) -> None:
        mix = mix or Mix()
        self.guards = guards
        self._random = rng.random
        self.world = World(rng.random, constants or Constants())
        self.extent = Extent.of([case.arguments for case in base])
        self.world.reach, self.world.longest = self.extent.reach, self.extent.longest
        self.places = [
            Place(domain, shape, self.world)
            for domain, shape in zip(guards.domains, guards.shapes, strict=True)
        ]
        self.pool = Pool(rng.random)
        self._known: set[bytes] = set()
        self._pending: dict[bytes, _Pending] = {}
        self._seeds, self._drawn = deque(seeds), deque(drawn)
        self._boundaries = self._each_boundary()
        for case in base:
            self._known.add(key(case.arguments))
            self._adopt(case, None)
        self._sources = [
            _Source("mutation", mix.mutation, lambda: self._mutated(Family.NEAR)),
            _Source("constant", mix.constant, lambda: self._mutated(Family.CONSTANT)),
            _Source("boundary", mix.boundary, lambda: next(self._boundaries, None)),
            _Source("hypothesis", mix.hypothesis, self._next_drawn),
        ]

    def propose(self, count: int) -> list[Case]:
        """Return up to ``count`` new cases that the guards admit, none equal to any before.

        Fewer come back where the sources run dry; none at all means that there is nothing left.
        """
        batch: list[Case] = []
        while self._seeds and len(batch) < count:
            self._offer(self._seeds.popleft(), None, batch)
        active = [source for source in self._sources if source.share > 0]
        due = {source.name: 0.0 for source in active}
        while active and len(batch) < count:
            for source in active:
                due[source.name] += source.wanted
            source = max(active, key=lambda each: due[each.name])
            due[source.name] -= sum(each.wanted for each in active)
            if not self._draw(source, batch):
                active.remove(source)
        return batch

    def feedback(
        self,
        kept: Sequence[Case],
        *,
        slow: Sequence[Case] = (),
        outputs: Sequence[Hashable] | None = None,
    ) -> None:
        """Afterwards the kept cases stand at the next positions of the suite and are built upon.

        ``slow`` are cases refused for the reference's time: later ones stay smaller. ``outputs``
        (one a kept case, say the encoded result) let inputs with rare results be built on as often
        as those with common ones.
        """
        answers: Sequence[Hashable] = outputs if outputs is not None else [None] * len(kept)
        for case, output in zip(kept, answers, strict=True):
            pending = self._pending.get(key(case.arguments))
            if pending is not None:
                if pending.source is not None:
                    pending.source.kept += 1
                for table, index in pending.steps:
                    table.kept[index] += 1
            self._adopt(case, output)
        for table in {id(t): t for p in self._pending.values() for t, _ in p.steps}.values():
            table.reweigh()
        self._pending.clear()
        self.extent = self.extent.after(
            [case.arguments for case in kept], [case.arguments for case in slow]
        )
        self.world.reach, self.world.longest = self.extent.reach, self.extent.longest
        for place in self.places:
            for each in place.every():
                each.bound()

    def _adopt(self, case: Case, output: Hashable) -> None:
        self.pool.add(case.arguments, output)
        for place, value in zip(self.places, case.arguments, strict=False):
            place.learn(value)

    def _draw(self, source: _Source, batch: list[Case]) -> bool:
        """Add one case of the source to the batch; False if it has none to give."""
        for _ in range(_PATIENCE):
            self.world.trace.clear()
            case = source.draw()
            if case is None:
                return False
            if self._offer(case, source, batch):
                return True
        return False

    def _offer(self, case: Case, source: _Source | None, batch: list[Case]) -> bool:
        identity = key(case.arguments)
        if identity in self._known or self.guards.explain(case.arguments) is not None:
            return False
        self._known.add(identity)
        steps = tuple(self.world.trace)
        for table, index in steps:
            table.tried[index] += 1
        if source is not None:
            source.proposed += 1
        self._pending[identity] = _Pending(source, steps)
        batch.append(case)
        return True

    def _mutated(self, family: Family) -> Case | None:
        """Return some input of the pool changed by one or several operators of the family."""
        if not self.pool.size:
            return None
        random, world = self._random, self.world
        parent, arguments = self.pool.pick()
        names: list[str] = []
        world.family = family
        for change in range(_MOST_CHANGES):
            if change and random() > _MORE:
                break
            if len(arguments) > 1 and random() < _LINKED and family is Family.NEAR:
                name, link = LINKS[int(random() * len(LINKS))]
                arguments = link(arguments, self.places)
                names.append(name)
            elif arguments:
                at = int(random() * len(arguments))
                mark = len(world.trace)
                changed = self.places[at].mutate(arguments[at])
                arguments = (*arguments[:at], changed, *arguments[at + 1 :])
                steps = world.trace[mark:]
                names.append(steps[0][0].operators[steps[0][1]].name if steps else "fresh")
        source = "mutation" if family is Family.NEAR else "constant"
        return Case(arguments, source, parent, tuple(names))

    def _next_drawn(self) -> Case | None:
        return self._drawn.popleft() if self._drawn else None

    def _each_boundary(self) -> Iterator[Case]:
        """Yield inputs with one argument, then one element, then several at a boundary."""
        values: list[list[Value]] = [[] for _ in self.places]
        used: list[set[bytes]] = [set() for _ in self.places]
        reach = -1.0
        while True:
            if reach != self.world.reach:
                reach = self.world.reach
                values = [boundary.values(place) for place in self.places]
            for at, known in enumerate(used):
                value = next((each for each in values[at] if key(each) not in known), None)
                if value is not None:
                    known.add(key(value))
                    yield self._at_boundary({at: value})
            if not any(values):
                return
            yield self._at_boundaries(values)

    def _at_boundary(self, changed: dict[int, Value]) -> Case:
        parent, arguments = self.pool.pick()
        arguments = tuple(changed.get(at, value) for at, value in enumerate(arguments))
        names = tuple(f"boundary.argument{at}" for at in changed)
        return Case(arguments, "boundary", parent, names)

    def _at_boundaries(self, values: list[list[Value]]) -> Case:
        """Return an input with each argument at a boundary or not, the simple ones preferred."""
        random = self._random
        changed: dict[int, Value] = {}
        for at, choices in enumerate(values):
            if choices and (len(values) == 1 or random() < 0.6):
                rank = int(random() * random() * len(choices))
                changed[at] = choices[rank]
        return self._at_boundary(changed)
