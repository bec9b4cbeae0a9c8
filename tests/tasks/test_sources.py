"""Where rows of samples may stand: packed, in columns, in parts, in memory, at a URL."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import fsspec
import pyarrow
import pytest
from backports import zstd

from evalplus_lite.errors import InputError
from evalplus_lite.jobs.datasets import sha256_of
from evalplus_lite.jobs.samples import SampleStream, read_samples
from evalplus_lite.tasks import Dataset
from evalplus_lite.types import Sample, Task

PROMPT = "def f(x):\n"
DATA = Dataset(
    "some", tuple(Task(f"set/{n}", PROMPT, "f", f"{PROMPT}    return x\n") for n in (0, 1))
)
ROWS: list[dict[str, Any]] = [
    {"task_id": f"set/{n % 2}", "solution": f"{PROMPT}    return {n}\n", "model": f"m{n % 3}"}
    for n in range(700)
]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS).encode()


def parquet(rows: Sequence[dict[str, Any]], path: Path) -> None:
    import pyarrow.parquet as files

    files.write_table(pyarrow.Table.from_pylist(rows), path, row_group_size=300)


def arrow(rows: Sequence[dict[str, Any]], path: Path) -> None:
    table = pyarrow.Table.from_pylist(rows)
    make = pyarrow.ipc.new_stream if path.name.startswith("s") else pyarrow.ipc.new_file
    with make(path, table.schema) as writer:
        writer.write_table(table)


def lines(rows: Sequence[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


FILES: dict[str, Callable[[Path], Any]] = {
    "rows.jsonl": lambda path: path.write_bytes(LINES),
    "rows.jsonl.gz": lambda path: path.write_bytes(gzip.compress(LINES)),
    "rows.jsonl.zst": lambda path: path.write_bytes(zstd.compress(LINES)),
    "rows.parquet": lambda path: parquet(ROWS, path),
    "stream.arrow": lambda path: arrow(ROWS, path),
    "file.arrow": lambda path: arrow(ROWS, path),
}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[Sample]:
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    path.write_bytes(LINES)
    found = list(read_samples(path, DATA, extract=False))
    assert len(found) == len(ROWS)
    return found


@pytest.fixture
def memory() -> Iterator[Any]:
    files = fsspec.filesystem("memory")
    yield files
    files.store.clear()
    files.pseudo_dirs[:] = [""]


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_any_form_gives_the_same_samples(
    name: str, tmp_path: Path, memory: Any, expected: list[Sample]
) -> None:
    """By path, and by URL; so does its hash, which is that of its bytes."""
    path = tmp_path / name
    FILES[name](path)
    assert list(read_samples(path, DATA, extract=False)) == expected
    memory.put_file(str(path), f"/some/{name}")
    url = f"memory://some/{name}"
    assert list(read_samples(url, DATA, extract=False)) == expected
    assert sha256_of(url) == sha256_of(path)


def test_parts_and_rows_in_memory(tmp_path: Path, memory: Any, expected: list[Sample]) -> None:
    """A folder of parts is one file; rows in memory, and columns with gaps, are samples."""
    folder = tmp_path / "parts"
    folder.mkdir()
    parquet(ROWS[:100], folder / "part-0.parquet")
    arrow(ROWS[100:300], folder / "part-1.arrow")
    (folder / "part-2.jsonl").write_bytes(b"")
    (folder / "part-3.jsonl.gz").write_bytes(gzip.compress(lines(ROWS[300:])))
    (folder / "_SUCCESS").write_bytes(b"")
    (folder / "README.md").write_bytes(b"what these are")
    assert list(read_samples(folder, DATA, extract=False)) == expected
    memory.put(f"{folder}/*", "/parts/")
    assert list(read_samples("memory://parts", DATA, extract=False)) == expected
    stream = SampleStream(iter([*ROWS, {"solution": "x"}]), DATA, extract=False)
    assert list(stream) == expected
    assert stream.faults.left_out == 1
    assert "701" in stream.faults.shown[0]
    with pytest.raises(InputError, match="Sample"):
        list(SampleStream([1], DATA))  # type: ignore[list-item]
    path = tmp_path / "rows.parquet"
    texts = [{"solution": PROMPT, "completion": None}, {"solution": None, "completion": "    1\n"}]
    parquet([{"task_id": "set/0", **each} for each in texts], path)
    found = [each.source for each in read_samples(path, DATA, extract=False)]
    assert found == [PROMPT, f"{PROMPT}    1\n"]


@pytest.mark.parametrize("name", ["part-1.jsonl.gz", "part-1.jsonl.zst", "part-1.parquet"])
def test_a_damaged_part_is_named_with_its_line(name: str, tmp_path: Path) -> None:
    """Whatever was cut short or changed: the part, and the line after the last that was read."""
    (tmp_path / "part-0.jsonl").write_bytes(lines(ROWS[:3]))
    path = tmp_path / name
    if name.endswith(".parquet"):
        parquet(ROWS, path)
        data = path.read_bytes()
        path.write_bytes(data[:200] + bytes(200) + data[400:])
    else:
        pack = gzip.compress if name.endswith(".gz") else zstd.compress
        path.write_bytes(pack(LINES * 5)[:-9])
    with pytest.raises(InputError) as caught:
        list(read_samples(tmp_path, DATA, extract=False))
    assert caught.value.path == path
    assert caught.value.line is not None
    assert (caught.value.line > 1) == name.endswith((".gz", ".zst"))


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("nothing://x", "no file system is called 'nothing'"),
        ("memory://missing.jsonl", "does not exist"),
        ("s3://bucket/key.jsonl", "s3fs"),
    ],
)
def test_a_url_that_cannot_be_read_is_named(url: str, message: str) -> None:
    """With what is missing: the file, the protocol, or the package of its own."""
    with pytest.raises(InputError, match=message) as caught:
        list(read_samples(url, DATA))
    assert caught.value.path == url
    assert caught.value.remedy


def test_urls_are_refused_in_words(memory: Any) -> None:
    """A folder without rows says what is looked for; a password is shown to nobody."""
    memory.pipe_file("/empty/README.md", b"nothing")
    with pytest.raises(InputError, match="parquet"):
        list(read_samples("memory://empty", DATA))
    with pytest.raises(InputError) as caught:
        list(read_samples("nothing://me:secret@host/x.jsonl", DATA))
    assert "secret" not in str(caught.value)
    assert "host" in str(caught.value)
