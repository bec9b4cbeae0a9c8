"""Consensus among programs: disputes between the reference and a panel of passing programs.

Programs that pass a task's base tests are rarely wrong in the same way. If most of them agree on an
answer to an input and the reference gives another, or none, either the reference is wrong or the
input is outside the task, and a person has to decide. No panel is needed if the task's contract
allows an input to which the reference has no answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from evalplus_lite.errors import CodecError, ReferenceSolutionError
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.grading.oracle import Dropped
from evalplus_lite.grading.reference_runs import CAUSES, SLOW
from evalplus_lite.grading.stability import same
from evalplus_lite.grading.times import reference_steps
from evalplus_lite.jobs.judging import whole
from evalplus_lite.programs import program_hash
from evalplus_lite.programs.mutation.mutants import normal_form
from evalplus_lite.reduction.kills import MEMORY, MOST_SLOW, KillSuite
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.sandbox.steps import Meter
from evalplus_lite.types import Case, Outcome, Raised, Returned, Suite, Task, Value
from evalplus_lite.values import wire
from evalplus_lite.values.source import decode_answer

# Votes, and disputes over an input.

MANY = 3
"""The number of disputed inputs that makes a task's reference doubtful; see also the share."""
SHARE = 0.01
LEAD = 2
"""The lead of a majority that makes a reference doubtful: a single vote may be chance."""
UNANIMOUS = 3
"""Programs whose unanimous answer counts even on an input that the contract forbids."""
VOTES = 2
"""Programs that must agree, in addition to being a majority of the panel."""
WHOLE_BYTES = 1 << 14
"""A larger value is shortened in a row."""


@dataclass(frozen=True, slots=True)
class Vote:
    """A program's answer to an input: ``word`` is ``value``, or the reason why there is none.

    A contract can vote, too: ``allowed``.
    """

    word: str
    data: bytes = b""
    detail: str = ""

    @classmethod
    def of(cls, outcome: Outcome) -> Vote:
        """Return the vote that an outcome represents; an exception by its type."""
        if isinstance(outcome, Returned):
            return cls("value", outcome.data)
        detail = outcome.type if isinstance(outcome, Raised) else ""
        return cls(CAUSES[type(outcome)], detail=detail)

    def agrees(self, other: Vote, task: Task) -> bool:
        """Return whether both gave the same value, by the task's rule, or both raised."""
        if self.word == other.word == "value":
            return same(self.data, other.data, task)
        return self.word == other.word == "raises"

    def to_row(self) -> dict[str, Any]:
        """Return the vote as in rows of a review file."""
        return {self.word: whole(self.data, WHOLE_BYTES) if self.word == "value" else self.detail}


@dataclass(frozen=True, slots=True)
class Camp:
    """The ``programs``, by name, with the same answer to an input, and maybe the reference."""

    vote: Vote
    programs: tuple[str, ...]
    has_reference: bool = False


