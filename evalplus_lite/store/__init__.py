"""Files of rows: JSONL that is streamed, written atomically, or appended to by long jobs."""

from evalplus_lite.store.cache import cache_folder
from evalplus_lite.store.journal import Journal
from evalplus_lite.store.parsing import parse_json
from evalplus_lite.store.reading import (
    MAX_LINE,
    Row,
    read_beginning,
    read_jsonl,
    read_raw,
    read_rows,
    read_text,
)
from evalplus_lite.store.writing import dump_row, replacing, write_jsonl, write_packed, write_text

__all__ = [
    "MAX_LINE",
    "Journal",
    "Row",
    "cache_folder",
    "dump_row",
    "parse_json",
    "read_beginning",
    "read_jsonl",
    "read_raw",
    "read_rows",
    "read_text",
    "replacing",
    "write_jsonl",
    "write_packed",
    "write_text",
]
