"""The first code in a worker's bare interpreter: it gives up privileges, then loads the rest.

Like the rest (``isolation.command.inside_text``) it is sent as *text* and imports only the standard
library. Its arguments are the descriptors of the control socket and of the progress page, and
settings as JSON:

``uid``: the unprivileged uid to become, or null; ``privilege``: whether to keep the capability to
read regardless of file modes (required for an interpreter below ``/root``); ``rules``: [path,
rights] pairs of a Landlock ruleset, or null; ``parent``: the supervisor's pid if it is this
process's parent; ``path``, ``packages``, ``preload``: importable folders and packages, and modules
to import.
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
# Called by number, because the C libraries in use do not wrap Landlock.
LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446
NOBODY = 65534  # the kernel's overflow uid, which exists in every user namespace
libc = ctypes.CDLL(None, use_errno=True)


def ruleset(rules: list[tuple[str, int]]) -> int:
    """Return the descriptor of a Landlock ruleset that handles everything this kernel supports.

    Handled rights are denied unless a rule grants them: all rights on files, TCP (from version 4),
    and signals and abstract sockets outside this domain (from version 6).
    """
    version = libc.syscall(LANDLOCK_CREATE, None, 0, 1)
    # A kernel rejects unknown bits, so each version gets exactly its own: file rights by version,
    # then both TCP rights, then both scopes.
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
            continue  # a missing path needs no right
        try:
            rule = struct.pack("<Qi", rights & files, place)
            if libc.syscall(LANDLOCK_ADD, handle, 1, rule, 0):
                raise OSError(ctypes.get_errno(), f"landlock_add_rule {path}")
        finally:
            os.close(place)
    return int(handle)


def become(uid: int | None, privilege: bool) -> None:
    """Change to an unprivileged uid, keeping at most the capability to bypass file modes."""
    if uid is not None:
        # Otherwise the change of uid drops all capabilities; unneeded ones are dropped below.
        libc.prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0)
        with contextlib.suppress(PermissionError):  # some user namespaces do not allow it
            os.setgroups([])
        for candidate in (uid, NOBODY):
            try:
                # Groups first, because no privilege is left to change them afterwards. Set real,
                # effective and saved ids, so that no old one can be restored.
                os.setresgid(candidate, candidate, candidate)
                os.setresuid(candidate, candidate, candidate)
                break
            except OSError as error:
                # A container may map few ids, or only one, and then uid 0 is not a privilege.
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
    """Finds the allowed packages where they are installed, but none of their neighbors."""

    def __init__(self, packages: dict[str, str]) -> None:
        self.packages = packages

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the location of a package's code, if the package is allowed."""
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
    # The order matters: open the paths of rules, some of which only root may enter; drop
    # privileges; apply Landlock, which an unprivileged process may only use with NO_NEW_PRIVS set;
    # and look up the program's packages with the remaining rights.
    rules = None if settings["rules"] is None else ruleset(settings["rules"])
    become(settings["uid"], settings["privilege"])
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)  # others with this uid can neither read nor trace it
    # Die with the supervisor. The change of uid cleared any such setting of bubblewrap.
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    # If it died before that call, no signal will come.
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
    # In one namespace, so that the parts need not import each other.
    for part in text.split("\0"):
        exec(compile(part, "<sandbox>", "exec"), module.__dict__)
    module.main(control, page, settings["preload"])


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3]))
