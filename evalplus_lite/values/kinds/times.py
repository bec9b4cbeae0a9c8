"""Dates, times, moments and differences of ``datetime``.

With an offset from UTC equal to the same moment, without one to no such; dates equal dates only.
"""

from __future__ import annotations

import calendar
import datetime
from typing import Any

from evalplus_lite.values.kinds.kind import INTEGERS, TEXT, Kind, text, whole


def _pack_date(value: Any) -> Any:
    import datetime

    return (datetime.date.isoformat(value),)


def _unpack_date(parts: Any, find: Any) -> Any:
    import datetime

    return datetime.date.fromisoformat(parts[0])


def make_date(written: object) -> datetime.date:
    """Return the date of a text such as ``2024-02-29``."""
    return datetime.date.fromisoformat(text(written))


def view_of_date(value: datetime.date) -> tuple[int, int, int]:
    """Return years since 2000, and months and days since the first."""
    return value.year - 2000, value.month - 1, value.day - 1


def near_date(years: int, months: int, days: int) -> datetime.date:
    """Return a date that there is: months turn over, days end with the month."""
    year, month = max(1, min(2000 + int(years), 9999)), int(months) % 12 + 1
    day = min(max(0, int(days)), calendar.monthrange(year, month)[1] - 1) + 1
    return datetime.date(year, month, day)


DATE = Kind(
    name="date",
    type=datetime.date,
    inside=("datetime.date",),
    pack=_pack_date,
    unpack=_unpack_date,
    make=make_date,
    forms=(TEXT,),
    is_atom=True,
    has_order=True,
    key=datetime.date.isoformat,
    constructors={"date": datetime.date, "datetime.date": datetime.date},
    annotations=("date",),
    call="datetime.date.fromisoformat",
    view=view_of_date,
    viewed=lambda view, like: near_date(*view),
    examples=tuple(
        map(
            datetime.date.fromisoformat,
            "2024-02-29 2023-12-31 2024-01-01 2023-02-28 1999-06-15 2000-02-29 1900-03-01".split(),
        )
    ),
)


_FURTHEST_TIME = 14 * 60


def _pack_time(value: Any) -> Any:
    import datetime

    return (datetime.time.isoformat(value),)


def _unpack_time(parts: Any, find: Any) -> Any:
    import datetime

    return datetime.time.fromisoformat(parts[0])


def make_time(written: object) -> datetime.time:
    """Return the time of a text such as ``12:30:00``."""
    return datetime.time.fromisoformat(text(written))


def offset_of(value: datetime.time | datetime.datetime) -> datetime.timedelta | None:
    """Return the offset from UTC, if it is known."""
    return value.utcoffset()


def view_of_time(value: datetime.time | datetime.datetime) -> tuple[int | None, ...]:
    """Return hour, minute, second, microsecond, and the offset in minutes or None."""
    offset = offset_of(value)
    minutes = None if offset is None else offset // datetime.timedelta(minutes=1)
    return value.hour, value.minute, value.second, value.microsecond, minutes


def near_time(
    hour: int, minute: int, second: int, microsecond: int, offset: int | None
) -> datetime.time:
    """Return a time that there is: each part turns over, the offset ends at what countries use."""
    zone = None
    if offset is not None:
        minutes = max(-_FURTHEST_TIME, min(int(offset), _FURTHEST_TIME))
        zone = datetime.timezone(datetime.timedelta(minutes=minutes))
    parts = (abs(int(hour)) % 24, abs(int(minute)) % 60, abs(int(second)) % 60)
    return datetime.time(*parts, abs(int(microsecond)) % 10**6, zone)


def _key_time(value: datetime.time) -> tuple[int, bool]:
    offset = offset_of(value)
    passed = datetime.timedelta(0, value.second, value.microsecond, 0, value.minute, value.hour)
    return (passed - (offset or datetime.timedelta())) // datetime.timedelta.resolution, bool(
        offset is not None
    )


