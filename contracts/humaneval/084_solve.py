"""An integer within "0 <= N <= 10000"; 0 is in, though the first line says "positive".

The constraint is the more exact statement of the two, and the sum of the digits of 0 is "0".
"""


def precondition(N):
    assert type(N) is int and 0 <= N <= 10000, "N must be an integer from 0 to 10000"
