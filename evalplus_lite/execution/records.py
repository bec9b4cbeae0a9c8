"""Records as plain data: dataclasses are sent as rows between our own processes.

A row is the tuple of a record's fields. Their annotations decide on conversion: records, optional
records, and tuples or mappings of records become rows themselves. Other values are already plain
data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from evalplus_lite.execution.base import Row
from evalplus_lite.store.opening import Blobs, Packed

Record = TypeVar("Record")


class Codec(NamedTuple):
    """Functions that convert values of one annotation to rows and back."""

    write: Callable[[Any], Row]
    read: Callable[[Row], Any]


def to_row(record: Any) -> Row:
    """Convert a record to plain data."""
    return _of_class(type(record)).write(record)


def from_row(kind: type[Record], row: Row) -> Record:
    """Return the record from a row of ``to_row``."""
    record: Record = _of_class(kind).read(row)
    return record


def to_rows(records: Sequence[Any]) -> list[Row]:
    """Convert records of one class to plain data."""
    return list(map(_of_class(type(records[0])).write, records)) if records else []


def from_rows(kind: type[Record], rows: Sequence[Row]) -> tuple[Record, ...]:
    """Return the records from rows of ``to_rows``."""
    return tuple(map(_of_class(kind).read, rows))


# Reading annotations is slow, so it is done once per class and process.
_CODECS: dict[Any, Codec] = {}


def _of_class(kind: Any) -> Codec:
    if kind not in _CODECS:
        _CODECS[kind] = _made(kind)
    return _CODECS[kind]


def _made(kind: Any) -> Codec:
    hints = get_type_hints(kind)
    names = [each.name for each in fields(kind)]
    codecs = [_of_annotation(hints[name]) for name in names]
    if all(each is None for each in codecs) and len(names) > 1:  # no Python code per field
        return Codec(attrgetter(*names), lambda row: kind(*row))

    def write(record: Any) -> Row:
        return tuple(
            getattr(record, name) if codec is None else codec.write(getattr(record, name))
            for name, codec in zip(names, codecs, strict=True)
        )

    def read(row: Row) -> Any:
        values = zip(row, codecs, strict=True)
        return kind(*(value if codec is None else codec.read(value) for value, codec in values))

    return Codec(write, read)


def _of_annotation(hint: Any) -> Codec | None:
    """Return the codec for an annotation; None for plain data."""
    origin, parts = get_origin(hint), get_args(hint)
    if _is_record(hint):  # looked up when needed, as a record may contain its own class
        return Codec(to_row, partial(from_row, hint))
    # Only ``X | None`` with a record needs conversion; other unions are plain data.
    if origin in (Union, UnionType):
        inner = [_of_annotation(part) for part in parts if part is not NoneType]
        return _optional(inner[0]) if len(inner) == 1 and inner[0] is not None else None
    if origin is tuple and _is_record(parts[0]):
        return Codec(to_rows, partial(from_rows, parts[0]))
    if origin is Mapping and _is_record(parts[0]):
        return Codec(_pairs, partial(_of_pairs, parts[0]))
    if origin is Mapping:  # perhaps a read-only view, which is not plain
        return Codec(dict, dict)
    if hint == Sequence[bytes]:  # a suite's expected outputs, of which large ones stay compressed
        return Codec(_blob_rows, _of_blob_rows)
    return None


def _is_record(hint: Any) -> bool:
    return isinstance(hint, type) and is_dataclass(hint)


def _optional(codec: Codec) -> Codec:
    return Codec(
        lambda value: None if value is None else codec.write(value),
        lambda row: None if row is None else codec.read(row),
    )


def _pairs(mapping: Mapping[Any, Any]) -> Row:
    return [(to_row(key), value) for key, value in mapping.items()]


def _of_pairs(kind: type, rows: Row) -> dict[Any, Any]:
    return {from_row(kind, key): value for key, value in rows}


def _blob_rows(blobs: Blobs) -> Row:
    return [to_row(each) if isinstance(each, Packed) else each for each in blobs.items()]


def _of_blob_rows(rows: Row) -> Blobs:
    return Blobs(each if isinstance(each, bytes) else Packed(*each) for each in rows)
