"""Trace the worker.

problem: add
tries: ptrace, process_vm_readv and process_vm_writev on the worker
sound: pass
"""
import ctypes, os, struct

libc = ctypes.CDLL(None, use_errno=True)
DONE = []
BUFFER = ctypes.create_string_buffer(64)
IOV = struct.pack("<QQ", ctypes.addressof(BUFFER), 8)
for pid in {os.getppid(), 1}:
    if pid in (0, os.getpid()):
        continue
    for request in (16, 0x4206):  # PTRACE_ATTACH, PTRACE_SEIZE
        if libc.ptrace(request, pid, 0, 0) == 0:
            DONE.append(request)
    remote = struct.pack("<QQ", id(object()), 8)
    for number in (310, 311):
        if libc.syscall(number, pid, IOV, 1, remote, 1, 0) > 0:
            DONE.append(number)

def add(a, b):
    return "BREACH" if DONE else a + b
