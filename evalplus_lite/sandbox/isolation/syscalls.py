"""Numbers of the system calls that the filter looks at, for x86_64 and aarch64.

From the kernel's ``arch/x86/entry/syscalls/syscall_64.tbl`` and ``include/uapi/asm-generic/
unistd.h``; None if an architecture has no such call.
"""

from __future__ import annotations

Numbers = tuple[int | None, int | None]


def _table(text: str) -> dict[str, Numbers]:
    """Return calls with their numbers: ``name x86_64 aarch64``, separated by bars and lines.

    A dash stands for no such call; a line that begins with ``#`` is a heading.
    """
    rows = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    calls = (call.split() for row in rows for call in row.split("|") if call.strip())
    return {
        name: (None if x86_64 == "-" else int(x86_64), None if aarch64 == "-" else int(aarch64))
        for name, x86_64, aarch64 in calls
    }


# The last number of Linux 5.16. C libraries that know later calls must do without them on older
# kernels, so those are answered as such a kernel does.
NEWEST = 449

# All that a program may call, beside what is looked at more closely: what CPython 3.11 to 3.13, its
# standard library, threads and numpy call, by way of glibc or musl, in a process without children,
# network or privileges. Left out with the rest of the kernel: asynchronous I/O and io_uring
# (contexts are counted for the whole machine), every call on mounts, namespaces, keys, modules,
# tracing, other processes and their priorities, message queues and shared memory that outlive a
# process, memory that no limit counts, locks in memory, and further filters.
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

# What Landlock does not restrict: a program could change files that it cannot even read, or read
# what is attached to them.
ATTRIBUTES = _table("""
    chmod 90 - | fchmod 91 52 | fchmodat 268 53 | fchmodat2 452 452 | chown 92 - | fchown 93 55
    lchown 94 - | fchownat 260 54 | setxattr 188 5 | lsetxattr 189 6 | fsetxattr 190 7
    setxattrat 463 463 | getxattr 191 8 | lgetxattr 192 9 | fgetxattr 193 10 | getxattrat 464 464
    listxattr 194 11 | llistxattr 195 12 | flistxattr 196 13 | listxattrat 465 465
    removexattr 197 14 | lremovexattr 198 15 | fremovexattr 199 16 | removexattrat 466 466
    utime 132 - | utimes 235 - | futimesat 261 - | utimensat 280 88 | file_setattr 469 469
""")

# For a program with a folder of its own. A lock, or a flush to the disk, also takes a file that it
# may only read, and is felt by others.
OWN_FILES = _table("""
    flock 73 32 | fsync 74 82 | fdatasync 75 83 | fallocate 285 47 | copy_file_range 326 285
""")

# Every way to change a file system by name, beside opening a file for writing.
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

# Calls whose first argument names the process they act on: allowed on oneself only.
SIGNALS = _table("""
    kill 62 129 | tgkill 234 131 | rt_sigqueueinfo 129 138 | rt_tgsigqueueinfo 297 240
""")
