"""Packages as sources: wheels, source archives, folders, and names on the package index.

A package is only *read*, never installed, built, imported or run here.
"""

from __future__ import annotations

import ast
import bz2
import functools
import gzip
import hashlib
import lzma
import os
import re
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass
from importlib.util import decode_source
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
from evalplus_lite.exe.tables import tables
from evalplus_lite.store.reading import read_text


def licence_of(metadata: RawMetadata, texts: Iterable[str]) -> str:
    """Return a package's license from its metadata or license files, or "unknown".

    Sources are tried in this order: ``License-Expression`` (PEP 639), classifiers, the free
    ``License`` field, the text of license files. Both fields are read as SPDX expressions, where
    common names may replace identifiers (``BSD 3-Clause OR Apache-2.0``).
    """
    if expression := metadata.get("license_expression", "").strip():
        return _spdx(expression) or expression
    known = tables("licences")
    ends = (each.rpartition("::")[2].strip() for each in metadata.get("classifiers", ()))
    named = {*map(known["classifiers"].get, ends)}
    if licences := sorted(filter(None, named)):
        return " OR ".join(licences)  # several classifiers usually offer a choice
    field = metadata.get("license", "")
    if spdx := _spdx(field):
        return spdx
    for text in (field, *texts):  # a long field holds the license text itself
        for pattern in known["texts"]:
            if re.search(pattern["pattern"], re.sub(r"\s+", " ", text), re.IGNORECASE):
                return str(pattern["spdx"])
    return "unknown"


def _spdx(text: str) -> str:
    """Return a field of license names or identifiers as an SPDX expression; empty if it is none."""
    if len(text) > _LONGEST_EXPRESSION:
        return ""
    names = _spellings()
    parts = re.split(r"(\bOR\b|\bAND\b|\bWITH\b|[()])", text, flags=re.IGNORECASE)
    for words in (text, " ".join(names.get(_plain(part), part) for part in parts)):
        try:
            return names.get(_plain(words)) or str(canonicalize_license_expression(words))
        except (InvalidLicenseExpression, RecursionError, MemoryError):
            continue
    return ""


def is_permissive(expression: str) -> bool:
    """Return whether an SPDX expression is permissive.

    ``A OR B`` needs one permissive license, ``A AND B`` both. Exceptions after ``WITH`` are ignored
    because they only add permissions.
    """
    if len(expression) > _LONGEST_EXPRESSION:
        return False
    try:
        written = str(canonicalize_license_expression(expression))
        written = re.sub(r"\s+WITH\s+[\w.-]+", "", written)
        # Replace each license by True or False, so that Python's parser can read the expression.
        allowed = {*map(str.lower, tables("licences")["permissive"])}
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
def _spellings() -> dict[str, str]:
    return {_plain(name): spdx for name, spdx in tables("licences")["names"].items()}


MOST_NOTICES, LONGEST_NOTICE, LONGEST_URL = 20, 200, 300
_PLACES = ("source", "repository", "code", "github", "homepage", "home")
_NOTICE = re.compile(r"^\W*(copyright\b.*|\(c\)\s.*|©.*)$", re.IGNORECASE | re.MULTILINE)
_NO_OWNER = re.compile(
    r"[<\[{](?:copyright|name|year|yyyy)|free software foundation", re.IGNORECASE
)
"""Copyright lines of a license text itself: templates, and the author of the license."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The package that code was taken from.

    ``url`` is the project's address, ``sha256`` the hash of the archive (or of a folder's file
    names and contents), ``date`` the day of an archive's newest file (``2026-08-01``), ``notice``
    the copyright lines of its license files. Unknown values are empty.
    """

    package: str = ""
    version: str = ""
    licence: str = ""
    url: str = ""
    sha256: str = ""
    date: str = ""
    notice: tuple[str, ...] = ()
    folder: bool = False
    """Whether it was a local folder, which others cannot obtain."""

    def to_json(self) -> dict[str, Any]:
        """Return an entry of a task's ``origins``; ``folder`` only if it is true."""
        row = {**asdict(self), "notice": list(self.notice)}
        return {k: v for k, v in row.items() if v or k != "folder"}


