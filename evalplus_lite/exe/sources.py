"""Packages as files: wheels, source archives, folders, names on the index.

A package is only ever *read*. Nothing of it is installed, built, imported or run here, and one
package is open at a time.
"""

from __future__ import annotations

import ast
import bz2
import functools
import gzip
import hashlib
import io
import lzma
import os
import re
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import tokenize
import tomllib
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import IO, Any

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from packaging.metadata import RawMetadata, parse_email
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)

from evalplus_lite.errors import InputError
from evalplus_lite.store.reading import read_text


def licence_of(
    *, expression: str, field: str, classifiers: Sequence[str], texts: Iterable[str]
) -> str:
    """Return a package's licence from its metadata or its licence files; "unknown" without one.

    Asked in this order: ``License-Expression`` (PEP 639), classifiers, the free ``License``
    field, the text of licence files. Both fields are read as SPDX expressions, with names that
    people use in place of identifiers (``BSD 3-Clause OR Apache-2.0``).
    """
    tables = _tables()
    if expression.strip():
        return _spdx(expression) or expression.strip()
    named = {tables["classifiers"].get(c.rpartition("::")[2].strip()) for c in classifiers}
    if found := sorted(filter(None, named)):
        return " OR ".join(found)  # several classifiers usually offer a choice
    if spdx := _spdx(field):
        return spdx
    for text in (field, *texts):  # a long field is the licence's text itself
        for pattern in tables["texts"]:
            if re.search(pattern["pattern"], re.sub(r"\s+", " ", text), re.IGNORECASE):
                return str(pattern["spdx"])
    return "unknown"


def _spdx(text: str) -> str:
    """Return a field as an SPDX expression, its licences by name or identifier; empty if none."""
    if len(text) > _LONGEST_EXPRESSION:
        return ""
    names = _tables()["spellings"]
    parts = re.split(r"(\bOR\b|\bAND\b|\bWITH\b|[()])", text, flags=re.IGNORECASE)
    for words in (text, " ".join(names.get(_plain(part), part) for part in parts)):
        try:
            return names.get(_plain(words)) or str(canonicalize_license_expression(words))
        except (InvalidLicenseExpression, RecursionError, MemoryError):
            continue
    return ""


def is_permissive(expression: str) -> bool:
    """Return whether an SPDX expression allows derivatives under permissive terms alone.

    Of ``A OR B`` one permissive choice is enough; ``A AND B`` needs both; exceptions after
    ``WITH`` only add permissions.
    """
    if len(expression) > _LONGEST_EXPRESSION:
        return False
    try:
        written = str(canonicalize_license_expression(expression))
        written = re.sub(r"\s+WITH\s+[\w.-]+", "", written)
        # Each licence becomes True or False, so that Python's own parser reads the rest.
        allowed = _tables()["permissive"]
        words = {"AND": "and", "OR": "or"}
        text = re.sub(r"[\w.+-]+", lambda n: words.get(n[0], str(n[0].lower() in allowed)), written)
        return _holds(ast.parse(text, mode="eval").body)
    except (InvalidLicenseExpression, SyntaxError, RecursionError, MemoryError):
        return False


_LONGEST_EXPRESSION = 1000


def _holds(node: ast.expr) -> bool:
    if isinstance(node, ast.BoolOp):
        return (all if isinstance(node.op, ast.And) else any)(map(_holds, node.values))
    return isinstance(node, ast.Constant) and node.value is True


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", " ", name.lower()).strip()


@functools.cache
def _tables() -> dict[str, Any]:
    data = resources.files("evalplus_lite.exe").joinpath("data/licences.toml")
    tables = tomllib.loads(data.read_text(encoding="utf-8"))
    tables["permissive"] = frozenset(map(str.lower, tables["permissive"]))
    tables["spellings"] = {_plain(name): spdx for name, spdx in tables["names"].items()}
    return tables


