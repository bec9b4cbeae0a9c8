"""Temporary SQLite databases: rows that are sorted and joined without being held in memory."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator

from evalplus_lite.store.writing import spooling


def scratch_database(schema: str) -> sqlite3.Connection:
    """Return a database in a nameless file, which disappears when the connection is closed.

    Threads may share it. Nothing is ever committed: it need not survive this process.
    """
    base = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    base.executescript(f"pragma journal_mode=off; begin; {schema}")
    return base


@contextlib.contextmanager
def filling(what: str) -> Iterator[None]:
    """Turn an error of writing ``what`` to a scratch database into an InputError."""
    with spooling(what):
        try:
            yield
        except sqlite3.OperationalError as error:
            raise OSError(0, str(error)) from None
