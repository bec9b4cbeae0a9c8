"""Any ASCII string without outer whitespace: what breaks the four rules is an invalid date.

The prompt does not say whether " 03-11-2000 " still is "in the format: mm-dd-yyyy", nor whether
digits of other scripts count.
"""


def precondition(date):
    assert type(date) is str, "date must be a string"
    assert date.isascii(), "date must be ASCII"
    assert date == date.strip(), "date must have no leading or trailing whitespace"


# The original misreads `a and b or c`, which rejects 01-31-2000, and takes other formats: 3-11-20.
def valid_date(date):
    lengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    parts = date.split("-")
    if [len(part) for part in parts] != [2, 2, 4]:
        return False
    if not all(ch in "0123456789" for part in parts for ch in part):
        return False
    month, day = int(parts[0]), int(parts[1])
    return 1 <= month <= 12 and 1 <= day <= lengths[month - 1]