TIME = Kind(
    name="time",
    type=datetime.time,
    inside=("datetime.time",),
    pack=_pack_time,
    unpack=_unpack_time,
    make=make_time,
    forms=(TEXT,),
    is_atom=True,
    has_order=True,
    key=_key_time,
    constructors={"time": datetime.time, "datetime.time": datetime.time},
    annotations=("time",),
    call="datetime.time.fromisoformat",
    view=view_of_time,
    viewed=lambda view, like: near_time(*view),
    examples=tuple(
        map(
            datetime.time.fromisoformat,
            "12:30:00 00:00:00 23:59:59 09:05:00.000001 08:00:00+00:00 10:00:00+02:00".split(),
        )
    ),
)


def _pack_datetime(value: Any) -> Any:
    import datetime

    if value != value:
        return None
    return (datetime.datetime.isoformat(value),)


def _unpack_datetime(parts: Any, find: Any) -> Any:
    import datetime

    return datetime.datetime.fromisoformat(parts[0])


def make_datetime(written: object) -> datetime.datetime:
    """Return the time of a text such as ``2024-02-29T12:30:00+02:00``."""
    return datetime.datetime.fromisoformat(text(written))


def _key_datetime(value: datetime.datetime) -> tuple[int, bool]:
    """Return the microseconds since the year 1 (of UTC, if the offset is known), and whether."""
    offset = offset_of(value)
    passed = value.replace(tzinfo=None) - datetime.datetime.min
    return (passed - (offset or datetime.timedelta())) // datetime.timedelta.resolution, bool(
        offset is not None
    )


def _viewed_datetime(view: Any, like: datetime.datetime) -> datetime.datetime:
    return datetime.datetime.combine(near_date(*view[:3]), near_time(*view[3:]))


DATETIME = Kind(
    name="datetime",
    type=datetime.datetime,
    inside=("datetime.datetime",),
    pack=_pack_datetime,
    unpack=_unpack_datetime,
    make=make_datetime,
    forms=(TEXT,),
    is_atom=True,
    has_order=True,
    key=_key_datetime,
    constructors={"datetime": datetime.datetime, "datetime.datetime": datetime.datetime},
    annotations=("datetime",),
    call="datetime.datetime.fromisoformat",
    view=lambda value: (*view_of_date(value), *view_of_time(value)),
    viewed=_viewed_datetime,
    examples=tuple(
        map(
            datetime.datetime.fromisoformat,
            "2024-02-29T12:30:00 2023-12-31T23:59:59 2024-01-01T00:00:00 1970-01-01T00:00:00 "
            "2024-03-10T02:30:00.000001 2024-06-15T08:00:00+00:00 2024-06-15T10:00:00+02:00 "
            "2024-11-03T01:30:00-05:00".split(),
        )
    ),
)


_FURTHEST_TIMEDELTA = 10**6


def _pack_timedelta(value: Any) -> Any:
    return value.days, value.seconds, value.microseconds


def _unpack_timedelta(parts: Any, find: Any) -> Any:
    import datetime

    return datetime.timedelta(*parts)


def make_timedelta(days: object, seconds: object, microseconds: object) -> datetime.timedelta:
    """Return the difference of three integers."""
    return datetime.timedelta(whole(days), whole(seconds), whole(microseconds))


def _viewed_timedelta(view: Any, like: datetime.timedelta) -> datetime.timedelta:
    days, seconds, microseconds = map(int, view)
    days = max(-_FURTHEST_TIMEDELTA, min(days, _FURTHEST_TIMEDELTA))
    return datetime.timedelta(days, abs(seconds) % 86400, abs(microseconds) % 10**6)


TIMEDELTA = Kind(
    name="timedelta",
    type=datetime.timedelta,
    inside=("datetime.timedelta",),
    pack=_pack_timedelta,
    unpack=_unpack_timedelta,
    make=make_timedelta,
    forms=(INTEGERS, INTEGERS, INTEGERS),
    is_atom=True,
    has_order=True,
    is_signed=True,
    key=_pack_timedelta,
    constructors={"timedelta": datetime.timedelta, "datetime.timedelta": datetime.timedelta},
    annotations=("timedelta",),
    call="datetime.timedelta",
    view=_pack_timedelta,
    viewed=_viewed_timedelta,
    examples=(
        datetime.timedelta(1),
        datetime.timedelta(),
        datetime.timedelta(0, 90),
        datetime.timedelta(-1),
        datetime.timedelta(0, 0, 1),
        datetime.timedelta(7, 3600, 500),
    ),
)