MOST_NOTICES, LONGEST_NOTICE, LONGEST_URL = 20, 200, 300
_PLACES = ("source", "repository", "code", "github", "homepage", "home")
_NOTICE = re.compile(r"^\W*(copyright\b.*|\(c\)\s.*|©.*)$", re.IGNORECASE | re.MULTILINE)
_NO_OWNER = re.compile(
    r"[<\[{](?:copyright|name|year|yyyy)|free software foundation", re.IGNORECASE
)
"""Lines of a licence's own text: a form that was not filled in, and who wrote the licence."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A package that code was taken from.

    ``url`` is the project's own, ``sha256`` that of the archive (of a folder: of its files' names
    and contents), ``date`` the day of an archive's newest file (``2026-08-01``), ``notice`` the
    copyright lines of its licence files. Each is empty where the package does not say.
    """

    package: str = ""
    version: str = ""
    licence: str = ""
    url: str = ""
    sha256: str = ""
    date: str = ""
    notice: tuple[str, ...] = ()
    folder: bool = False
    """Whether it was a folder, which nobody else has."""

    def to_json(self) -> dict[str, Any]:
        """Return it as a part of a task's row; ``folder`` where it is one."""
        row = {**asdict(self), "notice": list(self.notice)}
        return {k: v for k, v in row.items() if v or k != "folder"}


def address(metadata: RawMetadata) -> str:
    """Return the address of a project, of its source if that is told."""
    urls: Mapping[str, str] = metadata.get("project_urls", {})
    labels = {re.sub(r"[^a-z]", "", label.lower()): url for label, url in urls.items()}
    ordered = [url for place in _PLACES for label, url in labels.items() if place in label]
    known = [*ordered, metadata.get("home_page", ""), *labels.values()]
    return next((url for url in known if re.match(r"https?://\S+$", url)), "")[:LONGEST_URL]


