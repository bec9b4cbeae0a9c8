"""The generator: proposes new inputs for a task, learns from which were kept, and never repeats.

The budget is split (design measured in testgen): half near the seeds, the rest constants of the
task's text, boundary shapes, and drawn values. Everything is decided by one ``random.Random``, in
terms of its ``random()`` only, whose sequence Python promises to keep.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial

from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.domains.filter import Guards
from evalplus_lite.generate.engine.boundary_combinations import Choice, Corners
from evalplus_lite.generate.engine.cross_argument import Linking
from evalplus_lite.generate.engine.growth import Extent
from evalplus_lite.generate.engine.pool import Pool
from evalplus_lite.generate.engine.scheduler import Mix, Source, due
from evalplus_lite.generate.engine.slots import Place, Step, World
from evalplus_lite.generate.engine.targeting import Aim
from evalplus_lite.generate.operators.registry import Family
from evalplus_lite.types import Case, Value
from evalplus_lite.values.identity import key

Arguments = tuple[Value, ...]

_PATIENCE = 60
"""Tries in a row without a new, admitted input before a source is given up for the batch."""
_MORE = 0.3
"""Chance of each further change to an input, after the first."""
_MOST_CHANGES = 6


@dataclass(slots=True)
class _Pending:
    source: Source | None
    steps: tuple[Step, ...] = ()
    choice: Choice = field(default_factory=dict)


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
        outputs: Sequence[Hashable] | None = None,
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
        self._corners = Corners(self.places, rng.random)
        self._choice: Choice = {}
        self._linking = Linking()
        answers = outputs if outputs is not None else [None] * len(base)
        for case, output in zip(base, answers, strict=True):
            self._adopt(case, key(case.arguments), output, is_seed=True)
        self._sources = [
            Source("mutation", mix.mutation, partial(self._mutated, "mutation", Family.NEAR)),
            Source("constant", mix.constant, partial(self._mutated, "constant", Family.CONSTANT)),
            Source("boundary", mix.boundary, self._at_boundary),
            Source("hypothesis", mix.hypothesis, self._next_drawn),
        ]
        self._aimed = [
            Source("targeted", 0.5, partial(self._mutated, "targeted", family))
            for family in (Family.NEAR, Family.CONSTANT)
        ]
        self._parents: tuple[int, ...] = ()

    def propose(self, count: int) -> list[Case]:
        """Return up to ``count`` new cases that the guards admit, none equal to any before.

        Fewer come back where the sources run dry; none at all means that there is nothing left.
        """
        batch: list[Case] = []
        while self._seeds and len(batch) < count:
            self._offer(self._seeds.popleft(), None, batch)
        self._fill(batch, count, self._sources)
        return batch

    def propose_at(self, aim: Aim, count: int) -> list[Case]:
        """Return up to ``count`` new cases aimed at programs that survived, source ``targeted``."""
        usual, self.world.constants = self.world.constants, aim.constants
        self._parents = aim.parents
        batch: list[Case] = []
        try:
            self._fill(batch, count, self._aimed)
        finally:
            self.world.constants, self._parents = usual, ()
        return batch

    def _fill(self, batch: list[Case], count: int, sources: Sequence[Source]) -> None:
        """Add cases of the sources to the batch, well mixed, until it is full or they are dry."""
        active = [source for source in sources if source.share > 0]
        for source in active:
            source.want()
        while active and len(batch) < count:
            # Whoever has waited longest for its share is next.
            source = min(active, key=due)
            source.due += source.every
            if not self._draw(source, batch):
                active.remove(source)

    def feedback(
        self,
        kept: Sequence[Case],
        *,
        slow: Sequence[Case] = (),
        outputs: Sequence[Hashable] | None = None,
    ) -> None:
        """Afterwards the kept cases stand at the next positions of the suite and are built upon.

        ``slow`` are cases refused for the reference's time: later ones stay smaller. ``outputs``
        (one a kept case, say the encoded result; given for the base cases too) let inputs with rare
        results be built on as often as those with common ones, and favour what makes them.
        """
        answers: Sequence[Hashable] = outputs if outputs is not None else [None] * len(kept)
        for case, output in zip(kept, answers, strict=True):
            identity = key(case.arguments)
            pending = self._pending.pop(identity, None)
            is_seed = pending is None or pending.source is None
            worth = self._adopt(case, identity, output, is_seed=is_seed)
            if pending is not None:
                self._credit(pending, worth, kept=True)
        for pending in self._pending.values():
            self._credit(pending, 0.0, kept=False)
        self._pending.clear()
        for place in self.places:
            place.reweigh()
        self._linking.table.reweigh()
        self.extent = self.extent.after(
            [case.arguments for case in kept], [case.arguments for case in slow]
        )
        self.world.reach, self.world.longest = self.extent.reach, self.extent.longest
        for place in self.places:
            place.bound()
        self._corners.refresh()

    def _credit(self, pending: _Pending, worth: float, *, kept: bool) -> None:
        if kept and pending.source is not None:
            pending.source.kept += 1
            pending.source.worth += worth
        for table, index in pending.steps:
            table.credit(index, worth)
        self._corners.learn(pending.choice, kept=kept)

    def _adopt(self, case: Case, identity: bytes, output: Hashable, *, is_seed: bool) -> float:
        self._known.add(identity)
        for place, value in zip(self.places, case.arguments, strict=False):
            place.learn(value)
        return self.pool.add(case.arguments, output, is_seed=is_seed)

    def _draw(self, source: Source, batch: list[Case]) -> bool:
        """Add one case of the source to the batch; False if it has none to give."""
        for _ in range(_PATIENCE):
            self.world.trace.clear()
            self._choice = {}
            case = source.draw()
            if case is None:
                return False
            if self._offer(case, source, batch):
                return True
        return False

    def _offer(self, case: Case, source: Source | None, batch: list[Case]) -> bool:
        identity = key(case.arguments)
        if identity in self._known or self.guards.explain(case.arguments) is not None:
            return False
        self._known.add(identity)
        if source is not None:
            source.proposed += 1
        self._pending[identity] = _Pending(source, tuple(self.world.trace), self._choice)
        batch.append(case)
        return True

    def _mutated(self, source: str, family: Family) -> Case | None:
        """Return some input of the pool changed by one or several operators of the family."""
        if not self.pool.size:
            return None
        random, world = self._random, self.world
        parent, arguments = self.pool.pick(self._parents)
        names: list[str] = []
        world.draws_constants = family is Family.CONSTANT
        for change in range(_MOST_CHANGES):
            if change and random() > _MORE:
                break
            link = 0
            if len(arguments) > 1 and family is Family.NEAR:
                link = self._linking.choose(random)
                world.trace.append((self._linking.table, link))
            if link:
                operator = self._linking.table.operators[link]
                arguments = operator.apply(arguments, self.places)
                names.append(operator.name)
            elif arguments:
                at = int(random() * len(arguments))
                mark = len(world.trace)
                changed = self.places[at].mutate(arguments[at])
                arguments = (*arguments[:at], changed, *arguments[at + 1 :])
                # Nested operators are noted before the ones around them.
                steps = reversed(world.trace[mark:])
                names += [table.operators[index].name for table, index in steps] or ["fresh"]
        return Case(arguments, source, parent, tuple(names))

    def _next_drawn(self) -> Case | None:
        return self._drawn.popleft() if self._drawn else None

    def _at_boundary(self) -> Case | None:
        """Return some input of the pool with arguments at boundaries; None if there are none."""
        choice = self._corners.draw()
        if not choice or not self.pool.size:
            return None
        parent, arguments = self.pool.pick()
        arguments = tuple(choice.get(at, value) for at, value in enumerate(arguments))
        self._choice = choice
        names = tuple(f"boundary.argument{at}" for at in choice)
        return Case(arguments, "boundary", parent, names)
