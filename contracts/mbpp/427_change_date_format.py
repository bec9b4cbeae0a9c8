"""A date as yyyy-mm-dd, that exists."""

import datetime
import re


def precondition(dt):
    assert type(dt) is str, "dt must be a string"
    assert re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", dt), "dt must have the form yyyy-mm-dd"
    year, month, day = map(int, dt.split("-"))
    try:
        datetime.date(year, month, day)
    except ValueError:
        raise AssertionError("dt must be a date that exists") from None
