"""The generator: proposes new inputs for a task and learns from the accepted ones.

``Mix`` (``engine.pool``) divides a batch among the sources. All randomness comes from one
``random.Random``, and only from its ``random()``, whose sequence Python guarantees.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from typing import Any, Protocol

from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.domains.layout import Layout
from evalplus_lite.generate.engine.boundary import Assignment, BoundaryCombinations
from evalplus_lite.generate.engine.challenges import SCALING, Challenges
from evalplus_lite.generate.engine.guaranteed import guaranteed
from evalplus_lite.generate.engine.pool import InputSource, Mix, Pool
from evalplus_lite.generate.engine.scale import LARGE, Dimension, GrowthLimits, Rung, Scales, weight
from evalplus_lite.generate.engine.slots import GenerationState, Slot
from evalplus_lite.types import Arguments, Case, Value
from evalplus_lite.values.identity import key

# Small domains (a bool, a choice of three) are exhausted quickly; without a limit the search for an
# unseen input would not end.
_MAX_TRIES = 60
"""Failed tries in a row after which a source is dropped for the rest of the batch."""
_MORE = 0.3
"""Probability of each further change to an input, after the first."""
_MOST_CHANGES = 6
APART = (*SCALING, "foreign")
"""Sources whose cases are never mutated: they are large, or have types that examples lack."""
MOST_DOUBTFUL = 20
"""Limit on proposed cases that the input filter considers doubtful."""


@dataclass(slots=True)
class _Pending:
    source: InputSource | None
    choice: Assignment = field(default_factory=dict)
    size: tuple[Dimension, int] | None = None
    """For challenges: the dimension, and the size in it."""


class Generator:
    """Proposes cases in batches; the caller reports which were valid.

    ``base`` are the cases of the suite so far: parents are positions in it, followed by the
    accepted cases in the order in which they are reported. ``seeds`` (from a model or the prompt's
    examples) and ``sampled`` (from Hypothesis strategies) are proposed unchanged, and mutated once
    accepted. ``is_challenging`` adds deliberately large inputs (``Challenges``). A ``reference``
    (its source and entry point) adds inputs that every suite should have (``guaranteed``). ``fit``
    adjusts changed values to the task's form, or returns None if that is impossible.
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
        mix: Mix | None = None,
        is_challenging: bool = False,
        reference: tuple[str, str] | None = None,
        fit: Callable[[Arguments], Arguments | None] | None = None,
    ) -> None:
        mix = mix or Mix()
        self.input_filter = input_filter
        self._random = rng.random
        self.state = GenerationState(rng.random, constants or Constants())
        # Set the limits before building the slots, which read them from the state.
        self._limit(GrowthLimits.of([case.arguments for case in base]))
        self.slots = [
            Slot(domain, profile, self.state)
            for domain, profile in zip(input_filter.domains, input_filter.profiles, strict=True)
        ]
        self.pool = Pool(rng.random)
        self._fit = fit
        self.scales = Scales.of(self.slots, [case.arguments for case in base])
        self.challenges = Challenges(self.slots, self.pool, rng.random, self.scales, fit)
        self._known: set[bytes] = set()
        self._pending: dict[bytes, _Pending] = {}
        self._seeds, self._sampled = deque(seeds), deque(sampled)
        # Nothing has been learned yet: boundary values built from examples come with ``feedback``.
        self._boundaries = BoundaryCombinations(self.slots, rng.random)
        self._choice: Assignment = {}
        self._doubtful = 0
        # The base cases have the first positions of the pool, which ``Case.parent`` refers to.
        for case in base:
            self._adopt(case, key(case.arguments), is_seed=True)
        self._sources = [
            InputSource("mutation", mix.mutation, partial(self._mutated, "mutation")),
            InputSource("constant", mix.constant, partial(self._mutated, "constant")),
            InputSource("boundary", mix.boundary, self._at_boundary),
            InputSource("hypothesis", mix.hypothesis, self._next_sampled),
        ]
        if reference is not None:
            arguments = [case.arguments for case in base]
            # One iterator for the whole task: each batch continues where the last one ended.
            sure = guaranteed(self.slots, arguments, *reference)
            self._sources.append(
                InputSource("guaranteed", mix.guaranteed, partial(next, sure, None))
            )
        if is_challenging:
            self._sources += [
                InputSource(name, getattr(mix, name), partial(self.challenges.draw, name))
                for name in SCALING
            ]

    def propose(self, count: int) -> list[Case]:
        """Return up to ``count`` admitted cases, all different from earlier ones.

        There may be fewer; an empty list means that all sources are exhausted.
        """
        batch: list[Case] = []
        # Seeds come first, so that later batches can mutate them.
        while self._seeds and len(batch) < count:
            self._offer(self._seeds.popleft(), None, batch)
        active = [source for source in self._sources if source.share > 0]
        for source in active:
            # Each source's first turn is due after half its period, so that sources with small
            # shares are spread over the batch rather than all due at its start.
            source.due = 0.5 / source.share
        while active and len(batch) < count:
            # The source that is due first is next.
            source = min(active, key=attrgetter("due"))
            source.due += 1 / source.share
            # A source dropped here takes part in the next batch again, which has new parents and
            # other limits.
            if not self._draw(source, batch):
                active.remove(source)
        return batch

    def ladder(self, base: Sequence[Case]) -> list[Rung]:
        """Return admitted inputs of increasing size, to find the limit of each dimension.

        They count as proposed, and are not proposed again.
        """
        rungs = []
        for rung in self.challenges.ladder(base):
            # Each rung becomes known even if the reference turns out to be too slow for it, so that
            # no later batch proposes it again.
            identity = key(rung.case.arguments)
            if identity not in self._known and self.input_filter.admits(rung.case.arguments):
                self._known.add(identity)
                size = rung.dimension, rung.dimension.measure(rung.case.arguments)
                self._pending[identity] = _Pending(None, size=size)
                rungs.append(rung)
        return rungs

    def feedback(
        self, accepted: Sequence[Case], *, slow: Sequence[Case] = (), apart: Sequence[Case] = ()
    ) -> None:
        """Add the accepted cases to the suite, so that they can be mutated.

        ``slow`` cases, on which the reference took too long, make later ones smaller. Challenges
        set ``apart`` as too demanding make later challenges smaller.
        """
        # Process slow cases first, while pending records still show which are challenges. Those
        # limit only their own dimension, and guaranteed inputs limit nothing: only the rest show
        # that ordinary inputs have become too large.
        slow = [case for case in slow if not self._shrink_scale(case)]
        near = [case.arguments for case in slow if case.source != "guaranteed"]
        for case in apart:
            self._shrink_scale(case, is_slow=False)
        for case in accepted:
            # Remove accepted cases from the pending ones; those left after the loop were rejected.
            identity = key(case.arguments)
            pending = self._pending.pop(identity, None)
            self._adopt(case, identity, is_seed=pending is None or pending.source is None)
            if pending is not None:
                self._boundaries.learn(pending.choice, accepted=True)
        for pending in self._pending.values():
            self._boundaries.learn(pending.choice, accepted=False)
        self._pending.clear()
        # Challenges do not raise the limits of ordinary inputs.
        grown = [case.arguments for case in accepted if case.source not in APART]
        self._limit(self.limits.after(grown, near))
        # Recompute the slots' bounds and the boundary values last, from the new limits.
        for slot in self.slots:
            slot.bound()
        self._boundaries.refresh()

    def doubt(self, case: Case) -> str | None:
        """Return why a case is doubtful, or None."""
        return self.input_filter.doubt(case.arguments)

    def _limit(self, limits: GrowthLimits) -> None:
        self.limits = limits
        self.state.max_magnitude, self.state.max_size = limits.max_magnitude, limits.max_size

    def _adopt(self, case: Case, identity: bytes, *, is_seed: bool) -> None:
        # Every accepted case gets a position in the pool, because parents are positions.
        self._known.add(identity)
        if case.source in APART or (not is_seed and weight(case.arguments) > LARGE):
            self.pool.add(case.arguments, is_parent=False)
            return
        # Large values are not learned: as fragments they would make every mutant large.
        for slot, value in zip(self.slots, case.arguments, strict=False):
            slot.learn(value)
        self.pool.add(case.arguments, is_seed=is_seed)

    def _shrink_scale(self, case: Case, *, is_slow: bool = True) -> bool:
        """Limit the dimension of a challenge to below its size; return False for other cases."""
        pending = self._pending.get(key(case.arguments))
        if pending is None or pending.size is None:
            return False
        dimension, size = pending.size
        self.scales.ranges[dimension].shrink(size, is_slow=is_slow)
        return True

    def _draw(self, source: InputSource, batch: list[Case]) -> bool:
        """Add one case of the source to the batch; return False if it has none left."""
        # Trace, choice and size belong to one draw, so they are reset before each.
        for _ in range(_MAX_TRIES):
            self.state.trace.clear()
            self._choice, self.challenges.last = {}, None
            case = source.draw()
            if case is None:
                return False
            if self._offer(case, source, batch):
                return True
        return False

    def _offer(self, case: Case, source: InputSource | None, batch: list[Case]) -> bool:
        if self._fit is not None:
            arguments = self._fit(case.arguments)
            if arguments is None:
                return False
            case = replace(case, arguments=arguments)
        # ``fit`` may change the arguments, so identity and filter come after it.
        identity = key(case.arguments)
        if identity in self._known or self.input_filter.explain(case.arguments) is not None:
            return False
        # Doubtful inputs become stress cases, not tests, so a task gets few of them.
        if self.doubt(case) is not None:
            if self._doubtful >= MOST_DOUBTFUL:
                return False
            self._doubtful += 1
        self._known.add(identity)
        # A seed was not drawn, so the challenges' last size does not apply to it.
        size = self.challenges.last if source is not None else None
        self._pending[identity] = _Pending(source, self._choice, size)
        batch.append(case)
        return True

    def _mutated(self, source: str) -> Case | None:
        """Return an input of the pool changed by one or more operators, by constants or not."""
        if not self.pool.size:
            return None
        random, state = self._random, self.state
        parent, arguments = self.pool.pick()
        # Further changes have the probability ``_MORE``, so most mutants stay close to their
        # parents.
        names: list[str] = []
        state.draws_constants = source == "constant"
        for change in range(_MOST_CHANGES):
            if change and random() > _MORE:
                break
            if arguments:
                at = int(random() * len(arguments))
                # The trace of one change is everything after the mark: an operator on a list also
                # records the operators of its elements.
                mark = len(state.trace)
                changed = self.slots[at].mutate(arguments[at])
                arguments = (*arguments[:at], changed, *arguments[at + 1 :])
                # Nested operators are recorded before the enclosing ones.
                steps = reversed(state.trace[mark:])
                names += [operator.name for operator in steps] or ["fresh"]
        return Case(arguments, source, parent, tuple(names))

    def _next_sampled(self) -> Case | None:
        return self._sampled.popleft() if self._sampled else None

    def _at_boundary(self) -> Case | None:
        """Return an input of the pool with boundary values for some arguments, or None."""
        choice = self._boundaries.draw()
        if not choice or not self.pool.size:
            return None
        parent, arguments = self.pool.pick()
        arguments = tuple(choice.get(at, value) for at, value in enumerate(arguments))
        self._choice = choice
        names = tuple(f"boundary.argument{at}" for at in choice)
        return Case(arguments, "boundary", parent, names)


