"""Opening wheels, source archives and folders: which files are modules, and of what name."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
import struct
import tarfile
import tempfile
import time
import tomllib
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from packaging.metadata import RawMetadata, parse_email

from evalplus_lite.errors import InputError
from evalplus_lite.exe.sources.packages import (
    MAX_FILE,
    Origin,
    PackageSource,
    SourceFile,
    address,
    hash_of,
    identify,
    notices,
)

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


MAX_TOTAL = 400 << 20
"""A package whose files sum to more than this (bytes, unpacked) is refused."""

MAX_PROJECT = 256 << 10
"""Bytes of a pyproject.toml that is read."""
MAX_METADATA = 1 << 20
"""Bytes of a package's metadata that are read."""
MAX_LABEL = 100
"""Characters of a package's name or version."""

_COMPILED = (".so", ".pyd")
_SKIPPED_FOLDERS = frozenset(
    """tests test testing_data docs doc examples example benchmarks build dist node_modules
    site-packages venv""".split()
)
_SKIPPED_ROOTS = frozenset({"setup.py", "conftest.py", "noxfile.py", "fabfile.py", "tasks.py"})
_TEST_FILE = re.compile(r"(^|/)(tests?|_tests?)(/|$)|(^|/)(test_[^/]*|[^/]*_test|conftest)\.py$")


def open_package(path: Path) -> PackageSource:
    """Open a wheel, a source archive or a folder.

    Raises InputError where the path is none of these or cannot be read.
    """
    with reported(path):
        if not path.exists():
            raise InputError("no such file or folder", path=path)
        if path.is_dir():
            return _open_folder(path)
        if not path.is_file():
            raise InputError("is not a file or folder", path=path)
        if path.suffix == ".whl":
            return _open_wheel(path)
        if path.name.endswith((".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")):
            return _open_tar(path)
        if path.suffix == ".zip":
            return _open_zip(path)
    raise InputError(
        "is no wheel, source archive or folder",
        path=path,
        remedy="give a .whl, .tar.gz or .zip file, a folder, or a package's name",
    )


def _open_wheel(path: Path) -> PackageSource:
    members = open_zip(path)
    names = _checked(members.sizes, path)
    metadata = next((n for n in names if re.fullmatch(r"[^/]+\.dist-info/METADATA", n)), None)
    if metadata is None:
        raise InputError("is a wheel without METADATA", path=path)
    texts = [n for n in names if ".dist-info/" in n and _is_licence(n)]
    files: dict[str, SourceFile] = {}
    compiled: set[str] = set()
    data: dict[str, str] = {}
    for name in names:
        inner = re.sub(r"^[^/]+\.data/(pure|plat)lib/", "", name)
        if ".dist-info/" in name or re.match(r"[^/]+\.data/", inner):
            continue
        _file_under(files, compiled, data, inner, name)
    found = _metadata(members.read(metadata))
    return _package(path, found, names, texts, files, compiled, data, members)


def _open_zip(path: Path) -> PackageSource:
    members = open_zip(path)
    return _unpacked(path, _checked(members.sizes, path), members, path.stem)


def _open_tar(path: Path) -> PackageSource:
    def wanted(name: str, size: int) -> bool:
        return size <= MAX_FILE and not name.endswith(_COMPILED)

    members = open_tar(path, wanted)
    stem = re.sub(r"\.(tar\.\w+|tgz)$", "", path.name)
    return _unpacked(path, _checked(members.sizes, path), members, stem)


def _open_folder(path: Path) -> PackageSource:
    sizes: dict[str, int] = {}
    for folder, folders, names in _walk(path):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f != "__pycache__")
        for name in sorted(names):
            file = folder / name
            if file.is_file() and not file.is_symlink():
                sizes[file.relative_to(path).as_posix()] = file.stat().st_size
        if len(sizes) > MAX_MEMBERS:
            raise InputError(f"holds more than {MAX_MEMBERS} files", path=path)
    names = _checked(usable(sizes), path)
    if not any(name.endswith((".py", ".pyi")) for name in names):
        raise InputError("holds no Python file", path=path, remedy="give a package's folder")
    # A folder is its own top folder.
    top = path.resolve().name
    members = Members(sizes, lambda name: (path / name.partition("/")[2]).read_bytes())
    return _unpacked(path, [f"{top}/{name}" for name in names], members, top)


def _walk(path: Path) -> Iterator[tuple[Path, list[str], list[str]]]:
    """``Path.walk`` for Python 3.11."""
    for folder, folders, names in os.walk(path):
        yield Path(folder), folders, names


def _unpacked(path: Path, names: list[str], members: Members, stem: str) -> PackageSource:
    """Read the layout of a source tree whose names all start with one top folder."""
    inner = {name: name.partition("/")[2] for name in names}
    inner = {name: rest for name, rest in inner.items() if rest}
    packages = {str(PurePosixPath(r).parent) for r in inner.values() if r.endswith("__init__.py")}
    prefixes = {"", "src/"}
    for folder in sorted(packages):
        parent = str(PurePosixPath(folder).parent)
        if parent not in packages and not set(parent.split("/")) & _SKIPPED_FOLDERS:
            prefixes.add("" if parent == "." else f"{parent}/")
    files: dict[str, SourceFile] = {}
    compiled: set[str] = set()
    data: dict[str, str] = {}
    for name, rest in inner.items():
        prefix = _longest_prefix(rest, prefixes)
        local = rest[len(prefix) :]
        top = local.partition("/")[0]
        is_module = "/" not in local and prefix in ("", "src/")
        if f"{prefix}{top}" in packages or (is_module and local not in _SKIPPED_ROOTS):
            _file_under(files, compiled, data, local, name)
    facts = next((n for n in names if inner.get(n) == "PKG-INFO"), None)
    read = members.read
    metadata = _metadata(read(facts)) if facts else _metadata_of_project(inner, read, stem)
    texts = [n for n, rest in inner.items() if "/" not in rest and _is_licence(rest)]
    return _package(path, metadata, names, texts, files, compiled, data, members)


