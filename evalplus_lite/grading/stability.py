"""Equality of two answers of a reference, and the order of its second run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evalplus_lite.errors import CodecError
from evalplus_lite.store.opening import Blob, unpacked
from evalplus_lite.tasks.contracts import has_check
from evalplus_lite.types import Outcome, Returned, Rule, Task, Unrepresentable
from evalplus_lite.values import wire
from evalplus_lite.values.equality import equal
from evalplus_lite.values.identity import key

SEQUENCES = (list, tuple)
# Orders for few cases, where moving the middle one would put two neighbors next to each other.
FEW = {3: (2, 0, 1), 5: (3, 0, 4, 2, 1)}


def readable(outcome: Outcome) -> Outcome:
    """Return an outcome, replaced by ``Unrepresentable`` if its answer violates the wire form.

    The sandbox's encoder is fast, but not strict.
    """
    if isinstance(outcome, Returned):
        try:
            wire.check(outcome.data)
        except CodecError as error:
            return Unrepresentable(str(error))
    return outcome


def as_truth(outcome: Outcome, task: Task) -> Outcome:
    """Replace an answer that is not a plain value by True if only its truth counts."""
    if task.rule.kind == "truthiness" and isinstance(outcome, Unrepresentable):
        return Returned(wire.encode(True), outcome.cpu)
    return outcome


def agrees(answer: Blob, given: bytes, task: Task) -> bool:
    """Return whether an answer is right, given the task's own output ``given``.

    If the task has a check, both may be right although they differ, so the check decides.
    """
    return has_check(task) or _equal(unpacked(answer), given, task.rule)


def deranged(places: Sequence[int]) -> list[int]:
    """Return the positions in roughly reversed order.

    Every position moves if there are at least two, and none follows its old predecessor (if there
    are two, or at least four).
    """
    few = FEW.get(len(places))
    if few is not None:
        return [places[each] for each in few]
    order = list(reversed(places))
    if len(order) % 2:  # the middle one has not moved
        middle = len(order) // 2
        order[0], order[middle] = order[middle], order[0]
    return order


def same(a: bytes, b: bytes, task: Task) -> bool:
    """Return whether two answers in wire form are equal by the task's rule."""
    rule = task.rule
    return _equal(a, b, replace(rule, kind="python") if rule.kind == "any" else rule)


def _equal(a: bytes, b: bytes, rule: Rule) -> bool:
    try:
        return a == b or equal(a, b, rule)
    except CodecError:  # one of them is not a plain value
        return False


def stable(a: bytes, b: bytes, task: Task) -> bool:
    """Return whether two answers of the reference in wire form are identical.

    A rule's tolerances for samples do not apply. Only parts that the rule never compares may
    differ: the order of elements of sets and dicts, any order that the rule leaves free, and, with
    ``truthiness``, everything but the truth of an answer.
    """
    if a == b:
        return True
    if task.rule.kind == "truthiness":
        return same(a, b, task)
    try:
        first, second = wire.decode(a), wire.decode(b)
    except CodecError:
        return False
    # Elements may be in any order, but each must be identical.
    if task.rule.free_levels:
        return equal(a, b, replace(task.rule, atol=0.0, rtol=0.0, fields=()))
    if task.rule.kind == "unordered" and type(first) is type(second) and type(first) in SEQUENCES:
        return sorted(map(key, first)) == sorted(map(key, second))
    return key(first) == key(second)
