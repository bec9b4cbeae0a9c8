"""tries: prlimit, nice, scheduler, affinity and I/O priority of the worker
sound: pass
uses: breach
"""
import resource

for pid in others(1):
    attempt(
        lambda: resource.prlimit(pid, resource.RLIMIT_CPU, (1, 1)),
        lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, 3)),
        lambda: os.setpriority(os.PRIO_PROCESS, pid, 19),
        lambda: os.setpriority(os.PRIO_USER, os.getuid(), 19),
        lambda: os.sched_setaffinity(pid, {0}),
        lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)),
    )
    calls((251, 1, pid, 3 << 13))