def _longest_prefix(name: str, prefixes: set[str]) -> str:
    """Return the longest folder, with its slash, that a name stands in; empty if none does."""
    end = name.rfind("/") + 1
    while end and name[:end] not in prefixes:
        end = name.rfind("/", 0, end - 1) + 1
    return name[:end]


def _metadata(text: bytes) -> RawMetadata:
    return parse_email(text[:MAX_METADATA])[0]


def _metadata_of_project(
    inner: dict[str, str], read: Callable[[str], bytes], stem: str
) -> RawMetadata:
    """Return core metadata from pyproject.toml, for trees that carry no PKG-INFO."""
    name, _, version = stem.rpartition("-")
    project: Any = {}
    for path, rest in inner.items():
        if rest == "pyproject.toml":
            text = read(path)[: MAX_PROJECT + 1]
            try:
                if len(text) > MAX_PROJECT or max(map(_dots, text.splitlines()), default=0) > 1000:
                    break  # tomllib takes the square of a dotted name's parts
                project = tomllib.loads(text.decode("utf-8", "replace")).get("project", {})
            except (ValueError, RecursionError):  # no TOML, or of a depth or size that is an attack
                break
    if not isinstance(project, dict):
        project = {}

    def field(key: str, default: str = "") -> str:
        return value if isinstance(value := project.get(key), str) else default

    def listed(key: str) -> list[str]:
        values = project.get(key)
        return [v for v in values if isinstance(v, str)] if isinstance(values, list) else []

    urls = project.get("urls")
    urls = urls if isinstance(urls, dict) else {}
    licence = project.get("license")
    if isinstance(licence, dict):
        licence = licence.get("text")
    return {
        "name": field("name", name or stem),
        "version": field("version", version if name else "0"),
        "license_expression": licence if isinstance(licence, str) and "\n" not in licence else "",
        "classifiers": listed("classifiers"),
        "requires_dist": listed("dependencies"),
        "project_urls": {k: v for k, v in urls.items() if isinstance(v, str)},
    }


def _dots(line: bytes) -> int:
    return line.count(b".")


def _package(
    path: Path,
    metadata: RawMetadata,
    names: list[str],
    texts: list[str],
    files: dict[str, SourceFile],
    compiled: set[str],
    data: dict[str, str],
    members: Members,
) -> PackageSource:
    wordings = [members.read(name)[:20_000].decode("utf-8", "replace") for name in texts]
    licence = identify(
        expression=metadata.get("license_expression", ""),
        field=metadata.get("license", ""),
        classifiers=metadata.get("classifiers", []),
        texts=wordings,
    )
    # Names stand in ids and messages: only what a package's name may hold.
    name = re.sub(r"[^a-z0-9]+", "-", metadata.get("name", "").lower())[:MAX_LABEL].strip("-")
    version = re.sub(r"[^A-Za-z0-9.!+_-]+", "", metadata.get("version", ""))[:MAX_LABEL]
    origin = Origin(
        package=name or "unnamed",
        version=version or "0",
        licence=licence.expression,
        url=address(metadata),
        sha256=hash_of(path, names, members.read),
        date=members.date,
        notice=notices(wordings),
        folder=path.is_dir(),
    )
    return PackageSource(
        name=origin.package,
        version=origin.version,
        licence=licence,
        origin=origin,
        files=files,
        requires=tuple(metadata.get("requires_dist", [])),
        compiled=frozenset(compiled),
        data=data,
        members=names,
        _read=members.read,
        _close=members.close,
    )


def _checked(sizes: dict[str, int], path: Path) -> list[str]:
    """Return the names worth reading, refusing archives that unpack to too much."""
    wanted = {
        name: size for name, size in sizes.items() if size <= MAX_FILE or name.endswith(_COMPILED)
    }
    total = sum(size for name, size in wanted.items() if not name.endswith(_COMPILED))
    if total > MAX_TOTAL:
        raise InputError(f"holds {total} bytes; the limit is {MAX_TOTAL}", path=path)
    return sorted(name for name in wanted if not name.endswith("/"))


def _is_licence(name: str) -> bool:
    return bool(re.search(r"(^|/)(licen[cs]e|copying)[^/]*$", name, re.IGNORECASE))


def _file_under(
    files: dict[str, SourceFile],
    compiled: set[str],
    data: dict[str, str],
    inner: str,
    stored: str,
) -> None:
    if inner.endswith(_COMPILED):
        compiled.add(inner.replace("/", ".").split(".cpython-")[0].split(".abi3")[0])
        return
    if not inner.endswith(".py"):
        data[inner] = stored
        return
    parts = inner[:-3].split("/")
    if not all(part.isidentifier() for part in parts):
        return
    is_package = parts[-1] == "__init__"
    module = ".".join(parts[:-1] if is_package else parts)
    if module and (is_package or module not in files):
        files[module] = SourceFile(stored, module, is_package, bool(_TEST_FILE.search(inner)))
