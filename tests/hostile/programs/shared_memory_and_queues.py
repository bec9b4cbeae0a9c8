"""tries: System V and POSIX shared memory, semaphores, message queues, and the kernel's key ring
sound: pass
uses: breach
"""
calls((29, 0, 4096, 0o1777), (64, 0, 1, 0o1777), (68, 0, 0o1777), (68, 1234, 0o1777), (30, 0, 0, 0),
      (31, 0, 0, 0), (71, 0, 0, 0), (66, 0, 0, 0, 0), (240, b"planted", 0o102, 0o777, 0),
      (241, b"planted"), (248, b"user", b"k", b"v", 1, -3), (250, 0, -3, 1))
if libc.shm_open(b"/planted", 0o102, 0o777) >= 0:
    DONE.append("shm_open")
try:
    import multiprocessing
    multiprocessing.Lock()
    DONE.append("sem_open")
except (OSError, ImportError):
    pass
