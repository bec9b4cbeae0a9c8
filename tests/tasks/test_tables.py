"""Input texts that are tables: their rows are values."""

from __future__ import annotations

from evalplus_lite.tasks.texts.inference import Table

HEAD = "date,item,price\n"
CSV = [
    f"{HEAD}2024-01-02,tea,12.50\n2024-01-03,ink,3.10\n",
    f"{HEAD}2024-02-01,pen,9.00\n",
]


def test_rows_of_records() -> None:
    """A head stays, columns have types, and numbers keep their decimals."""
    table = Table.of(CSV)
    assert table is not None
    (rows,) = table.parse(CSV[0])
    assert rows == [("2024-01-02", "tea", 12.5), ("2024-01-03", "ink", 3.1)]
    assert table.render([rows]) == CSV[0]
    assert table.render([[("2024-01-05", "a,b", -4.0)]]) == f"{HEAD}2024-01-05,ab,-4.00\n"
    assert table.fit([[("x", 1)]]) is None


def test_what_is_no_table() -> None:
    """Lines of different widths, and too few of them, are none."""
    assert Table.of(["3\n1 2 3\n", "1\n5\n"]) is None
    assert Table.of(["a b\n", "c d\n"]) is None
    assert Table.of(["07:00 0\n07:45 3\n", "06:30 2\n"]) is not None
