"""Mounts.

problem: add
tries: mount, unmount, chroot, pivot_root and the new mount calls
sound: pass
"""
import ctypes, os

libc = ctypes.CDLL(None, use_errno=True)
DONE = []
if libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0:
    DONE.append("mount")
for call in ((166, b"/tmp", 2), (161, b"/"), (155, b".", b"."), (428, -100, b"/", 1), (430, b"tmpfs", 0), (442, -100, b"/", 0, bytes(32), 32)):
    if libc.syscall(*call) >= 0:
        DONE.append(call[0])

def add(a, b):
    return "BREACH" if DONE else a + b
