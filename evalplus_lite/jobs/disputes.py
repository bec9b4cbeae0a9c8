"""Doubts about ground truth: where a reference is contradicted, or fails, and on what.

Programs that pass a task's base tests are rarely wrong in the same way. Where most of them give one
answer to an input and the reference another, or none, either the reference is wrong, or the input
is outside the task: a person has to look. Where the task's contract allows an input and the
reference has no answer to it, nobody else needs to be asked. Programs are run by ``panel``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from evalplus_lite.errors import CodecError
from evalplus_lite.grading.oracle import Dropped
from evalplus_lite.grading.reference_runs import CAUSES, SLOW
from evalplus_lite.grading.stability import same
from evalplus_lite.types import Case, Outcome, Raised, Returned, Task
from evalplus_lite.values import wire
from evalplus_lite.values.codec import to_json
from evalplus_lite.values.source import decode_answer, shown

MANY = 3
"""From so many disputed inputs on, and ``SHARE`` of all, it is the reference that is doubtful."""
SHARE = 0.01
LEAD = 2
"""By so many votes a majority leads before a reference is doubtful: one vote may be chance."""
UNANIMOUS = 3
"""So many programs, all of one mind, are heard even about an input that the contract forbids."""
VOTES = 2
"""Programs that must agree, besides being most of those that were asked."""
WHOLE_BYTES = 1 << 14
"""A value larger than this stands shortened in a row."""

Kind = Literal["reference", "input"]


@dataclass(frozen=True, slots=True)
class Vote:
    """What a program made of an input: ``word`` is ``value``, or the cause why there is none.

    A contract has a vote, too: ``allowed``.
    """

    word: str
    data: bytes = b""
    detail: str = ""

    @classmethod
    def of(cls, outcome: Outcome) -> Vote:
        """Return what an outcome amounts to; an exception by its type."""
        if isinstance(outcome, Returned):
            return cls("value", outcome.data)
        detail = outcome.type if isinstance(outcome, Raised) else ""
        return cls(CAUSES[type(outcome)], detail=detail)

    def agrees(self, other: Vote, task: Task) -> bool:
        """Return whether both gave the same value, by the task's rule, or both raised."""
        if self.word == other.word == "value":
            return same(self.data, other.data, task)
        return self.word == other.word == "raises"


ALLOWED = Vote("allowed")


@dataclass(frozen=True, slots=True)
class Camp:
    """The ``programs``, by name, that say the same of an input; the reference may be among them."""

    vote: Vote
    programs: tuple[str, ...]
    has_reference: bool = False


@dataclass(frozen=True, slots=True)
class Dispute:
    """An input on which ``votes`` of ``voters`` programs agree against the reference.

    ``cause`` is ``differs`` (two values), ``odd`` (two values, and fewer votes, but the reference's
    is unlike all its others: ``oddities``), ``refused`` (the programs raise where the reference has
    an answer), or why the reference has none (``raises``, ``slow``, ``crashes``, ``memory``).
    Where no programs were asked the ``majority`` is the contract, which allows the input.
    ``allowed`` is what the task's contract says of the input; None where there is no contract.
    ``camps`` are all who said the same, the largest first, the reference's too.
    """

    case: Case
    cause: str
    reference: Vote
    majority: Vote
    votes: int
    voters: int
    allowed: bool | None = None
    camps: tuple[Camp, ...] = ()

    @property
    def is_unanimous(self) -> bool:
        """Whether all programs, ``UNANIMOUS`` at least, give one other value than the reference."""
        return self.cause == "differs" and self.votes == self.voters >= UNANIMOUS

    @property
    def is_clear(self) -> bool:
        """Whether it does not hang on one program: a majority leads by ``LEAD``."""
        return not self.voters or self.cause == "odd" or 2 * self.votes - self.voters >= LEAD


