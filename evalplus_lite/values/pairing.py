"""Pairing the elements of two collections one to one."""

from __future__ import annotations

from collections.abc import Callable


def assignable(count: int, fits: Callable[[int, int], bool]) -> bool:
    """Return whether each of ``count`` things can have a partner of its own among as many others.

    By augmenting paths: https://en.wikipedia.org/wiki/Bipartite_graph#Matching.
    """
    mate: dict[int, int] = {}
    owner: dict[int, int] = {}
    for first in range(count):
        reached: dict[int, int] = {}
        waiting, free = [first], None
        for x in waiting:
            for y in range(count):
                if y not in reached and fits(x, y):
                    reached[y] = x
                    if y not in owner:
                        free = y
                        break
                    waiting.append(owner[y])
            if free is not None:
                break
        if free is None:
            return False
        while free is not None:
            x = reached[free]
            owner[free], mate[x], free = x, free, mate.get(x)
    return True
