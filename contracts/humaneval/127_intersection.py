"""Two pairs of integers, each with "start is less or equal its end".

The prompt writes tuples but only asks for "a pair of integers", so that a list of two will do.
"""


def precondition(interval1, interval2):
    for interval in (interval1, interval2):
        assert type(interval) in (tuple, list), "an interval must be a tuple or a list"
        assert len(interval) == 2, "an interval must have a start and an end"
        assert all(type(x) is int for x in interval), "start and end must be integers"
        assert interval[0] <= interval[1], "start must not exceed end"


# The original tries every smaller number as a divisor: minutes for a length of 10**9.
def intersection(interval1, interval2):
    def is_prime(n):
        if n < 2:
            return False
        divisor = 2
        while divisor * divisor <= n:
            if n % divisor == 0:
                return False
            divisor += 1
        return True

    start = max(interval1[0], interval2[0])
    end = min(interval1[1], interval2[1])
    return "YES" if is_prime(end - start) else "NO"
