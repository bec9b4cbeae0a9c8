"""Short names for files, which distinguish models and name the folders of results."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

# Generic names of this project's own outputs, for which the folder's name is used.
COMMON = frozenset({"suite", "samples", "generations"})
_LONGEST = 60
_MOST_BYTES = 100  # file systems allow 255 of a name, which may hold two of these


def stem(path: str | os.PathLike[str]) -> str:
    """Return a file's name without the extensions of files of rows, compressed or not."""
    name = Path(path).name
    for ending in (".gz", ".zst", ".jsonl", ".ndjson", ".json", ".toml", ".parquet", ".arrow"):
        name = name.removesuffix(ending)
    return name or Path(path).name


def label(path: str | os.PathLike[str]) -> str:
    """Return a name for a file: its stem, or the folder's name if the stem is generic."""
    place = Path(path)
    place = place if place.name else place.resolve()  # the current folder
    name = stem(place)
    if name not in COMMON or place.parent == Path():
        return name
    return place.parent.name if ".." not in place.parts else place.resolve().parent.name or name


def labels(paths: Sequence[str | os.PathLike[str]]) -> list[str]:
    """Return a unique name for each file, with as many parent folders as necessary."""
    names = [label(path) for path in paths]
    parts = [Path(path).resolve().parts for path in paths]
    for depth in range(2, max(map(len, parts), default=0) + 1):
        counts = Counter(names)
        if len(counts) == len(names):
            break
        for number, path in enumerate(paths):
            if counts[names[number]] > 1:
                names[number] = "/".join([*parts[number][-depth:-1], stem(path)])
    return names


def file_name(text: str) -> str:
    """Convert a text for a file's name: letters, digits and ``.+-_``, of limited length."""
    name = re.sub(r"[^\w.+-]+", "_", text)[:_LONGEST].encode()
    return name[:_MOST_BYTES].decode(errors="ignore").strip("._") or "_"
