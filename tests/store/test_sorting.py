"""Records in order, however few of them memory holds."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from evalplus_lite.errors import InputError
from evalplus_lite.store import sorting
from evalplus_lite.store.sorting import Sorter


@pytest.mark.parametrize("count", [0, 1, 6, 7, 8, 100])
def test_records_come_in_order_as_often_as_wanted(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two passes at once see all of them, equal ones too, from memory or from several parts."""
    monkeypatch.setattr(sorting, "PART", 7)
    monkeypatch.setattr(sorting, "PIECE", 10)
    given = [bytes(random.Random(number).randbytes(1)) + b"abc" for number in range(count)]
    found = Sorter(4)
    for record in given:
        found.add(record)
    first, second = iter(found), iter(found)
    assert list(first) == list(second) == sorted(given)


def test_no_room_is_told_with_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is an error that names the folder and what to do."""
    full = Path("/dev/full").open("wb")  # noqa: SIM115 - the sorter lets go of it
    monkeypatch.setattr("tempfile.TemporaryFile", lambda **_: full)
    monkeypatch.setattr(sorting, "PART", 2)
    found = Sorter(1)
    found.add(b"a")
    with pytest.raises(InputError, match="TMPDIR"):
        found.add(b"b")
