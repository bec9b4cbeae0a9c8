"""Where packages come from: wheels, source archives, folders, and names on the package index.

A package is only ever *read*. Nothing of it is installed, built, imported or run here, and one
package is open at a time.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from evalplus_lite.errors import InputError
from evalplus_lite.mining.sources.licence import Licence
from evalplus_lite.mining.sources.origin import Origin

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
