"""Files given by a user are read exactly, or refused in one line that names file and line."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import resource
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.commands import run, write_rows

from evalplus_lite.errors import InfrastructureError, InputError
from evalplus_lite.store import (
    Row,
    opening,
    parse_json,
    read_jsonl,
    read_text,
    replacing,
    write_jsonl,
    write_text,
)
from evalplus_lite.store.parsing import MAX_DIGITS, MAX_VALUES

ROWS = [{"a": 1, "text": "é\u2028\ud800"}, {"b": [1.5, None, True]}]


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def lines(*rows: object) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz"])
def test_rows_come_back_with_their_lines(
    tmp_path: Path, pack: Callable[[bytes], bytes], name: str
) -> None:
    """Rows and line numbers come back, packed or not, whatever the name says, over blank lines."""
    path = write(tmp_path / name, pack(b"\n" + lines(ROWS[0]) + b"  \r\n" + lines(ROWS[1])))
    assert list(read_jsonl(path)) == [Row(2, ROWS[0]), Row(4, ROWS[1])]


def test_rows_are_a_stream(tmp_path: Path) -> None:
    """With a byte order mark or no last line end; a fault is met after the rows before it."""
    path = write(tmp_path / "rows.jsonl", b"\xef\xbb\xbf" + lines(*ROWS).rstrip(b"\n"))
    assert [row.data for row in read_jsonl(path)] == ROWS
    stream = read_jsonl(write(tmp_path / "rows.jsonl", lines(ROWS[0]) + b"{"))
    assert next(stream).data == ROWS[0]
    with pytest.raises(InputError, match=r"rows\.jsonl:2: is not valid JSON"):
        next(stream)
    bad = [b"{", b"[1]", b'{"a": "\xff"}', b'{"a": "\x00"}', b'{"a": "' + b"x" * 300_000 + b'"}']
    path = write(tmp_path / "f", b"\n".join([b'{"n": 1}', *bad, b'{"n": 2}', b"{"]))
    faults: list[InputError] = []
    rows = list(read_jsonl(path, max_line=100, on_fault=faults.append))
    assert rows == [Row(1, {"n": 1}), Row(7, {"n": 2})]
    assert [fault.line for fault in faults] == [2, 3, 4, 5, 6, 8]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r"f: holds no rows"),
        (b"\n \n", r"f: holds no rows"),
        (b'{"a": 1}\n{"a": }\n', r"f:2: is not valid JSON: Expecting value at column 7"),
        (b'{"a": 1}\n[1]\n', r"f:2: holds a JSON array where an object was expected"),
        (b"null\n", r"f:1: holds a JSON null where an object"),
        (b'{"a": "\x00"}\n', r"f:1: holds a NUL byte"),
        ('{"a": 1}\n'.encode("utf-16"), r"f:1: holds a NUL byte .*UTF-8"),
        (b'{"a": 1}\n{"a": "\xff"}\n', r"f:2: is not UTF-8: .* at byte 8"),
        (b'{"a": "' + b"x" * 200 + b'"}\n', r"f:1: the line holds more than 100 bytes"),
        (gzip.compress(lines(*ROWS), mtime=0)[:-9], r"f: is gzip cut short"),
        (gzip.compress(lines(*ROWS), mtime=0)[:12], r"f: is gzip cut short"),
        (gzip.compress(lines(*ROWS), mtime=0)[:-8] + b"12345678", r"f: is damaged gzip"),
        (b"\x1f\x8bnonsense", r"f: is damaged gzip"),
        (b'{"a": ' + b"[" * 90 + b"\n", r"f:1: is not valid JSON"),
    ],
)
def test_each_fault_is_one_clear_line(tmp_path: Path, data: bytes, message: str) -> None:
    """Every kind of unreadable file is an InputError of one line that names file and line."""
    with pytest.raises(InputError, match=message) as caught:
        list(read_jsonl(write(tmp_path / "f", data), max_line=100))
    assert "\n" not in str(caught.value)


def test_missing_files_and_folders_are_named(tmp_path: Path) -> None:
    """Texts are read as rows are, within bounds; a table as text is called that."""
    with pytest.raises(InputError, match="does not exist"):
        list(read_jsonl(tmp_path / "none"))
    with pytest.raises(InputError, match="is a folder"):
        list(read_jsonl(tmp_path))
    write(tmp_path / "file", b"")
    with pytest.raises(InputError, match="cannot be read: Not a directory"):
        list(read_jsonl(tmp_path / "file" / "x"))
    assert (
        read_text(write(tmp_path / "a", gzip.compress(b"\xef\xbb\xbfx = 1\n", mtime=0)))
        == "x = 1\n"
    )
    with pytest.raises(InputError, match="more than 3 bytes"):
        read_text(write(tmp_path / "b", b"1234"), max_bytes=3)
    with pytest.raises(InputError, match="is not UTF-8"):
        read_text(write(tmp_path / "c", b"\xff"))
    path = tmp_path / "a.csv"
    path.write_text("task_id,solution\nOwn/0,x\n")
    with pytest.raises(InputError, match="JSONL"):
        list(read_jsonl(path, on_fault=lambda _: None))
    path = tmp_path / "f"
    path.write_bytes(b'{"a": 1}\n{"x": {"key": 1, "b": 2, "key": 3}}\n')
    with pytest.raises(InputError, match="'key'") as caught:
        list(read_jsonl(path))
    assert caught.value.line == 2
    with pytest.raises(InputError, match="nests too deeply"):
        list(read_jsonl(write(tmp_path / "f", b'{"a": ' + b"[" * 200_000)))


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    """A file that the user may not read says so."""
    write(tmp_path / "f", b"{}").chmod(0)
    with pytest.raises(InputError, match="cannot be read: Permission denied"):
        list(read_jsonl(tmp_path / "f"))


@pytest.mark.parametrize("digits", [10, 4_300, 4_301, 9_999, 30_000])
@pytest.mark.parametrize("sign", ["", "-"])
def test_integers_of_any_length_are_read_exactly(digits: int, sign: str) -> None:
    """An integer is read digit for digit, also beyond what int() takes from a text."""
    text = (sign + "1234567890" * (digits // 10 + 1))[: digits + len(sign)]
    value = parse_json(f'{{"n": {text}}}')["n"]
    magnitude, read = abs(value), []
    while magnitude:
        magnitude, low = divmod(magnitude, 10**1000)
        read.append(str(low).rjust(1000, "0") if magnitude else str(low))
    assert ("-" if value < 0 else "") + "".join(reversed(read)) == text


def test_values_beyond_reason_are_refused() -> None:
    """Long integers, alone or together, and too many values; marks within strings are none."""
    with pytest.raises(InputError, match=f"more than {MAX_DIGITS} digits"):
        parse_json("9" * (MAX_DIGITS + 2))
    with pytest.raises(InputError, match="digits"):
        parse_json("[" + ",".join(["9" * MAX_DIGITS] * 11) + "]")
    with pytest.raises(InputError, match=f"more than {MAX_VALUES} values"):
        parse_json("[" + "[]," * MAX_VALUES + "[]]")
    source = 'f([1, 2, 3], {"a": [4]})\\n' * 200_000
    assert parse_json(json.dumps({"solution": source}))["solution"] == source


def test_gzip_that_unpacks_beyond_proportion_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small file that unpacks for ever ends early."""
    monkeypatch.setattr(opening, "FREE_UNPACKED", 16 << 20)
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    spaces = b" " * 65535 + b"\n"
    packed = b"".join(packer.compress(spaces) for _ in range(2 * opening.FREE_UNPACKED >> 16))
    path = write(tmp_path / "f", packed + packer.flush())
    with pytest.raises(InputError, match="unpacks to more than") as caught:
        list(read_jsonl(path, on_fault=lambda error: None))
    assert caught.value.path == path


