"""A journal in parts: files of so many rows each, packed when they are whole.

``results.parts.jsonl`` beside them names the whole ones, in order: what is not named there is none.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from evalplus_lite.errors import InputError
from evalplus_lite.store.journal import Journal, settings_file
from evalplus_lite.store.opening import opened
from evalplus_lite.store.reading import OWN_LINE, OWN_VALUES, Row, read_jsonl
from evalplus_lite.store.writing import dump_row, replacing, reporting

ENDING = ".parts.jsonl"


def list_of(path: Path) -> Path:
    """Return the list of parts of rows that would stand at ``path`` (``results.jsonl``)."""
    return path.with_name(path.name.removesuffix(".jsonl") + ENDING)


def read_parts(path: Path) -> Iterator[tuple[Path, Row]]:
    """Yield the rows of all whole parts that a list (``results.parts.jsonl``) names, with the part.

    Raises InputError, naming the part and the line, for one that is missing, damaged, or has fewer
    rows or more than the list says.
    """
    for part, count in _listed(path):
        found = 0
        for row in read_jsonl(part, max_line=OWN_LINE, max_values=OWN_VALUES):
            found += 1
            yield part, row
        if found != count:
            raise InputError(
                f"holds {found} rows where {path.name} says {count}",
                path=part,
                line=found,
                remedy="copy it again, or run the job again with --force",
            )


def has_rows(path: Path) -> bool:
    """Return whether there are rows at a path, in one file or in parts."""
    return path.is_file() or list_of(path).is_file()


def written_rows(path: Path) -> Iterator[tuple[Path, Row]]:
    """Yield the rows that a job wrote to a file, or to parts in its place, with the file of each.

    Nothing of an empty file; else raises as ``read_jsonl`` and ``read_parts``.
    """
    if list_of(path).is_file():
        yield from read_parts(list_of(path))
    elif path.stat().st_size:
        for row in read_jsonl(path, max_line=OWN_LINE, max_values=OWN_VALUES):
            yield path, row


def drop_rows(path: Path, *, in_parts: bool) -> None:
    """Remove a file of rows and its settings, or the parts in its place and theirs."""
    listed = list_of(path)
    with reporting(path):
        for left in path.parent.glob(f"{path.stem}-?????.jsonl*") if in_parts else ():
            left.unlink()
        for left in (listed, settings_file(listed)) if in_parts else (path, settings_file(path)):
            left.unlink(missing_ok=True)


class Parts:
    """A journal (see ``Journal``) of ``size`` rows a file: ``results-00001.jsonl.gz`` and so on.

    The last part is a plain file while rows are appended to it; ``finish`` packs it, too. The same
    rows give the same files, however often a job was killed. ``whole`` is called with the settings,
    and with each part, and after it with the list that names it, as soon as they are written.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        size: int,
        identity: Mapping[str, Any] | None = None,
        force: bool = False,
        whole: Callable[[Path], None] | None = None,
    ) -> None:
        """Open, lock and mend the files, whose names begin as that of ``path``; as ``Journal``."""
        self._given, self.size, self.whole = Path(path), size, whole
        self._before: Callable[[], None] | None = None
        self._list = Journal(list_of(self._given), identity=identity, force=force)
        self._rest: Journal | None = None
        self._is_longer = False
        try:
            self._counts = [int(row.data["rows"]) for row in self._list.rows()]
            if force:
                for stale in self._given.parent.glob(f"{self._given.stem}-?????.jsonl*"):
                    stale.unlink()
            for done in range(len(self._counts)):  # a kill may have come before they were removed
                _part(self._list.path, done + 1, packed=False).unlink(missing_ok=True)
            if self._counts and self._counts[-1] < size:
                self._reopen()
            else:
                self._next()
                if self._held >= self.size:  # a kill came before it was packed
                    self._pack()
                    self._next()
            if whole is not None and identity is not None:
                whole(settings_file(self._list.path))  # rows without it are taken up by nobody
            self.path: Path = self._list.path
            """The file of the row that was read last."""
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        """Return the journal itself."""
        return self

    def __exit__(self, *details: object) -> None:
        """Close, after an error too: the rows gathered so far are valid."""
        self.close()

    @property
    def before(self) -> Callable[[], None] | None:
        """What is called before rows are handed to the system."""
        return self._before

    @before.setter
    def before(self, function: Callable[[], None] | None) -> None:
        self._before = function
        if self._rest is not None:
            self._rest.before = function

    def rows(self) -> Iterator[Row]:
        """Yield the rows written so far; InputError if one is damaged."""
        for path, row in read_parts(self._list.path):
            self.path = path
            yield row
        if self._rest is not None:
            self.path = self._rest.path
            yield from self._rest.rows()

    def reading(self, row: Row) -> contextlib.AbstractContextManager[None]:
        """Within, a row that is not as its job writes them is an InputError that names its line."""
        return self._list.reading(row, path=self.path)

    def append(self, row: Mapping[str, Any]) -> None:
        """Take a JSON-ready row (else ValueError, TypeError)."""
        self.append_line(dump_row(row))

    def append_line(self, line: str) -> None:
        """Take a row as ``dump_row`` wrote it, perhaps in another process of ours."""
        self._open.append_line(line)
        self._held += 1
        if self._held == self.size:
            self._pack()
            self._next()

    def flush(self) -> None:
        """Hand all gathered rows to the system: from here on a kill cannot lose them."""
        if self._rest is not None:
            self._rest.flush()

    def count(self) -> int:
        """Return how many rows are written."""
        self.flush()
        return sum(self._counts) + self._held

    def keep(self, count: int) -> int:
        """Drop the rows after the first ``count``; return how many are left."""
        self.flush()
        while sum(self._counts) > count:
            self._open.close()
            self._open.path.unlink()
            self._reopen()
        self._held = self._open.keep(count - sum(self._counts))
        return self.count()

    def finish(self) -> Path:
        """Pack the last part, however few rows it has, and return the list of all parts.

        Nothing is to be appended after that: a later job unpacks it again.
        """
        if self._held:
            self._pack()
        else:
            self._open.close()
            self._open.path.unlink(missing_ok=True)
        self._rest = None
        self._list.flush()
        return self._list.path

    def close(self) -> None:
        """Write what is gathered and give up the lock; once is enough."""
        try:
            if self._rest is not None:
                self._rest.close()
        finally:
            self._list.close()

    @property
    def _open(self) -> Journal:
        if self._rest is None:
            raise ValueError(f"{self._given}: the journal is closed")
        return self._rest

    def _next(self) -> None:
        """Open the part after the last whole one; what a kill left of it is taken up."""
        number = len(self._counts)
        self._rest = Journal(_part(self._list.path, number + 1, packed=False))
        self._rest.before = self._before
        self._held = self._rest.count()

    def _pack(self) -> None:
        """Make the open part a whole one: first its file, then its row in the list."""
        part = self._open
        part.flush()
        packed = _part(self._list.path, len(self._counts) + 1)
        with open(part.path, "rb") as rows, replacing(packed) as stream, gzip.GzipFile(
            filename="", mode="wb", fileobj=stream, mtime=0
        ) as file:  # fmt: skip
            shutil.copyfileobj(rows, file, 1 << 20)
        if self._is_longer and self.whole is not None:
            self.whole(self._list.path)  # which names it no more: it is not as it was
        self._is_longer = False
        self._list.append({"part": packed.name, "rows": self._held})
        self._list.flush()
        self._counts.append(self._held)
        self._held = 0
        part.close()
        part.path.unlink()
        if self.whole is not None:
            self.whole(packed)
            self.whole(self._list.path)

    def _reopen(self) -> None:
        """Make the last whole part the open one: first its file, then the list without it."""
        number = len(self._counts)
        plain = _part(self._list.path, number, packed=False)
        with replacing(plain) as stream, opened(_part(self._list.path, number)) as rows:
            shutil.copyfileobj(rows, stream, 1 << 20)
        self._list.keep(number - 1)
        self._is_longer = True
        self._counts.pop()
        self._next()


def _part(path: Path, number: int, *, packed: bool = True) -> Path:
    stem = path.name.removesuffix(ENDING)
    return path.with_name(f"{stem}-{number:05}.jsonl{'.gz' if packed else ''}")


def _listed(path: Path) -> Iterator[tuple[Path, int]]:
    """Yield the whole parts that a list names, and how many rows each has."""
    if not path.stat().st_size:
        return
    for number, row in enumerate(read_jsonl(path), 1):
        part = _part(path, number)
        if row.data.get("part") != part.name or type(row.data.get("rows")) is not int:
            raise InputError(
                f"names no {part.name}", path=path, line=row.line, remedy="--force begins anew"
            )
        yield part, row.data["rows"]
