"""Two "positive integers", with n above m allowed, and an average whose rounding is settled.

Halves are rounded in the examples only once: 26.5 gives 26. Rounding half to even and half down
both do that, and part where the integer below is odd (1.5), so such averages are excluded.
The bound keeps adding up the range one by one in time.
"""


def precondition(n, m):
    assert type(n) is int and n > 0, "n must be a positive integer"
    assert type(m) is int and m > 0, "m must be a positive integer"
    assert m - n <= 10**6, "the range must hold at most a million integers"
    # A float still holds halves at this size.
    assert max(n, m) <= 2**50, "n and m must be at most 2**50"
    assert n > m or (n + m) % 4 != 3, "the average must not be a half above an odd integer"
