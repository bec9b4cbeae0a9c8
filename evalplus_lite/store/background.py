"""A file that is written while something else is worked on."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from evalplus_lite.store.writing import write_jsonl


class _Ended(Exception):
    """The block that the file is written beside has failed."""


@contextlib.contextmanager
def written_beside(path: Path, rows: Iterable[Mapping[str, Any]]) -> Iterator[None]:
    """Write rows to a file, as ``write_jsonl`` does, in a thread while the block runs.

    The file is there when the block has ended; if that fails, the old one stays as it was. Errors
    of ``write_jsonl``, or of ``rows``, are raised at the end of the block.
    """
    is_ended = threading.Event()

    def until_ended() -> Iterator[Mapping[str, Any]]:
        for row in rows:
            if is_ended.is_set():
                raise _Ended
            yield row

    with ThreadPoolExecutor(1, thread_name_prefix="writing") as thread:
        written = thread.submit(write_jsonl, path, until_ended())
        try:
            yield
        except BaseException:
            is_ended.set()
            raise
        written.result()
