"""range: equal if the sequences of integers are, whatever makes them."""

from __future__ import annotations

from typing import Any

from evalplus_lite.values.kinds.kind import INTEGERS, Kind, whole

_LONGEST = 10_000
"""Numbers in a range that is made as an input."""


def _pack(value: Any) -> Any:
    return value.start, value.stop, value.step


def _unpack(parts: Any, find: Any) -> Any:
    return range(*parts)


def make(start: object, stop: object, step: object) -> range:
    """Return the range of three integers."""
    return range(whole(start), whole(stop), whole(step))


def _key(value: range) -> tuple[int, ...]:
    reach = value.stop - value.start if value.step > 0 else value.start - value.stop
    size = max(0, -(-reach // abs(value.step)))  # len() takes no size beyond the machine's
    if size == 0:
        return ()
    return (size, value.start) if size == 1 else (size, value.start, value.step)


def _view(value: range) -> tuple[int, int, int]:
    return value.start, value.stop, value.step


def _viewed(view: Any, like: range) -> range:
    start, stop, step = map(int, view)
    step = step or 1
    furthest = _LONGEST * abs(step)
    return range(start, max(start - furthest, min(stop, start + furthest)), step)


KIND = Kind(
    name="range",
    type=range,
    inside=("builtins.range",),
    pack=_pack,
    unpack=_unpack,
    make=make,
    forms=(INTEGERS, INTEGERS, INTEGERS),
    is_atom=True,
    key=_key,
    constructors={"range": range},
    annotations=("range",),
    call="builtins.range",
    view=_view,
    viewed=_viewed,
    examples=(range(5), range(0), range(2, 11, 3), range(10, 0, -1), range(-3, 4), range(7, 8)),
)
