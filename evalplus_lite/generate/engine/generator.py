"""The generator: proposes new inputs for a task, learns from what was accepted, never repeats.

The budget is split (measured: docs/augmentation.md): half near the seeds, the rest constants of the
task's text, boundary shapes, and drawn values. Everything is decided by one ``random.Random``, in
terms of its ``random()`` only, whose sequence Python promises to keep.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine.boundary import Assignment, BoundaryCombinations
from evalplus_lite.generate.engine.challenges import SCALING, Challenges
from evalplus_lite.generate.engine.cross_argument import CrossArgument
from evalplus_lite.generate.engine.growth import GrowthLimits
from evalplus_lite.generate.engine.pool import InputSource, Mix, Pool, due
from evalplus_lite.generate.engine.scale import LARGE, Dimension, Rung, Scales, weight
from evalplus_lite.generate.engine.slots import GenerationState, Slot, Step
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
    source: InputSource | None
    steps: tuple[Step, ...] = ()
    choice: Assignment = field(default_factory=dict)
    size: tuple[Dimension, int] | None = None
    """Where it was made large on purpose: the dimension, and how large."""


class Generator:
    """Proposes cases in batches; the caller says which of them were valid.

    ``base`` are the cases of the suite so far: parents are positions in it, continued by the cases
    reported as accepted, in that order. ``seeds`` (of a model, of the prompt's examples) and
    ``sampled`` (of Hypothesis strategies) are proposed as they are, and built on once accepted.
    With ``is_challenging`` kinds of inputs that testers know have their share (``Challenges``).
    """

    def __init__(
        self,
        base: Sequence[Case],
        *,
        input_filter: InputFilter,
        rng: random.Random,
        seeds: Sequence[Case] = (),
        sampled: Sequence[Case] = (),
        constants: Constants | None = None,
        outputs: Sequence[Hashable] | None = None,
        mix: Mix | None = None,
        is_challenging: bool = False,
    ) -> None:
        mix = mix or Mix()
        self.input_filter = input_filter
        self._random = rng.random
        self.state = GenerationState(rng.random, constants or Constants())
        self.limits = GrowthLimits.of([case.arguments for case in base])
        self.state.max_magnitude, self.state.max_size = (
            self.limits.max_magnitude,
            self.limits.max_size,
        )
        self.slots = [
            Slot(domain, profile, self.state)
            for domain, profile in zip(input_filter.domains, input_filter.profiles, strict=True)
        ]
        self.pool = Pool(rng.random)
        self.scales = Scales.of(self.slots, [case.arguments for case in base])
        self.challenges = Challenges(self.slots, self.pool, rng.random, self.scales)
        self._known: set[bytes] = set()
        self._pending: dict[bytes, _Pending] = {}
        self._seeds, self._sampled = deque(seeds), deque(sampled)
        self._boundaries = BoundaryCombinations(self.slots, rng.random)
        self._choice: Assignment = {}
        self._cross_argument = CrossArgument()
        answers = outputs if outputs is not None else [None] * len(base)
        for case, output in zip(base, answers, strict=True):
            self._adopt(case, key(case.arguments), output, is_seed=True)
        self._sources = [
            InputSource("mutation", mix.mutation, partial(self._mutated, "mutation", Family.NEAR)),
            InputSource(
                "constant", mix.constant, partial(self._mutated, "constant", Family.CONSTANT)
            ),
            InputSource("boundary", mix.boundary, self._at_boundary),
            InputSource("hypothesis", mix.hypothesis, self._next_sampled),
        ]
        if is_challenging:
            self._sources += [
                InputSource(name, getattr(mix, name), draw)
                for name, draw in self.challenges.draws().items()
            ]
        self._targeted = [
            InputSource("targeted", 0.5, partial(self._mutated, "targeted", family))
            for family in (Family.NEAR, Family.CONSTANT)
        ]

    def propose(self, count: int) -> list[Case]:
        """Return up to ``count`` new cases that the filter admits, none equal to any before.

        Fewer come back where the sources run dry; none at all means that there is nothing left.
        """
        batch: list[Case] = []
        while self._seeds and len(batch) < count:
            self._offer(self._seeds.popleft(), None, batch)
        self._fill(batch, count, self._sources)
        return batch

    def ladder(self, base: Sequence[Case]) -> list[Rung]:
        """Return admitted inputs, larger and larger, that show how far each dimension goes.

        They count as proposed, and are not asked for again.
        """
        found = []
        for rung in self.challenges.ladder(base):
            identity = key(rung.case.arguments)
            if identity not in self._known and self.input_filter.admits(rung.case.arguments):
                self._known.add(identity)
                size = rung.dimension, rung.dimension.measure(rung.case.arguments)
                self._pending[identity] = _Pending(None, size=size)
                found.append(rung)
        return found

    def plant(self, cases: Iterable[Case]) -> None:
        """Propose these cases next, as they are; they are built on only once accepted."""
        self._seeds.extend(cases)

    def propose_for(self, constants: Constants, count: int) -> list[Case]:
        """Return up to ``count`` new cases of these constants, source ``targeted``."""
        usual, self.state.constants = self.state.constants, constants
        batch: list[Case] = []
        try:
            self._fill(batch, count, self._targeted)
        finally:
            self.state.constants = usual
        return batch

    def _fill(self, batch: list[Case], count: int, sources: Sequence[InputSource]) -> None:
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
        accepted: Sequence[Case],
        *,
        slow: Sequence[Case] = (),
        apart: Sequence[Case] = (),
        outputs: Sequence[Hashable] | None = None,
    ) -> None:
        """Append the accepted cases to the suite, so that they are built upon.

        ``slow`` are cases rejected for the reference's time: later ones stay smaller; so do those
        made large on purpose after some that were set ``apart`` as too demanding. ``outputs``
        (one an accepted case, say the encoded result; for the base cases too) let inputs with rare
        results be built on as often as those with common ones, and favour what makes them.
        """
        answers: Sequence[Hashable] = outputs if outputs is not None else [None] * len(accepted)
        near = [case for case in slow if not self._is_scaled(case)]
        for case in apart:
            self._is_scaled(case, is_slow=False)
        for case, output in zip(accepted, answers, strict=True):
            identity = key(case.arguments)
            pending = self._pending.pop(identity, None)
            is_seed = pending is None or pending.source is None
            worth = self._adopt(case, identity, output, is_seed=is_seed)
            if pending is not None:
                self._credit(pending, worth, accepted=True)
        for pending in self._pending.values():
            self._credit(pending, 0.0, accepted=False)
        self._pending.clear()
        for slot in self.slots:
            slot.reweigh()
        self._cross_argument.table.reweigh()
        self.limits = self.limits.after(
            [case.arguments for case in accepted if case.source not in SCALING],
            [case.arguments for case in near],
        )
        self.state.max_magnitude, self.state.max_size = (
            self.limits.max_magnitude,
            self.limits.max_size,
        )
        for slot in self.slots:
            slot.bound()
        self._boundaries.refresh()

    def _credit(self, pending: _Pending, worth: float, *, accepted: bool) -> None:
        if accepted and pending.source is not None:
            pending.source.accepted += 1
            pending.source.worth += worth
        for table, index in pending.steps:
            table.credit(index, worth)
        self._boundaries.learn(pending.choice, accepted=accepted)

    def _adopt(self, case: Case, identity: bytes, output: Hashable, *, is_seed: bool) -> float:
        self._known.add(identity)
        if case.source in SCALING or (not is_seed and weight(case.arguments) > LARGE):
            return self.pool.add(case.arguments, output, is_parent=False)
        for slot, value in zip(self.slots, case.arguments, strict=False):
            slot.learn(value)
        return self.pool.add(case.arguments, output, is_seed=is_seed)

    def _is_scaled(self, slow: Case, *, is_slow: bool = True) -> bool:
        """Return whether a case was made large on purpose; if so, its dimension stays below."""
        pending = self._pending.get(key(slow.arguments))
        if pending is None or pending.size is None:
            return False
        dimension, size = pending.size
        self.scales.ranges[dimension].shrink(size, is_slow=is_slow)
        return True

    def _draw(self, source: InputSource, batch: list[Case]) -> bool:
        """Add one case of the source to the batch; False if it has none to give."""
        for _ in range(_PATIENCE):
            self.state.trace.clear()
            self._choice, self.challenges.last = {}, None
            case = source.draw()
            if case is None:
                return False
            if self._offer(case, source, batch):
                return True
        return False

    def _offer(self, case: Case, source: InputSource | None, batch: list[Case]) -> bool:
        identity = key(case.arguments)
        if identity in self._known or self.input_filter.explain(case.arguments) is not None:
            return False
        self._known.add(identity)
        if source is not None:
            source.proposed += 1
        size = self.challenges.last if source is not None else None
        self._pending[identity] = _Pending(source, tuple(self.state.trace), self._choice, size)
        batch.append(case)
        return True

    def _mutated(self, source: str, family: Family) -> Case | None:
        """Return some input of the pool changed by one or several operators of the family."""
        if not self.pool.size:
            return None
        random, state = self._random, self.state
        parent, arguments = self.pool.pick()
        names: list[str] = []
        state.draws_constants = family is Family.CONSTANT
        for change in range(_MOST_CHANGES):
            if change and random() > _MORE:
                break
            mutation = 0
            if len(arguments) > 1 and family is Family.NEAR:
                mutation = self._cross_argument.choose(random)
                state.trace.append((self._cross_argument.table, mutation))
            if mutation:
                operator = self._cross_argument.table.operators[mutation]
                arguments = operator.apply(arguments, self.slots)
                names.append(operator.name)
            elif arguments:
                at = int(random() * len(arguments))
                mark = len(state.trace)
                changed = self.slots[at].mutate(arguments[at])
                arguments = (*arguments[:at], changed, *arguments[at + 1 :])
                # Nested operators are noted before the ones around them.
                steps = reversed(state.trace[mark:])
                names += [table.operators[index].name for table, index in steps] or ["fresh"]
        return Case(arguments, source, parent, tuple(names))

    def _next_sampled(self) -> Case | None:
        return self._sampled.popleft() if self._sampled else None

    def _at_boundary(self) -> Case | None:
        """Return some input of the pool with arguments at boundaries; None if there are none."""
        choice = self._boundaries.draw()
        if not choice or not self.pool.size:
            return None
        parent, arguments = self.pool.pick()
        arguments = tuple(choice.get(at, value) for at, value in enumerate(arguments))
        self._choice = choice
        names = tuple(f"boundary.argument{at}" for at in choice)
        return Case(arguments, "boundary", parent, names)
