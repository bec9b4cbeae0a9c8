"""Two pairs of integers, each with "start is less or equal its end".

The prompt writes tuples but only asks for "a pair of integers", so that a list of two will do.
"""


def precondition(interval1, interval2):
    for interval in (interval1, interval2):
        assert type(interval) in (tuple, list), "interval1 and interval2 must be tuples or lists"
        assert len(interval) == 2, "interval1 and interval2 must have two elements"
        assert all(type(x) is int for x in interval), "every start and end must be an integer"
        assert interval[0] <= interval[1], "every start must be at most its end"
        # The prompt asks for no fast way: a set of all integers in an interval has to fit, and
        # dividing the length by every smaller number to finish.
        assert interval[1] - interval[0] <= 1_000_000, (
            "every end must be at most its start + 1000000, so that a plain loop finishes"
        )


# The original tries every smaller number as a divisor: 30 ms for a large prime length.
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
