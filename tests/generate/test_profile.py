"""A shape says what was seen, neither more nor less."""

from __future__ import annotations

from evalplus_lite.generate.domains.profile import Profile, elements_of


def test_numbers_and_texts_are_summed_up() -> None:
    """Extremes, characters with their counts, and lengths come from the values seen."""
    profile = Profile.of([3, -1, 2.5, "abba"])
    assert [kind.__name__ for kind in profile.kinds] == ["float", "int", "str"]
    assert profile.numbers is not None
    assert (profile.numbers.lowest, profile.numbers.highest) == (-1, 3)
    assert profile.characters == {"a": 2, "b": 2}


def test_special_floats_are_noticed_and_do_not_blur_the_bounds() -> None:
    """NaN and infinities are reported apart from the finite range."""
    profile = Profile.of([1.0, float("nan"), float("inf")])
    assert profile.numbers is not None
    assert (profile.numbers.highest, profile.has_special) == (1.0, True)


def test_records_have_one_shape_a_position() -> None:
    """Tuples of one length with unlike fields are records; alike elements are not."""
    record = Profile.of([("ann", 3), ("bob", 4)])
    assert record.positions is not None
    assert [position.kinds for position in record.positions] == [(str,), (int,)]
    assert Profile.of([(1, 2), (3, 4)]).positions is None


def test_tables_are_recognised() -> None:
    """Rows of one length make a table, as many as columns a square one, ragged ones neither."""
    table = Profile.of([[[1, 2, 3], [4, 5, 6]], [[1], [2]]])
    assert (table.is_rectangular, table.is_square) == (True, False)
    square = Profile.of([[[1, 2], [3, 4]], [[1]]])
    assert (square.is_rectangular, square.is_square) == (True, True)
    assert not Profile.of([[[1, 2], [3]]]).is_rectangular


def test_mixed_containers_are_told_from_uniform_ones() -> None:
    """Several types within one container is a mixture; over several containers it is not."""
    assert Profile.of([[1, 2], ["a"]]).is_uniform
    assert not Profile.of([[1, "a"]]).is_uniform


def test_nothing_seen_is_no_error() -> None:
    """The shape of no values, and of empty containers, has nothing in it."""
    assert Profile.of([]).kinds == ()
    assert not Profile.of([[], {}]).items


def test_sets_are_read_in_a_fixed_order() -> None:
    """Elements of a set come sorted, even where they do not compare."""
    assert elements_of({"b", "a", "c"}) == ["a", "b", "c"]
    assert elements_of({2, "a", (1, "b"), None}) == [None, 2, "a", (1, "b")]
