"""Files elsewhere, by URL (``s3://``, ``gs://`` ...): the one module that knows fsspec.

    with open_url("s3://bucket/samples.jsonl.gz") as stream:
        stream.readline()

Most protocols need an extra package, which fsspec names.
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
    """Return a URL as its text, and anything else as a path; passwords are never shown."""
    if not isinstance(path, str) or not is_url(path):
        return Path(path)
    if _SECRET.search(path):
        ALIASES[path] = _SECRET.sub("***@", path)
    return path


def local_folder(out: str | os.PathLike[str]) -> Path:
    """Return the path of a folder of results; InputError for a URL."""
    if is_url(out):
        raise InputError(
            "is a URL; results are kept in local folders only",
            path=out,
            remedy="name a folder, and copy it from or to the URL",
        )
    return Path(out)


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
            listing = self._files.ls(self._root, detail=True)
        files = (each["name"] for each in listing if each["type"] == "file")
        return sorted(name.rstrip("/").rpartition("/")[2] for name in files)

    def is_there(self) -> bool:
        """Return whether the folder exists and is not a file."""
        with self._reaching("read"):
            return _is_folder(self._files, self._root)

    def _reaching(self, what: str) -> contextlib.AbstractContextManager[None]:
        return _reaching(self.url, what)


@contextlib.contextmanager
def open_url(url: str) -> Iterator[IO[bytes]]:
    """Open a URL for reading as a stream; InputError names a missing package."""
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
    """A stream of any kind, whose errors name its URL."""

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
            "is a URL, which fsspec reads, and that is not installed",
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
    """Convert any error of a file system into an InputError with a remedy.

    Cloud libraries have errors of their own that are not OSErrors.
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
        remedy = "install the package that it names, in addition to fsspec"
        raise problem(f"needs a package of its own: {_brief(error)}", remedy) from None
    except PermissionError as error:
        remedy = "check the credentials and who may use this place"
        raise problem(f"may not be {what}: {_brief(error)}", remedy) from None
    except Exception as error:
        cause = f"{type(error).__name__}: {_brief(error)}"
        raise problem(f"cannot be {what}: {cause}", "check the URL and the credentials") from None


def _brief(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
