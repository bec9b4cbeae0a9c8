"""collections.deque: equal to deques only; the longest that it may become is handed on."""

from __future__ import annotations

from collections import deque
from typing import Any

from evalplus_lite.values.kinds.kind import INTEGERS, LIST, NONE, Kind, of_type, whole


def _pack(value: Any) -> Any:
    from collections import deque

    return list(deque.copy(value)), value.maxlen


def _unpack(parts: Any, find: Any) -> Any:
    from collections import deque

    return deque(*parts)


def make(items: Any, most: object) -> deque[Any]:
    """Return the deque of a list, and of its greatest length or None."""
    if most is not None and not len(of_type(items, list)) <= whole(most) < 1 << 31:
        raise ValueError("more elements than the deque takes")
    return deque(of_type(items, list), most if type(most) is int else None)


def _viewed(view: Any, like: deque[Any]) -> deque[Any]:
    return deque(view, like.maxlen)


KIND = Kind(
    name="deque",
    type=deque,
    inside=("collections.deque",),
    pack=_pack,
    unpack=_unpack,
    make=make,
    forms=(LIST, INTEGERS + NONE),
    is_hashable=False,
    constructors={"deque": deque},
    annotations=("deque", "Deque"),
    call="collections.deque",
    view=list,
    viewed=_viewed,
    examples=(deque([1, 2, 3]), deque(), deque([5, 5], 4), deque(range(6))),
)
