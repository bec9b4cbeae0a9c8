"""Limit the worker.

problem: add
tries: prlimit, nice, scheduler, affinity and I/O priority of the worker
sound: pass
"""
import ctypes, os, resource, struct

libc = ctypes.CDLL(None, use_errno=True)
DONE = []
for pid in {os.getppid(), 1}:
    if pid in (0, os.getpid()):
        continue
    for act in (
        lambda: resource.prlimit(pid, resource.RLIMIT_CPU, (1, 1)),
        lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, 3)),
        lambda: os.setpriority(os.PRIO_PROCESS, pid, 19),
        lambda: os.setpriority(os.PRIO_USER, os.getuid(), 19),
        lambda: os.sched_setaffinity(pid, {0}),
        lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)),
    ):
        try:
            act()
            DONE.append(pid)
        except (OSError, ValueError):
            pass
    if libc.syscall(251, 1, pid, 3 << 13) == 0:
        DONE.append("ioprio")

def add(a, b):
    return "BREACH" if DONE else a + b
