"""Rows of columnar files: Parquet, and Arrow as stored by the ``datasets`` library."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import IO, Any

from evalplus_lite.errors import InputError
from evalplus_lite.store.opening import opened
from evalplus_lite.store.reading import NoRows, Row

PARQUET, ARROW_FILE, ARROW_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
ROWS = 1 << 8
"""Rows decoded at a time."""


def is_table(beginning: bytes) -> bool:
    """Return whether a file that begins with these bytes is Parquet or Arrow."""
    return beginning.startswith((PARQUET, ARROW_FILE, ARROW_STREAM))


def read_table(path: str | os.PathLike[str], columns: Sequence[str] | None = None) -> Iterator[Row]:
    """Yield the rows of a Parquet or Arrow file, numbered from 1, with all or these columns.

    Columns that the file lacks are left out, and missing values are None. Raises InputError without
    pyarrow, and for a damaged file, naming the row.
    """
    try:
        import pyarrow
    except ImportError:
        raise InputError(
            "is a file in columns, which pyarrow reads, and that is not installed",
            path=path,
            remedy='pip install "evalplus-lite[parquet]"',
        ) from None
    number = 0
    with opened(path, packed=True) as stream:
        try:
            for batch in _batches(stream, columns):
                for row in batch.to_pylist():
                    number += 1
                    yield Row(number, row)
        except (pyarrow.ArrowException, OSError, ValueError) as error:
            problem = " ".join(str(error).split())[:200]
            raise InputError(
                f"is damaged: {problem}", path=path, line=number + 1, remedy="copy it again"
            ) from None
    if not number:
        raise NoRows("holds no rows", path=path, remedy="is this the right file?")


def _batches(stream: IO[bytes], columns: Sequence[str] | None) -> Iterator[Any]:
    from pyarrow import ipc, parquet

    beginning = stream.read(len(ARROW_FILE))
    stream.seek(0)
    if beginning.startswith(PARQUET):
        file = parquet.ParquetFile(stream, buffer_size=1 << 20, pre_buffer=False)
        names = file.schema_arrow.names
        known = [name for name in (columns or names) if name in names]
        yield from file.iter_batches(ROWS, columns=known, use_threads=False)
        return
    if beginning.startswith(ARROW_FILE):
        reader = ipc.open_file(stream)
        batches = (reader.get_batch(number) for number in range(reader.num_record_batches))
    else:
        batches = iter(ipc.open_stream(stream))
    for batch in batches:
        known = [name for name in (columns or batch.schema.names) if name in batch.schema.names]
        for start in range(0, batch.num_rows, ROWS):
            yield batch.select(known).slice(start, ROWS)
