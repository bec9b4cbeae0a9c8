"""Folders at URLs: worked on as copies on this machine, and published file by file.

A journal needs a file that is locked and appended to, which object stores do not have.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from evalplus_lite.errors import ALIASES, InputError
from evalplus_lite.store.locations import Folder, place_of
from evalplus_lite.store.parts import ENDING
from evalplus_lite.store.writing import spooling

LAST = "summary.json"
"""The file that a run ends with: where it is, all others are whole."""
PROBE = "evalplus-lite.probe"
_KEPT: set[Path] = set()
"""Copies that hold what could not be published."""


def copied(url: str, chosen: Callable[[Sequence[str]], Iterable[str]]) -> Path:
    """Return a copy of the folder at a URL, which is there until this process ends.

    ``chosen`` is given the files below it, by their paths in it, and returns those that are needed.
    Errors show files as they are called at the URL. Raises InputError if there are none.
    """
    folder = Folder(url)
    names = list(chosen(folder.below()))
    if not names:
        raise InputError("holds nothing that a command wrote", path=url, remedy="check the URL")
    own = _own_folder(url)
    for name in names:
        _fetch(folder, name, own)
    return own


@contextlib.contextmanager
def published(url: str, ours: Callable[[str], bool], *, force: bool = False) -> Iterator[Published]:
    """Give a copy of the folder at a URL, which may not be there yet, to go on in.

    ``ours`` tells by a file's path in it whether a job of this kind writes such: no other is
    copied, and none removed, whatever else stands at the URL.

    What was changed in it is published when this ends, also by an error; but ``LAST`` only if it
    ended well. With ``force`` what is ours is removed first. Raises InputError before anything is
    done if nothing can be written there, and, naming the copy, which is kept then, if something
    could not be written.
    """
    found = Published(url, ours, force=force)
    try:
        yield found
    except BaseException:
        with contextlib.suppress(InputError):  # the first error says what went wrong
            found.publish(is_done=False)
        raise
    found.publish(is_done=True)


class Published:
    """A folder at a URL and its copy, ``folder``; see ``published``."""

    def __init__(self, url: str, ours: Callable[[str], bool], *, force: bool = False) -> None:
        self.folder = _own_folder(url)
        self._url, self._remote = url, Folder(url)
        self._there = set(filter(ours, self._remote.below()))
        self._stamps: dict[str, tuple[int, int, int]] = {}
        self._probe()
        if force:
            # What says that others are whole goes first: a kill leaves nothing to be taken up.
            for name in sorted(self._there, key=_rank, reverse=True):
                self._remote.remove(name)
            self._there.clear()
        for name in sorted(self._there):
            _fetch(self._remote, name, self.folder)
            self._stamps[name] = _stamp(self.folder / name)

    def put(self, path: Path) -> None:
        """Publish a file of the folder now."""
        name = path.relative_to(self.folder).as_posix()
        if LAST in self._there:  # what is there is no whole any more
            self._remote.remove(LAST)
            self._there.discard(LAST)
            self._stamps.pop(LAST, None)
        self._remote.put(path, name)
        self._there.add(name)
        self._stamps[name] = _stamp(path)

    def publish(self, *, is_done: bool) -> None:
        """Publish what was changed: lists of parts after the parts, and ``LAST`` last, if done."""
        try:
            names = {
                path.relative_to(self.folder).as_posix()
                for path in self.folder.rglob("*")
                if path.is_file()
            }
            order = sorted(names, key=_rank)
            for name in order:
                if name == LAST:
                    for gone in sorted(self._there - names) if is_done else ():
                        self._remote.remove(gone)
                    if not is_done:
                        continue
                if self._stamps.get(name) != _stamp(self.folder / name):
                    self.put(self.folder / name)
        except InputError as error:
            _KEPT.add(self.folder.parent)
            kept = f"what was computed is in {self.folder}"
            raise InputError(
                f"{error.problem}; {kept}", path=error.path, remedy="copy it there, or run again"
            ) from None

    def _probe(self) -> None:
        """Raise InputError unless the folder can be written to: better now than after hours."""
        path = self.folder.parent / PROBE
        path.write_bytes(b"")
        self._remote.put(path, PROBE)
        self._remote.remove(PROBE)


def _fetch(folder: Folder, name: str, to: Path) -> None:
    if ".." in name.split("/") or name.startswith("/"):  # which object stores allow
        raise InputError("is no name of a file", path=f"{folder.url}/{name}", remedy="rename it")
    with spooling("a copy of what is at a URL"):
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        folder.fetch(name, to / name)


def _own_folder(url: str) -> Path:
    """Return a new folder that is called as the last part of a URL."""
    with spooling("a copy of what is at a URL"):
        place = Path(tempfile.mkdtemp(prefix="evalplus_lite_"))
        atexit.register(_remove, place)
        own = Path(place, os.path.basename(url.rstrip("/")) or "out")
        own.mkdir()
    ALIASES[str(own)] = ALIASES.get(str(place_of(url)), url).rstrip("/")
    return own


def _remove(place: Path) -> None:
    if place not in _KEPT:
        shutil.rmtree(place, ignore_errors=True)


def _rank(name: str) -> tuple[bool, bool, str]:
    """Return what orders files so that each comes after those that it says are whole."""
    return name == LAST, name.endswith(ENDING), name


def _stamp(path: Path) -> tuple[int, int, int]:
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns
