"""tries: reach the supervisor's process by its pid: signal, memory, limits, priority
sound: pass
uses: breach
"""
import resource

for pid in others(@SUPERVISOR@):
    attempt(
        lambda: os.kill(pid, 0),
        lambda: open(f"/proc/{pid}/mem", "r+b"),
        lambda: open(f"/proc/{pid}/maps").read(),
        lambda: resource.prlimit(pid, resource.RLIMIT_CPU, (1, 1)),
        lambda: os.setpriority(os.PRIO_PROCESS, pid, 19),
        lambda: os.sched_setaffinity(pid, {0}),
        lambda: os.pidfd_open(pid),
    )
