"""Files elsewhere, by URL (``s3://``, ``gs://`` ...): the one module that knows fsspec.

    with open_url("s3://bucket/samples.jsonl.gz") as stream:
        stream.readline()

Each protocol beyond ``file``, ``memory`` and a few needs a package of its own: fsspec names it.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Protocol, TypeAlias, cast

from evalplus_lite.errors import ALIASES, InputError

Place: TypeAlias = Path | str
"""A file or folder: a path, or the text of a URL."""
SHOWN = ("s3", "gs", "az", "hf", "https", "file")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_WEB = {"http", "https"}
_OBJECTS = {"s3", "s3a", "gs", "gcs", "az", "abfs", "adl", "oci", "oss", "tos", "hf"}
"""Protocols without folders: to make one is to make a bucket, perhaps by a slip of the pen."""
_SECRET = re.compile(r"(?<=://)[^/@]*:[^/@]*@")
_PIECE = 1 << 20


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...
    def seek(self, place: int, whence: int, /) -> int: ...
    def tell(self) -> int: ...


def is_url(path: object) -> bool:
    """Return whether a path is a URL."""
    return isinstance(path, str) and _URL.match(path) is not None


def place_of(path: str | os.PathLike[str]) -> Place:
    """Return a URL as its text, and whatever else as a path; a password is shown to nobody."""
    if not isinstance(path, str) or not is_url(path):
        return Path(path)
    if _SECRET.search(path):
        ALIASES[path] = _SECRET.sub("***@", path)
    return path


class Folder:
    """A folder at a URL, which need not be there yet; InputError if its protocol cannot be used."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        self._files, self._root = _filesystem(self.url)

    def names(self) -> list[str]:
        """Return the names of the files in it, sorted; none if it is not there."""
        with self._reaching("listed"):
            self._files.invalidate_cache()
            if not self._files.exists(self._root):
                return []
            found = self._files.ls(self._root, detail=True)
        files = (each["name"] for each in found if each["type"] == "file")
        return sorted(name.rstrip("/").rpartition("/")[2] for name in files)

    def below(self) -> list[str]:
        """Return the files in it and below, by their paths within it, sorted; none if it is not."""
        with self._reaching("listed"):
            self._files.invalidate_cache()
            found = self._files.find(self._root) if _is_folder(self._files, self._root) else ()
        start = len(self._root.rstrip("/")) + 1
        return sorted(name[start:] for name in found)

    def is_there(self) -> bool:
        """Return whether there is such a folder, and it is no file."""
        with self._reaching("read"):
            return _is_folder(self._files, self._root)

    def fetch(self, name: str, to: Path) -> None:
        """Copy a file of it to a path."""
        with self._reaching("read"):
            self._files.get_file(f"{self._root}/{name}", str(to))

    def put(self, path: Path, name: str) -> None:
        """Copy a file to it, under a name that it takes when it is whole."""
        with self._reaching("written"):
            target = f"{self._root}/{name}"
            if not _OBJECTS & _protocols(self._files):
                self._files.makedirs(target.rpartition("/")[0], exist_ok=True)
            # An object appears when it is whole; a file that is written is seen, so it is renamed.
            if "file" in _protocols(self._files):
                self._files.put_file(str(path), f"{target}.tmp")
                self._files.mv(f"{target}.tmp", target)
            else:
                self._files.put_file(str(path), target)

    def remove(self, name: str) -> None:
        """Remove a file of it, if it is there."""
        with self._reaching("written"), contextlib.suppress(FileNotFoundError):
            self._files.rm_file(f"{self._root}/{name}")

    def _reaching(self, what: str) -> contextlib.AbstractContextManager[None]:
        return _reaching(self.url, what)


@contextlib.contextmanager
def open_url(url: str) -> Iterator[IO[bytes]]:
    """Open a URL for reading as a stream; InputError says what is missing."""
    files, path = _filesystem(url)
    with _reaching(url, "read"):
        if _is_folder(files, path):
            raise IsADirectoryError(url)
        stream = files.open(path, "rb", block_size=_PIECE)
    with contextlib.closing(stream):
        yield cast("IO[bytes]", io.BufferedReader(_Raw(stream, url), 1 << 16))


def is_folder(place: Place) -> bool:
    """Return whether a place is a folder."""
    return Folder(place).is_there() if isinstance(place, str) else place.is_dir()


class _Raw(io.RawIOBase):
    """A stream of whatever kind, whose faults name its URL."""

    def __init__(self, stream: _Readable, url: str) -> None:
        self._stream, self._url = stream, url

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, place: int, whence: int = 0) -> int:
        with _reaching(self._url, "read"):
            return int(self._stream.seek(place, whence))

    def tell(self) -> int:
        return int(self._stream.tell())

    def readinto(self, buffer: Any) -> int:
        with _reaching(self._url, "read"):
            data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _protocols(files: Any) -> set[str]:
    return {files.protocol} if isinstance(files.protocol, str) else set(files.protocol)


def _is_folder(files: Any, path: str) -> bool:
    """Return whether a path is a folder; of the web's nobody knows without reading them."""
    return not _WEB & _protocols(files) and bool(files.isdir(path))


def _filesystem(url: str) -> tuple[Any, str]:
    """Return the file system of a URL and the path in it."""
    try:
        import fsspec
    except ImportError:
        raise InputError(
            "is a URL, which fsspec reads and writes, and that is not installed",
            path=url,
            remedy='pip install "evalplus-lite[cloud]"',
        ) from None
    protocol = url.partition("://")[0].lower()
    if protocol not in fsspec.available_protocols():
        raise InputError(
            f"no file system is called {protocol[:40]!r}",
            path=url,
            remedy=f"one of fsspec's, such as {', '.join(SHOWN)}",
        )
    with _reaching(url, "used"):
        files, path = fsspec.core.url_to_fs(protocol + url[len(protocol) :])
    return files, path.rstrip("/")


@contextlib.contextmanager
def _reaching(url: str, what: str) -> Iterator[None]:
    """Turn whatever a file system raises into an InputError that says what to do.

    Each has errors of its own: those of the libraries of clouds are no OSErrors.
    """

    def problem(text: str, remedy: str) -> InputError:
        return InputError(text, path=url, remedy=remedy)

    try:
        yield
    except InputError:
        raise
    except FileNotFoundError:
        raise problem("does not exist", "check the URL") from None
    except IsADirectoryError:
        raise problem("is a folder, a file was expected", "give the file in it") from None
    except ImportError as error:
        remedy = "install the package that it names beside fsspec"
        raise problem(f"needs a package of its own: {_brief(error)}", remedy) from None
    except PermissionError as error:
        remedy = "check the credentials and who may use this place"
        raise problem(f"may not be {what}: {_brief(error)}", remedy) from None
    except Exception as error:
        found = f"{type(error).__name__}: {_brief(error)}"
        raise problem(f"cannot be {what}: {found}", "check the URL and the credentials") from None


def _brief(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
