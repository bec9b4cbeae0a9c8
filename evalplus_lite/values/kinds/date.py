"""datetime.date: equal to dates only, never to a datetime."""

from __future__ import annotations

import calendar
import datetime
from typing import Any

from evalplus_lite.values.kinds.kind import TEXT, Kind, text


def _pack(value: Any) -> Any:
    import datetime

    return (datetime.date.isoformat(value),)


def _unpack(parts: Any, find: Any) -> Any:
    import datetime

    return datetime.date.fromisoformat(parts[0])


def make(written: object) -> datetime.date:
    """Return the date of a text such as ``2024-02-29``."""
    return datetime.date.fromisoformat(text(written))


def view_of(value: datetime.date) -> tuple[int, int, int]:
    """Return years since 2000, and months and days since the first."""
    return value.year - 2000, value.month - 1, value.day - 1


def near(years: int, months: int, days: int) -> datetime.date:
    """Return a date that there is: months turn over, days end with the month."""
    year, month = max(1, min(2000 + int(years), 9999)), int(months) % 12 + 1
    day = min(max(0, int(days)), calendar.monthrange(year, month)[1] - 1) + 1
    return datetime.date(year, month, day)


KIND = Kind(
    name="date",
    type=datetime.date,
    inside=("datetime.date",),
    pack=_pack,
    unpack=_unpack,
    make=make,
    forms=(TEXT,),
    is_atom=True,
    has_order=True,
    key=datetime.date.isoformat,
    constructors={"date": datetime.date, "datetime.date": datetime.date},
    annotations=("date",),
    call="datetime.date.fromisoformat",
    view=view_of,
    viewed=lambda view, like: near(*view),
    examples=tuple(
        map(
            datetime.date.fromisoformat,
            "2024-02-29 2023-12-31 2024-01-01 2023-02-28 1999-06-15 2000-02-29 1900-03-01".split(),
        )
    ),
)
