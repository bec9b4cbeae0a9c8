"""A file that is written while something else is worked on."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalplus_lite.errors import InputError
from evalplus_lite.store import read_jsonl
from evalplus_lite.store.writing import CancelGuard, written_beside

OLD = '{"old":1}\n'


def test_it_is_there_when_the_block_has_ended(tmp_path: Path) -> None:
    """And made in the block's time: what the rows wait for happens in the block."""
    is_begun = threading.Event()

    def rows(guard: CancelGuard) -> Iterator[dict[str, int]]:
        assert is_begun.wait(60)
        yield from ({"row": number} for number in guard(range(3)))

    path = tmp_path / "rows.jsonl"
    with written_beside(path, rows):
        assert not path.exists()
        is_begun.set()
    assert [row.data for row in read_jsonl(path)] == [{"row": number} for number in range(3)]


def test_a_block_that_fails_ends_it(tmp_path: Path) -> None:
    """However much is still to come; the old file stays as it was, and nothing beside it."""
    path = tmp_path / "rows.jsonl"
    path.write_text(OLD)
    is_writing = threading.Event()

    def rows(guard: CancelGuard) -> Iterator[dict[str, int]]:
        for number in guard(itertools.count()):
            is_writing.set()
            yield {"row": number}

    def fail() -> None:
        with written_beside(path, rows):
            assert is_writing.wait(60)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert path.read_text() == OLD
    assert list(tmp_path.iterdir()) == [path]


def test_errors_of_the_rows_are_told(tmp_path: Path) -> None:
    """At the end of the block, which is worked to its end."""
    path = tmp_path / "rows.jsonl"
    path.write_text(OLD)
    worked = []

    def rows(guard: CancelGuard) -> Iterator[dict[str, int]]:
        yield {"row": 1}
        raise InputError("no more rows")

    with pytest.raises(InputError, match="no more rows"), written_beside(path, rows):
        worked.append(1)
    assert worked
    assert path.read_text() == OLD