class ArgumentForm(Protocol):
    """A translation between a task's arguments and the values that a generator mutates."""

    def values(self, arguments: Arguments) -> Arguments | None:
        """Return the values of arguments; None if they do not have this form."""

    def fit(self, values: Arguments) -> Arguments | None:
        """Adjust changed values to the form, or return None."""

    def written(self, values: Arguments) -> Arguments:
        """Return the arguments that the values represent."""


class AdaptedGenerator:
    """A ``Generator`` that works on a form's values; its callers see arguments.

    A case that does not have the form is skipped.
    """

    def __init__(
        self,
        form: ArgumentForm,
        base: Sequence[Case],
        *,
        seeds: Sequence[Case] = (),
        layout: Layout | None = None,
        **options: Any,
    ) -> None:
        self._form, self._layout = form, layout
        self.inner = Generator(
            self._values(base), seeds=self._values(seeds), fit=form.fit, **options
        )
        self.input_filter, self.scales = self.inner.input_filter, self.inner.scales

    def propose(self, count: int) -> list[Case]:
        """Return up to ``count`` new cases."""
        return list(map(self._written, self.inner.propose(count)))

    def ladder(self, base: Sequence[Case]) -> list[Rung]:
        """Return cases of increasing size, to find the limit of each dimension."""
        rungs = self.inner.ladder(self._values(base))
        return [replace(rung, case=self._written(rung.case)) for rung in rungs]

    def feedback(
        self, accepted: Sequence[Case], *, slow: Sequence[Case] = (), apart: Sequence[Case] = ()
    ) -> None:
        """Learn which cases were accepted."""
        values = self._values
        self.inner.feedback(values(accepted), slow=values(slow), apart=values(apart))

    def doubt(self, case: Case) -> str | None:
        """Return why the text or the values of a case are doubtful, or None."""
        departure = self._layout and self._layout.explain(case.arguments[0])
        return departure or next(map(self.inner.doubt, self._values([case])), None)

    def _values(self, cases: Iterable[Case]) -> list[Case]:
        pairs = ((case, self._form.values(case.arguments)) for case in cases)
        return [replace(case, arguments=values) for case, values in pairs if values is not None]

    def _written(self, case: Case) -> Case:
        return replace(case, arguments=self._form.written(case.arguments))


