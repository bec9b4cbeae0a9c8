"""collections.Counter: equal to dicts; between counters a count of zero is none."""

from __future__ import annotations

from collections import Counter
from typing import Any

from evalplus_lite.values.kinds.kind import DICT, Kind, of_type


def _pack(value: Any) -> Any:
    return (dict(dict.items(value)),)


def _unpack(parts: Any, find: Any) -> Any:
    from collections import Counter

    return Counter(parts[0])


def make(counts: Any) -> Counter[Any]:
    """Return the counter of a dict."""
    return Counter(of_type(counts, dict))


KIND = Kind(
    name="counter",
    type=Counter,
    inside=("collections.Counter",),
    pack=_pack,
    unpack=_unpack,
    make=make,
    forms=(DICT,),
    base="dict",
    drops_zeros=True,
    is_hashable=False,
    constructors={"Counter": Counter},
    annotations=("Counter",),
    call="collections.Counter",
    view=dict,
    viewed=lambda view, like: Counter(view),
    examples=(Counter("abca"), Counter(), Counter({"x": 0, "y": -1}), Counter([1, 1, 2])),
)
