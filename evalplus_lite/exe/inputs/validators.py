"""The paper's seven validators (appendix A.2.3), and the selection of cases.

1 schema, 2 duplication, 3 coverage, 4 non-triviality, 5 output diversity, 6 error balance,
7 runtime bounds. Schema and duplication are checked when cases are read; the functions here
judge executed cases.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evalplus_lite.exe.running.runs import CallResult, Invocation, canonical, is_answer, parts_of
from evalplus_lite.exe.tasks.worth import HARD

MIN_CASES = 10
MAX_CASES = 15

ValidatorName: TypeAlias = Literal[
    "schema", "duplication", "coverage", "non-triviality", "diversity", "error balance", "runtime"
]
CORE: frozenset[ValidatorName] = frozenset({"non-triviality", "diversity", "error balance"})
"""Validators that must pass even with fewer than ``MIN_CASES`` cases."""


@dataclass(frozen=True, slots=True)
class Executed:
    """A call with its answer, and measurements of its run if it was instrumented."""

    call: Invocation
    answer: CallResult
    signature: tuple[int, ...] = ()
    """The magnitudes of the run's counters: equal for similar paths."""
    reached: frozenset[int] = frozenset()
    """Branch arms reached in the entry point, as ``Instrumented`` numbers them."""
    beyond: frozenset[int] = frozenset()
    """Branch arms reached in other functions."""
    steps: int = 0
    """Lines executed."""
    depth: int = 0
    """Maximum depth of the call stack."""
    is_accident: bool = False
    """Whether no ``raise`` or ``assert`` of the program raised its exception."""
    source: str = "types"
    """Where the call comes from: a key of ``SOURCE_COST``."""
    is_typed: bool = True
    """Whether its arguments have the annotated types."""
    is_given_away: bool = False
    """Whether the program's documentation holds the arguments and the answer."""

    @property
    def is_error(self) -> bool:
        """Whether it raised."""
        return self.answer.kind == "error"

    @property
    def is_hard(self) -> bool:
        """Whether its run reaches the counts of a hard task."""
        return self.steps >= HARD["lines"] and self.depth >= HARD["depth"]

    @property
    def is_trivial(self) -> bool:
        """Whether it returned one or all of its arguments unchanged."""
        if self.answer.kind != "value":
            return False
        arguments = (*self.call.values, list(self.call.args), self.call.args)
        return canonical(self.answer.value) in {canonical(value) for value in arguments}


def judge(cases: Sequence[Executed]) -> list[ValidatorName]:
    """Return the validators among 3 to 7 that the cases fail, in the paper's order."""
    kept = [c for c in cases if is_answer(c.answer)]
    outputs = Counter(c.answer.key for c in kept)
    has_failed: dict[ValidatorName, bool] = {
        "coverage": len(kept) < MIN_CASES,
        "non-triviality": bool(kept) and 2 * sum(c.is_trivial for c in kept) >= len(kept),
        "diversity": 3 * max(outputs.values(), default=0) > 2 * len(kept),
        "error balance": 2 * sum(c.is_error for c in kept) > len(kept),
        "runtime": len(kept) < len(cases),
    }
    return [name for name, failed in has_failed.items() if failed]


OWN_ARM, OTHER_ARM, MOST_OTHERS = 8.0, 1.0, 6.0
"""Score of each new arm in the entry point and elsewhere, and the maximum for the latter."""
ERRORS = 0.2
"""Target share of cases that raise, if any do; the maximum is twice that."""
SOURCE_COST = {
    "tests": -4.0, "doctests": -4.0, "README": -4.0, "call sites": -2.0, "model": 0.0,
    "mutated": 1.0, "types": 6.0,
}  # fmt: skip
"""Cost of a case by the source of its values."""
LITERAL = 3
"""Minimum characters of a text or number for it to be a literal that tasks should not share."""
MISUSE = 40.0
"""Cost of a TypeError or AttributeError: it mostly means that the caller passed a wrong type."""
SHARED = 4.0
"""Cost of a literal for each other task that uses it."""
PLACEHOLDERS = frozenset("foo bar baz qux spam eggs abc xyz test hello world lorem ipsum".split())
"""Texts common in tests of all packages; they count as used by two other tasks."""
READABLE = 200
"""Characters of input and answer in total that are free of cost."""
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")


