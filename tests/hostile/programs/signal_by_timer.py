"""tries: a timer that signals the worker's thread
sound: pass
uses: breach
"""
import struct

for tid in others(1):
    event = struct.pack("<Qiii", 0, 9, 4, tid) + bytes(64)  # SIGEV_THREAD_ID
    timer = ctypes.c_int()
    if libc.syscall(222, 1, event, ctypes.byref(timer)) == 0:
        libc.syscall(223, timer, 0, struct.pack("<4q", 0, 0, 0, 1), None)
        DONE.append(tid)
