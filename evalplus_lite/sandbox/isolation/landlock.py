"""Read permissions of a worker in the Landlock tier, and detection of Landlock.

Landlock (Linux ``Documentation/userspace-api/landlock.rst``) grants rights below paths and denies
the rest; a process applies it to itself, without privileges. It cannot revoke part of a grant, so
folders that hold installed packages are granted entry by entry.
"""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

WRITE_FILE, READ_FILE, READ_DIR, TRUNCATE = 1 << 1, 1 << 2, 1 << 3, 1 << 14
READ = READ_FILE | READ_DIR
DEVICES = {
    "/dev/null": READ_FILE | WRITE_FILE | TRUNCATE,
    "/dev/zero": READ_FILE,
    "/dev/random": READ_FILE,
    "/dev/urandom": READ_FILE,
}
# Before it, Landlock does not see that opening a file for reading may also empty it.
TRUNCATION_VERSION = 3


def version() -> int:
    """Return the version of Landlock's interface that the kernel offers; 0 if it has none."""
    # landlock_create_ruleset with LANDLOCK_CREATE_RULESET_VERSION asks for the version only.
    number = ctypes.CDLL(None).syscall(444, None, 0, 1)
    return max(int(number), 0)


def hide_this_process() -> None:
    """Make this process's memory and variables unreadable to others of its uid (not to root).

    The tier's worker may share its uid with us; Landlock and the call filter already keep it out.
    """
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE: off, so /proc/PID is root's


def rules(libraries: Iterable[str], readable: Iterable[str]) -> list[tuple[str, int]]:
    """Return [path, rights] for a worker: system and interpreter ``libraries`` without the
    installed packages in them, and all of ``readable``."""
    granted = dict(DEVICES)
    for path in libraries:
        granted.update(_without_packages(Path(os.path.realpath(path))))
    granted.update((os.path.realpath(path), rights_on(path)) for path in readable)
    return list(granted.items())


def rights_on(path: str | Path) -> int:
    """Return the rights to read a path: a file has no entries to list."""
    return READ if os.path.isdir(path) else READ_FILE


def _without_packages(path: Path, depth: int = 2) -> Iterator[tuple[str, int]]:
    """Yield the grants below a folder of libraries, down to where packages may lie."""
    if not path.is_dir():
        yield str(path), READ_FILE
        return
    if (path / "os.py").exists():
        yield str(path), READ_DIR  # also names further below: the import system lists folders
    for entry in sorted(path.iterdir()):
        if entry.name.endswith("-packages") or not entry.exists():
            continue
        if depth and entry.name.startswith("python3") and entry.is_dir():
            yield from _without_packages(entry, depth - 1)
        else:
            yield str(entry.resolve()), rights_on(entry)


def reachable_by_all(paths: Iterable[str]) -> bool:
    """Return whether any user may enter the folders above the paths, and read the paths."""
    for path in paths:
        place = Path(os.path.realpath(path))
        for folder in place.parents:
            if not folder.stat().st_mode & stat.S_IXOTH:
                return False
        mode = place.stat().st_mode
        if not mode & stat.S_IROTH or (place.is_dir() and not mode & stat.S_IXOTH):
            return False
    return True
