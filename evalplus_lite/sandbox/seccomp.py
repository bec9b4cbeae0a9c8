"""The system-call filter that a child puts on itself before it runs a program.

A classic BPF program over ``struct seccomp_data`` (Linux ``Documentation/userspace-api/
seccomp_filter.rst``), assembled here because the rules need argument checks (threads but no
processes, signals to oneself only) and nothing that a library would add. Denied calls return
EPERM; ``clone3`` returns ENOSYS so that the C library falls back to ``clone``, whose flags a filter
can see.
"""

from __future__ import annotations

import errno
import platform
import struct
from dataclasses import dataclass

LOAD, JUMP_EQUAL, JUMP_GREATER_EQUAL, JUMP_SET, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, ERRNO, KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000
NUMBER_AT, ARCH_AT, ARGUMENT_AT = 0, 4, 16
CLONE_THREAD = 0x00010000
X32_BIT = 0x40000000

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# name: (x86_64, aarch64); None where the architecture has no such call.
DENIED: dict[str, tuple[int | None, int | None]] = {
    # processes
    "fork": (57, None),
    "vfork": (58, None),
    "execve": (59, 221),
    "execveat": (322, 281),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "kcmp": (312, 272),
    "setpriority": (141, 140),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "ioprio_set": (251, 30),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "setsid": (112, 157),
    "setpgid": (109, 154),
    # namespaces, mounts, the system
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "mount_setattr": (442, 442),
    "personality": (135, 92),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "syslog": (103, 116),
    "quotactl": (179, 60),
    "reboot": (169, 142),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "kexec_load": (246, 104),
    "fanotify_init": (300, 262),
    # network and whatever outlives a process
    "socket": (41, 198),
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "setuid": (105, 146),
    "setresuid": (117, 147),
    "setreuid": (113, 145),
    "setgroups": (116, 159),
    "capset": (126, 91),
}
CLONE, CLONE3 = (56, 220), (435, 435)
PRLIMIT64 = (302, 261)
# Calls whose first argument names the process they act on: allowed on oneself only.
SIGNALS = {
    "kill": (62, 129),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
}
TKILL = (200, 130)


@dataclass(frozen=True, slots=True)
class Filter:
    """An assembled program, and where the process's own pid has to be written into it."""

    code: bytes
    own_pid_offsets: tuple[int, ...]


def is_supported() -> bool:
    """Whether the numbers above cover this machine's architecture."""
    return platform.machine() in ARCHITECTURES


def assemble(machine: str | None = None) -> Filter:
    """Return the filter for ``machine`` (default: this one); KeyError where it is not covered."""
    machine = machine or platform.machine()
    column = list(ARCHITECTURES).index(machine)
    code: list[bytes] = []
    pid_offsets: list[int] = []

    def emit(operation: int, operand: int, if_true: int = 0, if_false: int = 0) -> None:
        code.append(struct.pack("<HBBI", operation, if_true, if_false, operand))

    def deny(number: int, error: int = errno.EPERM) -> None:
        emit(JUMP_EQUAL, number, 0, 1)
        emit(RETURN, ERRNO | error)

    emit(LOAD, ARCH_AT)
    emit(JUMP_EQUAL, ARCHITECTURES[machine], 1, 0)
    emit(RETURN, KILL_PROCESS)
    emit(LOAD, NUMBER_AT)
    if machine == "x86_64":
        emit(JUMP_GREATER_EQUAL, X32_BIT, 0, 1)
        emit(RETURN, ERRNO | errno.EPERM)
    deny(CLONE3[column], errno.ENOSYS)
    deny(TKILL[column])
    for numbers in DENIED.values():
        number = numbers[column]
        if number is not None:
            deny(number)
    emit(JUMP_EQUAL, CLONE[column], 0, 4)
    emit(LOAD, ARGUMENT_AT)
    emit(JUMP_SET, CLONE_THREAD, 0, 1)
    emit(RETURN, ALLOW)
    emit(RETURN, ERRNO | errno.EPERM)
    # From here on a matched call loads its argument, so each rule ends in a return.
    emit(JUMP_EQUAL, PRLIMIT64[column], 0, 4)
    emit(LOAD, ARGUMENT_AT)
    emit(JUMP_EQUAL, 0, 0, 1)
    emit(RETURN, ALLOW)
    emit(RETURN, ERRNO | errno.EPERM)
    for numbers_ in SIGNALS.values():
        emit(JUMP_EQUAL, numbers_[column], 0, 4)
        emit(LOAD, ARGUMENT_AT)
        pid_offsets.append(len(code) * 8 + 4)
        emit(JUMP_EQUAL, 0, 0, 1)
        emit(RETURN, ALLOW)
        emit(RETURN, ERRNO | errno.EPERM)
    emit(RETURN, ALLOW)
    return Filter(b"".join(code), tuple(pid_offsets))
