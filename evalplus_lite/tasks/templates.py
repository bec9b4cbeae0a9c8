"""Commented examples of each kind of task, as files that a user begins with."""

from __future__ import annotations

import os
from pathlib import Path

from evalplus_lite.errors import InputError
from evalplus_lite.store import write_text


def templates() -> tuple[Path, ...]:
    """Return the files of examples, one a kind: whatever is in the folder ``examples``."""
    return tuple(sorted(Path(__file__).with_name("examples").glob("*.toml")))


def write_templates(folder: str | os.PathLike[str], *, force: bool = False) -> tuple[Path, ...]:
    """Write a commented example of each kind of task into a folder, and return the files.

    The folder is made if need be. Raises InputError, before anything is written, if one of the
    files is there already, unless ``force`` replaces it.
    """
    paths = tuple(Path(folder) / each.name for each in templates())
    for path in paths:
        if path.exists() and not force:
            raise InputError("is there already", path=path, remedy="another folder, or --force")
    for path, each in zip(paths, templates(), strict=True):
        write_text(path, each.read_text(encoding="utf-8"))
    return paths
