"""Other architecture.

problem: add
tries: system calls by their x32 numbers, which a careless filter does not know
sound: pass|crash
"""
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
DONE = [n for n in (57, 41, 59, 62, 101) if libc.syscall(0x40000000 + n, 0, 0, 0) >= 0]

def add(a, b):
    return "BREACH" if DONE else a + b
