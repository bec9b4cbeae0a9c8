"""Result rows by task, on disk: what a page says of a task is made of one task's rows at a time."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from evalplus_lite.errors import InputError
from evalplus_lite.store.writing import spooling

BATCH = 1_000
_TABLES = """
create table row(task integer, entrant integer, number integer, program text, data text,
                 cpu real, memory integer);
create table program(name text primary key, solution text) without rowid;
"""


class Kept(NamedTuple):
    """A row: whose it is (``entrant``), its index, its program's name, what became of it, and what
    it took: seconds of CPU and bytes, None if not known.
    """

    entrant: int
    number: int
    program: str
    data: dict[str, Any]
    cpu: float | None
    memory: int | None


class PageRows:
    """A database in a temporary folder, which is gone when this is closed; a context manager."""

    def __init__(self) -> None:
        try:
            self._folder = tempfile.TemporaryDirectory(prefix="evalplus_lite_")
        except OSError as error:
            raise InputError(
                f"no temporary folder can be made: {error.strerror}", remedy="set TMPDIR"
            ) from None
        self._base = sqlite3.connect(Path(self._folder.name, "rows"), isolation_level=None)
        self._base.executescript("pragma journal_mode=off; pragma synchronous=off;" + _TABLES)

    def __enter__(self) -> PageRows:
        return self

    def __exit__(self, *_: object) -> None:
        self._base.close()
        self._folder.cleanup()

    def put(self, rows: Iterable[tuple[int, Kept]]) -> None:
        """Keep rows, each with its task's number."""
        lines = (
            (task, *kept[:3], json.dumps(kept.data), kept.cpu, kept.memory) for task, kept in rows
        )
        with self._writing():
            self._base.executemany("insert into row values (?, ?, ?, ?, ?, ?, ?)", lines)

    def put_programs(self, programs: Iterable[tuple[str, str]]) -> None:
        """Keep programs' texts by name; one that is known already stays."""
        rows = ((name, json.dumps(text)) for name, text in programs)  # which may hold surrogates
        with self._writing():
            self._base.executemany("insert or ignore into program values (?, ?)", rows)

    def sort(self) -> None:
        """Make what was put ready to be read by task."""
        with self._writing():
            self._base.execute("create index by_task on row(task, entrant, number)")

    def rows(self, task: int) -> Iterator[Kept]:
        """Yield the rows of a task by entrant and index."""
        for entrant, number, program, data, cpu, memory in self._base.execute(
            "select entrant, number, program, data, cpu, memory from row where task = ?"
            " order by entrant, number, rowid",
            (task,),
        ):
            yield Kept(entrant, number, program, json.loads(data), cpu, memory)

    def program(self, name: str) -> str | None:
        """Return a program's text, None if it was not kept."""
        found = self._base.execute("select solution from program where name = ?", (name,))
        for (text,) in found:
            return str(json.loads(text))
        return None

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            self._base.execute("begin")
            yield
            self._base.execute("commit")
        except sqlite3.Error as error:
            raise InputError(
                f"rows cannot be kept for this run: {error}",
                path=tempfile.gettempdir(),
                remedy="make room, or set TMPDIR to another folder",
            ) from None


class Parts:
    """Texts by key, in a file that is gone when this is closed; a context manager."""

    def __init__(self) -> None:
        with spooling("the page's parts"):
            self._file = tempfile.TemporaryFile(prefix="evalplus_lite_")  # noqa: SIM115 - till closed
        self._places: dict[str, tuple[int, int]] = {}
        self.size = 0

    def __enter__(self) -> Parts:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, key: str, text: str) -> None:
        """Keep a text of ASCII characters."""
        data = text.encode("ascii")
        with spooling("the page's parts"):
            self._file.write(data)
        self._places[key] = (self.size, len(data))
        self.size += len(data)

    def text(self, key: str) -> str:
        """Return the text of a key."""
        start, size = self._places[key]
        self._file.seek(start)
        return self._file.read(size).decode("ascii")

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Yield keys and texts in the order they came in."""
        for key in self._places:
            yield key, self.text(key)
