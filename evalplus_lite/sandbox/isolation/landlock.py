"""Read permissions of a worker in the Landlock tier, and detection of Landlock.

Landlock (Linux ``Documentation/userspace-api/landlock.rst``) grants rights below paths and denies
the rest; a process applies it to itself, without privileges. It cannot revoke part of a grant, so
folders with installed packages are granted entry by entry.
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
# Before this version, Landlock does not prevent truncating a file by opening it for reading.
TRUNCATION_VERSION = 3


def version() -> int:
    """Return the kernel's version of the Landlock interface; 0 if it has none."""
    # landlock_create_ruleset with LANDLOCK_CREATE_RULESET_VERSION only returns the version.
    number = ctypes.CDLL(None).syscall(444, None, 0, 1)
    return max(int(number), 0)


def hide_this_process() -> None:
    """Make this process's memory and environment unreadable for others with its uid (except root).

    The tier's worker may share our uid; Landlock and the system-call filter already exclude it.
    """
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE: off, so /proc/PID is root's


def rules(libraries: Iterable[str], readable: Iterable[str]) -> list[tuple[str, int]]:
    """Return [path, rights] pairs for a worker: system and interpreter ``libraries``, without the
    installed packages in them, and everything in ``readable``."""
    granted = dict(DEVICES)
    for path in libraries:
        granted.update(_without_packages(Path(os.path.realpath(path))))
    granted.update((os.path.realpath(path), rights_on(path)) for path in readable)
    return list(granted.items())


def rights_on(path: str | Path) -> int:
    """Return the rights for reading a path, which for a file exclude listing."""
    return READ if os.path.isdir(path) else READ_FILE


def _without_packages(path: Path, depth: int = 2) -> Iterator[tuple[str, int]]:
    """Yield the grants below a folder of libraries, down to the level of packages."""
    if not path.is_dir():
        yield str(path), READ_FILE
        return
    if (path / "os.py").exists():
        yield str(path), READ_DIR  # the import system lists folders
    for entry in sorted(path.iterdir()):
        if entry.name.endswith("-packages") or not entry.exists():
            continue
        if depth and entry.name.startswith("python3") and entry.is_dir():
            yield from _without_packages(entry, depth - 1)
        else:
            yield str(entry.resolve()), rights_on(entry)


def reachable_by_all(paths: Iterable[str]) -> bool:
    """Return whether all users may enter the paths' parent folders and read the paths."""
    for path in paths:
        place = Path(os.path.realpath(path))
        for folder in place.parents:
            if not folder.stat().st_mode & stat.S_IXOTH:
                return False
        mode = place.stat().st_mode
        if not mode & stat.S_IROTH or (place.is_dir() and not mode & stat.S_IXOTH):
            return False
    return True
