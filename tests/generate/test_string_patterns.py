"""Strings are cut into runs, and what several have in common is their form."""

from __future__ import annotations

import pytest

from evalplus_lite.generate.domains.text import (
    has_common_pattern,
    token_kind,
    tokens,
    widen,
    widths_of,
    words_of,
)


def test_runs_cover_the_text_and_name_their_kind() -> None:
    """Digits, letters and blanks run together; any other character stands alone."""
    text = "ab12  -é\n/"
    assert tokens(text) == ["ab", "12", "  ", "-", "é", "\n", "/"]
    assert list(map(token_kind, tokens(text))) == [
        "letters",
        "digits",
        "blanks",
        "-",
        "é",
        "blanks",
        "/",
    ]


def test_widths_are_those_that_all_numbers_share() -> None:
    """Two digits or more at one place in all strings; strings of other numbers share nothing."""
    assert widths_of(("1/02", "33/04", "5/66")) == (0, 2)
    assert widths_of(("1/2", "33/4")) is None
    assert widths_of(("10/20", "33")) is None


def test_form_may_have_exceptions() -> None:
    """Strings that mostly share a compound pattern have a form; words do not."""
    assert has_common_pattern(("1-2-3", "4-5-6", "7-8-9", "oops"))
    assert not has_common_pattern(("one", "two", "three", "four"))


def test_vocabulary_needs_real_words_all_known() -> None:
    """Words count as a vocabulary only if each is a constant of the reference."""
    assert words_of(("one two", "three"), ["one", "two", "three", "four"]) is not None
    assert words_of(("one two", "five"), ["one", "two", "three"]) is None
    assert words_of(("a b", "c"), ["a", "b", "c"]) is None


@pytest.mark.parametrize(
    ("counts", "inside", "outside"),
    [
        ({"a": 1, "q": 1}, "z", "A0- "),
        ({"0": 9, "1": 9}, "1", "2"),
        ({"(": 1, ")": 1}, "(", "["),
        ({"A": 1, "3": 1, "-": 1}, "B9", "b"),
    ],
)
def test_alphabets_widen_by_class(counts: dict[str, int], inside: str, outside: str) -> None:
    """A letter stands for its class, unless the class looks closed; a mark for itself."""
    widened = widen(counts)
    assert set(inside) <= set(widened)
    assert not set(outside) & set(widened)
