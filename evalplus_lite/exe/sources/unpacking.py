"""Archives of anyone's making, read within bounds: members, names, bytes, what they unpack to."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import struct
import tarfile
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from evalplus_lite.errors import InputError

MAX_MEMBERS = 50_000
"""Files a package may have: several times the largest that are published."""
MAX_NAME = 1000
"""Characters a member's name may have; members of longer names are passed over."""
MAX_PART = 250
"""Bytes each part of such a name may have, as file systems bound them."""
MAX_DIRECTORY = 8 << 20
"""Bytes the list of members of a zip file, or the names in a tar file, may have."""
FREE_UNPACKED = 64 << 20
MAX_RATIO = 100
"""How many times its packed size a tar file may unpack to, beyond ``FREE_UNPACKED``."""
LAST = 253_402_300_799
"""The last second of the year 9999."""
MAX_HEADER = 256 << 10
"""Bytes that a tar file may have before a member: more is a name without end."""

_END = b"PK\x05\x06"
_OPENERS: dict[str, Callable[[Any], Any]] = {
    ".gz": lambda raw: gzip.GzipFile(fileobj=raw),
    ".tgz": lambda raw: gzip.GzipFile(fileobj=raw),
    ".bz2": lambda raw: bz2.BZ2File(raw),
    ".xz": lambda raw: lzma.LZMAFile(raw),  # noqa: SIM115  (closed by ``open_tar``)
}


UNDATED = 1990
"""Archives that are made alike on every machine date their files earlier than this, or 2016 at
midnight: such a date says nothing."""


@dataclass(frozen=True, slots=True)
class Members:
    """What an archive or folder holds: names with sizes, and functions that read one and close it.

    ``date`` is the day of the newest (``2026-08-01``); empty where that was not kept.
    """

    sizes: dict[str, int]
    read: Callable[[str], bytes]
    close: Callable[[], None] = lambda: None
    date: str = ""


def day_of(moment: tuple[int, ...]) -> str:
    """Return the day of a moment (year, month, day, hour, minute, second), if it says anything."""
    if moment[0] < UNDATED or moment == (2016, 1, 1, 0, 0, 0):
        return ""
    return f"{moment[0]:04}-{moment[1]:02}-{moment[2]:02}"


@contextmanager
def reported(path: Path) -> Iterator[None]:
    """Turn all that reading a damaged or hostile archive can raise into an InputError."""
    try:
        yield
    except (
        OSError,
        EOFError,
        zipfile.BadZipFile,
        tarfile.TarError,
        zlib.error,
        lzma.LZMAError,
        struct.error,
        ValueError,
        KeyError,
        OverflowError,
        RuntimeError,  # encrypted, or a way of packing that is not known
    ) as error:
        raise InputError(f"cannot be read: {str(error)[:200]}", path=path) from None


def open_zip(path: Path) -> Members:
    """Return a zip file's members."""
    size = _directory_size(path)
    if size > MAX_DIRECTORY:
        raise InputError(f"its list of members has {size} bytes", path=path)
    archive = zipfile.ZipFile(path)
    infos = archive.infolist()
    _check_count(len(infos), path)
    # What other ways of packing need in memory is for the archive to say.
    plain = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    sizes = {i.filename: i.file_size for i in infos if i.compress_type in plain}

    def read(name: str) -> bytes:
        with reported(path):
            return archive.read(name)

    date = day_of(max((info.date_time for info in infos), default=(0,)))
    return Members(usable(sizes), read, archive.close, date)


def _directory_size(path: Path) -> int:
    """Return the size of a zip file's list of members, as its end says, before it is read."""
    with path.open("rb") as file:
        length = file.seek(0, os.SEEK_END)
        file.seek(max(0, length - (1 << 16) - 22))
        tail = file.read()
    at = len(tail) - 22 if tail[-22:-18] == _END else tail.rfind(_END)
    if at < 0 or at + 22 > len(tail):
        return 0  # not a zip file: whoever opens it says so
    size = int(struct.unpack_from("<L", tail, at + 12)[0])
    return size  # 4 GiB - 1, far too much, if the true one stands elsewhere


def open_tar(path: Path, wanted: Callable[[str, int], bool]) -> Members:
    """Return a tar file's members.

    The contents of those ``wanted`` (by name and size) lie in a temporary file meanwhile.
    """
    store = tempfile.TemporaryFile(prefix="package-")  # noqa: SIM115  (closed with the package)
    places: dict[str, tuple[int, int]] = {}
    sizes: dict[str, int] = {}
    end = count = named = 0
    last = 0.0
    try:
        with path.open("rb") as raw, _OPENERS[path.suffix](raw) as unpacked:
            stream: Any = _Bounded(unpacked, path)
            with tarfile.open(fileobj=stream, mode="r:") as archive:
                for member in archive:
                    count, named = count + 1, named + len(member.name)
                    _check_count(count, path)
                    if named > MAX_DIRECTORY:
                        raise InputError(f"has names of {named} characters", path=path)
                    if not member.isfile() or len(member.name) > MAX_NAME:
                        continue
                    sizes[member.name] = member.size
                    last = max(last, member.mtime)
                    if not wanted(member.name, member.size) or member.issparse():
                        continue
                    stream.at_once = member.size
                    content = archive.extractfile(member)
                    data = content.read() if content is not None else b""
                    store.write(data)
                    places[member.name] = end, len(data)
                    end += len(data)
                    stream.at_once = MAX_HEADER
    except BaseException:
        store.close()
        raise

    def read(name: str) -> bytes:
        start, size = places[name]
        store.seek(start)
        return store.read(size)

    kept = {name: size for name, size in sizes.items() if name in places or not wanted(name, size)}
    return Members(usable(kept), read, store.close, day_of(time.gmtime(min(last, LAST))[:6]))


class _Bounded:
    """An unpacked tar file, read forward, in proportion to its packed size."""

    def __init__(self, unpacked: IO[bytes], path: Path) -> None:
        self._unpacked, self._path = unpacked, path
        self.at_once = MAX_HEADER
        self._limit = max(FREE_UNPACKED, MAX_RATIO * path.stat().st_size)

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= max(self.at_once, tarfile.BLOCKSIZE):
            raise InputError(f"has a name or a header of {size} bytes", path=self._path)
        self._check(self.tell() + size)
        return self._unpacked.read(size)

    def seek(self, position: int, whence: int = os.SEEK_SET) -> int:
        if whence != os.SEEK_SET or position < self.tell():
            raise InputError("cannot be read from its beginning to its end", path=self._path)
        self._check(position)
        return self._unpacked.seek(position)

    def tell(self) -> int:
        return self._unpacked.tell()

    def _check(self, position: int) -> None:
        if position > self._limit:
            raise InputError(
                f"unpacks to more than {MAX_RATIO} times its size, {self._limit} bytes",
                path=self._path,
            )


def usable(sizes: dict[str, int]) -> dict[str, int]:
    """Return the members whose names a file system could have."""
    return {
        name: size
        for name, size in sizes.items()
        if len(name) <= MAX_NAME
        and name.isprintable()
        and all(len(part.encode()) <= MAX_PART for part in name.split("/"))
    }


def _check_count(count: int, path: Path) -> None:
    if count > MAX_MEMBERS:
        raise InputError(f"holds more than {MAX_MEMBERS} files", path=path)
