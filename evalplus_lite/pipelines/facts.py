"""What a result rests on: version, date, limits, hashes of data and samples."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from operator import itemgetter
from pathlib import Path
from typing import Any

from evalplus_lite import __version__
from evalplus_lite.errors import InputError, shown_path
from evalplus_lite.execution.base import Backend
from evalplus_lite.pipelines.datasets import content_hash
from evalplus_lite.store.locations import Folder, Place, is_folder
from evalplus_lite.store.opening import opened
from evalplus_lite.tasks import Dataset

_CHUNK = 1 << 20


def now() -> datetime:
    """Return the time that outputs are dated with: ``SOURCE_DATE_EPOCH``'s, if that is set.

    https://reproducible-builds.org/specs/source-date-epoch: whole seconds since 1970, UTC.
    """
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not given:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        return datetime.fromtimestamp(int(given), UTC)
    except (ValueError, OverflowError, OSError):
        raise InputError(
            f"SOURCE_DATE_EPOCH is {given[:40]!r}", remedy="give whole seconds since 1970"
        ) from None


def run_facts(
    data: Dataset | None = None,
    *,
    pool: Backend | None = None,
    samples: Iterable[Place] = (),
    **settings: Any,
) -> dict[str, Any]:
    """Return what a summary says of the run that wrote it: version, date, Python, then what there
    is of the sandbox's tier, the hashes of data and sample files, and these settings.

    ``date`` is the only value that differs between two runs of one command on one machine. The
    tier is found by probing, if nothing ran there yet.
    """
    date = now().strftime("%Y-%m-%dT%H:%M:%SZ")
    found: dict[str, Any] = {
        "version": __version__,
        "date": date,
        "python": platform.python_version(),
    }
    if pool is not None:
        found["sandbox"] = pool.tier
    if data is not None:
        found["data"] = {"name": data.name, "content": content_hash(data)}
    if files := file_facts(samples):
        found["samples"] = files
    return {**found, **settings}


def file_facts(paths: Iterable[Place]) -> list[dict[str, str]]:
    """Return the path, as given, and the SHA-256 of each file or folder.

    A folder's is that of the names and hashes of the files in it, a line each, sorted by name.
    """
    return [{"path": shown_path(path), "sha256": sha256_of(path)} for path in paths]


def sha256_of(place: Place) -> str:
    """Return the SHA-256 of a file's bytes, or of a folder's names and contents."""
    if not is_folder(place):
        return _of_file(place)
    files: Iterable[tuple[str, Place]] = (
        ((name, f"{place.rstrip('/')}/{name}") for name in Folder(place).names())
        if isinstance(place, str)
        else _below(place)
    )
    lines = (f"{_of_file(file)}  {name}\n" for name, file in sorted(files, key=itemgetter(0)))
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _below(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in folder.rglob("*"):
        if path.is_file() and not any(
            part.startswith((".", "__")) for part in path.relative_to(folder).parts
        ):
            yield path.relative_to(folder).as_posix(), path


def _of_file(place: Place) -> str:
    digest = hashlib.sha256()
    with opened(place, packed=True) as file:
        while data := file.read(_CHUNK):
            digest.update(data)
    return digest.hexdigest()
