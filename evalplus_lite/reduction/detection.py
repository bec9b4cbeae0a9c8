"""Small suites by what they are expected to find: each requirement stands for programs unseen.

A wrong program that nobody has seen yet fails, most likely, where a known one, a mutant or an
unusual input class is. Every row has a weight, the chance that such a program fails there; a test
of the row finds half of them, another one half of the rest. What a test adds to a suite is the sum
over its rows, so what the suite has already counts ever less, and the next test is the one that
adds most. Weights are integers, so that no rounding decides.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evalplus_lite.reduction.set_cover import Problem, columns, members

UNIT = 1 << 60
"""Certainty, as weights and gains count it."""


@dataclass(frozen=True, slots=True)
class Pick:
    """A test of a ranking, and what it adds to those before it, as a part of ``UNIT``."""

    test: int
    gain: int


def weighed(groups: Iterable[tuple[int, Iterable[int]]], free: int, given: int) -> dict[int, int]:
    """Return the weight of each row, given groups of rows and what part of ``UNIT`` is theirs.

    Within a group equal rows are one, and each has an equal part; of it counts the less the more
    tests satisfy the row, all of it for 1, a half for 2 to 3, a third for 4 to 7, ...: what many
    tests find, few random ones would. ``free`` are the tests to choose from, ``given`` those that
    every suite has. A row that no free test satisfies has no weight, nor one that each and a given
    one do. If each does and no given one, that tells no free tests apart, but is worth having.
    """
    found: dict[int, int] = {}
    for share, rows in groups:
        told = (row for row in rows if row & free and (free & ~row or not row & given))
        distinct = dict.fromkeys(told)
        for row in distinct:
            part = share // (len(distinct) * row.bit_count().bit_length())
            found[row] = found.get(row, 0) + part
    return found


def ranking(
    weights: Mapping[int, int], tests: int, *, given: int = 0, least: int = 1, most: int
) -> tuple[Pick, ...]:
    """Return up to ``most`` tests in the order to take them, while each adds ``least`` or more.

    ``given`` tests are in every suite and count as one: they are examples, and much alike. Ties go
    to the smallest number.
    """
    rows = tuple(weights)
    left = [weights[row] >> bool(row & given) for row in rows]
    alike: dict[int, list[int]] = {}
    for test, column in enumerate(columns(Problem(tests, rows))):
        if column and not given >> test & 1:
            alike.setdefault(column, []).append(test)
    places = [members(column) for column in alike]
    queues = [queue[::-1] for queue in alike.values()]
    # Gains only fall: one that is still the greatest when it is looked at anew is the greatest.
    offers = [
        (-sum(left[row] for row in places[number]), queue[-1], number)
        for number, queue in enumerate(queues)
    ]
    heapq.heapify(offers)
    picks: list[Pick] = []
    while offers and len(picks) < most:
        _, test, number = offers[0]
        offer = -sum(left[row] for row in places[number]), test, number
        if offer != offers[0]:
            heapq.heapreplace(offers, offer)
            continue
        if -offer[0] < least:
            break
        picks.append(Pick(queues[number].pop(), -offer[0]))
        for row in places[number]:
            left[row] >>= 1
        if queues[number]:
            heapq.heapreplace(offers, (offer[0], queues[number][-1], number))
        else:
            heapq.heappop(offers)
    return tuple(picks)


def allocate(rankings: Sequence[Sequence[Pick]], *, budget: int) -> list[tuple[int, ...]]:
    """Return, a task, the tests that a budget for all tasks together buys, strongest first.

    The picks of greatest gain are bought; equal ones by the task's position. At most ``budget``
    tests are taken in all.
    """
    offers = sorted((-pick.gain, task) for task, picks in enumerate(rankings) for pick in picks)
    taken = [0] * len(rankings)
    for _, task in offers[: max(0, budget)]:
        taken[task] += 1
    # Gains fall within a ranking, so what was bought of a task is a prefix of it.
    return [
        tuple(pick.test for pick in picks[:count])
        for picks, count in zip(rankings, taken, strict=True)
    ]
