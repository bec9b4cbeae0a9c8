"""The cache of recomputable results, by kind: bounded, removing the least recently used first."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeVar

from evalplus_lite.errors import EvalPlusLiteError, InputError
from evalplus_lite.store.writing import replacing

# Content that is computed again when it is missing, by folder.
COMPUTED: Mapping[str, str] = {
    "expected": "what references answer",
    "requirements": "branches, mutants and kills of a suite",
    "reference-times": "how long references take here, where it matters",
    "hypothesis": "tables that Hypothesis keeps",
}
# The kind of downloaded datasets: files in the folder itself, never removed automatically.
DATASETS = "datasets"
KINDS: Mapping[str, str] = {DATASETS: "downloaded data sets", **COMPUTED}

# The environment variable for the maximum size of computed files, such as ``500MB``.
SIZE_VARIABLE = "EVALPLUS_LITE_CACHE_SIZE"
DEFAULT_SIZE = 1 << 30
_FILLED = 0.8  # the share of the limit that trimming leaves, so that it is rarely needed
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {f"{letter}IB": 1 << 10 * power for power, letter in enumerate("KMGT", 1)}


DAMAGED = (
    OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, StopIteration,
    RecursionError, EvalPlusLiteError,
)  # fmt: skip
"""Errors of reading a damaged file."""
_CHECKSUM = 65  # bytes of a file's first line, the SHA-256 of the rest
Content = TypeVar("Content")


@dataclass(frozen=True, slots=True)
class CacheFile:
    """A file of the cache: its kind, size in bytes, and time of last use (Unix time)."""

    kind: str
    path: Path
    size: int
    used: float


def cache_folder() -> Path:
    """Return the cache's folder: ``EVALPLUS_LITE_CACHE``, by default in the user's cache folder."""
    root = os.environ.get("EVALPLUS_LITE_CACHE")
    if root:
        return Path(root)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base, "evalplus_lite")


def cache_limit() -> int:
    """Return the maximum bytes of computed files; raise InputError if the setting is invalid."""
    text = os.environ.get(SIZE_VARIABLE, "").strip()
    return parse_size(text, named=SIZE_VARIABLE) if text else DEFAULT_SIZE


def parse_size(text: str, *, named: str) -> int:
    """Parse a size such as ``500MB``, ``1.5 GiB`` or ``4096``; return bytes."""
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,9})?)\s*([A-Za-z]*)", text.strip(), re.ASCII)
    if match is None or match[2].upper() not in _UNITS:
        raise InputError(f"{named} is {text[:40]!r}", remedy="give a size such as 500MB or 2GiB")
    return int(float(match[1]) * _UNITS[match[2].upper()])


def entries(folder: Path, kinds: Iterable[str] = KINDS) -> Iterator[CacheFile]:
    """Yield the files of these kinds, ignoring other content of the folder."""
    for kind in kinds:
        files = _downloads(folder) if kind == DATASETS else _below(folder / kind)
        for path in files:
            with contextlib.suppress(OSError):  # another process may have removed it
                facts = path.stat(follow_symlinks=False)
                yield CacheFile(kind, path, facts.st_size, facts.st_mtime)


def remove(files: Iterable[CacheFile]) -> tuple[int, int]:
    """Remove files, and folders left empty; return the number of files and their bytes."""
    count = size = 0
    for entry in files:
        try:
            entry.path.unlink()
        except OSError:  # gone, or not permitted: then it is still listed
            continue
        count, size = count + 1, size + entry.size
        with contextlib.suppress(OSError):
            entry.path.parent.rmdir()
    return count, size


def trim(folder: Path, limit: int) -> tuple[int, int]:
    """If computed files exceed ``limit`` bytes, remove the least recently used."""
    files = sorted(entries(folder, COMPUTED), key=lambda entry: entry.used)
    total = sum(entry.size for entry in files)
    chosen: list[CacheFile] = []
    if total > limit:
        for entry in files:
            if total <= limit * _FILLED:
                break
            chosen.append(entry)
            total -= entry.size
    return remove(chosen)


def cache_path(
    cache: Path | None, kind: str, facts: Sequence[object], suffix: str = ".json"
) -> Path | None:
    """Return the file of a result, named by a hash of the facts (plain data); None without a cache.

    The facts are everything that the result depends on, so a file never becomes stale.
    """
    if cache is None:
        return None
    name = hashlib.sha256(json.dumps(facts).encode()).hexdigest()
    return cache / kind / name[:2] / f"{name[2:]}{suffix}"


def read_cached(path: Path | None, parse: Callable[[BinaryIO], Content]) -> Content | None:
    """Return the parsed content of a file; None if it is missing or damaged.

    The file becomes the most recently used one.
    """
    if path is None:
        return None
    try:
        with path.open("rb") as file:
            # A flipped bit in an expected output would be a wrong verdict.
            checksum = file.readline(_CHECKSUM)
            if checksum != _line(hashlib.file_digest(file, "sha256").hexdigest()):
                return None
            file.seek(_CHECKSUM)
            content = parse(file)
    except DAMAGED:
        return None
    with contextlib.suppress(OSError):  # a read-only cache can still be read
        os.utime(path)
    return content


def write_cached(path: Path | None, parts: Iterable[bytes]) -> None:
    """Write the file of a result; a failure only costs time.

    Raises InputError if the environment's limit on the cache is not a size.
    """
    if path is None:
        return
    with contextlib.suppress(OSError, EvalPlusLiteError), replacing(path) as file:
        digest = hashlib.sha256()
        file.write(_line(digest.hexdigest()))
        for part in parts:
            digest.update(part)
            file.write(part)
        file.seek(0)
        file.write(_line(digest.hexdigest()))
    KEEPER.wrote(path.parents[2], path)


def _line(checksum: str) -> bytes:
    return f"{checksum}\n".encode()


class Keeper:
    """Keeps a cache within its limit by checking the folder from time to time."""

    def __init__(self) -> None:
        self._written: dict[Path, int] = {}

    def wrote(self, root: Path, path: Path) -> None:
        """Record that ``path`` was written below ``root``; trim after many writes."""
        with contextlib.suppress(OSError):
            limit, size = cache_limit(), path.stat().st_size
            # Check at once the first time, as short commands would otherwise never do so.
            written = self._written.get(root, limit) + size
            self._written[root] = 0 if written * 20 >= limit else written
            if written * 20 >= limit:
                trim(root, limit)


KEEPER = Keeper()  # one for each process


def _below(folder: Path) -> Iterator[Path]:
    for place, _, names in os.walk(folder):
        yield from (Path(place, name) for name in sorted(names))


def _downloads(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from sorted(path for path in folder.glob("*.jsonl.gz") if path.is_file())
