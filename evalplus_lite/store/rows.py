"""Rows in SQLite: a bounded cache shared by processes, and temporary databases."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from evalplus_lite.store.writing import spooling

# A bounded key-value cache, shared by processes. Losing an entry only costs recomputation.


NAME = "verdicts.sqlite"
LOCK_SECONDS = 0.2  # how long to wait for another writing process
MOST_FAILURES = 5  # failures after which a process stops using the cache
ROW_BYTES = 1 << 16  # longer rows are not stored
CHECK_EVERY = 512  # rows written between two checks of the size
FILLED = 0.8  # the share of the limit that dropping leaves
HOUR = 3600  # precision of a row's last use, in seconds, so that reading rarely writes
_TABLE = """rows (
    key blob primary key, used integer not null, text text not null, seal blob not null
) without rowid"""


class RowStore:
    """Rows of text in a folder, up to about ``limit`` bytes; drops the least recently used.

    Safe for any number of processes. A damaged row, a foreign file, a full disk or a read-only
    folder only means that the row is missing. SQLite handles several writers and killed processes.
    """

    def __init__(self, folder: Path, limit: int) -> None:
        self._path, self._limit = folder / NAME, limit
        self._written = CHECK_EVERY  # check at once the first time
        self._process = self._failures = 0
        self._file: sqlite3.Connection | None = None

    def get(self, key: bytes) -> str | None:
        """Return the row of a key; None if it is missing or damaged."""
        with self._suppressed():
            file = self._open()
            row = (
                file
                and file.execute(
                    "select text, seal, used from rows where key = ?", (key,)
                ).fetchone()
            )
            if row:
                text, seal, used = row
                if isinstance(text, str) and seal == _seal(key, text):
                    if used != _now():
                        self._execute("update rows set used = ? where key = ?", _now(), key)
                    return text
        return None

    def put(self, key: bytes, text: str) -> None:
        """Store a row, if possible."""
        if len(text) > ROW_BYTES:
            return
        values = key, _now(), text, _seal(key, text)
        self._execute("insert or replace into rows values (?, ?, ?, ?)", *values)
        self._written += 1
        if self._written >= CHECK_EVERY:
            self._written = 0
            self._trim()

    def close(self) -> None:
        """Close the file."""
        file, self._file = self._file, None
        if file is not None and self._process == os.getpid():
            with contextlib.suppress(sqlite3.Error):
                file.close()

    def _open(self) -> sqlite3.Connection | None:
        if self._failures >= MOST_FAILURES:
            return None
        if self._process != os.getpid():  # SQLite connections must not be used after a fork
            self._file = None
            self._path.parent.mkdir(parents=True, exist_ok=True)
            file = sqlite3.connect(self._path, timeout=LOCK_SECONDS, isolation_level=None)
            try:
                with contextlib.suppress(sqlite3.OperationalError):  # some file systems cannot
                    file.execute("pragma journal_mode = wal")
                # data lost in a power cut is computed again
                file.execute("pragma synchronous = off")
                file.execute(f"create table if not exists {_TABLE}")
                _check(file)
            except BaseException:
                file.close()
                raise
            self._process, self._file = os.getpid(), file
        return self._file

    def _execute(self, statement: str, *values: object) -> None:
        with self._suppressed():
            file = self._open()
            if file is not None:
                file.execute(statement, values)

    def _trim(self) -> None:
        with self._suppressed():
            file = self._open()
            if file is None:
                return
            (count,) = file.execute("select count(*) from rows").fetchone()
            (size,) = file.execute("select total(length(text)) from rows").fetchone()
            # The overhead of SQLite and the keys; approximate.
            excess = size + 200 * count - self._limit
            if excess > 0:
                share = 1 - FILLED * self._limit / (size + 200 * count)
                oldest = "select key from rows order by used, key limit ?"
                file.execute(f"delete from rows where key in ({oldest})", (int(share * count) + 1,))

    @contextlib.contextmanager
    def _suppressed(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.OperationalError):  # locked or full, perhaps temporarily
            self._failures += 1
        except sqlite3.Error:
            self._failures += 1
            self._set_aside()

    def _set_aside(self) -> None:
        """Start a new file, and keep the unreadable one, as it may belong to someone."""
        self.close()
        self._process = 0
        with contextlib.suppress(OSError):
            os.replace(self._path, self._path.with_suffix(".damaged"))
            for end in ("-wal", "-shm"):
                self._path.with_name(NAME + end).unlink(missing_ok=True)


def _check(file: sqlite3.Connection) -> None:
    """Raise DatabaseError if there is more than our table, as triggers or views could run."""
    schema = file.execute("select type, sql from sqlite_master limit 2").fetchall()
    if schema != [("table", f"CREATE TABLE {_TABLE}")]:
        raise sqlite3.DatabaseError("a file of something else")


def _seal(key: bytes, text: str) -> bytes:
    """Return a checksum to detect a damaged row, as SQLite has none."""
    return hashlib.sha256(key + text.encode("utf-8", "surrogatepass")).digest()[:16]


def _now() -> int:
    return int(time.time()) // HOUR


# Temporary databases, to sort and join rows on disk.


def scratch_database(schema: str) -> sqlite3.Connection:
    """Return a database in an unnamed file, which is deleted when the connection is closed.

    Threads may share it. Nothing is committed, as it need not survive this process.
    """
    base = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    base.executescript(f"pragma journal_mode=off; begin; {schema}")
    return base


@contextlib.contextmanager
def filling(what: str) -> Iterator[None]:
    """Convert an error from writing ``what`` to a scratch database into an InputError."""
    with spooling(what):
        try:
            yield
        except sqlite3.OperationalError as error:
            raise OSError(0, str(error)) from None