@dataclass(frozen=True, slots=True)
class Dispute:
    """An input on which ``votes`` of ``voters`` programs agree against the reference.

    ``cause`` is ``differs`` (two values), ``odd`` (two values and fewer votes, but the reference's
    answer is unlike all its others: ``oddities``), ``refused`` (the programs raise, but the
    reference has an answer), or the reason why the reference has none (``raises``, ``slow``,
    ``crashes``, ``memory``). Without a panel the ``majority`` is the contract, which allows the
    input. ``allowed`` is the decision of the task's contract, None without one. ``camps`` are the
    groups with equal answers, largest first, including the reference's.
    """

    case: Case
    cause: str
    reference: Vote
    majority: Vote
    votes: int
    voters: int
    allowed: bool | None = None
    camps: tuple[Camp, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """A task's disputes among the ``polled`` inputs."""

    task_id: str
    polled: int
    disputes: tuple[Dispute, ...]

    @property
    def clearest(self) -> Dispute:
        """The strongest dispute: on an allowed input, then by agreement, then of the least size."""
        return min(
            self.disputes,
            key=lambda each: (
                each.allowed is False,
                -each.votes / max(1, each.voters),
                len(wire.encode(list(each.case.arguments))),
            ),
        )

    @property
    def kind(self) -> Literal["reference", "input"]:
        """The doubtful part: the reference, if it is often or slowly in dispute, else the inputs.

        One dispute is enough on an input that the contract allows, if the majority is clear.
        Another answer on a forbidden input is no evidence unless all programs give it. (A slow
        reference is: contracts bound the inputs of slow programs.)
        """
        for each in self.disputes:
            is_unanimous = each.cause == "differs" and each.votes == each.voters >= UNANIMOUS
            if each.cause == "slow" or (each.allowed is False and is_unanimous):
                return "reference"
        # Inputs that the contract forbids are not evidence, nor are majorities by a single vote.
        within = [
            each
            for each in self.disputes
            if each.allowed is not False
            and (not each.voters or each.cause == "odd" or 2 * each.votes - each.voters >= LEAD)
        ]
        if any(each.allowed and each.cause != "refused" for each in within):
            return "reference"
        differing = sum(dispute.cause == "differs" for dispute in within)
        is_often = differing >= max(MANY, SHARE * self.polled)
        return "reference" if is_often else "input"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the disputes as rows of a review file."""
        return [
            {
                "task_id": self.task_id,
                "kind": self.kind,
                "cause": each.cause,
                "input": whole(wire.encode(list(each.case.arguments)), WHOLE_BYTES),
                "reference": each.reference.to_row(),
                "majority": each.majority.to_row(),
                "votes": each.votes,
                "voters": each.voters,
                "allowed": each.allowed,
                "source": each.case.source,
                "camps": [
                    {
                        "says": camp.vote.to_row(),
                        "programs": list(camp.programs),
                        "reference": camp.has_reference,
                    }
                    for camp in each.camps
                ],
            }
            for each in self.disputes
        ]


def camps(
    task: Task, reference: Vote, responses: Sequence[Vote | None], names: Sequence[str]
) -> tuple[Camp, ...]:
    """Return the groups with equal answers, largest first.

    ``responses`` are the programs' answers that contradict the reference, or None if they agree.
    Among equally large groups the reference's comes first, then the order of programs decides.
    """
    # Answers are compared with the first of each camp: equality by tolerance is not transitive.
    groups: list[tuple[Vote, list[str]]] = [(reference, [])]
    for name, response in zip(names, responses, strict=True):
        vote = response or reference
        # None means that the program agrees with the reference, whose group is the first. Programs
        # without an answer for the same cause form one group.
        for leader, members in groups if response else groups[:1]:
            if leader.agrees(vote, task) or leader.word == vote.word not in ("value", "raises"):
                members.append(name)
                break
        else:
            groups.append((vote, [name]))
    found = [Camp(vote, tuple(members), n == 0) for n, (vote, members) in enumerate(groups)]
    return tuple(sorted(found, key=lambda camp: -len(camp.programs)))


def dispute(
    case: Case, reference: Vote, camps: Sequence[Camp], broken: frozenset[str] = frozenset()
) -> Dispute | None:
    """Return the dispute over a case; None if there is none.

    The largest camp must have more than half of all voters, and at least ``VOTES``. The latter are
    enough if the reference's answer lacks the properties ``broken``, and theirs has some of them.
    """
    voters = sum(len(camp.programs) for camp in camps)
    # Programs that are slow or crash say nothing about the right answer.
    against = [
        camp
        for camp in camps
        if not camp.has_reference
        and camp.vote.word in ("value", "raises")
        and len(camp.programs) >= VOTES
    ]
    leader, cause = None, ""
    # Camps come largest first, so no later one can have a majority if the first has none.
    if against and 2 * len(against[0].programs) > voters:
        leader = against[0]
        if reference.word == "value":
            cause = "differs" if leader.vote.word == "value" else "refused"
        # The programs have an answer, and the reference has none. If they raise as well, there is
        # no answer.
        elif leader.vote.word == "value":
            cause = reference.word
    if not cause:
        values = (camp for camp in against if camp.vote.word == "value")
        keeping = (camp for camp in values if broken & (_kept(case, camp.vote.data) or set()))
        leader, cause = next(keeping, None), "odd"
    if leader is None:
        return None
    votes = len(leader.programs)
    return Dispute(case, cause, reference, leader.vote, votes, voters, camps=tuple(camps))


def unanswered(drop: Dropped) -> Dispute:
    """Return the dispute over an input that the contract allows but the reference fails on."""
    vote = Vote(drop.cause, detail=drop.detail)
    return Dispute(drop.case, drop.cause, vote, Vote("allowed"), 0, 0, allowed=True)


# Odd answers of a reference: they lack a property that nearly all its other answers have.

ENOUGH = 30
"""Minimum number of answers for any to be odd."""
RARE = 0.05
"""Maximum share of answers that may lack a property."""


def oddities(suite: Suite) -> dict[int, frozenset[str]]:
    """Return, by case, the properties that nearly all answers except its own have."""
    pairs = zip(suite.cases, suite.expected, strict=True)
    kept = enumerate(_kept(case, data) for case, data in pairs)
    facts_of = {number: facts for number, facts in kept if facts is not None}
    if len(facts_of) < ENOUGH:
        return {}
    # A property is informative only if nearly all answers have it, but not all.
    counts = Counter(each for facts in facts_of.values() for each in facts)
    most = len(facts_of) - max(1, int(RARE * len(facts_of)))
    common = {each for each, count in counts.items() if most <= count < len(facts_of)}
    broken_by = {number: frozenset(common - facts) for number, facts in facts_of.items()}
    return {number: broken for number, broken in broken_by.items() if broken}


def _kept(case: Case, data: bytes) -> set[str] | None:
    """Return the properties of an answer; None if it is not examined."""
    if len(data) > WHOLE_BYTES:
        return None
    try:
        return set(properties(case.arguments, decode_answer(data)))
    except CodecError:
        return None


def properties(arguments: Sequence[Value], answer: Value) -> Iterator[str]:
    """Yield the names of an answer's properties: type, emptiness, sign, relative size."""
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
                if answer < value:
                    yield f"is below argument {place}"
                if answer <= value:
                    yield f"is not above argument {place}"
                if answer >= value:
                    yield f"is not below argument {place}"


def _kind(value: Value) -> str:
    return "number" if type(value) in (int, float) else type(value).__name__


LIMITS = Limits(cpu=1.0, memory=MEMORY)
MOST_DROPPED = 40
"""Maximum number of inputs without a reference answer on which to poll a panel."""
MOST_VOTERS = 40
"""Maximum size of a panel: more programs cost time and change few majorities."""
UNANSWERED = ("raises", "slow", "crashes", "memory")


@dataclass(frozen=True, slots=True)
class Panel:
    """The distinct programs that vote on a task's inputs."""

    task: Task
    programs: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """The programs' names in results."""
        return list(map(program_hash, self.programs))

    @classmethod
    def select(cls, sandbox: Sandbox, task: Task, base: Suite, sources: Iterable[str]) -> Panel:
        """Return the panel of distinct programs that pass the base cases."""
        # Counted steps, not seconds: the panel must be the same on every machine.
        prepared = PreparedSuite.by_steps(task, base, memory=MEMORY)
        # Copies are removed before any program is run; the first passing programs fill the panel.
        passing = (
            source
            for source in independent(sources)
            if evaluate_program(sandbox, prepared, source).plus == "pass"
        )
        return cls(task, tuple(islice(passing, MOST_VOTERS)))

    def poll(
        self,
        sandbox: Sandbox,
        suite: Suite,
        dropped: Sequence[Dropped] = (),
        odd: Mapping[int, frozenset[str]] | None = None,
    ) -> list[Dispute | None]:
        """Return the dispute, or None, for each of the suite's cases, then for each dropped one.

        On an ``odd`` case, fewer programs are enough for a dispute.
        """
        if len(self.programs) < VOTES:  # too few for any dispute
            return [None] * (len(suite.cases) + len(dropped))
        answered = self._answered(sandbox, suite, odd or {}) if suite.cases else []
        return [*answered, *self._unanswered(sandbox, dropped)]

    def _answered(
        self, sandbox: Sandbox, suite: Suite, odd: Mapping[int, frozenset[str]]
    ) -> list[Dispute | None]:
        disputes: list[Dispute | None] = [None] * len(suite.cases)
        # All programs run on all cases by steps, which is cheap. Answers are only collected, and
        # compared with each other, on contested cases.
        steps = reference_steps(sandbox, self.task, suite.cases)
        kills = list(KillSuite.of_samples(self.task, suite, steps).kills(sandbox, self.programs))
        contested = [
            number
            for number in range(len(suite.cases))
            if (against := sum(kill.killed >> number & 1 for kill in kills))
            and (2 * against > sum(kill.run >> number & 1 for kill in kills) or number in odd)
        ]
        asked = [suite.cases[number] for number in contested]
        # A program that passes all contested cases agrees with the reference on them.
        responses = [
            self._ask(sandbox, program, asked)
            if any(kill.killed >> number & 1 for number in contested)
            else [None] * len(asked)
            for program, kill in zip(self.programs, kills, strict=True)
        ]
        for place, number in enumerate(contested):
            # Programs that were stopped before this case cannot vote on it.
            votes = {
                name: (answers[place] or Vote("slow")) if kill.killed >> number & 1 else None
                for name, answers, kill in zip(self.names, responses, kills, strict=True)
                if kill.run >> number & 1
            }
            reference = Vote("value", suite.expected[number])
            groups = camps(self.task, reference, list(votes.values()), list(votes))
            broken = odd.get(number, frozenset())
            disputes[number] = dispute(suite.cases[number], reference, groups, broken)
        return disputes

    def _unanswered(self, sandbox: Sandbox, dropped: Sequence[Dropped]) -> list[Dispute | None]:
        disputes: list[Dispute | None] = [None] * len(dropped)
        # Only inputs on which the reference itself failed; others were rejected, or not tried.
        places = [n for n, drop in enumerate(dropped) if drop.cause in UNANSWERED][:MOST_DROPPED]
        asked = [dropped[place].case for place in places]
        responses = [self._ask(sandbox, program, asked) for program in self.programs]
        for at, place in enumerate(places):
            drop = dropped[place]
            reference = Vote(drop.cause, detail=drop.detail)
            votes = [answers[at] or Vote("slow") for answers in responses]
            groups = camps(self.task, reference, votes, self.names)
            disputes[place] = dispute(drop.case, reference, groups)
        return disputes

    def _ask(self, sandbox: Sandbox, program: str, cases: Sequence[Case]) -> list[Vote | None]:
        """Return a program's answer to each case; None once it has been slow too often."""
        if not cases:
            return []
        # Each slow answer costs its whole limit, so stop after a few.
        slow = 0

        def is_quick(_: int, outcome: Outcome) -> bool:
            nonlocal slow
            slow += isinstance(outcome, SLOW)
            return slow < MOST_SLOW

        inputs = Inputs.of(case.arguments for case in cases)
        subject = Program.of(self.task, program)
        meter = Meter(sandbox, subject, [case.arguments for case in cases], LIMITS)
        run = meter.run(inputs, on_outcome=is_quick)
        return [None if outcome is None else Vote.of(outcome) for outcome in run.outcomes]


def independent(sources: Iterable[str]) -> list[str]:
    """Return the programs without those that differ only in layout, comments or docstrings."""
    # Copies of one program would outvote the others.
    distinct: dict[str, str] = {}
    for source in sources:
        try:
            distinct.setdefault(normal_form(source), source)
        except ReferenceSolutionError:
            continue  # not Python: it passes nothing
    return list(distinct.values())
