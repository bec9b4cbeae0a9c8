"""Two positive lengths; a triangle with no side or no height is none."""


def precondition(a, h):
    assert type(a) in (int, float) and type(h) in (int, float), "a and h must be numbers"
    # This also turns away NaN and the infinities.
    assert 0 < a <= 1e150 and 0 < h <= 1e150, (
        "a and h must be positive and at most 1e150, so that their product is finite"
    )
