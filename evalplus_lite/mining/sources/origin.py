"""Where code comes from, as its licence asks to be told: notice, address, version, hash, date."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from packaging.metadata import RawMetadata

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
