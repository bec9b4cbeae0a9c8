"""The system-call filter that a child installs before it runs a program.

A classic BPF program over ``struct seccomp_data`` (Linux ``Documentation/userspace-api/
seccomp_filter.rst``), assembled here because the rules need argument checks (threads but no
processes, signals only to oneself) and nothing that a library would add. Calls that are not in
``ALLOWED`` return EPERM; ``clone3`` and ``openat2``, whose arguments a filter cannot see, and
calls newer than the list return ENOSYS, so that callers fall back to others.

The numbers are found by binary search, because the kernel runs a new filter once for every call
number when it is installed, which is once per program.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

# Numbers of the system calls in the filter, for x86_64 and aarch64.

Numbers = tuple[int | None, int | None]


def _table(text: str) -> dict[str, Numbers]:
    """Parse calls with their numbers: ``name x86_64 aarch64``, separated by bars and lines.

    A dash means that the call does not exist; a line that begins with ``#`` is a heading.
    """
    rows = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    calls = (call.split() for row in rows for call in row.split("|") if call.strip())
    return {
        name: (None if x86_64 == "-" else int(x86_64), None if aarch64 == "-" else int(aarch64))
        for name, x86_64, aarch64 in calls
    }


# The last number of Linux 5.16. C libraries with later calls must work without them on older
# kernels, so these calls are answered as by such a kernel.
NEWEST = 449

# All calls that a program may make without argument checks: those of CPython 3.11 to 3.13, its
# standard library, threads and numpy, through glibc or musl, in a process without children, network
# or privileges. Excluded with the rest of the kernel: asynchronous I/O and io_uring (whose contexts
# count for the whole machine), all calls on mounts, namespaces, keys, modules, tracing, other
# processes and their priorities, message queues and shared memory that outlive a process, memory
# that no limit counts, locks in memory, and further filters.
ALLOWED = _table("""
    # files and folders that the tier lets it see, and descriptors it has
    read 0 63 | write 1 64 | readv 19 65 | writev 20 66 | pread64 17 67 | pwrite64 18 68
    preadv 295 69 | pwritev 296 70 | preadv2 327 286 | pwritev2 328 287 | lseek 8 62 | close 3 57
    close_range 436 436 | dup 32 23 | dup2 33 - | dup3 292 24 | stat 4 - | fstat 5 80 | lstat 6 -
    newfstatat 262 79 | statx 332 291 | access 21 - | faccessat 269 48 | faccessat2 439 439
    readlink 89 - | readlinkat 267 78 | getdents 78 - | getdents64 217 61 | getcwd 79 17
    chdir 80 49 | fchdir 81 50 | statfs 137 43 | fstatfs 138 44 | ftruncate 77 46 | umask 95 166
    sendfile 40 71
    # memory, counted by its limit
    brk 12 214 | mmap 9 222 | munmap 11 215 | mremap 25 216 | mprotect 10 226 | madvise 28 233
    # threads: of its own process, as clone is looked at
    futex 202 98 | set_robust_list 273 99 | set_tid_address 218 96 | rseq 334 293
    sched_yield 24 124 | sched_getaffinity 204 123 | getcpu 309 168 | gettid 186 178 | exit 60 93
    exit_group 231 94
    # who and where it is; waiting for children that it cannot have
    getpid 39 172 | getppid 110 173 | getpgrp 111 - | getpgid 121 155 | getsid 124 156
    getuid 102 174 | geteuid 107 175 | getgid 104 176 | getegid 108 177 | getresuid 118 148
    getresgid 120 150 | getgroups 115 158 | capget 125 90 | getpriority 140 141 | uname 63 160
    sysinfo 99 179 | getrlimit 97 163 | setrlimit 160 164 | getrusage 98 165 | times 100 153
    wait4 61 260 | waitid 247 95
    # clocks and its own timers
    time 201 - | gettimeofday 96 169 | clock_gettime 228 113 | clock_getres 229 114
    nanosleep 35 101 | clock_nanosleep 230 115 | alarm 37 - | getitimer 36 102 | setitimer 38 103
    pause 34 -
    # signals that it gets
    rt_sigaction 13 134 | rt_sigprocmask 14 135 | rt_sigreturn 15 139 | rt_sigpending 127 136
    rt_sigsuspend 130 133 | rt_sigtimedwait 128 137 | sigaltstack 131 132 | restart_syscall 219 128
    # waiting for descriptors: event loops, and pipes and pairs within the process
    select 23 - | pselect6 270 72 | poll 7 - | ppoll 271 73 | epoll_create 213 -
    epoll_create1 291 20 | epoll_ctl 233 21 | epoll_wait 232 - | epoll_pwait 281 22
    epoll_pwait2 441 441 | eventfd2 290 19 | pipe 22 - | pipe2 293 59 | recvfrom 45 207
    recvmsg 47 212 | shutdown 48 210 | getsockname 51 204 | getpeername 52 205 | getsockopt 55 209
    # chance
    getrandom 318 278
