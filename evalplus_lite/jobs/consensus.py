"""A panel: independent programs that pass a task's base cases, asked what they make of others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from evalplus_lite.errors import CodecError, ReferenceSolutionError
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.grading.oracle import Dropped
from evalplus_lite.grading.times import reference_steps
from evalplus_lite.jobs.disputes import (
    VOTES,
    WHOLE_BYTES,
    Camp,
    Dispute,
    Vote,
    camps,
    dispute,
    is_slow,
)
from evalplus_lite.programs import program_hash
from evalplus_lite.programs.mutation.mutants import normal_form
from evalplus_lite.reduction.kills import MEMORY, MOST_SLOW, Kills, KillSuite
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.sandbox.steps import Meter
from evalplus_lite.types import Case, Outcome, Suite, Task, Value
from evalplus_lite.values.source import decode_answer

# Answers unlike all others of a reference: they break what nearly every other one keeps.

ENOUGH = 30
"""Answers that there must be before any can be unlike the rest."""
RARE = 0.05
"""The share of all answers that may break a property which the others keep."""


def oddities(suite: Suite) -> dict[int, frozenset[str]]:
    """Return by case the properties that its expected answer breaks, and nearly all others keep."""
    kept = {
        number: found
        for number, (case, data) in enumerate(zip(suite.cases, suite.expected, strict=True))
        if (found := _kept(case, data)) is not None
    }
    if len(kept) < ENOUGH:
        return {}
    counts = Counter(each for found in kept.values() for each in found)
    most = len(kept) - max(1, int(RARE * len(kept)))
    common = {each for each, count in counts.items() if most <= count < len(kept)}
    return {
        number: broken for number, found in kept.items() if (broken := frozenset(common - found))
    }


def odd_dispute(
    case: Case, reference: Vote, camps: Sequence[Camp], broken: frozenset[str]
) -> Dispute | None:
    """Return the dispute over an answer that breaks these properties, if some programs keep them.

    The camp need not be most of those that were asked, but ``VOTES`` of them.
    """
    for camp in camps:
        if camp.has_reference or camp.vote.word != "value" or len(camp.programs) < VOTES:
            continue
        if broken & (_kept(case, camp.vote.data) or set()):
            voters = sum(len(each.programs) for each in camps)
            votes = len(camp.programs)
            return Dispute(case, "odd", reference, camp.vote, votes, voters, camps=tuple(camps))
    return None


def _kept(case: Case, data: bytes) -> set[str] | None:
    """Return the properties of an answer; None for one that is not looked at."""
    if len(data) > WHOLE_BYTES:
        return None
    try:
        return set(properties(case.arguments, decode_answer(data)))
    except CodecError:
        return None


def properties(arguments: Sequence[Value], answer: Value) -> Iterator[str]:
    """Yield what is so of an answer, by name: type, emptiness, sign, size beside the arguments."""
    yield f"is {_kind(answer)}"
    if isinstance(answer, str | bytes | list | tuple | dict | set | frozenset):
        if answer:
            yield "is not empty"
        if not isinstance(answer, str | bytes) and len({*map(_kind, answer)}) <= 1:
            yield "is of one type"
        for place, value in enumerate(arguments):
            if isinstance(value, str | list | tuple) and len(answer) <= len(value):
                yield f"is no longer than argument {place}"
    if _kind(answer) == "number":
        if answer >= 0:
            yield "is not negative"
        for place, value in enumerate(arguments):
            if _kind(value) == "number":
                yield from (
                    f"is {name} argument {place}"
                    for name, holds in _compared(answer, value).items()
                    if holds
                )


def _compared(answer: float, value: float) -> Mapping[str, bool]:
    return {"below": answer < value, "not above": answer <= value, "not below": answer >= value}


def _kind(value: Value) -> str:
    return "number" if type(value) in (int, float) else type(value).__name__


LIMITS = Limits(cpu=1.0, memory=MEMORY)
MOST_DROPPED = 40
"""Of inputs that the reference has no answer to, a panel is asked about so many at a time."""
MOST_VOTERS = 40
"""Further programs than these cost time and change few majorities."""
SLOW_SHARE = 0.1
"""An input that so many of the programs, ``VOTES`` at least, are too slow for asks too much."""
UNANSWERED = ("raises", "slow", "crashes", "memory")


@dataclass(frozen=True, slots=True)
class Poll:
    """What a panel says of a suite's cases, then of those that the reference dropped.

    ``disputes`` has an entry a case, None if the panel does not contradict the reference.
    ``too_slow`` are cases of the suite that many programs take too many steps for, with a line.
    """

    disputes: list[Dispute | None]
    too_slow: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Panel:
    """The programs that judge a task's inputs, no two of them alike."""

    task: Task
    programs: tuple[str, ...]

    @classmethod
    def select(cls, sandbox: Sandbox, task: Task, base: Suite, sources: Iterable[str]) -> Panel:
        """Return the panel of those programs that pass the base cases, each once."""
        prepared = PreparedSuite.by_steps(task, base, memory=MEMORY)
        found: list[str] = []
        for source in independent(sources):
            if (
                len(found) < MOST_VOTERS
                and evaluate_program(sandbox, prepared, source).plus == "pass"
            ):
                found.append(source)
        return cls(task, tuple(found))

    @property
    def names(self) -> list[str]:
        """The programs' names, as in results."""
        return [program_hash(program) for program in self.programs]

    @property
    def can_decide(self) -> bool:
        """Whether there are programs enough for any dispute."""
        return len(self.programs) >= VOTES

    def poll(
        self,
        sandbox: Sandbox,
        suite: Suite,
        dropped: Sequence[Dropped] = (),
        odd: Mapping[int, frozenset[str]] = MappingProxyType({}),
    ) -> Poll:
        """Return what the programs make of a suite's cases and of those that were dropped.

        On an ``odd`` case some programs are enough for a dispute, as ``odd_dispute`` says.
        """
        if not self.can_decide:
            return Poll([None] * (len(suite.cases) + len(dropped)))
        answered = self._answered(sandbox, suite, odd)
        disputes = [*answered.disputes, *self._unanswered(sandbox, dropped)]
        return Poll(disputes, answered.too_slow)

    def _answered(self, sandbox: Sandbox, suite: Suite, odd: Mapping[int, frozenset[str]]) -> Poll:
        found: list[Dispute | None] = [None] * len(suite.cases)
        if not suite.cases:
            return Poll(found)
        steps = reference_steps(sandbox, self.task, suite.cases)
        whole = KillSuite.of_samples(self.task, suite, steps)
        kills = list(whole.kills(sandbox, self.programs))
        contested = [
            number
            for number in range(len(suite.cases))
            if (against := sum(kill.killed >> number & 1 for kill in kills))
            and (2 * against > sum(kill.run >> number & 1 for kill in kills) or number in odd)
        ]
        asked = [suite.cases[number] for number in contested]
        responses = [
            self._ask(sandbox, program, asked)
            if any(kill.killed >> number & 1 for number in contested)
            else [None] * len(asked)
            for program, kill in zip(self.programs, kills, strict=True)
        ]
        for place, number in enumerate(contested):
            votes = [
                (answers[place] or Vote("slow")) if kill.killed >> number & 1 else None
                for answers, kill in zip(responses, kills, strict=True)
                if kill.run >> number & 1
            ]
            heard = [
                name for name, kill in zip(self.names, kills, strict=True) if kill.run >> number & 1
            ]
            reference = Vote("value", suite.expected[number])
            case = suite.cases[number]
            found[number] = dispute(self.task, case, reference, votes, heard)
            if found[number] is None and number in odd:
                said = camps(self.task, reference, votes, heard)
                found[number] = odd_dispute(case, reference, said, odd[number])
        return Poll(found, dict(_too_slow(kills, len(found))))

    def _unanswered(self, sandbox: Sandbox, dropped: Sequence[Dropped]) -> list[Dispute | None]:
        found: list[Dispute | None] = [None] * len(dropped)
        places = [n for n, drop in enumerate(dropped) if drop.cause in UNANSWERED][:MOST_DROPPED]
        asked = [dropped[place].case for place in places]
        responses = [self._ask(sandbox, program, asked) for program in self.programs]
        for at, place in enumerate(places):
            drop = dropped[place]
            votes = [answers[at] or Vote("slow") for answers in responses]
            reference = Vote(drop.cause, detail=drop.detail)
            found[place] = dispute(self.task, drop.case, reference, votes, self.names)
        return found

    def _ask(self, sandbox: Sandbox, program: str, cases: Sequence[Case]) -> list[Vote | None]:
        """Return what a program answers to each case; None after it was slow too often."""
        if not cases:
            return []
        slow = 0

        def patient(_: int, outcome: Outcome) -> bool:
            nonlocal slow
            slow += is_slow(outcome)
            return slow < MOST_SLOW

        inputs = Inputs.of(case.arguments for case in cases)
        subject = Program.of(self.task, program)
        meter = Meter(sandbox, subject, [case.arguments for case in cases], LIMITS)
        run = meter.run(inputs, judge=patient)
        return [None if outcome is None else Vote.of(outcome) for outcome in run.outcomes]


def _too_slow(kills: Sequence[Kills], cases: int) -> Iterator[tuple[int, str]]:
    """Yield the cases that many of the programs that met them were too slow for."""
    for number in range(cases):
        asked = sum(kill.run >> number & 1 for kill in kills)
        slow = sum(kill.slow >> number & 1 for kill in kills)
        if slow >= max(VOTES, SLOW_SHARE * asked):
            yield number, f"too many steps for {slow} of {asked} programs that pass the base cases"


def independent(sources: Iterable[str]) -> list[str]:
    """Return the programs without those that differ in layout, comments or docstrings only."""
    found: dict[str, str] = {}
    for source in sources:
        try:
            found.setdefault(normal_form(source), source)
        except ReferenceSolutionError:
            continue  # no Python: it passes nothing
    return list(found.values())
