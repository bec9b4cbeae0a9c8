"""Any string without outer whitespace or digits of other scripts: what breaks a rule is invalid.

The prompt does not say whether " 03-11-2000 " still is "in the format: mm-dd-yyyy", nor whether
Arabic digits count, nor whether there is a year 0000.
"""

import re


def precondition(date):
    assert type(date) is str, "date must be a string"
    assert date == date.strip(), "date must have no leading or trailing whitespace"
    assert all(char.isascii() or not char.isnumeric() for char in date), "every digit must be ASCII"
    assert not re.fullmatch("[0-9]{2}-[0-9]{2}-0000", date), "the year must not be 0000"


# The original misreads `a and b or c`, which rejects 01-31-2000, and takes other formats: 3-11-20.
def valid_date(date):
    lengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    parts = date.split("-")
    if [len(part) for part in parts] != [2, 2, 4]:
        return False
    if not all(char in "0123456789" for part in parts for char in part):
        return False
    month, day = int(parts[0]), int(parts[1])
    return 1 <= month <= 12 and 1 <= day <= lengths[month - 1]
