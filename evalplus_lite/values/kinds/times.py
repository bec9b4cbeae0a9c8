"""The types of ``datetime``.

Times with an offset from UTC equal others at the same instant, but never one without an offset.
Dates only equal dates.
"""

from __future__ import annotations

import calendar
import datetime
from typing import Any

from evalplus_lite.values.kinds.kind import INTEGERS, TEXT, Kind, text, whole


def _pack_iso(value: Any) -> Any:
    import datetime

    if value != value:  # pandas' NaT derives from datetime
        return None
    kind = next(
        kind
        for kind in (datetime.datetime, datetime.date, datetime.time)
        if isinstance(value, kind)
    )
    return (kind.isoformat(value),)


def _unpack_iso(parts: Any, find: Any) -> Any:
    import datetime

    text = parts[0]
    kind = datetime.datetime if "T" in text else datetime.time if ":" in text else datetime.date
    return kind.fromisoformat(text)


def _iso_kind(kind: Any, examples: str, **options: Any) -> Kind:
    """Return the description of a type that is sent and written as ISO text."""
    name = kind.__name__
    return Kind(
        name=name,
        type=kind,
        inside=(f"datetime.{name}",),
        pack=_pack_iso,
        unpack=_unpack_iso,
        make=lambda written: kind.fromisoformat(text(written)),
        forms=(TEXT,),
        is_atom=True,
        has_order=True,
        constructors={name: kind, f"datetime.{name}": kind},
        annotations=(name,),
        call=f"datetime.{name}.fromisoformat",
        examples=tuple(map(kind.fromisoformat, examples.split())),
        **options,
    )


def view_of_date(value: datetime.date) -> tuple[int, int, int]:
    """Return years since 2000, and zero-based month and day."""
    return value.year - 2000, value.month - 1, value.day - 1


def near_date(years: int, months: int, days: int) -> datetime.date:
    """Return a valid date: months wrap around, and days are clamped to the month."""
    year, month = max(1, min(2000 + int(years), 9999)), int(months) % 12 + 1
    day = min(max(0, int(days)), calendar.monthrange(year, month)[1] - 1) + 1
    return datetime.date(year, month, day)


DATE = _iso_kind(
    datetime.date,
    "2024-02-29 2023-12-31 2024-01-01 2023-02-28 1999-06-15 2000-02-29 1900-03-01",
    key=datetime.date.isoformat,
    view=view_of_date,
    viewed=lambda view, like: near_date(*view),
)


_FURTHEST_TIME = 14 * 60


def view_of_time(value: datetime.time | datetime.datetime) -> tuple[int | None, ...]:
    """Return hour, minute, second, microsecond, and the offset in minutes or None."""
    offset = value.utcoffset()
    minutes = None if offset is None else offset // datetime.timedelta(minutes=1)
    return value.hour, value.minute, value.second, value.microsecond, minutes


def near_time(
    hour: int, minute: int, second: int, microsecond: int, offset: int | None
) -> datetime.time:
    """Return a valid time: parts wrap around, and the offset is clamped to 14 hours."""
    zone = None
    if offset is not None:
        minutes = max(-_FURTHEST_TIME, min(int(offset), _FURTHEST_TIME))
        zone = datetime.timezone(datetime.timedelta(minutes=minutes))
    parts = (abs(int(hour)) % 24, abs(int(minute)) % 60, abs(int(second)) % 60)
    return datetime.time(*parts, abs(int(microsecond)) % 10**6, zone)


def _key_time(value: datetime.time) -> tuple[int, bool]:
    return _key_datetime(datetime.datetime.combine(datetime.datetime.min, value))


TIME = _iso_kind(
    datetime.time,
    "12:30:00 00:00:00 23:59:59 09:05:00.000001 08:00:00+00:00 10:00:00+02:00",
    key=_key_time,
    view=view_of_time,
    viewed=lambda view, like: near_time(*view),
)


def _key_datetime(value: datetime.datetime) -> tuple[int, bool]:
    """Return the microseconds since year 1 (in UTC, if the offset is known), and if it is known."""
    offset = value.utcoffset()
    passed = value.replace(tzinfo=None) - datetime.datetime.min
    return (passed - (offset or datetime.timedelta())) // datetime.timedelta.resolution, bool(
        offset is not None
    )


DATETIME = _iso_kind(
    datetime.datetime,
    "2024-02-29T12:30:00 2023-12-31T23:59:59 2024-01-01T00:00:00 1970-01-01T00:00:00 "
    "2024-03-10T02:30:00.000001 2024-06-15T08:00:00+00:00 2024-06-15T10:00:00+02:00 "
    "2024-11-03T01:30:00-05:00",
    key=_key_datetime,
    view=lambda value: (*view_of_date(value), *view_of_time(value)),
    viewed=lambda view, like: datetime.datetime.combine(near_date(*view[:3]), near_time(*view[3:])),
)


_FURTHEST_TIMEDELTA = 10**6


def _pack_timedelta(value: Any) -> Any:
    return value.days, value.seconds, value.microseconds


def _unpack_timedelta(parts: Any, find: Any) -> Any:
    import datetime

    return datetime.timedelta(*parts)


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
    make=lambda *parts: datetime.timedelta(*map(whole, parts)),
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
