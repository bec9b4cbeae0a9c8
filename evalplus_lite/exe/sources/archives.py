"""Opening wheels, source archives and folders: which files are modules, and of what name."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from packaging.metadata import RawMetadata, parse_email

from evalplus_lite.errors import InputError
from evalplus_lite.exe.sources.packages import (
    MAX_FILE,
    Origin,
    PackageSource,
    SourceFile,
    hash_of,
    identify,
    notices,
    origin_address,
)
from evalplus_lite.exe.sources.unpacking import (
    MAX_MEMBERS,
    Members,
    open_tar,
    open_zip,
    reported,
    usable,
)

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
        url=origin_address(metadata),
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
