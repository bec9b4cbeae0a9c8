"""Find the supervisor.

problem: add
tries: reach the supervisor's process by its pid: signal, memory, limits, priority
sound: pass
"""
import os, resource, signal

DONE = []
for pid in (@SUPERVISOR@, os.getppid()):
    if pid <= 0 or pid == os.getpid():
        continue
    for act in (
        lambda: os.kill(pid, 0),
        lambda: open(f"/proc/{pid}/mem", "r+b"),
        lambda: open(f"/proc/{pid}/maps").read(),
        lambda: resource.prlimit(pid, resource.RLIMIT_CPU, (1, 1)),
        lambda: os.setpriority(os.PRIO_PROCESS, pid, 19),
        lambda: os.sched_setaffinity(pid, {0}),
        lambda: os.pidfd_open(pid),
    ):
        try:
            act()
            DONE.append(pid)
        except (OSError, ValueError):
            pass

def add(a, b):
    return "BREACH" if DONE else a + b
