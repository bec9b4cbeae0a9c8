"""The system-call filter that a child puts on itself before it runs a program.

A classic BPF program over ``struct seccomp_data`` (Linux ``Documentation/userspace-api/
seccomp_filter.rst``), assembled here because the rules need argument checks (threads but no
processes, signals to oneself only) and nothing that a library would add. What is not listed in
``syscalls`` as allowed returns EPERM; ``clone3`` and ``openat2``, whose arguments a filter cannot
see, and calls newer than its list return ENOSYS so that callers fall back to others.

The numbers are searched by halving, not one after the other: the kernel runs a new filter once
for every call number when it is installed, which is once a program.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from evalplus_lite.sandbox.isolation.syscalls import (
    ALLOWED,
    ATTRIBUTES,
    CLONE,
    CLONE3,
    FCNTL,
    IOCTL,
    NEWEST,
    OPEN,
    OPENAT,
    OPENAT2,
    OWN_FILES,
    PRCTL,
    PRLIMIT64,
    SENDTO,
    SIGNALS,
    SOCKETPAIR,
    WRITES,
    Numbers,
)

LOAD, JUMP, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_ANY_BIT, RETURN = 0x20, 0x05, 0x15, 0x35, 0x45, 0x06
ALLOW, ERRNO, KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000
NUMBER_AT, ARCH_AT, ARGUMENTS_AT = 0, 4, 16
CLONE_THREAD = 0x00010000
AF_UNIX = 1
# Numbers from here on are those of the x32 interface: another way into the same calls.
X32 = 1 << 30
WRITING_FLAGS = 0o3 | 0o100 | 0o1000  # O_WRONLY, O_RDWR, O_CREAT, O_TRUNC

FCNTL_ALLOWED = {
    "F_DUPFD": 0,
    "F_GETFD": 1,
    "F_SETFD": 2,
    "F_GETFL": 3,
    "F_SETFL": 4,
    "F_GETLK": 5,
    "F_DUPFD_CLOEXEC": 1030,
    "F_GETPIPE_SZ": 1032,
}
# For a program with files of its own: locks on others' are felt by them.
FCNTL_LOCKS = {"F_SETLK": 6, "F_SETLKW": 7, "F_OFD_SETLK": 37, "F_OFD_SETLKW": 38}
IOCTL_ALLOWED = {
    "TCGETS": 0x5401,
    "TIOCGWINSZ": 0x5413,
    "FIONREAD": 0x541B,
    "FIONBIO": 0x5421,
    "FIONCLEX": 0x5450,
    "FIOCLEX": 0x5451,
    "TCGETS2": 0x802C542A,
}
PRCTL_ALLOWED = {"PR_GET_DUMPABLE": 3, "PR_SET_NAME": 15, "PR_GET_NAME": 16}
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# How much of the file system the filter guards, beyond what the tier does: nothing (it has its
# own), attributes (modes, owners, times: what Landlock leaves open), or every change.
Files = Literal["free", "attributes", "writes"]


@dataclass(frozen=True, slots=True)
class AssembledFilter:
    """An assembled program, and where the process's own pid has to be written into it."""

    code: bytes
    own_pid_offsets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Step:
    """One instruction; ``own_pid`` marks an operand to be filled in by the process itself."""

    operation: int
    operand: int = 0
    if_true: int = 0
    if_false: int = 0
    own_pid: bool = False


_Block = list[_Step]


def is_supported() -> bool:
    """Whether the numbers in ``syscalls`` cover this machine's architecture."""
    return platform.machine() in ARCHITECTURES


