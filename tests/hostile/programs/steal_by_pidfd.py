"""tries: pidfd_open and pidfd_getfd on the worker and on whatever runs beside it
sound: pass
uses: breach
"""
for pid in [*range(1, 40), os.getppid(), os.getpid() - 1, os.getpid() + 1]:
    handle = libc.syscall(434, pid, 0)
    if handle >= 0:
        DONE += [pid] + [n for n in range(16) if libc.syscall(438, handle, n, 0) >= 0]
