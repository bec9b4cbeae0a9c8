"""Remote files, by URL (``s3://``, ``gs://`` ...); the only module that uses fsspec.

    with open_url("s3://bucket/samples.jsonl.gz") as stream:
        stream.readline()

Most protocols need an extra package, which fsspec names.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

from evalplus_lite.errors import ALIASES, InputError

Place: TypeAlias = Path | str
"""A file or folder: a path, or the text of a URL."""
SHOWN = ("s3", "gs", "az", "hf", "https", "file")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_WEB = {"http", "https"}
_SECRET = re.compile(r"(?<=://)[^/@]*:[^/@]*@")
_PIECE = 1 << 20


def is_url(path: object) -> bool:
    """Return whether a path is a URL."""
    return isinstance(path, str) and _URL.match(path) is not None


def place_of(path: str | os.PathLike[str]) -> Place:
    """Return a URL as text, and anything else as a path; passwords are never shown."""
    if not isinstance(path, str) or not is_url(path):
        return Path(path)
    if _SECRET.search(path):
        ALIASES[path] = _SECRET.sub("***@", path)
    return path


def local_folder(out: str | os.PathLike[str]) -> Path:
    """Return the path of a results folder; raise InputError for a URL or too long a name."""
    if is_url(out):
        raise InputError(
            "is a URL; results are kept in local folders only",
            path=out,
            remedy="name a folder, and copy it from or to the URL",
        )
    try:
        os.stat(out)
    except (OSError, ValueError) as error:
        if getattr(error, "errno", None) == errno.ENAMETOOLONG:
            raise InputError("has too long a name", path=out, remedy="give another") from None
    return Path(out)


def names_at(url: str) -> list[str]:
    """Return the sorted names of the files in a folder at a URL; none if it does not exist.

    Raises InputError for an unusable protocol.
    """
    files, root = _filesystem(url.rstrip("/"))
    with _reaching(url, "listed"):
        files.invalidate_cache()
        listing = files.ls(root, detail=True) if files.exists(root) else []
    names = (each["name"] for each in listing if each["type"] == "file")
    return sorted(name.rstrip("/").rpartition("/")[2] for name in names)


@contextlib.contextmanager
def open_url(url: str) -> Iterator[IO[bytes]]:
    """Open a URL for reading as a stream; raise InputError, naming a missing package."""
    files, path = _filesystem(url)
    with _reaching(url, "read"):
        if _is_folder(files, path):
            raise IsADirectoryError(url)
        stream = files.open(path, "rb", block_size=_PIECE)
    with contextlib.closing(stream):
        yield cast("IO[bytes]", io.BufferedReader(_Raw(stream, url), 1 << 16))


def is_folder(place: Place) -> bool:
    """Return whether a place is a folder."""
    if not isinstance(place, str):
        return place.is_dir()
    files, path = _filesystem(place.rstrip("/"))
    with _reaching(place, "read"):
        return _is_folder(files, path)


class _Raw(io.RawIOBase):
    """A wrapper for any stream, whose errors name its URL."""

    def __init__(self, stream: Any, url: str) -> None:
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


def _is_folder(files: Any, path: str) -> bool:
    """Return whether a path is a folder; False for the web, where only reading would tell."""
    protocols = {files.protocol} if isinstance(files.protocol, str) else set(files.protocol)
    return not _WEB & protocols and bool(files.isdir(path))


def _filesystem(url: str) -> tuple[Any, str]:
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

    Cloud libraries have their own errors, which are not OSErrors.
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
