"""tries: ptrace, process_vm_readv and process_vm_writev on the worker
sound: pass
uses: breach
"""
import struct

BUFFER = ctypes.create_string_buffer(64)
IOV = struct.pack("<QQ", ctypes.addressof(BUFFER), 8)
for pid in others(1):
    for request in (16, 0x4206):  # PTRACE_ATTACH, PTRACE_SEIZE
        if libc.ptrace(request, pid, 0, 0) == 0:
            DONE.append(request)
    remote = struct.pack("<QQ", id(object()), 8)
    for number in (310, 311):
        if libc.syscall(number, pid, IOV, 1, remote, 1, 0) > 0:
            DONE.append(number)
