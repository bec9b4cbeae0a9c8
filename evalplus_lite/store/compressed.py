"""A sequence of byte strings that keeps the large ones compressed.

A few tasks return megabytes for an input. Uncompressed, their expected outputs would need more
memory than everything else together, and they are hardly ever read: a digest decides whether an
answer is the same.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

LARGE = 1 << 16  # bytes above which a string is kept compressed and compared by digest


@dataclass(frozen=True, slots=True)
class Packed:
    """A large byte string: its length, its SHA-256 digest, and itself compressed by zlib."""

    size: int
    digest: bytes
    data: bytes

    @classmethod
    def of(cls, data: bytes) -> Packed:
        """Pack a byte string."""
        return cls(len(data), hashlib.sha256(data).digest(), zlib.compress(data, 1))

    def unpacked(self) -> bytes:
        """Return the byte string; ValueError if it is not the one that was packed."""
        data = zlib.decompressobj().decompress(self.data, self.size)
        if hashlib.sha256(data).digest() != self.digest:
            raise ValueError("a packed value is damaged")
        return data

    def equals(self, data: bytes) -> bool:
        """Return whether ``data`` is this string, without unpacking it."""
        return len(data) == self.size and hashlib.sha256(data).digest() == self.digest


class Blobs(Sequence[bytes]):
    """Byte strings by index; a large one is unpacked each time it is read."""

    __slots__ = ("_items",)

    def __init__(self, items: Iterable[bytes | Packed] = ()) -> None:
        self._items = tuple(
            Packed.of(item) if isinstance(item, bytes) and len(item) > LARGE else item
            for item in items
        )

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> Blobs: ...
    def __getitem__(self, index: int | slice) -> bytes | Blobs:
        if isinstance(index, slice):
            return Blobs(self._items[index])
        item = self._items[index]
        return item.unpacked() if isinstance(item, Packed) else item

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

    def items(self) -> Iterator[bytes | Packed]:
        """Yield the strings as they are held."""
        return iter(self._items)

    def take(self, numbers: Iterable[int]) -> Blobs:
        """Return the strings at these indices, without unpacking any."""
        return Blobs(self._items[number] for number in numbers)

    @property
    def size(self) -> int:
        """How many bytes the strings have in all, unpacked."""
        return sum(item.size if isinstance(item, Packed) else len(item) for item in self._items)