# A JSON text of anyone's making costs what is known before it is read.

MOST = 400_000
WIDE = {
    "lists": "[" + "[]," * MOST + "[]]",
    "objects": "[" + '{"a":1},' * MOST + "[]]",
    "strings": "[" + '"",' * (2 * MOST) + '""]',
    "without an end": '["\\"' + "[]," * (3 * MOST),
}


@pytest.mark.parametrize("name", WIDE)
def test_a_text_of_too_many_values_is_refused_before_it_is_built(name: str) -> None:
    """Values are counted first: a text of a few megabytes cannot take gigabytes."""
    tracemalloc.start()
    try:
        with pytest.raises(InputError):
            parse_json(WIDE[name], max_values=MOST)
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


# A journal with a row that its job did not write is named with its line; nothing else happens.

TASK = {"id": "A/0", "prompt": "", "entry_point": "f", "reference": "def f(x): return x"}
SAMPLE = {"task_id": "A/0", "solution": "def f(x): return x"}
COMMANDS = {
    "results.jsonl": ["evaluate", "-d", "tasks.jsonl", "-s", "samples.jsonl", "-o", "out"],
    "augment.journal.jsonl": ["augment", "-d", "tasks.jsonl", "-n", "5", "-o", "out"],
}
FOREIGN: list[dict[str, Any]] = [
    {"a": 1},
    {"task_id": [], "index": {}, "program": 1, "base": [], "plus": None, "cases": 3},
]


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("row", FOREIGN)
def test_a_row_of_something_else(tmp_path: Path, name: str, row: dict[str, Any]) -> None:
    """It is an error that names file and line, and the file stays as it is."""
    write_rows(tmp_path / "tasks.jsonl", [{**TASK, "inputs": [[1]]}])
    write_rows(tmp_path / "samples.jsonl", [SAMPLE])
    assert run(*COMMANDS[name], "-w", "1", folder=tmp_path).returncode in (0, 1)
    journal = tmp_path / "out" / name
    count = len(journal.read_text().splitlines())
    with journal.open("a") as file:
        file.write(json.dumps(row) + "\n")
    before = journal.read_bytes()
    done = run(*COMMANDS[name], "-w", "1", folder=tmp_path)
    assert done.returncode == 2, done.stderr
    assert f"{name}:{count + 1}: " in done.stderr
    assert journal.read_bytes() == before