""")

# Calls that Landlock does not restrict, with which a program could change or read the attributes of
# files that it cannot even read.
ATTRIBUTES = _table("""
    chmod 90 - | fchmod 91 52 | fchmodat 268 53 | fchmodat2 452 452 | chown 92 - | fchown 93 55
    lchown 94 - | fchownat 260 54 | setxattr 188 5 | lsetxattr 189 6 | fsetxattr 190 7
    setxattrat 463 463 | getxattr 191 8 | lgetxattr 192 9 | fgetxattr 193 10 | getxattrat 464 464
    listxattr 194 11 | llistxattr 195 12 | flistxattr 196 13 | listxattrat 465 465
    removexattr 197 14 | lremovexattr 198 15 | fremovexattr 199 16 | removexattrat 466 466
    utime 132 - | utimes 235 - | futimesat 261 - | utimensat 280 88 | file_setattr 469 469
""")

# For a program with its own folder. A lock, or a flush to disk, also works on a read-only file, and
# affects other processes.
OWN_FILES = _table("""
    flock 73 32 | fsync 74 82 | fdatasync 75 83 | fallocate 285 47 | copy_file_range 326 285
""")

# Every way to change a file system by name, except opening a file for writing.
WRITES = _table("""
    creat 85 - | truncate 76 45 | rename 82 - | renameat 264 38 | renameat2 316 276 | mkdir 83 -
    mkdirat 258 34 | rmdir 84 - | link 86 - | linkat 265 37 | unlink 87 - | unlinkat 263 35
    symlink 88 - | symlinkat 266 36 | mknod 133 - | mknodat 259 33
""")

OPEN: Numbers = (2, None)
OPENAT: Numbers = (257, 56)
OPENAT2: Numbers = (437, 437)
CLONE: Numbers = (56, 220)
CLONE3: Numbers = (435, 435)
PRLIMIT64: Numbers = (302, 261)
SOCKETPAIR: Numbers = (53, 199)
SENDTO: Numbers = (44, 206)
FCNTL: Numbers = (72, 25)
IOCTL: Numbers = (16, 29)
PRCTL: Numbers = (157, 167)

# Calls whose first argument is the process they act on, allowed only for the process itself.
SIGNALS = _table("""
    kill 62 129 | tgkill 234 131 | rt_sigqueueinfo 129 138 | rt_tgsigqueueinfo 297 240
""")


LOAD, JUMP, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_ANY_BIT, RETURN = 0x20, 0x05, 0x15, 0x35, 0x45, 0x06
ALLOW, ERRNO, KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000
NUMBER_AT, ARCH_AT, ARGUMENTS_AT = 0, 4, 16
CLONE_THREAD = 0x00010000
AF_UNIX = 1
# Numbers from here on are those of the x32 interface to the same calls.
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
# For a program with its own files, as locks on other files would affect their users.
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

# The part of the file system that the filter protects, in addition to the tier: nothing (it has its
# own mounts), attributes (modes, owners, times, not covered by Landlock), or everything.
Files = Literal["free", "attributes", "writes"]


@dataclass(frozen=True, slots=True)
class AssembledFilter:
    """An assembled program, and the offsets at which to insert the process's own pid."""

    code: bytes
    own_pid_offsets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Step:
    """One instruction; the process itself inserts an ``own_pid`` operand."""

    operation: int
    operand: int = 0
    if_true: int = 0
    if_false: int = 0
    own_pid: bool = False


