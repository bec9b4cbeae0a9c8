"""The paper's seven validators (appendix A.2.3), each with words for the model that failed it.

1 schema, 2 duplication, 3 coverage, 4 non-triviality, 5 output diversity, 6 error balance,
7 runtime bounds. Schema and duplication are checked where cases are read; the functions here
judge executed cases.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from evalplus_lite.exe.running.runs import CallResult, Invocation, canonical, is_answer
from evalplus_lite.types import Value

MIN_CASES = 10
MAX_CASES = 15
SHOWN = 20_000
"""Characters of cases quoted in one message at most."""

ValidatorName: TypeAlias = Literal[
    "schema", "duplication", "coverage", "non-triviality", "diversity", "error balance", "runtime"
]
CORE: frozenset[ValidatorName] = frozenset({"non-triviality", "diversity", "error balance"})
"""What must hold even for salvaged cases."""


@dataclass(frozen=True, slots=True)
class Executed:
    """A call with its answer, and what it did, where that was measured."""

    call: Invocation
    answer: CallResult
    signature: tuple[int, ...] = ()
    """Equal for paths that are much the same."""
    reached: frozenset[int] = frozenset()
    """Arms of the entry point (``Instrumented``)."""
    beyond: frozenset[int] = frozenset()
    """Arms of the functions that it calls."""
    steps: int = 0
    """Lines run."""
    depth: int = 0
    """Functions open at once."""
    oddity: float = 0.0
    """How little its characters have to do with the program."""
    is_misuse: bool = False
    """Whether it raised a TypeError or AttributeError that the program does not raise itself."""
    is_given_away: bool = False
    """Whether the program's documentation holds the arguments and the answer."""

    @property
    def is_error(self) -> bool:
        """Whether it raised."""
        return self.answer.kind == "error"

    @property
    def is_trivial(self) -> bool:
        """Whether it returned one of its inputs, or all of them, unmodified."""
        if self.answer.kind != "value":
            return False
        given: list[Value] = [*self.call.args, *self.call.kwargs.values()]
        given += [list(self.call.args), tuple(self.call.args)]
        return canonical(self.answer.value) in {canonical(value) for value in given}


@dataclass(frozen=True, slots=True)
class FailedValidator:
    """A validator that did not hold, with what to tell the model."""

    validator: ValidatorName
    feedback: str


def judge(
    cases: Sequence[Executed], *, waived: Collection[ValidatorName] = ()
) -> list[FailedValidator]:
    """Return every validator among 3 to 7 that the cases fail, in the paper's order."""
    found: list[FailedValidator] = []
    slow = [c for c in cases if c.answer.kind in ("slow", "unfit")]
    kept = [c for c in cases if c.answer.kind in ("value", "error")]
    if len(kept) < MIN_CASES:
        found.append(FailedValidator("coverage", coverage_feedback(len(kept))))
    trivial = [c for c in kept if c.is_trivial]
    if kept and 2 * len(trivial) >= len(kept):
        found.append(
            FailedValidator(
                "non-triviality",
                "Validation failed: half of the cases or more give an input back unchanged.\n"
                f"<cases_with_results>\n{shown(trivial)}\n</cases_with_results>\n"
                "Replace them by inputs that take other paths through the function and that the "
                "function has to transform.",
            )
        )
    outputs = Counter(c.answer.key for c in kept)
    if outputs and 3 * outputs.most_common(1)[0][1] > 2 * len(kept):
        counted = json.dumps(dict(outputs.most_common(10)))[:SHOWN]
        found.append(
            FailedValidator(
                "diversity",
                "Validation failed: one output makes up more than two thirds of all cases.\n"
                f"<outputs_counted>\n{counted}\n</outputs_counted>\n"
                f"<cases_with_results>\n{shown(kept)}\n</cases_with_results>\n"
                "Add cases whose outputs differ from the most frequent one.",
            )
        )
    errors = [c for c in kept if c.is_error]
    if 2 * len(errors) > len(kept):
        found.append(
            FailedValidator(
                "error balance",
                "Validation failed: more than half of the cases raise an exception.\n"
                f"<cases_with_results>\n{shown(errors)}\n</cases_with_results>\n"
                "Replace some of them by valid inputs that return a value.",
            )
        )
    if slow:
        found.append(
            FailedValidator(
                "runtime",
                "Validation failed: these inputs took too long, or ended without an answer.\n"
                f"<cases_with_results>\n{shown(slow)}\n</cases_with_results>\n"
                "Replace them by smaller ones.",
            )
        )
    return [failure for failure in found if failure.validator not in waived]


def schema_feedback(problem: str) -> str:
    """Return the words for cases that do not parse as inputs of the function."""
    return (
        "Validation failed: the test cases do not parse.\n"
        f"<problem>\n{problem[:SHOWN]}\n</problem>\n"
        "Look at the function's parameters again and answer with test cases that follow the schema."
    )


def duplication_feedback(calls: Sequence[Invocation]) -> str:
    """Return the words for inputs that were given before."""
    listed = json.dumps([call.to_json() for call in calls])[:SHOWN]
    return (
        "Validation failed: these inputs are not unique.\n"
        f"<repeated_inputs>\n{listed}\n</repeated_inputs>\n"
        "Answer with inputs that differ from each other and from all earlier ones."
    )


def coverage_feedback(count: int) -> str:
    """Return the words for too few cases."""
    return (
        f"Validation failed: {count} usable cases; at least {MIN_CASES} are needed.\n"
        "Add further, different cases for the situations not covered yet."
    )


def shown(cases: Sequence[Executed]) -> str:
    """Return cases with their results as JSON text, cut to what a message can hold."""
    rows = [
        {"input": c.call.to_json(), "result": c.answer.key.partition(" ")[2][:500]} for c in cases
    ]
    return json.dumps(rows)[:SHOWN]


def salvage(cases: Sequence[Executed]) -> list[Executed]:
    """Return the largest part of the cases that meets the core validators; maybe none.

    Slow and unfit cases go one by one; then cases of whatever is in excess, last ones first
    (appendix A.2.4).
    """
    kept = [c for c in cases if c.answer.kind in ("value", "error")]
    while kept:
        failed = {f.validator for f in judge(kept, waived=("coverage", "runtime"))}
        if not failed:
            return kept
        common = Counter(c.answer.key for c in kept).most_common(1)[0][0]
        excess = [
            at
            for at, case in enumerate(kept)
            if ("non-triviality" in failed and case.is_trivial)
            or ("diversity" in failed and case.answer.key == common)
            or ("error balance" in failed and case.is_error)
        ]
        del kept[excess[-1]]
    return kept


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
    cases allow it. Errors of misused types are chosen only if there are too few cases without. A
    case that the program's own documentation answers is never chosen.
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
        if one.case.is_misuse:  # only where there are too few cases without
            score -= 80.0
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