def address(metadata: RawMetadata) -> str:
    """Return a project's URL, of its source repository if known."""
    urls: Mapping[str, str] = metadata.get("project_urls", {})
    labels = {re.sub(r"[^a-z]", "", label.lower()): url for label, url in urls.items()}
    ordered = [url for place in _PLACES for label, url in labels.items() if place in label]
    known = [*ordered, metadata.get("home_page", ""), *labels.values()]
    return next((url for url in known if re.match(r"https?://\S+$", url)), "")[:LONGEST_URL]


def notices(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the copyright lines of license texts."""
    lines = (" ".join(line.split()) for text in texts for line in _NOTICE.findall(text))
    short = (line[:LONGEST_NOTICE] for line in lines)
    own = (line for line in short if re.search(r"\d{4}", line) and not _NO_OWNER.search(line))
    return tuple(dict.fromkeys(own))[:MOST_NOTICES]


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
"""Maximum bytes of a source file; larger ones are skipped, because they mostly hold data."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A module's file: its path in the package (forward slashes) and its dotted name."""

    path: str
    module: str
    is_package: bool
    is_test: bool


@dataclass(slots=True)
class PackageSource(AbstractContextManager["PackageSource"]):
    """An opened package: its origin, and its modules' sources."""

    origin: Origin
    files: Mapping[str, SourceFile]
    """Dotted module name -> file."""
    requires: tuple[str, ...]
    compiled: frozenset[str]
    """Dotted names of modules that exist as compiled extensions."""
    data: Mapping[str, str]
    """Path relative to the modules -> stored path, for files that are not Python modules."""
    members: Sequence[str]
    """Stored paths of all files, tests included."""
    readme: str
    """The description in the metadata, or else the README."""
    read: Callable[[str], bytes]
    """Returns a file's contents by its stored path."""
    close: Callable[[], None]

    @property
    def name(self) -> str:
        """The name of the distribution."""
        return self.origin.package

    def text(self, file: SourceFile) -> str:
        """Return a module's source with plain newlines; raise ValueError if it is unreadable."""
        try:
            data = self.read(file.path)
        except (InputError, OSError) as error:
            raise ValueError(str(error)) from None
        if len(data) > MAX_FILE:
            raise ValueError(f"larger than {MAX_FILE} bytes")
        try:
            return decode_source(data)
        except (SyntaxError, LookupError) as error:
            raise ValueError(str(error)) from None

    def __exit__(self, *details: object) -> None:
        self.close()


def download(name: str, folder: Path, *, is_pure: bool = False) -> Path:
    """Download a package's wheel into ``folder`` with pip, and return its path.

    Only wheels are downloaded, because pip would run a source archive's build code to read its
    metadata. ``is_pure`` restricts them to wheels for every platform. ``name`` may have version
    specifiers (``idna==3.20``, ``idna<4,>=3``). Raise InputError if pip finds no wheel.
    """
    if not re.fullmatch(rf"[A-Za-z0-9][A-Za-z0-9._-]*({_VERSIONS}(,{_VERSIONS})*)?", name):
        raise InputError(f"{name!r} is not a package name", remedy="as in idna or idna==3.20")
    folder.mkdir(parents=True, exist_ok=True)
    before = set(folder.iterdir())
    options = ["--only-binary", ":all:", *(["--platform", "any"] if is_pure else [])]
    try:
        done = _pip(["-m", "pip"], options, folder, name)
    except subprocess.TimeoutExpired:
        raise InputError(f"downloading {name} took more than {DOWNLOAD_SECONDS:g} s") from None
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["pip said nothing"]
        raise InputError(
            f"pip found no wheel for {name}: {lines[-1]}",
            remedy="download its source archive yourself and give the file",
        )
    for new in sorted(set(folder.iterdir()) - before):
        return new
    raise InputError(f"pip downloaded no file for {name}")


def _pip(
    program: list[str], options: list[str], folder: Path, name: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Download into a folder, without dependencies; raise TimeoutExpired if it takes too long."""
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
"""A program that runs pip but prevents it from starting the unpacked archive's build code.

Archives are untrusted, so files are limited to 256 MiB each, and the process to 60 CPU seconds."""


def download_source(name: str, version: str, folder: Path) -> Path | None:
    """Return the folder of a version's source archive, unpacked by pip; None if there is none.

    pip would run build code to read the metadata, so it is prevented from starting processes; it
    fails after the files are unpacked.
    """
    folder.mkdir(parents=True, exist_ok=True)
    options = ["--no-clean", "--no-binary", ":all:"]
    with suppress(subprocess.TimeoutExpired):
        _pip(["-c", _UNPACK_ONLY], options, folder, f"{name}=={version}", TMPDIR=str(folder))
    marks = ("PKG-INFO", "pyproject.toml", "setup.py")
    trees = (each for each in folder.glob("*/*") if any((each / mark).is_file() for mark in marks))
    return next(trees, None)


MAX_MEMBERS = 50_000
"""Maximum number of files in a package: several times that of the largest published ones."""
MAX_NAME = 1000
"""Maximum characters of a member's name; members with longer names are skipped."""
MAX_PART = 250
"""Maximum bytes of each part of such a name, as on common file systems."""
MAX_DIRECTORY = 8 << 20
"""Maximum bytes of a zip file's central directory, or of the names in a tar file."""
FREE_UNPACKED = 64 << 20
MAX_RATIO = 100
"""Maximum ratio of unpacked to packed size of a tar file, above ``FREE_UNPACKED`` bytes."""
LAST = 253_402_300_799
"""The last second of the year 9999."""
MAX_HEADER = 256 << 10
"""Maximum bytes of a header in a tar file; a larger one is an endless name."""

_END = b"PK\x05\x06"
_OPENERS: dict[str, Callable[[Any], Any]] = {
    ".gz": gzip.open, ".tgz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open
}  # fmt: skip


UNDATED, FIXED = 1990, ((2016, 1, 1), (2020, 2, 2))
"""Reproducible archives date their files before this year, or at midnight on these days; such dates
carry no information."""


@dataclass(frozen=True, slots=True)
class Members:
    """The members of an archive or folder: sizes by name, and functions to read one and to close.

    ``date`` is the day of the newest member (``2026-08-01``); empty if unknown.
    """

    sizes: dict[str, int]
    read: Callable[[str], bytes]
    close: Callable[[], None] = lambda: None
    date: str = ""


def day_of(moment: tuple[int, ...]) -> str:
    """Return the day of a timestamp (year, ..., second); empty if a reproducible build set it."""
    if moment[0] < UNDATED or (moment[:3] in FIXED and not any(moment[3:])):
        return ""
    return f"{moment[0]:04}-{moment[1]:02}-{moment[2]:02}"


UNREADABLE = (
    OSError, EOFError, zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError,
    struct.error, ValueError, KeyError, OverflowError,
    RuntimeError,  # encrypted, or an unknown compression method
)  # fmt: skip


@contextmanager
def reported(path: Path) -> Iterator[None]:
    """Convert every exception from a damaged or hostile archive to an InputError."""
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
    # Other compression methods let the archive determine how much memory they need.
    plain = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    sizes = {i.filename: i.file_size for i in infos if i.compress_type in plain}

    def read(name: str) -> bytes:
        with reported(path):
            return archive.read(name)

    date = day_of(max((info.date_time for info in infos), default=(0,)))
    return Members(sizes, read, archive.close, date)


def _directory_size(path: Path) -> int:
    """Return the size of a zip file's central directory, as its end record states."""
    with path.open("rb") as file:
        length = file.seek(0, os.SEEK_END)
        file.seek(max(0, length - (1 << 16) - 22))
        tail = file.read()
    at = len(tail) - 22 if tail[-22:-18] == _END else tail.rfind(_END)
    if at < 0 or at + 22 > len(tail):
        return 0  # not a zip file, which opening it reports
    size = int(struct.unpack_from("<L", tail, at + 12)[0])
    return size  # 4 GiB - 1, which is too large, if the true size is in a ZIP64 record


def open_tar(path: Path) -> Members:
    """Return a tar file's members; their contents are copied to a temporary file."""
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
                    if is_read and member.issparse():
                        continue
                    sizes[member.name] = member.size
                    if not is_read:
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
    """An unpacked tar stream that is read forward, with a limit relative to its packed size."""

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
"""Maximum total bytes of a package's unpacked files; larger packages are rejected."""

MAX_PROJECT = 256 << 10
"""Maximum bytes of a pyproject.toml; larger ones are ignored."""
MAX_METADATA = 1 << 20
"""Bytes of a package's metadata or README to read."""
MAX_LABEL = 100
"""Maximum characters of a package's name or version; the rest is cut off."""

_COMPILED = (".so", ".pyd")
_SKIPPED_FOLDERS = frozenset(
    """tests test testing_data docs doc examples example benchmarks build dist node_modules
    site-packages venv""".split()
)
_SKIPPED_ROOTS = frozenset({"setup.py", "conftest.py", "noxfile.py", "fabfile.py", "tasks.py"})
_TEST_FILE = re.compile(r"(^|/)(tests?|_tests?)(/|$)|(^|/)(test_[^/]*|[^/]*_test|conftest)\.py$")


def open_package(path: Path) -> PackageSource:
    """Open a wheel, a source archive or a folder.

    Raise InputError if the path is something else or cannot be read.
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
        "is not a wheel, source archive or folder",
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
    core, _ = parse_email(members.read(metadata)[:MAX_METADATA])
    return _package(path, core, names, texts, stored, members)


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
    """Open a source tree whose names all start with the same top folder."""
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
        end = rest.rfind("/") + 1  # the longest folder among the prefixes
        while end and rest[:end] not in prefixes:
            end = rest.rfind("/", 0, end - 1) + 1
        prefix, local = rest[:end], rest[end:]
        top = local.partition("/")[0]
        is_module = "/" not in local and prefix in ("", "src/")
        if f"{prefix}{top}" in packages or (is_module and local not in _SKIPPED_ROOTS):
            stored.append((local, name))
    facts = next((n for n in names if inner.get(n) == "PKG-INFO"), None)
    read = members.read
    if facts:
        metadata, _ = parse_email(read(facts)[:MAX_METADATA])
    else:
        metadata = _metadata_of_project(inner, read, stem)
    texts = [n for n, rest in inner.items() if "/" not in rest and _is_licence(rest)]
    return _package(path, metadata, names, texts, stored, members)


def _metadata_of_project(
    inner: dict[str, str], read: Callable[[str], bytes], stem: str
) -> RawMetadata:
    """Return core metadata from pyproject.toml, for trees without PKG-INFO."""
    name, _, version = stem.rpartition("-")
    project: Any = {}
    path = next((path for path, rest in inner.items() if rest == "pyproject.toml"), None)
    text = b"" if path is None else read(path)[: MAX_PROJECT + 1]
    # tomllib's time is quadratic in the number of parts of a dotted name.
    dots = max((line.count(b".") for line in text.splitlines()), default=0)
    if len(text) <= MAX_PROJECT and dots <= 1000:
        # It may be invalid, or so deeply nested that parsing fails.
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
    """Return an opened package; ``stored`` has pairs of relative path and stored path."""
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
    # Names appear in ids and messages, so keep only characters valid in package names.
    name = re.sub(r"[^a-z0-9]+", "-", metadata.get("name", "").lower())[:MAX_LABEL].strip("-")
    version = re.sub(r"[^A-Za-z0-9.!+_-]+", "", metadata.get("version", ""))[:MAX_LABEL]
    origin = Origin(
        package=name or "unnamed",
        version=version or "0",
        licence=licence_of(metadata, wordings),
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
    """Return the text of the README nearest to the top; empty if there is none."""
    readmes = [n for n in names if re.search(r"(^|/)readme[^/]*$", n, re.IGNORECASE)]
    first = min(readmes, key=lambda name: (name.count("/"), name), default=None)
    return "" if first is None else read(first)[:MAX_METADATA].decode("utf-8", "replace")


def _checked(sizes: dict[str, int], path: Path) -> list[str]:
    """Return the names to read: valid on a file system, and of limited size.

    Raise InputError for archives that unpack to more than ``MAX_TOTAL``.
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
    """Return whether a package is specified by a path, not by its name on the index."""
    return "/" in name or name.endswith(ARCHIVES) or os.path.exists(name)


def archives_by_name(paths: list[Path]) -> dict[str, Path]:
    """Return archives by distribution name, for paths with standard file names."""
    archives: dict[str, Path] = {}
    for path in paths:
        parse = parse_wheel_filename if path.suffix == ".whl" else parse_sdist_filename
        with suppress(InvalidWheelFilename, InvalidSdistFilename):
            name = parse(path.name)[0]
            if path.is_file():
                archives.setdefault(name, path)
    return archives


def pinned(names: Iterable[str]) -> dict[str, str]:
    """Return the names pinned to a version (``idna==3.20``), by distribution name."""
    pins = (name for name in names if re.fullmatch(r"[A-Za-z0-9._-]+==[^=*,]+", name))
    return {canonicalize_name(name.partition("==")[0]): name for name in pins}


def required(package: PackageSource, extras: Sequence[str] = ()) -> list[tuple[str, str | None]]:
    """Return a package's requirements on this system: each name, and its specifier for pip.

    Requirements of extras not in ``extras`` are left out. The specifier is None for a requirement
    with a URL.
    """
    requirements: list[tuple[str, str | None]] = []
    for line in package.requires:
        try:
            read = Requirement(line)
        except InvalidRequirement:
            continue
        marker = read.marker
        if marker is None or any(marker.evaluate({"extra": each}) for each in ("", *extras)):
            specifier = None if read.url else f"{read.name}{read.specifier}"
            requirements.append((canonicalize_name(read.name), specifier))
    return requirements


MOST_BYTES = 64 << 20
LONGEST = 200
"""Maximum characters of a line to show in a message."""


def listed_packages(path: Path) -> list[str]:
    """Return the packages listed in a file, without duplicates.

    A line is a name (``idna``, ``idna==3.20``) or a path of a wheel, source archive or folder.
    Comments (``#`` after a space), markers, extras and hashes are ignored. Raise InputError with
    file and line.
    """
    packages: dict[str, None] = {}
    begun = ""
    for number, line in enumerate(read_text(path, max_bytes=MOST_BYTES).splitlines(), 1):
        words = begun + f" {line}".split(" #")[0].strip()
        begun = words.removesuffix("\\") if words.endswith("\\") else ""
        if begun:  # a continued line, as pip-compile writes for hashes
            continue
        if words := re.sub(r"(?<=\S)(\s+--hash=\S+)+$", "", words):
            packages[_named(words, functools.partial(InputError, path=path, line=number))] = None
    if not packages:
        raise InputError("lists no package", path=path, remedy="write a name on each line")
    return list(packages)


def _named(words: str, refused: Callable[..., InputError]) -> str:
    """Return the package in a line; raise what ``refused`` makes of a problem and a remedy."""
    shown = repr(words[:LONGEST])
    if words.startswith("-"):
        option = words.split()[0]
        raise refused(f"{option!r} is an option of pip", remedy="write only packages, one per line")
    if os.path.exists(words):
        return words
    if is_path(words):
        remedy = "download packages with a URL first"
        raise refused(f"{shown}: no such file or folder", remedy=remedy)
    try:
        requirement = Requirement(words)
    except InvalidRequirement as error:
        problem = f"{shown} is not a package: {str(error).splitlines()[0][:LONGEST]}"
        raise refused(problem, remedy="as in idna, idna==3.20, or a path") from None
    pins = [each for each in requirement.specifier if each.operator == "=="]
    is_open = len(pins) != len(requirement.specifier) or "*" in str(requirement.specifier)
    if is_open or len(pins) > 1:
        remedy = "pin it with ==, or leave the version out for the newest"
        raise refused(f"{shown} leaves the version open", remedy=remedy)
    return f"{requirement.name}=={pins[0].version}" if pins else requirement.name
