"""Files given on the command line: read from a pipe as from a file, and each of them once."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path

import typer

from evalplus_lite.errors import ALIASES, InputError
from evalplus_lite.store.locations import Place

STDIN = Path("-")
MOST_MEMORY = 1 << 20
"""MiB that a program may be allowed."""


def one_path(context: typer.Context, value: str) -> str:
    """Return a data set's name or path; what is piped in is copied to a file first."""
    path = Path(value)
    if context.resilient_parsing:  # a shell completes the line: nothing is read yet
        return value
    return str(_spool(context, path)) if _is_pipe(path) else value


def all_names(context: typer.Context, value: list[str] | None) -> list[str]:
    """Return data sets' names or paths; what is piped in is copied to files first."""
    return [one_path(context, each) for each in value or ()]


def all_paths(context: typer.Context, value: list[Place] | None) -> list[Place] | None:
    """Return paths and URLs, pipes copied to files first; InputError if one is given twice."""
    if context.resilient_parsing:
        return value
    paths: list[Place] = [
        path if isinstance(path, str) or not _is_pipe(path) else _spool(context, path)
        for path in value or ()
    ]
    for number, path in enumerate(paths):
        if any(_is_same(path, other) for other in paths[:number]):
            raise InputError(
                "is given twice", path=path, remedy="its samples would be counted twice"
            )
    return paths or value


def _is_pipe(path: Path) -> bool:
    """Say whether a path can be read only once: standard input, or a pipe."""
    if path == STDIN:
        return True
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISCHR(mode)


def _spool(context: typer.Context, path: Path) -> Path:
    """Copy a pipe to a file that lives as long as the command."""
    shown = "<stdin>" if path == STDIN else str(path)
    if shown in ALIASES.values():
        raise InputError("can be read once only", path=shown, remedy="give one of the two a file")
    root = context.find_root()
    folder = Path(tempfile.mkdtemp(prefix="evalplus_lite-"))
    root.call_on_close(lambda: shutil.rmtree(folder, ignore_errors=True))
    own = path.parent.name != "fd" and path != STDIN
    copy = folder / (path.name if own else "stdin" if path == STDIN else "pipe")
    ALIASES[str(copy)] = shown
    root.call_on_close(lambda: ALIASES.pop(str(copy), None))
    try:
        with copy.open("wb") as file:
            if path == STDIN:
                shutil.copyfileobj(sys.stdin.buffer, file)
            else:
                with path.open("rb") as source:
                    shutil.copyfileobj(source, file)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=shown) from None
    return copy


def mebibytes(value: str) -> int:
    """Return a memory limit in MiB, given as such or with a unit: ``2048``, ``2GiB``.

    Raises InputError for what is none, too little to load in, or more than any program needs:
    whoever means bytes gives a thousand times more than there is, which would bound nothing.
    """
    from evalplus_lite.sandbox.limits import memory_bytes

    text = str(value).strip()
    remedy = "give MiB (16 to 1048576), or a text such as 2GiB"
    try:
        found = memory_bytes(f"{text}MiB" if text.isdecimal() else text) >> 20
    except InputError:
        raise InputError(f"--memory {text}", remedy=remedy) from None
    if found > MOST_MEMORY:
        raise InputError(f"--memory {text} is {found} MiB", remedy=remedy)
    return found


def whole_numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of ``--k``."""
    try:
        found = tuple(int(part) for part in text.split(","))
    except ValueError:
        found = ()
    if not found or min(found) < 1:
        raise InputError(f"--k {text}", remedy="give whole numbers such as 1,10,100")
    return found


def _is_same(one: Place, other: Place) -> bool:
    try:
        return one == other or os.path.samefile(one, other)
    except (OSError, ValueError):
        return False
