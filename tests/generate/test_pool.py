"""The pool prefers seeds; sizes grow and shrink with what was kept and slow."""

from __future__ import annotations

import random

from evalplus_lite.generate.engine.pool import Pool
from evalplus_lite.generate.engine.scale import GrowthLimits, largest_magnitude, largest_size


def test_seeds_are_preferred() -> None:
    """Seeds are picked out of proportion."""
    pool = Pool(random.Random(1).random)
    for number in range(50):
        pool.add((number,), is_seed=number < 5)
    assert sum(pool.pick()[0] < 5 for _ in range(2000)) > 600


def test_what_is_no_parent_keeps_its_position() -> None:
    """It is never picked, and those behind it are known by their positions in the suite."""
    pool = Pool(random.Random(1).random)
    for number in range(6):
        pool.add((number,), is_parent=number != 3)
    assert {pool.pick() for _ in range(300)} == {(n, (n,)) for n in (0, 1, 2, 4, 5)}


def test_extent_grows_by_what_was_kept_and_shrinks_by_what_was_slow() -> None:
    """The reach widens once numbers near it were kept, and never beyond what was slow."""
    limits = GrowthLimits.of([(5,), ([70],)])
    assert limits.max_magnitude == 10_000
    assert limits.after([(3,)], []) == limits
    wider = limits.after([(9000,)], [])
    assert wider.max_magnitude == 10_000_000
    narrower = wider.after([(5,)], [(4_000_000,)])
    assert 70 <= narrower.max_magnitude <= 2_000_000
    assert narrower.after([(1_900_000,)], []).max_magnitude == narrower.max_magnitude
    assert wider.after([], [(8,)]).max_magnitude == 70  # which a base input has


def test_largest_number_and_longest_size_look_into_containers() -> None:
    """Numbers and lengths count at any depth; NaN and infinities do not."""
    arguments = ({"a": [1, -9]}, (2.5, float("inf")), "word", b"xy")
    assert largest_magnitude(arguments) == 9
    assert largest_size(arguments) == 4
    assert largest_size((5, None)) == 0
