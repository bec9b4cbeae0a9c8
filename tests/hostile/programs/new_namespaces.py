"""New namespaces.

problem: add
tries: a user namespace of its own, in which it would be root
sound: pass
"""
import ctypes, os

libc = ctypes.CDLL(None, use_errno=True)
DONE = [flag for flag in (0x10000000, 0x10020000, 0x20000000, 0x40000000, 0x00020000, 0x08000000, 0x04000000) if libc.unshare(flag) == 0]
for number in range(16):
    if libc.setns(number, 0) == 0:
        DONE.append(number)
if libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0) > 0:
    DONE.append("clone")

def add(a, b):
    return "BREACH" if DONE else a + b
