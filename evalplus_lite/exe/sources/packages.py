"""Where packages come from: wheels, source archives, folders, and names on the package index.

A package is only ever *read*. Nothing of it is installed, built, imported or run here, and one
package is open at a time.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import http.client
import io
import os
import re
import ssl
import subprocess
import sys
import time
import tokenize
import tomllib
import urllib.request
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from packaging.metadata import RawMetadata
from packaging.utils import InvalidSdistFilename, canonicalize_name, parse_sdist_filename
from packaging.version import InvalidVersion, Version

from evalplus_lite.errors import InputError


@dataclass(frozen=True, slots=True)
class Licence:
    """A licence by its SPDX expression; ``source`` says where in the package that was found."""

    expression: str
    permissive: bool
    source: str


def identify(
    *, expression: str, field: str, classifiers: Sequence[str], texts: Iterable[str]
) -> Licence:
    """Return a package's licence from its metadata, or from its licence files' wording.

    Asked in this order: ``License-Expression`` (PEP 639), classifiers, the free ``License``
    field, the text of licence files. Both fields are read as SPDX expressions, with names that
    people use in place of identifiers (``BSD 3-Clause OR Apache-2.0``).
    """
    tables = _tables()
    if expression.strip():
        written = _spdx(expression) or expression.strip()
        return Licence(written, is_permissive(written), "expression")
    named = [tables["classifiers"].get(c.rpartition("::")[2].strip()) for c in classifiers]
    found = sorted({name for name in named if name})
    if found:
        # Several classifiers usually offer a choice.
        text = " OR ".join(found)
        return Licence(text, is_permissive(text), "classifier")
    if spdx := _spdx(field):
        return Licence(spdx, is_permissive(spdx), "field")
    # A long field is the licence's text itself.
    for text, source in [(field, "field"), *((text, "file") for text in texts)]:
        for pattern in tables["texts"]:
            if re.search(pattern["pattern"], re.sub(r"\s+", " ", text), re.IGNORECASE):
                spdx = str(pattern["spdx"])
                return Licence(spdx, is_permissive(spdx), source)
    return Licence("unknown", False, "none")


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
        text = re.sub(r"[\w.+-]+", lambda name: _word(name[0]), written)
        return _holds(ast.parse(text, mode="eval").body)
    except (InvalidLicenseExpression, SyntaxError, RecursionError, MemoryError):
        return False


_LONGEST_EXPRESSION = 1000


def _word(name: str) -> str:
    return name.lower() if name in ("AND", "OR") else str(name.lower() in _tables()["permissive"])


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


@dataclass(frozen=True, slots=True)
class Origin:
    """A package that code was taken from.

    ``url`` is the project's own, ``sha256`` that of the archive (of a folder: of its files' names
    and contents), ``date`` the day of an archive's newest file (``2026-08-01``) or of ``commit``,
    which a repository was read at, ``notice`` the copyright lines of its licence files. Each is
    empty where the package does not say.
    """

    package: str = ""
    version: str = ""
    licence: str = ""
    url: str = ""
    sha256: str = ""
    date: str = ""
    notice: tuple[str, ...] = ()
    commit: str = ""
    folder: bool = False
    """Whether it was a folder, which nobody else has."""

    def to_json(self) -> dict[str, Any]:
        """Return it as a part of a task's row; ``commit`` and ``folder`` where it has them."""
        row = {**asdict(self), "notice": list(self.notice)}
        return {k: v for k, v in row.items() if v or k not in ("commit", "folder")}


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
            if re.search(r"\d{4}", words) and len(found) < MOST_NOTICES:
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


LARGEST = 100 << 20
"""Bytes of an archive that is fetched."""
_PASSED_OVER = re.compile(r"^\s*Skipping link: No sources permitted for \S+: (\S+)", re.MULTILINE)
_REMEDY = "download its source archive yourself and give the file with --with"