def assemble(files: Files = "free", machine: str | None = None) -> AssembledFilter:
    """Return the filter for ``machine`` (default: this one); KeyError if it is not covered."""
    machine = machine or platform.machine()
    column = list(ARCHITECTURES).index(machine)
    blocks: dict[int, _Block] = {}

    def rule(numbers: Numbers, block: _Block) -> None:
        number = numbers[column]
        if number is not None:
            blocks[number] = block

    allowed = dict(ALLOWED)
    # With mounts of its own a program may change what it can reach. Landlock guards contents but
    # not attributes; without either the filter also has to refuse every opening for writing.
    if files == "free":
        allowed |= ATTRIBUTES | OWN_FILES
    if files != "writes":
        allowed |= WRITES | {"open": OPEN, "openat": OPENAT}
    for numbers in allowed.values():
        rule(numbers, [_allow()])
    if files == "writes":
        rule(OPEN, [*_load(1), *_unless_bits(WRITING_FLAGS)])
        rule(OPENAT, [*_load(2), *_unless_bits(WRITING_FLAGS)])
    # Their arguments lie in memory, which a filter cannot read: callers fall back on ENOSYS.
    rule(OPENAT2, _fail(errno.ENOSYS))
    rule(CLONE3, _fail(errno.ENOSYS))
    # A thread, never a process: CLONE_THREAD is set for the former only.
    rule(CLONE, [*_load(0), _Step(JUMP_ANY_BIT, CLONE_THREAD, 0, 1), _allow(), *_fail()])
    rule(PRLIMIT64, [*_load(0), *_only([0])])  # pid 0: this process's own limits
    rule(SOCKETPAIR, [*_load(0), *_only([AF_UNIX])])
    # A destination: both halves of the pointer are zero where none is given.
    rule(SENDTO, [*_load(4), _Step(JUMP_EQUAL, 0, 1, 0), *_fail(), *_load(4, 4), *_only([0])])
    locks = FCNTL_LOCKS.values() if files == "free" else ()
    rule(FCNTL, [*_load(1), *_only([*FCNTL_ALLOWED.values(), *locks])])
    rule(IOCTL, [*_load(1), *_only(IOCTL_ALLOWED.values(), errno.ENOTTY)])
    rule(PRCTL, [*_load(0), *_only(PRCTL_ALLOWED.values())])
    for numbers in SIGNALS.values():
        rule(numbers, [*_load(0), _Step(JUMP_EQUAL, 0, 0, 1, own_pid=True), _allow(), *_fail()])

    # Numbers mean other calls in another architecture's table (32-bit calls on x86_64, say).
    steps = [_Step(LOAD, ARCH_AT), _Step(JUMP_EQUAL, ARCHITECTURES[machine], 1, 0)]
    steps += [_Step(RETURN, KILL_PROCESS), _Step(LOAD, NUMBER_AT)]
    intervals: list[tuple[int, _Block]] = []
    # Where the decision changes: at every number with a rule, after it, and at the table's ends.
    known = {0, NEWEST + 1, X32, *blocks, *(number + 1 for number in blocks)}
    for number in sorted(known):
        otherwise = _fail(errno.ENOSYS if NEWEST < number < X32 else errno.EPERM)
        block = blocks.get(number, otherwise)
        if not intervals or intervals[-1][1] != block:
            intervals.append((number, block))
    steps += _search(intervals)
    code = b"".join(
        struct.pack("<HBBI", s.operation, s.if_true, s.if_false, s.operand) for s in steps
    )
    return AssembledFilter(code, tuple(8 * i + 4 for i, step in enumerate(steps) if step.own_pid))


def _search(intervals: list[tuple[int, _Block]]) -> _Block:
    """Return steps that find the interval of the loaded number and do as its block says."""
    if len(intervals) == 1:
        return intervals[0][1]
    middle = len(intervals) // 2
    low, high = _search(intervals[:middle]), _search(intervals[middle:])
    start = intervals[middle][0]
    if len(low) < 256:  # what a conditional jump can skip
        return [_Step(JUMP_AT_LEAST, start, len(low), 0), *low, *high]
    return [_Step(JUMP_AT_LEAST, start, 0, 1), _Step(JUMP, len(low)), *low, *high]


def _allow() -> _Step:
    return _Step(RETURN, ALLOW)


def _fail(error: int = errno.EPERM) -> _Block:
    return [_Step(RETURN, ERRNO | error)]


def _load(argument: int, offset: int = 0) -> _Block:
    """Load the low half of an argument (or the high one, at offset 4)."""
    return [_Step(LOAD, ARGUMENTS_AT + 8 * argument + offset)]


def _unless_bits(mask: int) -> _Block:
    return [_Step(JUMP_ANY_BIT, mask, 0, 1), *_fail(), _allow()]


def _only(values: Iterable[int], error: int = errno.EPERM) -> _Block:
    block = []
    for value in values:
        block += [_Step(JUMP_EQUAL, value, 0, 1), _allow()]
    return [*block, *_fail(error)]
