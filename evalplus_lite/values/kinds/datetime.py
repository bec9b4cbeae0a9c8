"""datetime.datetime: with an offset from UTC equal to the same moment, without one to no such."""

from __future__ import annotations

import datetime
from typing import Any

from evalplus_lite.values.kinds import date, time
from evalplus_lite.values.kinds.kind import TEXT, Kind, text


def _pack(value: Any) -> Any:
    import datetime

    if value != value:
        return None
    return (datetime.datetime.isoformat(value),)


def _unpack(parts: Any, find: Any) -> Any:
    import datetime

    return datetime.datetime.fromisoformat(parts[0])


def make(written: object) -> datetime.datetime:
    """Return the time of a text such as ``2024-02-29T12:30:00+02:00``."""
    return datetime.datetime.fromisoformat(text(written))


def _key(value: datetime.datetime) -> tuple[int, bool]:
    """Return the microseconds since the year 1 (of UTC, if the offset is known), and whether."""
    offset = time.offset_of(value)
    passed = value.replace(tzinfo=None) - datetime.datetime.min
    return (passed - (offset or datetime.timedelta())) // datetime.timedelta.resolution, bool(
        offset is not None
    )


def _viewed(view: Any, like: datetime.datetime) -> datetime.datetime:
    return datetime.datetime.combine(date.near(*view[:3]), time.near(*view[3:]))


KIND = Kind(
    name="datetime",
    type=datetime.datetime,
    inside=("datetime.datetime",),
    pack=_pack,
    unpack=_unpack,
    make=make,
    forms=(TEXT,),
    is_atom=True,
    has_order=True,
    key=_key,
    constructors={"datetime": datetime.datetime, "datetime.datetime": datetime.datetime},
    annotations=("datetime",),
    call="datetime.datetime.fromisoformat",
    view=lambda value: (*date.view_of(value), *time.view_of(value)),
    viewed=_viewed,
    examples=tuple(
        map(
            datetime.datetime.fromisoformat,
            "2024-02-29T12:30:00 2023-12-31T23:59:59 2024-01-01T00:00:00 1970-01-01T00:00:00 "
            "2024-03-10T02:30:00.000001 2024-06-15T08:00:00+00:00 2024-06-15T10:00:00+02:00 "
            "2024-11-03T01:30:00-05:00".split(),
        )
    ),
)
