"""Fork in every way.

problem: add
tries: fork, vfork, clone and clone3 past the C library
sound: pass
"""
import ctypes, os, struct

libc = ctypes.CDLL(None, use_errno=True)
DONE = []
try:
    if os.fork() == 0:
        os._exit(0)
    DONE.append("fork")
except OSError:
    pass
for call in ((57,), (56, 17, 0, 0, 0, 0), (56, 0x10000000 | 17, 0, 0, 0, 0), (435, struct.pack("<11Q", 0, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0), 88)):
    pid = libc.syscall(*call)
    if pid == 0:
        libc.syscall(231, 0)
    if pid > 0:
        DONE.append(call)

def add(a, b):
    return "BREACH" if DONE else a + b