def notices(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the copyright lines of licence texts."""
    found: dict[str, None] = {}
    for text in texts:
        for line in _NOTICE.findall(text):
            words = " ".join(line.split())[:LONGEST_NOTICE]
            is_own = re.search(r"\d{4}", words) and not _NO_OWNER.search(words)
            if is_own and len(found) < MOST_NOTICES:
                found[words] = None
    return tuple(found)


def hash_of(path: Path, names: Iterable[str], read: Callable[[str], bytes]) -> str:
    """Return the SHA-256 of an archive, or of a folder's files by name and content."""
    digest = hashlib.sha256()
    if path.is_dir():
        for name in sorted(names):
            digest.update(f"{hashlib.sha256(read(name)).hexdigest()}  {name}\n".encode())
        return digest.hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


DOWNLOAD_SECONDS = 300.0
_DOWNLOAD = ("download", "--quiet", "--no-deps", "--disable-pip-version-check")
_VERSIONS = r"(?:[<>=!~]=|[<>])[A-Za-z0-9.!+*_-]+"
MAX_FILE = 4 << 20
"""Files larger than this (bytes) are data in disguise and are passed over."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A module's file: its path in the package (forward slashes) and its dotted name."""

    path: str
    module: str
    is_package: bool
    is_test: bool


@dataclass(slots=True)
class PackageSource(AbstractContextManager["PackageSource"]):
    """An opened package: who it is, under which licence, and its modules' sources."""

    origin: Origin
    files: Mapping[str, SourceFile]
    """Dotted module name -> file."""
    requires: tuple[str, ...]
    compiled: frozenset[str]
    """Dotted names of modules that exist as compiled extensions."""
    data: Mapping[str, str]
    """Path beside the modules -> stored path, of files that are no code."""
    members: Sequence[str]
    """Stored paths of all files, tests too."""
    readme: str
    """The description in the metadata, or the README beside them."""
    read: Callable[[str], bytes]
    """Gives the contents of a file, by its stored path."""
    close: Callable[[], None]

    @property
    def name(self) -> str:
        """The name of the distribution."""
        return self.origin.package

    def text(self, file: SourceFile) -> str:
        """Return a module's source with plain newlines; ValueError where it is no Python text."""
        try:
            data = self.read(file.path)
        except (InputError, OSError) as error:
            raise ValueError(str(error)) from None
        if len(data) > MAX_FILE:
            raise ValueError(f"larger than {MAX_FILE} bytes")
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            text = data.decode(encoding)
        except (SyntaxError, LookupError) as error:
            raise ValueError(str(error)) from None
        return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")

    def __exit__(self, *details: object) -> None:
        self.close()


def download(name: str, folder: Path, *, is_pure: bool = False) -> Path:
    """Return the wheel of a package on the index, downloaded by pip into ``folder``.

    Only wheels: pip would run a source archive's build code to learn its metadata; with
    ``is_pure`` only those for every platform. ``name`` may carry versions (``idna==3.20``,
    ``idna<4,>=3``). Raises InputError where pip finds no wheel.
    """
    if not re.fullmatch(rf"[A-Za-z0-9][A-Za-z0-9._-]*({_VERSIONS}(,{_VERSIONS})*)?", name):
        raise InputError(f"{name!r} is no package name", remedy="as in idna or idna==3.20")
    folder.mkdir(parents=True, exist_ok=True)
    before = set(folder.iterdir())
    platform = ["--platform", "any"] if is_pure else []
    try:
        done = _pip(["-m", "pip"], ["--only-binary", ":all:", *platform], folder, name)
    except subprocess.TimeoutExpired:
        raise InputError(f"downloading {name} took more than {DOWNLOAD_SECONDS:g} s") from None
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["pip said nothing"]
        raise InputError(
            f"pip found no wheel for {name}: {lines[-1]}",
            remedy="download its source archive yourself and give the file",
        )
    new = sorted(set(folder.iterdir()) - before)
    if new:
        return new[0]
    raise InputError(f"pip downloaded no file for {name}")


def _pip(
    program: list[str], options: list[str], folder: Path, name: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Download into a folder, without what is required; TimeoutExpired if it takes too long."""
    return subprocess.run(
        [sys.executable, *program, *_DOWNLOAD, *options, "--dest", str(folder), name],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=DOWNLOAD_SECONDS,
        check=False,
    )


_UNPACK_ONLY = """
import resource, runpy, subprocess

def refuse(*args, **kwargs):
    raise OSError("no code of a package is run")

subprocess.Popen = refuse
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""
"""pip, which cannot start the build code of the source archive that it has unpacked.

Files of 256 MiB at most are written, within 60 CPU seconds: an archive may hold anything."""


def download_source(name: str, version: str, folder: Path) -> Path | None:
    """Return the files of a version's source archive, unpacked by pip; None if there is none.

    pip would run build code to learn what the archive says of itself: it is kept from starting any
    process, and fails when the files are there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    options = ["--no-clean", "--no-binary", ":all:"]
    with suppress(subprocess.TimeoutExpired):
        _pip(["-c", _UNPACK_ONLY], options, folder, f"{name}=={version}", TMPDIR=str(folder))
    marks = ("PKG-INFO", "pyproject.toml", "setup.py")
    trees = (each for each in folder.glob("*/*") if any((each / mark).is_file() for mark in marks))
    return next(trees, None)


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
    ".gz": gzip.open, ".tgz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open
}  # fmt: skip


UNDATED, FIXED = 1990, ((2016, 1, 1), (2020, 2, 2))
"""Archives that are made alike on every machine date their files earlier than this year, or at
midnight of these days: such a date says nothing."""


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
    if moment[0] < UNDATED or (moment[:3] in FIXED and not any(moment[3:])):
        return ""
    return f"{moment[0]:04}-{moment[1]:02}-{moment[2]:02}"


UNREADABLE = (
    OSError, EOFError, zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError,
    struct.error, ValueError, KeyError, OverflowError,
    RuntimeError,  # encrypted, or a way of packing that is not known
)  # fmt: skip


@contextmanager
def reported(path: Path) -> Iterator[None]:
    """Turn all that reading a damaged or hostile archive can raise into an InputError."""
    try:
        yield
    except UNREADABLE as error:
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
    return Members(sizes, read, archive.close, date)


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


def open_tar(path: Path) -> Members:
    """Return a tar file's members; what is read of them lies in a temporary file meanwhile."""
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
                    last = max(last, member.mtime)
                    is_read = _is_read(member.name, member.size)
                    if not (is_read and member.issparse()):
                        sizes[member.name] = member.size
                    if not is_read or member.issparse():
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

    return Members(sizes, read, store.close, day_of(time.gmtime(min(last, LAST))[:6]))


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
            raise InputError("no such file or folder", path=path, remedy="check the path")
        if path.is_dir():
            return _open_folder(path)
        if not path.is_file():
            raise InputError("is not a file or folder", path=path)
        if path.suffix == ".whl":
            return _open_wheel(path, open_zip(path))
        if path.suffix == ".zip":
            return _unpacked(path, open_zip(path), path.stem)
        if path.name.endswith((".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")):
            members = open_tar(path)
            return _unpacked(path, members, re.sub(r"\.(tar\.\w+|tgz)$", "", path.name))
    raise InputError(
        "is no wheel, source archive or folder",
        path=path,
        remedy="give a .whl, .tar.gz or .zip file, a folder, or a package's name",
    )


def _open_wheel(path: Path, members: Members) -> PackageSource:
    names = _checked(members.sizes, path)
    metadata = next((n for n in names if re.fullmatch(r"[^/]+\.dist-info/METADATA", n)), None)
    if metadata is None:
        raise InputError("is a wheel without METADATA", path=path)
    inner = [(re.sub(r"^[^/]+\.data/(pure|plat)lib/", "", name), name) for name in names]
    stored = [
        (local, name)
        for local, name in inner
        if ".dist-info/" not in name and not re.match(r"[^/]+\.data/", local)
    ]
    texts = [n for n in names if ".dist-info/" in n and _is_licence(n)]
    return _package(path, _metadata(members.read(metadata)), names, texts, stored, members)


def _open_folder(path: Path) -> PackageSource:
    top = path.resolve().name  # a folder is its own top folder
    sizes: dict[str, int] = {}
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f != "__pycache__")
        for name in sorted(names):
            file = Path(folder, name)
            if file.is_file() and not file.is_symlink():
                sizes[f"{top}/{file.relative_to(path).as_posix()}"] = file.stat().st_size
        _check_count(len(sizes), path)
    if not any(name.endswith((".py", ".pyi")) for name in sizes):
        raise InputError("holds no Python file", path=path, remedy="give a package's folder")
    members = Members(sizes, lambda name: (path / name.partition("/")[2]).read_bytes())
    return _unpacked(path, members, top)


def _unpacked(path: Path, members: Members, stem: str) -> PackageSource:
    """Read the layout of a source tree whose names all start with one top folder."""
    names = _checked(members.sizes, path)
    inner = {name: rest for name in names if (rest := name.partition("/")[2])}
    packages = {str(PurePosixPath(r).parent) for r in inner.values() if r.endswith("__init__.py")}
    prefixes = {"", "src/"}
    for folder in sorted(packages):
        parent = str(PurePosixPath(folder).parent)
        if parent not in packages and not set(parent.split("/")) & _SKIPPED_FOLDERS:
            prefixes.add("" if parent == "." else f"{parent}/")
    stored: list[tuple[str, str]] = []
    for name, rest in inner.items():
        end = rest.rfind("/") + 1  # of the longest folder that is one of these
        while end and rest[:end] not in prefixes:
            end = rest.rfind("/", 0, end - 1) + 1
        prefix, local = rest[:end], rest[end:]
        top = local.partition("/")[0]
        is_module = "/" not in local and prefix in ("", "src/")
        if f"{prefix}{top}" in packages or (is_module and local not in _SKIPPED_ROOTS):
            stored.append((local, name))
    facts = next((n for n in names if inner.get(n) == "PKG-INFO"), None)
    read = members.read
    metadata = _metadata(read(facts)) if facts else _metadata_of_project(inner, read, stem)
    texts = [n for n, rest in inner.items() if "/" not in rest and _is_licence(rest)]
    return _package(path, metadata, names, texts, stored, members)


def _metadata(text: bytes) -> RawMetadata:
    return parse_email(text[:MAX_METADATA])[0]


def _metadata_of_project(
    inner: dict[str, str], read: Callable[[str], bytes], stem: str
) -> RawMetadata:
    """Return core metadata from pyproject.toml, for trees that carry no PKG-INFO."""
    name, _, version = stem.rpartition("-")
    project: Any = {}
    path = next((path for path, rest in inner.items() if rest == "pyproject.toml"), None)
    text = b"" if path is None else read(path)[: MAX_PROJECT + 1]
    # tomllib takes the square of a dotted name's parts.
    dots = max((line.count(b".") for line in text.splitlines()), default=0)
    if len(text) <= MAX_PROJECT and dots <= 1000:
        # It may be no TOML, or of a depth or size that is an attack.
        with suppress(ValueError, RecursionError):
            project = tomllib.loads(text.decode("utf-8", "replace")).get("project", {})

    def entry(key: str, default: Any) -> Any:
        value = project.get(key) if isinstance(project, dict) else None
        return value if isinstance(value, type(default)) else default

    licence = entry("license", {}).get("text") or entry("license", "")
    return {
        "name": entry("name", name or stem),
        "version": entry("version", version if name else "0"),
        "license_expression": licence if isinstance(licence, str) and "\n" not in licence else "",
        "classifiers": [v for v in entry("classifiers", []) if isinstance(v, str)],
        "requires_dist": [v for v in entry("dependencies", []) if isinstance(v, str)],
        "project_urls": {k: v for k, v in entry("urls", {}).items() if isinstance(v, str)},
    }


def _package(
    path: Path,
    metadata: RawMetadata,
    names: list[str],
    texts: list[str],
    stored: Iterable[tuple[str, str]],
    members: Members,
) -> PackageSource:
    """Return an opened package; ``stored`` are paths beside the modules, and those stored."""
    files: dict[str, SourceFile] = {}
    compiled: set[str] = set()
    data: dict[str, str] = {}
    for inner, name in stored:
        if inner.endswith(_COMPILED):
            compiled.add(inner.replace("/", ".").split(".cpython-")[0].split(".abi3")[0])
        elif not inner.endswith(".py"):
            data[inner] = name
        elif all(map(str.isidentifier, inner[:-3].split("/"))):
            module = inner[:-3].replace("/", ".")
            is_package = module.rpartition(".")[2] == "__init__"
            if is_package:
                module = module.removesuffix("__init__").rstrip(".")
            if module and (is_package or module not in files):
                is_test = bool(_TEST_FILE.search(inner))
                files[module] = SourceFile(name, module, is_package, is_test)
    wordings = [members.read(name)[:20_000].decode("utf-8", "replace") for name in texts]
    # Names stand in ids and messages: only what a package's name may hold.
    name = re.sub(r"[^a-z0-9]+", "-", metadata.get("name", "").lower())[:MAX_LABEL].strip("-")
    version = re.sub(r"[^A-Za-z0-9.!+_-]+", "", metadata.get("version", ""))[:MAX_LABEL]
    origin = Origin(
        package=name or "unnamed",
        version=version or "0",
        licence=licence_of(
            expression=metadata.get("license_expression", ""),
            field=metadata.get("license", ""),
            classifiers=metadata.get("classifiers", []),
            texts=wordings,
        ),
        url=address(metadata),
        sha256=hash_of(path, names, members.read),
        date=members.date,
        notice=notices(wordings),
        folder=path.is_dir(),
    )
    return PackageSource(
        origin=origin,
        files=files,
        requires=tuple(metadata.get("requires_dist", [])),
        compiled=frozenset(compiled),
        data=data,
        members=names,
        readme=metadata.get("description", "") or _readme(names, members.read),
        read=members.read,
        close=members.close,
    )


def _readme(names: Sequence[str], read: Callable[[str], bytes]) -> str:
    """Return the README nearest to the top."""
    found = [n for n in names if re.search(r"(^|/)readme[^/]*$", n, re.IGNORECASE)]
    first = min(found, key=lambda name: (name.count("/"), name), default=None)
    return "" if first is None else read(first)[:MAX_METADATA].decode("utf-8", "replace")


def _checked(sizes: dict[str, int], path: Path) -> list[str]:
    """Return the names worth reading, which a file system could have.

    Archives that unpack to too much are refused.
    """
    usable = {
        name: size
        for name, size in sizes.items()
        if len(name) <= MAX_NAME
        and name.isprintable()
        and all(len(part.encode()) <= MAX_PART for part in name.split("/"))
    }
    total = sum(size for name, size in usable.items() if _is_read(name, size))
    if total > MAX_TOTAL:
        raise InputError(f"holds {total} bytes; the limit is {MAX_TOTAL}", path=path)
    return sorted(
        name
        for name, size in usable.items()
        if (size <= MAX_FILE or name.endswith(_COMPILED)) and not name.endswith("/")
    )


def _is_read(name: str, size: int) -> bool:
    return size <= MAX_FILE and not name.endswith(_COMPILED)


def _is_licence(name: str) -> bool:
    return bool(re.search(r"(^|/)(licen[cs]e|copying)[^/]*$", name, re.IGNORECASE))


ARCHIVES = (".whl", ".tar.gz", ".tgz", ".zip", ".tar.bz2", ".tar.xz")


def is_path(name: str) -> bool:
    """Say whether a package is given by a path, not by its name on the index."""
    return "/" in name or name.endswith(ARCHIVES) or os.path.exists(name)


def archives_by_name(paths: list[Path]) -> dict[str, Path]:
    """Return distribution name -> archive for those paths whose names tell it."""
    found: dict[str, Path] = {}
    for path in paths:
        try:
            if path.suffix == ".whl":
                name = parse_wheel_filename(path.name)[0]
            else:
                name = parse_sdist_filename(path.name)[0]
        except (InvalidWheelFilename, InvalidSdistFilename):
            continue
        if path.is_file():
            found.setdefault(name, path)
    return found


def pinned(names: Iterable[str]) -> dict[str, str]:
    """Return by distribution name those of some names that carry a version (``idna==3.20``)."""
    pins = (name for name in names if re.fullmatch(r"[A-Za-z0-9._-]+==[^=*,]+", name))
    return {canonicalize_name(name.partition("==")[0]): name for name in pins}


def required(package: PackageSource, extras: Sequence[str] = ()) -> list[tuple[str, str | None]]:
    """Return what a package requires here: each name, and as pip is asked for it.

    What it requires for other ``extras`` is left out. None is asked for by an address of its own.
    """
    found: list[tuple[str, str | None]] = []
    for line in package.requires:
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": each}) for each in ("", *extras)):
            wanted = f"{requirement.name}{requirement.specifier}"
            found.append((canonicalize_name(requirement.name), None if requirement.url else wanted))
    return found


MOST_BYTES = 64 << 20
LONGEST = 200
"""Characters of a line that a message shows."""


def listed_packages(path: Path) -> list[str]:
    """Return the packages that a file lists, each once.

    A line is a name (``idna``, ``idna==3.20``) or a path of a wheel, source archive or folder; what
    follows ``#`` after a space, markers, extras and hashes count nothing. InputError names file and
    line.
    """
    packages: dict[str, None] = {}
    begun = ""
    for number, line in enumerate(read_text(path, max_bytes=MOST_BYTES).splitlines(), 1):
        words = begun + f" {line}".split(" #")[0].strip()
        begun = words.removesuffix("\\") if words.endswith("\\") else ""
        if begun:  # as pip-compile writes, whose hashes stand on lines of their own
            continue
        if words := re.sub(r"(?<=\S)(\s+--hash=\S+)+$", "", words):
            try:
                packages[_named(words)] = None
            except InputError as error:
                raise InputError(
                    error.problem, path=path, line=number, remedy=error.remedy
                ) from None
    if not packages:
        raise InputError("lists no package", path=path, remedy="write a name on each line")
    return list(packages)


def _named(words: str) -> str:
    """Return the package that a line names; InputError says what is wrong with it."""
    shown = repr(words[:LONGEST])
    if words.startswith("-"):
        raise InputError(
            f"{words.split()[0]!r} is an option of pip", remedy="write packages only, one a line"
        )
    if os.path.exists(words):
        return words
    if is_path(words):
        raise InputError(
            f"{shown}: no such file or folder", remedy="download what has an address first"
        )
    try:
        asked = Requirement(words)
    except InvalidRequirement as error:
        problem = str(error).splitlines()[0][:LONGEST]
        raise InputError(
            f"{shown} is no package: {problem}", remedy="as in idna, idna==3.20, or a path"
        ) from None
    pins = [each for each in asked.specifier if each.operator == "=="]
    if len(pins) != len(asked.specifier) or len(pins) > 1 or "*" in str(asked.specifier):
        raise InputError(
            f"{shown} leaves the version open",
            remedy="pin it with ==, or leave the version out for the newest",
        )
    return f"{asked.name}=={pins[0].version}" if pins else asked.name
