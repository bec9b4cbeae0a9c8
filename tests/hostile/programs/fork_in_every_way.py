"""tries: fork, vfork, clone and clone3 past the C library
sound: pass
uses: breach
"""
import struct

attempt(lambda: os.fork() or os._exit(0))
for call in ((57,), (56, 17, 0, 0, 0, 0), (56, 0x10000000 | 17, 0, 0, 0, 0),
             (435, struct.pack("<11Q", 0, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0), 88)):
    pid = libc.syscall(*call)
    if pid == 0:
        libc.syscall(231, 0)
    if pid > 0:
        DONE.append(call)
