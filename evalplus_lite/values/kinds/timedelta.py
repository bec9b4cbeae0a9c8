"""datetime.timedelta: days, seconds and microseconds."""

from __future__ import annotations

import datetime
from typing import Any

from evalplus_lite.values.kinds.kind import INTEGERS, Kind, whole

_FURTHEST = 10**6


def _pack(value: Any) -> Any:
    return value.days, value.seconds, value.microseconds


def _unpack(parts: Any, find: Any) -> Any:
    import datetime

    return datetime.timedelta(*parts)


def make(days: object, seconds: object, microseconds: object) -> datetime.timedelta:
    """Return the difference of three integers."""
    return datetime.timedelta(whole(days), whole(seconds), whole(microseconds))


def _viewed(view: Any, like: datetime.timedelta) -> datetime.timedelta:
    days, seconds, microseconds = map(int, view)
    days = max(-_FURTHEST, min(days, _FURTHEST))
    return datetime.timedelta(days, abs(seconds) % 86400, abs(microseconds) % 10**6)


KIND = Kind(
    name="timedelta",
    type=datetime.timedelta,
    inside=("datetime.timedelta",),
    pack=_pack,
    unpack=_unpack,
    make=make,
    forms=(INTEGERS, INTEGERS, INTEGERS),
    is_atom=True,
    has_order=True,
    is_signed=True,
    key=_pack,
    constructors={"timedelta": datetime.timedelta, "datetime.timedelta": datetime.timedelta},
    annotations=("timedelta",),
    call="datetime.timedelta",
    view=_pack,
    viewed=_viewed,
    examples=(
        datetime.timedelta(1),
        datetime.timedelta(),
        datetime.timedelta(0, 90),
        datetime.timedelta(-1),
        datetime.timedelta(0, 0, 1),
        datetime.timedelta(7, 3600, 500),
    ),
)