@dataclass(frozen=True, slots=True)
class Finding:
    """A task's disputes among the ``polled`` inputs that programs were asked about."""

    task_id: str
    polled: int
    disputes: tuple[Dispute, ...]

    @property
    def clearest(self) -> list[Dispute]:
        """The disputes by what they tell: on allowed inputs first, then by agreement, then size."""
        return sorted(
            self.disputes,
            key=lambda each: (
                each.allowed is False,
                -each.votes / max(1, each.voters),
                len(wire.encode(list(each.case.arguments))),
            ),
        )

    @property
    def kind(self) -> Kind:
        """What is in doubt: the reference, where it is often or slowly at odds, else the inputs.

        Once is enough on an input that the contract allows, if the majority is clear; another
        answer on one that it forbids is no evidence, unless all programs give it. (That a reference
        is slow is: contracts bound what slow programs may get.)
        """
        if any(
            each.cause == "slow" or (each.allowed is False and each.is_unanimous)
            for each in self.disputes
        ):
            return "reference"
        within = [each for each in self.disputes if each.allowed is not False and each.is_clear]
        if any(each.allowed and each.cause != "refused" for each in within):
            return "reference"
        differing = sum(dispute.cause == "differs" for dispute in within)
        is_often = differing >= max(MANY, SHARE * self.polled)
        return "reference" if is_often else "input"


def camps(
    task: Task, reference: Vote, responses: Sequence[Vote | None], names: Sequence[str]
) -> tuple[Camp, ...]:
    """Return who says the same, the largest camp first: of equal ones the reference's, then who
    was heard first. ``responses`` are as ``dispute`` has them, ``names`` the programs'.
    """
    found: list[tuple[Vote, list[str]]] = [(reference, [])]
    for name, response in zip(names, responses, strict=True):
        vote = response or reference
        for leader, members in found if response else found[:1]:
            if leader.agrees(vote, task) or leader.word == vote.word not in ("value", "raises"):
                members.append(name)
                break
        else:
            found.append((vote, [name]))
    whole = [
        Camp(vote, tuple(members), number == 0) for number, (vote, members) in enumerate(found)
    ]
    return tuple(sorted(whole, key=lambda camp: -len(camp.programs)))


def dispute(
    task: Task,
    case: Case,
    reference: Vote,
    responses: Sequence[Vote | None],
    names: Sequence[str] | None = None,
) -> Dispute | None:
    """Return the dispute over a case, None where there is none.

    ``responses`` holds what each program answers that contradicts the reference, None for one that
    agrees with it; ``names`` are theirs, else their positions. The largest camp must be more than
    half of all, and ``VOTES``.
    """
    names = names or [str(number) for number in range(len(responses))]
    found = camps(task, reference, responses, names)
    against = (camp for camp in found if camp.vote.word in ("value", "raises"))
    leader = next((camp for camp in against if not camp.has_reference), None)
    if leader is None or len(leader.programs) < VOTES:
        return None
    votes = len(leader.programs)
    if 2 * votes <= len(responses):
        return None
    said = leader.vote
    if reference.word == "value":
        cause = "differs" if said.word == "value" else "refused"
    elif said.word == "value":
        cause = reference.word
    else:
        return None
    return Dispute(case, cause, reference, said, votes, len(responses), camps=found)


def unanswered(drop: Dropped) -> Dispute:
    """Return the dispute over an input that the contract allows and the reference fails on."""
    vote = Vote(drop.cause, detail=drop.detail)
    return Dispute(drop.case, drop.cause, vote, ALLOWED, 0, 0, allowed=True)


def is_slow(outcome: Outcome) -> bool:
    """Return whether an outcome used up a limit or a process."""
    return isinstance(outcome, SLOW)


def rows(finding: Finding) -> Iterator[dict[str, Any]]:
    """Yield a finding's disputes as rows of a review file."""
    return (review_row(finding, each) for each in finding.disputes)


def review_row(finding: Finding, each: Dispute) -> dict[str, Any]:
    """Return one of a finding's disputes as a row."""
    return {
        "task_id": finding.task_id,
        "kind": finding.kind,
        "cause": each.cause,
        "input": _whole(wire.encode(list(each.case.arguments))),
        "reference": _shown(each.reference),
        "majority": _shown(each.majority),
        "votes": each.votes,
        "voters": each.voters,
        "allowed": each.allowed,
        "source": each.case.source,
        "camps": [
            {
                "says": _shown(camp.vote),
                "programs": list(camp.programs),
                "reference": camp.has_reference,
            }
            for camp in each.camps
        ],
    }


def _shown(vote: Vote) -> Any:
    if vote.word == "value":
        return {"value": _whole(vote.data)}
    return {vote.word: vote.detail}


def _whole(data: bytes) -> Any:
    try:
        if len(data) > WHOLE_BYTES:
            return {"$shortened": shown(data)}
        return to_json(decode_answer(data))
    except CodecError as error:
        return {"$unreadable": str(error)}
