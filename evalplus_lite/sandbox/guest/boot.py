"""The first code in a worker's bare interpreter: gives up privileges, then loads the rest.

Like the rest (``isolation.command.inside_text``) it is sent as *text* and imports the standard
library only. Its arguments are the descriptors of the control socket and of the progress page, and
settings as JSON:

``uid``: the unprivileged uid to become, or null; ``privilege``: whether to keep the capability to
read in spite of file modes (an interpreter below ``/root`` cannot be reached without); ``rules``:
[path, rights] pairs of a Landlock ruleset, or null for none; ``parent``: the supervisor's pid where
it is this process's parent; ``path``, ``packages``, ``preload``: importable folders, packages and
modules to import.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import importlib.machinery
import importlib.util
import json
import os
import signal
import socket
import struct
import sys
import types
from collections.abc import Sequence
from typing import Any

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_KEEPCAPS, PR_SET_NO_NEW_PRIVS = 1, 4, 8, 38
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2
CAPABILITY_VERSION = 0x20080522
# Called by number: the C libraries that this runs with do not wrap Landlock.
LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446
NOBODY = 65534  # the kernel's overflow uid, which every user namespace knows
libc = ctypes.CDLL(None, use_errno=True)


def ruleset(rules: list[tuple[str, int]]) -> int:
    """Return the descriptor of a Landlock ruleset that handles all this kernel knows.

    What is handled and not granted by a rule is denied: every right on every file, TCP (from
    version 4), and signals and abstract sockets beyond this process's own kind (from version 6).
    """
    version = libc.syscall(LANDLOCK_CREATE, None, 0, 1)
    # A kernel rejects bits that it does not know, so each version is passed exactly its own: file
    # rights by version, then both TCP rights, then both scopes.
    files = (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)) - 1
    fields = [files] + [3] * (version >= 4) + [3] * (version >= 6)
    attribute = struct.pack(f"<{len(fields)}Q", *fields)
    handle = libc.syscall(LANDLOCK_CREATE, attribute, len(attribute), 0)
    if handle < 0:
        raise OSError(ctypes.get_errno(), "landlock_create_ruleset")
    for path, rights in rules:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            continue  # a path that is not there needs no right
        try:
            rule = struct.pack("<Qi", rights & files, place)
            if libc.syscall(LANDLOCK_ADD, handle, 1, rule, 0):
                raise OSError(ctypes.get_errno(), f"landlock_add_rule {path}")
        finally:
            os.close(place)
    return int(handle)


def become(uid: int | None, privilege: bool) -> None:
    """Change to an unprivileged uid, keeping at most the capability to pass file modes."""
    if uid is not None:
        # Without this the change of uid drops all capabilities; those not needed are dropped below.
        libc.prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0)
        with contextlib.suppress(PermissionError):  # some user namespaces do not allow it
            os.setgroups([])
        for candidate in (uid, NOBODY):
            try:
                # Groups first, because no privilege is left to change them afterwards. Real,
                # effective and saved ids alike, so that no old one can be restored.
                os.setresgid(candidate, candidate, candidate)
                os.setresuid(candidate, candidate, candidate)
                break
            except OSError as error:
                # A container may map few ids, or only one: then being uid 0 is not a privilege.
                if error.errno not in (errno.EINVAL, errno.EPERM):
                    raise
    header = struct.pack("<Ii", CAPABILITY_VERSION, 0)
    held = ctypes.create_string_buffer(24)
    libc.capget(header, held)
    permitted = struct.unpack_from("<3I", held)[1]
    kept = 0
    for capability in (CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE):
        if privilege and not kept:
            kept = permitted & 1 << capability
    # Effective and permitted sets become ``kept``; nothing is inheritable.
    if libc.capset(header, struct.pack("<6I", kept, kept, 0, 0, 0, 0)):
        raise OSError(ctypes.get_errno(), "capset")


class Finder:
    """Finds the allowed packages where they are installed, and none of their neighbours."""

    def __init__(self, packages: dict[str, str]) -> None:
        self.packages = packages

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return where a package's code is, if it is one of the allowed ones."""
        origin = self.packages.get(name)
        if origin is None:
            return None
        if not os.path.isdir(origin):
            return importlib.util.spec_from_file_location(name, origin)
        init = os.path.join(origin, "__init__.py")
        return importlib.util.spec_from_file_location(
            name, init, submodule_search_locations=[origin]
        )


def main(control_handle: int, page: int, settings: dict[str, Any]) -> None:
    """Confine this process according to the settings, then serve as a worker."""
    control = socket.socket(fileno=control_handle)
    size = int.from_bytes(control.recv(4, socket.MSG_WAITALL), "little")
    text = control.recv(size, socket.MSG_WAITALL).decode()
    # The order matters: rules name paths that are opened here, as only root may enter some of them;
    # then privileges go; then Landlock, which an unprivileged process may only use with
    # NO_NEW_PRIVS set; and the program's packages are looked up under the remaining rights.
    rules = None if settings["rules"] is None else ruleset(settings["rules"])
    become(settings["uid"], settings["privilege"])
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)  # others of this uid can neither read nor trace it
    # Die with the supervisor. The change of uid cleared any setting of bubblewrap's.
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    # It may have died before that call: then no signal will come.
    if settings["parent"] is not None and os.getppid() != settings["parent"]:
        os._exit(0)
    if rules is not None:
        if libc.syscall(LANDLOCK_RESTRICT, rules, 0):
            raise OSError(ctypes.get_errno(), "landlock_restrict_self")
        os.close(rules)
    sys.path[:0] = settings["path"]
    if settings["packages"]:
        sys.meta_path.append(Finder(settings["packages"]))
    module = types.ModuleType("sandbox_inside")
    sys.modules["sandbox_inside"] = module
    # In one namespace, so that the parts need no way to import each other.
    for part in text.split("\0"):
        exec(compile(part, "<sandbox>", "exec"), module.__dict__)
    module.main(control, page, settings["preload"])


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3]))
