"""Bounds on hashing: sets and dicts of values that somebody else chose.

The author of a value can choose elements that hash alike, or that collide in a table although their
hashes differ; putting n of them in one set costs n * n comparisons. Honest elements cost next to
nothing, so what is slow is refused, long before it is complete.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable

from evalplus_lite.errors import CodecError

# Bytes that building one set or dict may compare, because elements hash alike.
MAX_COMPARED = 1 << 26
HASHING_SECONDS = 0.5
HASHED_AT_ONCE = 1024


def check_hashing(
    items: Iterable[object], size: Callable[[], int], *, mapping: bool = False
) -> int:
    """Raise CodecError if hashable ``items`` that fill ``size()`` bytes would be slow to hash.

    Returns how many bytes may be compared, as elements of one hash are compared with each other.
    Different hashes can still be made to collide in the table, so the hashes alone are put into one
    first, in small portions, by the clock; ``mapping`` says that it is a dict.
    """
    hashes = list(map(hash, items))
    if len(hashes) < 2:
        return 0
    trial: set[int] | dict[int, int] = {} if mapping else set()
    started = time.thread_time()
    for at in range(0, len(hashes), HASHED_AT_ONCE):
        portion = hashes[at : at + HASHED_AT_ONCE]
        if isinstance(trial, set):
            trial.update(portion)
        else:
            trial.update(zip(portion, portion, strict=True))
        # Generous for any honest table on any machine: 10 microseconds an element.
        if time.thread_time() - started > HASHING_SECONDS + at * 1e-5:
            raise CodecError("elements that are slow to hash")
    if len(trial) == len(hashes):
        return 0
    compared = max(Counter(hashes).values()) * size()
    if compared > MAX_COMPARED:
        raise CodecError("too many elements that hash alike")
    return compared
