"""Three positive lengths up to 1000000, exactly right-angled or clearly not.

In between, programs that compare with a tolerance, or take a square root, answer otherwise than
those that compare squares. Lengths that make no triangle (2, 2, 10) make no right angle either.
"""

from fractions import Fraction


def precondition(a, b, c):
    for side in (a, b, c):
        assert type(side) in (int, float), "a, b and c must be numbers"
        assert 0 < side <= 1_000_000, "a, b and c must be positive and at most 1000000"
    squares = sorted(Fraction(side) ** 2 for side in (a, b, c))
    gap = abs(squares[0] + squares[1] - squares[2])
    if gap == 0:
        assert all(Fraction(side * side) == Fraction(side) ** 2 for side in (a, b, c)), (
            "the squares of a right-angled triangle's sides must be exact as floats"
        )
    else:
        assert gap > 1e-6 and gap > squares[2] * 5e-9, (
            "the triangle must be right-angled, or clearly not"
        )
