"""A file is written whole or not at all, and the same content gives the same bytes."""

from __future__ import annotations

import contextlib
import gzip
import os
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evalplus_lite.errors import InfrastructureError, InputError
from evalplus_lite.store import read_jsonl, replacing, write_jsonl, write_text

ROWS: list[dict[str, Any]] = [{"b": "é\ud800\n", "a": [1, 2.5, None]}, {"n": 10**50}]


@contextlib.contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """Let the system refuse writes past ``size`` bytes of any file, as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz"])
def test_rows_round_trip_and_bytes_repeat(tmp_path: Path, name: str) -> None:
    """What was written is read back, and a second writing elsewhere gives the same bytes."""
    one, two = tmp_path / "new" / "folder" / name, tmp_path / name
    assert write_jsonl(one, ROWS) == 2
    write_jsonl(two, iter(ROWS))
    assert [row.data for row in read_jsonl(one)] == ROWS
    assert one.read_bytes() == two.read_bytes()
    assert one.read_bytes().startswith(b"\x1f\x8b") == name.endswith(".gz")


def test_gzip_holds_no_time_and_no_name(tmp_path: Path) -> None:
    """The gzip header has neither the hour of writing nor the temporary file's name."""
    write_jsonl(tmp_path / "rows.jsonl.gz", ROWS)
    header = (tmp_path / "rows.jsonl.gz").read_bytes()[:10]
    assert header[3] == 0
    assert header[4:8] == b"\0\0\0\0"


def test_an_error_in_the_rows_leaves_the_old_file(tmp_path: Path) -> None:
    """When the rows themselves fail halfway, the old file stands and nothing else remains."""
    path = tmp_path / "rows.jsonl"
    write_text(path, "old")

    def failing() -> Iterator[dict[str, Any]]:
        yield ROWS[0]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_jsonl(path, failing())
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["rows.jsonl"]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz"])
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, name: str) -> None:
    """A write that the disk has no room for is a clear error, and the old file stands."""
    path = tmp_path / name
    path.write_bytes(b"old")
    rows = [{"n": os.urandom(100).hex()} for _ in range(5_000)]
    with file_size_limit(20_000), pytest.raises(InfrastructureError, match="cannot be written"):
        write_jsonl(path, rows)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == [name]


def test_not_a_number_is_written_only_where_asked_for(tmp_path: Path) -> None:
    """NaN, which is no JSON, is refused unless the format needs it."""
    with pytest.raises(ValueError, match="Out of range"):
        write_jsonl(tmp_path / "f", [{"x": float("inf")}])
    write_jsonl(tmp_path / "f", [{"x": float("inf")}], allow_nan=True)
    assert next(read_jsonl(tmp_path / "f")).data == {"x": float("inf")}


def test_a_file_being_written_is_refused_to_others(tmp_path: Path) -> None:
    """Two writers of one file never mix: the second is told so, the first one finishes."""
    path = tmp_path / "f"
    with replacing(path) as stream:
        with pytest.raises(InputError, match="is being written by another run"):
            write_text(path, "second")
        stream.write(b"first")
    assert path.read_text() == "first"


def test_a_temporary_file_left_by_a_kill_is_used_again(tmp_path: Path) -> None:
    """What a killed writer left behind neither stays nor gets into the new file."""
    (tmp_path / ".f.tmp").write_text("left over, and longer than the new text")
    write_text(tmp_path / "f", "new")
    assert (tmp_path / "f").read_text() == "new"
    assert os.listdir(tmp_path) == ["f"]


def test_links_are_kept_and_other_things_refused(tmp_path: Path) -> None:
    """A symbolic link keeps its target; a folder or a pipe is never replaced."""
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write_text(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "text"
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(InputError, match="regular file"):
            write_text(path, "text")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """A parent that is a file gives an error that names the path and a remedy."""
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"x/y: cannot be written: .*choose another output"):
        write_text(tmp_path / "file" / "x" / "y", "text")


def test_files_get_the_rights_that_the_user_chose(tmp_path: Path) -> None:
    """A written file is as readable as any other that the user makes."""
    old = os.umask(0o027)
    try:
        write_jsonl(tmp_path / "f.gz", ROWS)
    finally:
        os.umask(old)
    assert (tmp_path / "f.gz").stat().st_mode & 0o777 == 0o640
    assert gzip.decompress((tmp_path / "f.gz").read_bytes())
