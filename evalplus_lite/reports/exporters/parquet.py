"""Results as a Parquet file, written in row groups so that memory stays flat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.jobs.outputs import RESULT_COLUMNS, Evaluation, result_rows
from evalplus_lite.store.writing import replacing

MOST_ROWS, MOST_CHARACTERS = 10_000, 16 << 20
"""Rows, and characters of texts, of a row group: whichever is reached first."""


def write_parquet(evaluations: Sequence[Evaluation], path: Path) -> int:
    """Write a Parquet file and return how many rows there are; InputError without pyarrow."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InputError(
            "Parquet is written by pyarrow, which is not installed",
            remedy='pip install "evalplus-lite[parquet]"',
        ) from None
    types = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64(),
             bool: pyarrow.bool_()}  # fmt: skip
    schema = pyarrow.schema([(name, types[kind]) for name, kind in RESULT_COLUMNS.items()])
    count = 0
    with replacing(path) as stream, parquet.ParquetWriter(stream, schema) as writer:
        for rows in _groups(result_rows(evaluations)):
            writer.write_table(pyarrow.Table.from_pylist(rows, schema=schema))
            count += len(rows)
    return count


def _groups(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    group: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        group.append(row)
        size += sum(len(value) for value in row.values() if type(value) is str)
        if len(group) >= MOST_ROWS or size >= MOST_CHARACTERS:
            yield group
            group, size = [], 0
    if group:
        yield group