# Arguments that are code: the generator chooses among known texts and invents none.
#
# To the generator such an argument is the index of its text among the known ones.

GENERIC = ("lambda *a: a[0]", "lambda *a: not a[0]", "lambda *a: 0")
"""Functions of any arguments, tried along with a task's own: the first argument, its negation, and
a constant."""


class CodeTexts:
    """The code arguments of a task's cases, by position: an ``ArgumentForm``."""

    def __init__(self, positions: Iterable[int], base: Sequence[Case]) -> None:
        self.known: dict[int, list[Value]] = {position: [] for position in positions}
        for case in base:
            self.values(case.arguments)
        for texts in self.known.values():
            if all(type(text) is str for text in texts):
                texts.extend(text for text in GENERIC if text not in texts)

    def values(self, arguments: Arguments) -> Arguments:
        """Return arguments with indices in place of code; new code becomes known."""

        def index(text: Value, texts: list[Value]) -> int:
            names = list(map(key, texts))
            if key(text) not in names:
                texts.append(text)
                return len(names)
            return names.index(key(text))

        return self._changed(arguments, index)

    def fit(self, values: Arguments) -> Arguments | None:
        """Return values with indices in range; None if an index is not an integer."""
        if any(type(values[at]) is not int for at in self.known if at < len(values)):
            return None
        # Mutation yields any integer; the remainder turns it into an index.
        return self._changed(values, lambda at, texts: at % len(texts))

    def written(self, values: Arguments) -> Arguments:
        """Return arguments with code in place of indices."""
        return self._changed(values, lambda at, texts: texts[at])

    def _changed(
        self, arguments: Arguments, change: Callable[[Value, list[Value]], Value]
    ) -> Arguments:
        changed = list(arguments)
        for position, texts in self.known.items():
            if position < len(changed):
                changed[position] = change(changed[position], texts)
        return tuple(changed)

    def unrelated(self, input_filter: InputFilter) -> InputFilter:
        """Return a filter without constraints on the indices, which would be meaningless."""
        places = self.known.keys()
        return replace(
            input_filter,
            strict=input_filter.strict and self.unrelated(input_filter.strict),
            stated=None,
            relations=tuple(r for r in input_filter.relations if not places & set(r.positions)),
            constraints=tuple(
                c for c in input_filter.constraints if not places & _positions(c.name)
            ),
        )


def _positions(name: str) -> set[int]:
    """Return the positions in the name of a constraint, such as ``0.less.1``."""
    parts = name.split(".")
    return {int(part) for part in (parts[0], parts[-1]) if part.isdecimal()}
