"""Atomic and reproducible writing of files.

The content is written to a temporary file in the same folder, synced to disk and renamed, so that
a reader sees either the old file or the new one, even after a kill.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import gzip
import io
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from evalplus_lite.errors import InfrastructureError, InputError

_PIECE = 1 << 16
_DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG})


def dump_row(row: Mapping[str, Any], *, allow_nan: bool = False) -> str:
    """Return a row's line, without line end: compact ASCII, with keys in the row's order.

    ``allow_nan`` permits ``NaN`` and ``Infinity``, for formats that need them.
    """
    return json.dumps(row, ensure_ascii=True, separators=(",", ":"), allow_nan=allow_nan)


def write_jsonl(
    path: str | os.PathLike[str], rows: Iterable[Mapping[str, Any]], *, allow_nan: bool = False
) -> int:
    """Write the rows as the file's whole content, and return their number.

    If ``path`` ends in ``.gz``, the file is gzip without name or time, so that the same rows give
    the same bytes. After any error, also in ``rows``, the old file is unchanged. Raises as
    ``replacing`` does.
    """
    count = 0
    lines, size = list[str](), 0
    with replacing(path) as stream, _packed(path, stream) as packed:
        for row in rows:
            line = dump_row(row, allow_nan=allow_nan)
            lines.append(line)
            size += len(line)
            count += 1
            if size > _PIECE:
                packed.write("\n".join([*lines, ""]).encode("ascii"))
                lines, size = [], 0
        packed.write("\n".join([*lines, ""]).encode("ascii"))
    return count


def packed_row(row: Mapping[str, Any]) -> bytes:
    """Return a row's line as a gzip member; concatenated members form a file."""
    stream = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0) as packed:
        packed.write(dump_row(row).encode("ascii") + b"\n")
    return stream.getvalue()


def write_packed(path: str | os.PathLike[str], parts: Iterable[bytes]) -> None:
    """Replace the file's content with ``packed_row`` results; raise as ``replacing`` does."""
    with replacing(path) as stream:
        stream.writelines(parts)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Replace the file's content with ``text`` (as UTF-8); raise as ``replacing`` does."""
    with replacing(path) as stream:
        stream.write(text.encode("utf-8"))


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces ``path`` when the block ends without an error.

    Missing parent folders are created; a symbolic link still points to the replaced file. Raises
    InputError if the path is not writable or another process is writing the same file, and
    InfrastructureError if the disk is full or fails.
    """
    target = Path(os.path.realpath(path))
    with reporting(path):
        if target.exists() and not target.is_file():
            raise InputError("is not a regular file", path=path, remedy="name a file to write")
        temporary = target.with_name(f".{target.name}.tmp")
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor = open_locked(temporary, named=path)
        with open(descriptor, "w+b") as stream:
            try:
                stream.truncate(0)
                yield stream
                stream.flush()
                # Before the rename, as a power cut could leave an empty file under the new name.
                os.fsync(descriptor)
                temporary.replace(target)
            except BaseException:
                temporary.unlink(missing_ok=True)
                # The rest of the buffer cannot be written either; its error would hide the first.
                with contextlib.suppress(OSError):
                    stream.close()
                raise
        _sync_folder(target.parent)


def open_locked(path: Path, *, named: object) -> int:
    """Open ``path``, created if missing, for reading and writing with an exclusive lock; return its
    descriptor.

    The lock ends with the process, however that ends. Raises InputError about ``named`` if another
    process holds it.
    """
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            held = os.fstat(descriptor)
            # Between opening and locking, the last holder may have renamed or removed the file.
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(held, os.stat(path)):
                    return descriptor
            os.close(descriptor)
        except BlockingIOError:
            os.close(descriptor)
            raise InputError(
                "is being written by another run",
                path=named,
                remedy="wait for it to end, or choose another output",
            ) from None
        except BaseException:
            os.close(descriptor)
            raise


@contextlib.contextmanager
def reporting(path: object) -> Iterator[None]:
    """Convert an OSError from writing ``path`` into an error with a remedy."""
    try:
        yield
    except OSError as error:
        if error.errno in _DISK_FULL:
            raise InfrastructureError(
                f"{path}: cannot be written: {error.strerror} "
                "(make room and run the same command again: rows already written are kept)"
            ) from None
        raise InputError(
            f"cannot be written: {error.strerror or error}",
            path=path,
            remedy="choose another output, or change its permissions",
        ) from None


@contextlib.contextmanager
def spooling(what: str) -> Iterator[None]:
    """Convert an OSError from writing ``what`` to a temporary file into an InputError."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{what} cannot be kept for this run: {error.strerror}",
            path=tempfile.gettempdir(),
            remedy="make room, or set TMPDIR to another folder",
        ) from None


def _sync_folder(folder: Path) -> None:
    """Make a rename survive a power cut, if the file system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _packed(
    path: str | os.PathLike[str], stream: BinaryIO
) -> contextlib.AbstractContextManager[Any]:
    if os.fspath(path).endswith(".gz"):
        return gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0, compresslevel=6)
    return contextlib.nullcontext(stream)
