"""Spans of numbers and runs of items."""


def overlap(first: tuple[int, int], second: tuple[int, int]) -> int:
    """Return how many whole numbers two spans (start, end; the end is not in it) share."""
    return max(0, min(first[1], second[1]) - max(first[0], second[0]))


def longest_run(items: list[int]) -> int:
    """Return the length of the longest run of equal neighbours."""
    longest = current = 0
    previous = None
    for item in items:
        current = current + 1 if item == previous else 1
        longest = max(longest, current)
        previous = item
    return longest