def select(
    cases: Sequence[Executed], *, used: Mapping[Hashable, int] | None = None
) -> list[Executed]:
    """Return up to ``MAX_CASES`` cases, chosen for coverage, valid proportions and variety.

    New arms in the entry point count most, then a share of errors, new answers and paths, and a
    spread over lines executed, depth and sizes on a logarithmic scale. If the cases allow it, at
    most 40 % raise, less than half are trivial, and no output makes up more than two thirds. Errors
    that no statement of the program raises are never chosen, nor are cases that its documentation
    answers. Values from tests cost least, values drawn by type most; a literal costs more the more
    tasks have ``used`` it. If enough runs are hard, more than half of the cases are; if enough
    cases have the annotated types, half do. Ties are broken by a hash, because tests often begin
    with many similar calls.
    """
    left = [
        _Candidate.of(case, used or {})
        for case in sorted(cases, key=lambda c: hashlib.sha256(c.call.key.encode()).digest())
        if is_answer(case.answer)
        and not case.is_given_away
        and not (case.is_error and case.is_accident)
    ]
    typed = sum(one.case.is_typed for one in left)
    is_hard = 2 * sum(one.case.is_hard for one in left) > MAX_CASES
    most_untyped = max(MAX_CASES // 2, MAX_CASES - typed)
    chosen: list[_Candidate] = []
    while left and len(chosen) < MAX_CASES:
        gains = [*map(_gain_beside(chosen, most_untyped, is_hard=is_hard), left)]
        best = gains.index(max(gains))
        if gains[best] < -30 and len(chosen) >= MIN_CASES:
            break
        chosen.append(left.pop(best))
    return balanced([one.case for one in chosen])


def balanced(cases: list[Executed]) -> list[Executed]:
    """Remove excess cases, last ones first, until the core validators pass."""
    while failed := CORE & {*judge(cases)}:
        common = Counter(case.answer.key for case in cases).most_common(1)[0][0]
        excess = [
            at
            for at, case in enumerate(cases)
            if ("non-triviality" in failed and case.is_trivial)
            or ("diversity" in failed and case.answer.key == common)
            or ("error balance" in failed and case.is_error)
        ]
        del cases[excess[-1]]
    return cases


def literals_of(call: Invocation) -> set[Hashable]:
    """Return a call's texts and numbers of at least ``LITERAL`` characters."""
    return {
        part
        for value in call.values
        for part in parts_of(value)
        if isinstance(part, str | bytes | int | float)
        and not isinstance(part, bool)
        and len(str(part)) >= LITERAL
    }


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A case, with scores that do not depend on other cases."""

    case: Executed
    is_trivial: bool
    kind: str
    """An exception's type and message without quoted parts and numbers; empty for a value."""
    places: tuple[tuple[Hashable, float], ...]
    """Its position in each dimension of variety, and the score of being the first there."""
    cost: float

    @classmethod
    def of(cls, case: Executed, used: Mapping[Hashable, int]) -> _Candidate:
        answer, input_size, answer_size = case.answer, len(case.call.key), len(case.answer.key)
        kind = f"{answer.type}: {_QUOTED.sub('_', answer.message)[:80]}" if case.is_error else ""
        is_negative = (
            value < 0
            if isinstance(value, int | float)
            else isinstance(value, str) and value.startswith("-")
            for value in case.call.args
        )
        places = (
            (("output", kind or answer.key), 3.0),
            (("path", case.signature), 2.0),
            (("steps", case.steps.bit_length()), 2.0),
            (("depth", case.depth), 0.5),
            (("input_size", input_size.bit_length()), 1.0),
            (("answer_size", answer_size.bit_length()), 1.0),
            (("side", (case.is_typed, *is_negative)), 3.0),
        )
        cost = (
            2.0 * math.log2(max(1.0, (input_size + answer_size) / READABLE))
            + SOURCE_COST[case.source]
        )
        uses = (used.get(x, 0) + 2 * (x in PLACEHOLDERS) for x in literals_of(case.call))
        cost += SHARED * max(uses, default=0)
        return cls(case, case.is_trivial, kind, places, cost)


def _gain_beside(
    chosen: Sequence[_Candidate], most_untyped: int, *, is_hard: bool
) -> Callable[[_Candidate], float]:
    """Return a function that scores a candidate for addition to the chosen cases.

    ``most_untyped``: maximum number of cases without the annotated types. ``is_hard``: enough runs
    are hard to make the task hard.
    """
    cases = [one.case for one in chosen]
    seen = Counter(place for one in chosen for place, _ in one.places)
    outputs = Counter(case.answer.key for case in cases)
    kinds = Counter(one.kind for one in chosen)
    reached = frozenset[int]().union(*(case.reached | case.beyond for case in cases))
    errors = sum(case.is_error for case in cases)
    trivial = sum(one.is_trivial for one in chosen)
    untyped = sum(not case.is_typed for case in cases)
    hard = sum(case.is_hard for case in cases)

    def gain(one: _Candidate) -> float:
        score = OWN_ARM * len(one.case.reached - reached)
        score += min(MOST_OTHERS, OTHER_ARM * len(one.case.beyond - reached))
        score += sum(worth / (1 + seen[place]) for place, worth in one.places)
        score -= one.cost
        if one.kind:
            score += (4.0 if errors < ERRORS * MAX_CASES else -1.0) / (1 + kinds[one.kind])
            score -= 50.0 if 5 * (errors + 1) > 2 * MAX_CASES else 0.0
            score -= MISUSE if one.case.answer.type in ("TypeError", "AttributeError") else 0.0
        if is_hard and one.case.is_hard and 2 * hard <= MAX_CASES:
            score += 60.0
        if not one.case.is_typed and untyped >= most_untyped:
            score -= 50.0
        if one.is_trivial:
            score -= 1.5 + (50.0 if 5 * (trivial + 1) > 2 * MAX_CASES else 0.0)
        if 5 * (outputs[one.case.answer.key] + 1) > 3 * MAX_CASES:
            score -= 40.0
        return score

    return gain
