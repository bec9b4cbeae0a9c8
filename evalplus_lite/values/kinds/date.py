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


def near(year: int, month: int, day: int) -> tuple[int, int, int]:
    """Return a year, month and day that there are: months turn over, days end with the month."""
    year, month = max(1, min(int(year), 9999)), (int(month) - 1) % 12 + 1
    return year, month, max(1, min(int(day), calendar.monthrange(year, month)[1]))


KIND = Kind(
    name="date",
    type=datetime.date,
    inside=("datetime.date",),
    pack=_pack,
    unpack=_unpack,
    make=make,
    forms=(TEXT,),
    is_atom=True,
    key=datetime.date.isoformat,
    imports="import datetime",
    constructors={"date": datetime.date, "datetime.date": datetime.date},
    annotations=("date",),
    view=lambda value: (value.year, value.month, value.day),
    viewed=lambda view, like: datetime.date(*near(*view)),
    examples=tuple(
        map(
            datetime.date.fromisoformat,
            "2024-02-29 2023-12-31 2024-01-01 2023-02-28 1999-06-15 2000-02-29 1900-03-01".split(),
        )
    ),
)
