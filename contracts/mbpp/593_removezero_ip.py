"""Numbers from 1 to 255 with dots between, leading zeros allowed from the second on.

Of zeros in the first number, and of numbers that are zero, the reference makes something else.
"""

import re


def precondition(ip):
    assert type(ip) is str, "ip must be a string"
    assert re.fullmatch(r"[1-9][0-9]*(\.0*[1-9][0-9]*)+", ip) and len(ip) <= 60, (
        "ip must be numbers other than zero with dots between"
    )
    assert all(int(part) <= 255 for part in ip.split(".")), "every number must be at most 255"
