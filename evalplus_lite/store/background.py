"""A file that is written while something else is worked on."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol, TypeVar

from evalplus_lite.store.writing import write_jsonl

Item = TypeVar("Item")


class CancelGuard(Protocol):
    """Passes items on, until the consumer's work is canceled."""

    def __call__(self, items: Iterable[Item], /) -> Iterator[Item]:
        """Return the items."""
        ...


class _Ended(Exception):
    """The block that runs while the file is written has failed."""


@contextlib.contextmanager
def written_beside(
    path: Path, rows: Callable[[CancelGuard], Iterable[Mapping[str, Any]]]
) -> Iterator[None]:
    """Write rows to a file, as ``write_jsonl`` does, in a thread while the block runs.

    ``rows`` produces them, and passes its long iterations through the guard it receives, so that it
    ends soon if the block fails. The file exists when the block has ended; if that fails, the old
    one stays as it was. Errors of ``write_jsonl``, or of ``rows``, are raised at the end.
    """
    is_ended = threading.Event()

    def guard(items: Iterable[Item]) -> Iterator[Item]:
        for item in items:
            if is_ended.is_set():
                raise _Ended
            yield item

    with ThreadPoolExecutor(1, thread_name_prefix="writing") as thread:
        written = thread.submit(write_jsonl, path, rows(guard))
        try:
            yield
        except BaseException:
            is_ended.set()
            raise
        written.result()
