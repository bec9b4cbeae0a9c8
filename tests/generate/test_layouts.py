"""Layouts: what texts of a format have in common, and what departs from it."""

from __future__ import annotations

import pytest

from evalplus_lite.generate.domains.layout import Layout

LOG = [
    "2024-05-01 12:00:03 INFO a",
    "2024-05-01 12:00:09 ERROR b c",
    "2024-05-02 08:00:00 INFO d e f",
    "2024-05-02 08:10:00 ERROR",
]
INI = ["[a]\nx = 1\ny=2\n", "# note\n[b]\nz = 3\n"]
LISTS = ["Tom\nAnn\n---\nAnn\nKim\n", "Bob\n---\nBob\nKim\nAlf\n"]
MODES = ["rwxr-xr--", "rw-r--r--", "rwxrwxrwx", "rw-r-----"]


@pytest.mark.parametrize(
    ("texts", "good", "bad"),
    [
        (LOG, "2024-01-01 00:00:00 ERROR x", "2024-01-01-00:00:00 ERROR x"),
        (LOG, "2024-01-01 00:00:00 INFO", "2024-01-01 00:00:000 INFO"),
        ([f"{each}: {n}" for n, each in enumerate(LOG)], f"{LOG[0]}: 7", LOG[0]),
        (INI, "[c]\nx = 1\n", "[c]\nx 1\n"),
        (LISTS, "Kim\n---\nTom\nAnn\n", "Kim\n---\nTom\n---\n"),
        (MODES, "rwxrw-r--", "wwxrw-r--"),
        (["0306406152", "080442957X", "0140449132"], "0306406153", "X306406153"),
        (["B2:C3", "A9:A11", "D7:E8"], "A1:B2", "A1:B2:C3"),
        (["1 + 2 * 3", "(1 + 2) * 3", "10 - 4"], "(2 + 4) * 5", "2 4 + 5"),
    ],
)
def test_departures(texts: list[str], good: str, bad: str) -> None:
    """Heads of lines, first signs, marker lines, places and single signs are kept."""
    layout = Layout.of(texts, is_said=True)
    assert layout is not None
    assert layout.explain(good) is None
    assert layout.explain(bad) is not None


def test_what_is_said_of_a_format() -> None:
    """Blank lines and decimals are as the task's text says; boards have no layout."""
    layout = Layout.of(LOG, may_be_blank=True, decimals=2)
    assert layout is not None
    assert layout.explain("") is None
    prices = Layout.of(["1.50 EUR", "2 EUR", "3.25 EUR"], is_said=True, decimals=2)
    assert prices is not None
    assert prices.explain("1.505 EUR") is not None
    assert Layout.of(["##..\n..##\n", "####\n....\n"]) is None