def source_archive(name: str, version: str, folder: Path) -> Path:
    """Return the source archive of a version of a package on the index, fetched into ``folder``.

    Nothing of it is run. Raises InputError where there is none, or none that can be fetched.
    """
    folder.mkdir(parents=True, exist_ok=True)
    address = _address(name, version, folder)
    path = folder / _file_name(address)
    try:
        trusted = ssl.create_default_context(cafile=os.environ.get("PIP_CERT"))
        with urllib.request.urlopen(address, timeout=DOWNLOAD_SECONDS, context=trusted) as answer:
            data = _read(answer)
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise InputError(
            f"the source archive of {name} cannot be fetched: {error}", remedy=_REMEDY
        ) from None
    if len(data) > LARGEST:
        raise InputError(f"the source archive of {name} has more than {LARGEST >> 20} MiB")
    path.write_bytes(data)
    return path


def _read(answer: Any) -> bytes:
    """Return what a server sends, up to a byte more than is wanted; ValueError if it is cut off."""
    deadline = time.monotonic() + DOWNLOAD_SECONDS
    data = bytearray()
    while len(data) <= LARGEST and (part := answer.read1(1 << 16)):
        data += part
        if time.monotonic() > deadline:
            raise ValueError(f"it took more than {DOWNLOAD_SECONDS:g} s")
    wanted = str(answer.headers.get("Content-Length", ""))
    if wanted.isdigit() and len(data) < min(int(wanted), LARGEST):
        raise ValueError(f"{len(data)} of {wanted} bytes came")
    return bytes(data)


def _address(name: str, version: str, folder: Path) -> str:
    """Return where pip says that a source archive is."""
    command = [sys.executable, "-m", "pip", "download", "-vv", "--no-deps", "--no-color"]
    command += ["--disable-pip-version-check", "--only-binary", ":all:", "--dest", str(folder)]
    try:
        done = subprocess.run(
            [*command, f"{name}=={version}"],
            capture_output=True,
            text=True,
            timeout=DOWNLOAD_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"asking for {name} took more than {DOWNLOAD_SECONDS:g} s") from None
    for address in _PASSED_OVER.findall(done.stdout):
        try:
            found = parse_sdist_filename(_file_name(address))
            if found == (canonicalize_name(name), Version(version)):
                return str(address)
        except (InvalidSdistFilename, InvalidVersion):
            continue
    raise InputError(f"pip knows no source archive of {name} {version}", remedy=_REMEDY)


def _file_name(address: str) -> str:
    return PurePosixPath(unquote(urlsplit(address).path)).name


DOWNLOAD_SECONDS = 300.0
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

    name: str
    version: str
    licence: Licence
    origin: Origin
    files: Mapping[str, SourceFile]
    """Dotted module name -> file."""
    requires: tuple[str, ...] = ()
    compiled: frozenset[str] = frozenset()
    """Dotted names of modules that exist as compiled extensions."""
    data: Mapping[str, str] = field(default_factory=dict)
    """Path beside the modules -> stored path, of files that are no code."""
    members: Sequence[str] = ()
    """Stored paths of all files, tests too."""
    _read: Callable[[str], bytes] = field(default=lambda path: b"", repr=False)
    _close: Callable[[], None] = field(default=lambda: None, repr=False)

    def text(self, file: SourceFile) -> str:
        """Return a module's source with plain newlines; ValueError where it is no Python text."""
        try:
            data = self._read(file.path)
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

    def data_file(self, stored: str) -> bytes:
        """Return the contents of a file, by its stored path."""
        return self._read(stored)

    def __exit__(self, *details: object) -> None:
        """Close the archive."""
        self._close()


_ABSENT = "No matching distribution found"
"""What pip says of what the index does not have."""


def is_absent(error: InputError) -> bool:
    """Return whether ``download`` found that there is no such thing to have."""
    return _ABSENT in str(error)


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
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--disable-pip-version-check", "--only-binary", ":all:", "--dest", str(folder)]
    command += ["--platform", "any"] if is_pure else []
    try:
        done = subprocess.run(
            [*command, name], capture_output=True, text=True, timeout=DOWNLOAD_SECONDS, check=False
        )
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
    wanted = re.sub(r"[-_.]+", "_", re.split(r"[<>=!~]", name)[0]).lower()
    version = name.partition("==")[2]
    for path in sorted(folder.glob("*.whl"), reverse=True):
        parts = path.name.lower().split("-")
        if parts[0] == wanted and version in ("", parts[1]):
            return path
    raise InputError(f"pip downloaded no file for {name}")
