"""datetime.time: with an offset from UTC equal to the same time of day, without one to no such."""

from __future__ import annotations

import datetime
from typing import Any

from evalplus_lite.values.kinds.kind import TEXT, Kind, text

_FURTHEST = 14 * 60


def _pack(value: Any) -> Any:
    import datetime

    return (datetime.time.isoformat(value),)


def _unpack(parts: Any, find: Any) -> Any:
    import datetime

    return datetime.time.fromisoformat(parts[0])


def make(written: object) -> datetime.time:
    """Return the time of a text such as ``12:30:00``."""
    return datetime.time.fromisoformat(text(written))


def offset_of(value: datetime.time | datetime.datetime) -> datetime.timedelta | None:
    """Return the offset from UTC, if it is known."""
    return value.utcoffset()


def view_of(value: datetime.time | datetime.datetime) -> tuple[int | None, ...]:
    """Return hour, minute, second, microsecond, and the offset in minutes or None."""
    offset = offset_of(value)
    minutes = None if offset is None else offset // datetime.timedelta(minutes=1)
    return value.hour, value.minute, value.second, value.microsecond, minutes


def near(
    hour: int, minute: int, second: int, microsecond: int, offset: int | None
) -> datetime.time:
    """Return a time that there is: each part turns over, the offset ends at what countries use."""
    zone = None
    if offset is not None:
        minutes = max(-_FURTHEST, min(int(offset), _FURTHEST))
        zone = datetime.timezone(datetime.timedelta(minutes=minutes))
    parts = (abs(int(hour)) % 24, abs(int(minute)) % 60, abs(int(second)) % 60)
    return datetime.time(*parts, abs(int(microsecond)) % 10**6, zone)


def _key(value: datetime.time) -> tuple[int, bool]:
    offset = offset_of(value)
    passed = datetime.timedelta(0, value.second, value.microsecond, 0, value.minute, value.hour)
    return (passed - (offset or datetime.timedelta())) // datetime.timedelta.resolution, bool(
        offset is not None
    )


KIND = Kind(
    name="time",
    type=datetime.time,
    inside=("datetime.time",),
    pack=_pack,
    unpack=_unpack,
    make=make,
    forms=(TEXT,),
    is_atom=True,
    has_order=True,
    key=_key,
    constructors={"time": datetime.time, "datetime.time": datetime.time},
    annotations=("time",),
    call="datetime.time.fromisoformat",
    view=view_of,
    viewed=lambda view, like: near(*view),
    examples=tuple(
        map(
            datetime.time.fromisoformat,
            "12:30:00 00:00:00 23:59:59 09:05:00.000001 08:00:00+00:00 10:00:00+02:00".split(),
        )
    ),
)
