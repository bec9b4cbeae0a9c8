"""Opening files for reading: plain, gzip or zstd, by path or URL; failures are InputErrors."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, NoReturn, TypeAlias, cast, overload

from evalplus_lite.errors import InputError
from evalplus_lite.store.locations import is_url, open_url

# A sequence of byte strings that keeps large ones compressed.

LARGE = 1 << 16  # bytes above which a string is kept compressed and compared by digest


@dataclass(frozen=True, slots=True)
class Packed:
    """A large byte string: its length, SHA-256 digest, and content compressed by zlib."""

    size: int
    digest: bytes
    data: bytes = field(compare=False)

    @classmethod
    def of(cls, data: bytes) -> Blob:
        """Compress a byte string if it is large."""
        if len(data) <= LARGE:
            return data
        return cls(len(data), hashlib.sha256(data).digest(), zlib.compress(data, 1))

    def unpacked(self) -> bytes:
        """Return the byte string; raise ValueError if it is damaged."""
        data = zlib.decompressobj().decompress(self.data, self.size)
        if hashlib.sha256(data).digest() != self.digest:
            raise ValueError("a packed value is damaged")
        return data

    def equals(self, data: bytes) -> bool:
        """Return whether ``data`` is this string, without decompressing it."""
        return len(data) == self.size and hashlib.sha256(data).digest() == self.digest


Blob: TypeAlias = bytes | Packed


def unpacked(blob: Blob) -> bytes:
    """Return the byte string."""
    return blob.unpacked() if isinstance(blob, Packed) else blob


def size_of(blob: Blob) -> int:
    """Return the length of the byte string."""
    return blob.size if isinstance(blob, Packed) else len(blob)


class Blobs(Sequence[bytes]):
    """Byte strings by index; a large one is decompressed each time it is read."""

    __slots__ = ("_items",)

    def __init__(self, items: Iterable[Blob] = ()) -> None:
        self._items = tuple(Packed.of(item) if isinstance(item, bytes) else item for item in items)

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> Blobs: ...
    def __getitem__(self, index: int | slice) -> bytes | Blobs:
        if isinstance(index, slice):
            return Blobs(self._items[index])
        return unpacked(self._items[index])

    def __len__(self) -> int:
        return len(self._items)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Blobs):
            return self._items == other._items
        if isinstance(other, Sequence):
            return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._items)

    def items(self) -> Iterator[Blob]:
        """Yield the strings as they are stored."""
        return iter(self._items)

    def take(self, numbers: Iterable[int]) -> Blobs:
        """Return the strings at these indices, without decompressing any."""
        return Blobs(self._items[number] for number in numbers)

    @property
    def size(self) -> int:
        """The total uncompressed bytes of the strings."""
        return sum(map(size_of, self._items))


# Maximum ratio of uncompressed to compressed size of a file, beyond ``FREE_UNPACKED``.
MAX_RATIO = 300
FREE_UNPACKED = 256 << 20
MAX_RATIO_ZSTD = 3_000
"""The same for zstd, which compresses similar answers ten times better."""
LARGEST_WINDOW = 27
"""Memory for decompressing zstd, as a power of two: the limit of its own command."""

NO_ZSTD = "is packed by zstd, and backports.zstd, which unpacks it, is not installed"
ZSTD = 'pip install "evalplus-lite[zstd]"'
_GZIP_MAGIC, _ZSTD_MAGIC = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_PIECE = 1 << 16

# The files in this project's output folders that other commands read.
OUTPUTS = ("suite.jsonl.gz", "samples.jsonl")


class Damaged(InputError):
    """A compressed file cannot be decompressed completely."""

    def after(self, line: int) -> Damaged:
        """Return the error for the line after the last readable one."""
        return Damaged(self.problem, path=self.path, line=line + 1, remedy=self.remedy)


@contextlib.contextmanager
def opened(path: str | os.PathLike[str], *, packed: bool = False) -> Iterator[IO[bytes]]:
    """Open a file for reading, decompressed according to its content unless ``packed``.

    Every failure is an InputError.
    """

    def refuse(problem: str, remedy: str | None = None) -> NoReturn:
        raise InputError(problem, path=path, remedy=remedy) from None

    is_elsewhere = isinstance(path, str) and is_url(path)
    try:
        with open_url(str(path)) if is_elsewhere else open(path, "rb") as raw:
            yield raw if packed else _unpacked(raw, path)
    except FileNotFoundError:
        refuse("does not exist", "check the path")
    except IsADirectoryError:
        inside = [name for name in OUTPUTS if os.path.isfile(os.path.join(path, name))]
        remedy = f"did you mean {inside[0]} in it?" if inside else "give the file in it"
        refuse("is a folder, a file was expected", remedy)
    except OSError as error:
        refuse(f"cannot be read: {error.strerror or error}")


def _unpacked(raw: IO[bytes], path: object) -> IO[bytes]:
    beginning = cast("io.BufferedReader", raw).peek(4)[:4]
    unpacked: Any
    if beginning[:2] == _GZIP_MAGIC:
        damage: tuple[type[Exception], ...] = (gzip.BadGzipFile, zlib.error)
        unpacked = _Unpacked(gzip.GzipFile(fileobj=raw), raw, path, "gzip", MAX_RATIO, damage)
    elif beginning == _ZSTD_MAGIC:
        try:
            from backports import zstd
        except ImportError:
            raise InputError(NO_ZSTD, path=path, remedy=f"{ZSTD}, or unpack it before") from None
        bounds: Any = {zstd.DecompressionParameter.window_log_max: LARGEST_WINDOW}
        stream: Any = zstd.ZstdFile(raw, options=bounds)
        unpacked = _Unpacked(stream, raw, path, "zstd", MAX_RATIO_ZSTD, (zstd.ZstdError,))
    else:
        return raw
    # GzipFile's own readline is several times slower than this buffer's.
    return cast("IO[bytes]", io.BufferedReader(unpacked, _PIECE))


@contextlib.contextmanager
def open_zip(path: str | os.PathLike[str]) -> Iterator[zipfile.ZipFile]:
    """Open a zip file, also with zstd compression; raise InputError if it cannot be read."""
    form: Any = zipfile
    errors: tuple[type[Exception], ...] = (OSError, EOFError, RuntimeError, zlib.error)
    with contextlib.suppress(ImportError):
        from backports.zstd import ZstdError
        from backports.zstd import zipfile as form

        errors += (ZstdError,)
    try:
        with form.ZipFile(path) as file:
            yield file
    except NotImplementedError:
        raise InputError(NO_ZSTD, path=path, remedy=ZSTD) from None
    except (*errors, form.BadZipFile) as error:
        raise InputError(f"cannot be read as a zip: {error}", path=path) from None


class _Unpacked(io.RawIOBase):
    """Decompresses a file up to a ratio of its size; errors name the file."""

    def __init__(
        self,
        unpacked: io.RawIOBase | gzip.GzipFile,
        packed: IO[bytes],
        path: object,
        form: str,
        ratio: int,
        damage: tuple[type[Exception], ...],
    ) -> None:
        self.unpacked, self.packed, self.path, self.count = unpacked, packed, path, 0
        self.form, self.ratio, self.damage = form, ratio, damage

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            count = self.unpacked.readinto(buffer) or 0
        except EOFError:
            raise self._damaged(f"is {self.form} cut short") from None
        except self.damage as error:
            raise self._damaged(f"is damaged {self.form}: {error}") from None
        self.count += count
        if self.count > max(FREE_UNPACKED, self.ratio * self.packed.tell()):
            raise InputError(
                f"is packed so that it unpacks to more than {self.ratio} times its size",
                path=self.path,
            )
        return count

    def _damaged(self, problem: str) -> Damaged:
        return Damaged(problem, path=self.path, remedy="copy or download it again")
