"""Answers unlike all others of a reference: they break what nearly every other one keeps.

Most programs may share a reference's mistake: that nothing is written in no digits, that a
remainder by 1 is 1. What such an answer shows is that it is of another kind than the rest: empty,
not below the argument that all others are below. That alone proves nothing (0 is an answer unlike
others, too, and often right). Where some programs answer otherwise, and as the rest are, it is
worth a look. Properties that hold of all that is seen are those of Daikon (Ernst et al. 2001).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from evalplus_lite.consensus.disputes import VOTES, WHOLE_BYTES, Camp, Dispute, Vote
from evalplus_lite.errors import CodecError
from evalplus_lite.types import Case, Suite, Value
from evalplus_lite.values.excerpts import decode_answer

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