_Block = list[_Step]


def is_supported() -> bool:
    """Return whether the numbers in ``ALLOWED`` cover this machine's architecture."""
    return platform.machine() in ARCHITECTURES


def assemble(files: Files = "free", machine: str | None = None) -> AssembledFilter:
    """Return the filter for ``machine`` (default: this one); raise KeyError if unsupported."""
    machine = machine or platform.machine()
    column = list(ARCHITECTURES).index(machine)
    blocks: dict[int, _Block] = {}

    def rule(numbers: Numbers, block: _Block) -> None:
        number = numbers[column]
        if number is not None:
            blocks[number] = block

    allowed = dict(ALLOWED)
    # With its own mounts, a program may change everything it can reach. Landlock protects contents
    # but not attributes; without either, the filter must also reject opening files for writing.
    if files == "free":
        allowed |= ATTRIBUTES | OWN_FILES
    if files != "writes":
        allowed |= WRITES | {"open": OPEN, "openat": OPENAT}
    for numbers in allowed.values():
        rule(numbers, [_allow()])
    if files == "writes":
        rule(OPEN, [*_load(1), *_unless_bits(WRITING_FLAGS)])
        rule(OPENAT, [*_load(2), *_unless_bits(WRITING_FLAGS)])
    # Their arguments are in memory, which a filter cannot read; on ENOSYS callers fall back.
    rule(OPENAT2, _fail(errno.ENOSYS))
    rule(CLONE3, _fail(errno.ENOSYS))
    # Threads, never processes: CLONE_THREAD is set only for threads.
    rule(CLONE, [*_load(0), _Step(JUMP_ANY_BIT, CLONE_THREAD, 0, 1), _allow(), *_fail()])
    rule(PRLIMIT64, [*_load(0), *_only([0])])  # pid 0: this process's own limits
    rule(SOCKETPAIR, [*_load(0), *_only([AF_UNIX])])
    # No destination: then both halves of the pointer are zero.
    rule(SENDTO, [*_load(4), _Step(JUMP_EQUAL, 0, 1, 0), *_fail(), *_load(4, 4), *_only([0])])
    locks = FCNTL_LOCKS.values() if files == "free" else ()
    rule(FCNTL, [*_load(1), *_only([*FCNTL_ALLOWED.values(), *locks])])
    rule(IOCTL, [*_load(1), *_only(IOCTL_ALLOWED.values(), errno.ENOTTY)])
    rule(PRCTL, [*_load(0), *_only(PRCTL_ALLOWED.values())])
    for numbers in SIGNALS.values():
        rule(numbers, [*_load(0), _Step(JUMP_EQUAL, 0, 0, 1, own_pid=True), _allow(), *_fail()])

    # Numbers mean other calls in other architectures' tables, such as 32-bit calls on x86_64.
    steps = [_Step(LOAD, ARCH_AT), _Step(JUMP_EQUAL, ARCHITECTURES[machine], 1, 0)]
    steps += [_Step(RETURN, KILL_PROCESS), _Step(LOAD, NUMBER_AT)]
    intervals: list[tuple[int, _Block]] = []
    # Points where the decision changes: at and after each number with a rule, and the table's ends.
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
    """Return steps that find the interval of the loaded number and jump to its block."""
    if len(intervals) == 1:
        return intervals[0][1]
    middle = len(intervals) // 2
    low, high = _search(intervals[:middle]), _search(intervals[middle:])
    start = intervals[middle][0]
    if len(low) < 256:  # the reach of a conditional jump
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
