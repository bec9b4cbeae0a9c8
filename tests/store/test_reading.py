"""Files given by a user are read exactly, or refused in one line that names file and line."""

from __future__ import annotations

import gzip
import json
import os
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.commands import run, write_rows

from evalplus_lite.errors import InputError
from evalplus_lite.store import Row, parse_json, read_jsonl, read_text
from evalplus_lite.store.opening import FREE_UNPACKED
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


def test_a_byte_order_mark_and_a_missing_last_line_end_do_no_harm(tmp_path: Path) -> None:
    """A file saved by a Windows editor, or without a final newline, is read like any other."""
    path = write(tmp_path / "rows.jsonl", b"\xef\xbb\xbf" + lines(*ROWS).rstrip(b"\n"))
    assert [row.data for row in read_jsonl(path)] == ROWS


def test_rows_are_read_before_a_later_fault_is_met(tmp_path: Path) -> None:
    """Reading is a stream: what stands before a broken line was yielded."""
    stream = read_jsonl(write(tmp_path / "rows.jsonl", lines(ROWS[0]) + b"{"))
    assert next(stream).data == ROWS[0]
    with pytest.raises(InputError, match=r"rows\.jsonl:2: is not valid JSON"):
        next(stream)


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
    """A path that leads nowhere, to a folder or through a file says so."""
    with pytest.raises(InputError, match="does not exist"):
        list(read_jsonl(tmp_path / "none"))
    with pytest.raises(InputError, match="is a folder"):
        list(read_jsonl(tmp_path))
    write(tmp_path / "file", b"")
    with pytest.raises(InputError, match="cannot be read: Not a directory"):
        list(read_jsonl(tmp_path / "file" / "x"))


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


def test_an_integer_beyond_reason_is_refused() -> None:
    """An integer that would take minutes to read is refused, with the limit."""
    with pytest.raises(InputError, match=f"more than {MAX_DIGITS} digits"):
        parse_json("9" * (MAX_DIGITS + 2))


def test_nesting_beyond_the_stack_is_refused(tmp_path: Path) -> None:
    """A text that nests too deeply for the reader is refused rather than a RecursionError."""
    with pytest.raises(InputError, match="nests too deeply"):
        list(read_jsonl(write(tmp_path / "f", b'{"a": ' + b"[" * 200_000)))


def test_text_files_are_read_like_rows(tmp_path: Path) -> None:
    """A text comes back whole, unpacked, within its bound and only as UTF-8."""
    assert (
        read_text(write(tmp_path / "a", gzip.compress(b"\xef\xbb\xbfx = 1\n", mtime=0)))
        == "x = 1\n"
    )
    with pytest.raises(InputError, match="more than 3 bytes"):
        read_text(write(tmp_path / "b", b"1234"), max_bytes=3)
    with pytest.raises(InputError, match="is not UTF-8"):
        read_text(write(tmp_path / "c", b"\xff"))


def test_gzip_that_unpacks_beyond_proportion_is_refused(tmp_path: Path) -> None:
    """A small file that unpacks for ever ends early."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    spaces = b" " * 65535 + b"\n"
    packed = b"".join(packer.compress(spaces) for _ in range(2 * FREE_UNPACKED >> 16))
    path = write(tmp_path / "f", packed + packer.flush())
    with pytest.raises(InputError, match="unpacks to more than") as caught:
        list(read_jsonl(path, on_fault=lambda error: None))
    assert caught.value.path == path


def test_lines_that_cannot_be_used_are_handed_on_and_passed_over(tmp_path: Path) -> None:
    """With ``on_fault`` every other line is read, also after one that is far too long."""
    bad = [b"{", b"[1]", b'{"a": "\xff"}', b'{"a": "\x00"}', b'{"a": "' + b"x" * 300_000 + b'"}']
    path = write(tmp_path / "f", b"\n".join([b'{"n": 1}', *bad, b'{"n": 2}', b"{"]))
    faults: list[InputError] = []
    rows = list(read_jsonl(path, max_line=100, on_fault=faults.append))
    assert rows == [Row(1, {"n": 1}), Row(7, {"n": 2})]
    assert [fault.line for fault in faults] == [2, 3, 4, 5, 6, 8]


# A JSON text of anyone's making costs what is known before it is read.

WIDE = {
    "lists": "[" + "[]," * MAX_VALUES + "[]]",
    "objects": "[" + '{"a":1},' * MAX_VALUES + "[]]",
    "strings": "[" + '"",' * (2 * MAX_VALUES) + '""]',
    "without an end": '["\\"' + "[]," * (3 * MAX_VALUES),
}


@pytest.mark.parametrize("name", WIDE)
def test_a_text_of_too_many_values_is_refused_before_it_is_built(name: str) -> None:
    """Values are counted first: a text of a few megabytes cannot take gigabytes."""
    tracemalloc.start()
    try:
        with pytest.raises(InputError):
            parse_json(WIDE[name])
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


def test_marks_within_strings_are_not_values() -> None:
    """Long programs full of brackets and commas are one value each."""
    source = 'f([1, 2, 3], {"a": [4]})\\n' * 200_000
    assert parse_json(json.dumps({"solution": source}))["solution"] == source


def test_many_long_integers_are_refused_together() -> None:
    """Integers that are each within the bound may not cost minutes together."""
    with pytest.raises(InputError, match="digits"):
        parse_json("[" + ",".join(["9" * MAX_DIGITS] * 11) + "]")


def test_a_key_given_twice_is_refused(tmp_path: Path) -> None:
    """Which of two values was meant cannot be known: the line and the key are named."""
    path = tmp_path / "f"
    path.write_bytes(b'{"a": 1}\n{"x": {"key": 1, "b": 2, "key": 3}}\n')
    with pytest.raises(InputError, match="'key'") as caught:
        list(read_jsonl(path))
    assert caught.value.line == 2


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


def test_a_table_as_text_is_called_that(tmp_path: Path) -> None:
    """CSV given for rows is refused with what to write instead, also where lines may be bad."""
    path = tmp_path / "a.csv"
    path.write_text("task_id,solution\nOwn/0,x\n")
    with pytest.raises(InputError, match="JSONL"):
        list(read_jsonl(path, on_fault=lambda _: None))
