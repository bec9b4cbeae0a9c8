"""Which of all the cases that ran become a task: they reach most, and differ in most ways."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from evalplus_lite.exe.inputs.validators import MAX_CASES, MIN_CASES, Executed
from evalplus_lite.exe.running.runs import is_answer

OWN_ARM, OTHER_ARM, MOST_OTHERS = 8.0, 1.0, 6.0
"""What reaching something new is worth, in the entry point and beyond it."""
ERRORS = 0.2
"""Share of cases that should raise, where any do; at most twice as many may."""
READABLE = 200
"""Characters of input and answer together that cost a reader nothing."""
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")


def select(cases: Sequence[Executed], *, count: int = MAX_CASES) -> list[Executed]:
    """Return up to ``count`` cases chosen to reach much, to meet the validators and to differ.

    What is reached in the entry point counts most, then a share of errors, new answers and paths,
    and a spread over lines run, depth, and sizes, each doubling counted alike. At most 40 % raise,
    less than half are trivial and none of the outputs makes up more than two thirds, where the
    cases allow it. A case that the program's own documentation answers is never chosen.
    """
    left = [_Candidate.of(c) for c in cases if is_answer(c.answer) and not c.is_given_away]
    choice = _Choice(count)
    while left and len(choice.cases) < count:
        best = max(range(len(left)), key=lambda at: (choice.gain(left[at]), -at))
        if choice.gain(left[best]) < -30 and len(choice.cases) >= MIN_CASES:
            break
        choice.add(left.pop(best))
    return choice.cases


def error_kind(case: Executed) -> str:
    """Return an exception's type and message without what it quotes; empty for a value."""
    if not case.is_error:
        return ""
    return f"{case.answer.type}: {_QUOTED.sub('_', case.answer.message)[:80]}"


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A case, with what does not depend on the others."""

    case: Executed
    output: str
    is_trivial: bool
    kind: str
    places: tuple[tuple[Hashable, float], ...]
    """Where it stands in each spread, and what being the first there is worth."""
    cost: float

    @classmethod
    def of(cls, case: Executed) -> _Candidate:
        """Work them out."""
        given, said = len(case.call.key), len(case.answer.key)
        kind = error_kind(case)
        places = (
            (("output", kind or case.answer.key), 3.0),
            (("path", case.signature), 2.0),
            (("steps", case.steps.bit_length()), 2.0),
            (("depth", case.depth), 0.5),
            (("given", given.bit_length()), 1.0),
            (("said", said.bit_length()), 1.0),
        )
        cost = 2.0 * math.log2(max(1.0, (given + said) / READABLE))
        return cls(case, case.answer.key, case.is_trivial, kind, places, cost)


@dataclass(slots=True)
class _Choice:
    """The cases chosen so far."""

    count: int
    cases: list[Executed] = field(default_factory=list)
    seen: Counter[Hashable] = field(default_factory=Counter)
    outputs: Counter[str] = field(default_factory=Counter)
    reached: set[int] = field(default_factory=set)
    kinds: Counter[str] = field(default_factory=Counter)
    errors: int = 0
    trivial: int = 0
    odd: int = 0

    def gain(self, one: _Candidate) -> float:
        """Return what one more case is worth."""
        score = OWN_ARM * len(one.case.reached - self.reached)
        score += min(MOST_OTHERS, OTHER_ARM * len(one.case.beyond - self.reached))
        score += sum(worth / (1 + self.seen[place]) for place, worth in one.places)
        score -= one.cost + one.case.oddity * (1 + self.odd / 2)
        if one.kind:
            wanted = self.errors < ERRORS * self.count
            score += (4.0 if wanted else -1.0) / (1 + self.kinds[one.kind])
            score -= 50.0 if 5 * (self.errors + 1) > 2 * self.count else 0.0
        if one.is_trivial:
            score -= 1.5 + (50.0 if 5 * (self.trivial + 1) > 2 * self.count else 0.0)
        if 5 * (self.outputs[one.output] + 1) > 3 * self.count:
            score -= 40.0
        return score

    def add(self, one: _Candidate) -> None:
        """Choose a case."""
        self.cases.append(one.case)
        self.reached |= one.case.reached | one.case.beyond
        self.seen.update(place for place, _ in one.places)
        self.outputs[one.output] += 1
        self.errors += one.case.is_error
        self.kinds[one.kind] += 1
        self.trivial += one.is_trivial
        self.odd += one.case.oddity > 0