# A file is written whole or not at all, and the same content gives the same bytes.

WRITTEN: list[dict[str, Any]] = [{"b": "é\ud800\n", "a": [1, 2.5, None]}, {"n": 10**50}]


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
    assert write_jsonl(one, WRITTEN) == 2
    write_jsonl(two, iter(WRITTEN))
    assert [row.data for row in read_jsonl(one)] == WRITTEN
    assert one.read_bytes() == two.read_bytes()
    assert one.read_bytes().startswith(b"\x1f\x8b") == name.endswith(".gz")


def test_links_are_kept_and_other_things_refused(tmp_path: Path) -> None:
    """Folders, pipes and places that cannot be; files have the rights that the user chose."""
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write_text(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "text"
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(InputError, match="regular file"):
            write_text(path, "text")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"x/y: cannot be written: .*choose another output"):
        write_text(tmp_path / "file" / "x" / "y", "text")
    old = os.umask(0o027)
    try:
        write_jsonl(tmp_path / "f.gz", WRITTEN)
    finally:
        os.umask(old)
    assert (tmp_path / "f.gz").stat().st_mode & 0o777 == 0o640
    assert gzip.decompress((tmp_path / "f.gz").read_bytes())
    write_jsonl(tmp_path / "rows.jsonl.gz", WRITTEN)
    header = (tmp_path / "rows.jsonl.gz").read_bytes()[:10]
    assert header[3] == 0
    assert header[4:8] == b"\0\0\0\0"
    with pytest.raises(ValueError, match="Out of range"):
        write_jsonl(tmp_path / "f", [{"x": float("inf")}])
    write_jsonl(tmp_path / "f", [{"x": float("inf")}], allow_nan=True)
    assert next(read_jsonl(tmp_path / "f")).data == {"x": float("inf")}


def test_a_file_is_whole_or_the_old_one(tmp_path: Path) -> None:
    """An error in the rows, another writer or what a kill left behind change nothing."""
    path = tmp_path / "f"
    write_text(path, "old")

    def failing() -> Iterator[dict[str, Any]]:
        yield WRITTEN[0]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_jsonl(path, failing())
    assert path.read_text() == "old"
    with replacing(path) as stream:
        with pytest.raises(InputError, match="is being written by another run"):
            write_text(path, "second")
        stream.write(b"first")
    assert path.read_text() == "first"
    (tmp_path / ".f.tmp").write_text("left over, and longer than the new text")
    write_text(path, "new")
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["f"]


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
