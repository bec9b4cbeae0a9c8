"""Lists of packages in files: a line each, or the index's most downloaded ones as JSON."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement

from evalplus_lite.errors import InputError
from evalplus_lite.exe.sources.repositories import is_repository
from evalplus_lite.exe.work import is_path
from evalplus_lite.store.reading import read_text

MOST_BYTES = 64 << 20
LONGEST = 200
"""Characters of a line that a message shows."""
NAMES = ("project", "name", "package")


def listed_packages(path: Path) -> list[str]:
    """Return the packages that a file lists, each once.

    A line is a name (``idna``, ``idna==3.20``), a path of a wheel, source archive or folder, or a
    repository (``git+https://...@COMMIT``); what follows ``#`` after a space, markers, extras and
    hashes count nothing. Or the file is JSON: a list of names, or of objects with one, perhaps
    below ``rows``. InputError names file and line.
    """
    text = read_text(path, max_bytes=MOST_BYTES)
    found = _of_json(path, text) if text.lstrip()[:1] in ("[", "{") else _of_lines(path, text)
    packages = list(dict.fromkeys(found))
    if not packages:
        raise InputError("lists no package", path=path, remedy="write a name on each line")
    return packages


def _of_lines(path: Path, text: str) -> Iterator[str]:
    begun = ""
    for number, line in enumerate(text.splitlines(), 1):
        words = begun + f" {line}".split(" #")[0].strip()
        begun = words.removesuffix("\\") if words.endswith("\\") else ""
        if begun:  # as pip-compile writes, whose hashes stand on lines of their own
            continue
        words = re.sub(r"(?<=\S)(\s+--hash=\S+)+$", "", words)
        if not words:
            continue
        if words.startswith("-"):
            raise InputError(
                f"{words.split()[0]!r} is an option of pip",
                path=path,
                line=number,
                remedy="write packages only, one a line",
            )
        yield _named(words, path, number)


def _named(words: str, path: Path, line: int) -> str:
    if is_repository(words) or os.path.exists(words):
        return words
    if is_path(words):
        raise InputError(
            f"{words[:LONGEST]!r}: no such file or folder",
            path=path,
            line=line,
            remedy="download what has an address first; or as in git+https://host/project@commit",
        )
    try:
        asked = Requirement(words)
    except InvalidRequirement as error:
        problem = str(error).splitlines()[0]
        raise InputError(
            f"{words[:LONGEST]!r} is no package: {problem[:LONGEST]}",
            path=path,
            line=line,
            remedy="as in idna, idna==3.20, a path, or git+https://host/project@commit",
        ) from None
    pins = [each for each in asked.specifier if each.operator == "=="]
    if len(pins) != len(asked.specifier) or len(pins) > 1 or "*" in str(asked.specifier):
        raise InputError(
            f"{words!r} leaves the version open",
            path=path,
            line=line,
            remedy="pin it with ==, or leave the version out for the newest",
        )
    return f"{asked.name}=={pins[0].version}" if pins else asked.name


def _of_json(path: Path, text: str) -> Iterator[str]:
    try:
        content: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"is no JSON: {error}", path=path) from None
    rows = content.get("rows") if isinstance(content, dict) else content
    if not isinstance(rows, list):
        raise InputError("holds no list of packages", path=path, remedy='as in {"rows": [...]}')
    for number, row in enumerate(rows):
        name = row
        if isinstance(row, dict):
            name = next((row[key] for key in NAMES if key in row), None)
        if not isinstance(name, str):
            raise InputError(f"its entry {number} names no package", path=path)
        yield _named(name, path, 1)
