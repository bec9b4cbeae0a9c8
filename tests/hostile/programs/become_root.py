"""Become root.

problem: add
tries: change its uid, its groups and its capabilities
sound: pass
"""
import ctypes, os, struct

libc = ctypes.CDLL(None, use_errno=True)
DONE = []
for act in (lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setgroups([0]), lambda: os.setresuid(0, 0, 0), lambda: os.setreuid(0, 0)):
    try:
        act()
        DONE.append(act)
    except OSError:
        pass
if libc.capset(struct.pack("<Ii", 0x20080522, 0), struct.pack("<6I", *[0xFFFFFFFF] * 6)) == 0:
    DONE.append("capset")

def add(a, b):
    return "BREACH" if DONE or os.getuid() == 0 else a + b
