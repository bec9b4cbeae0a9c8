"""tries: a user namespace of its own, in which it would be root
sound: pass
uses: breach
"""
FLAGS = (0x10000000, 0x10020000, 0x20000000, 0x40000000, 0x00020000, 0x08000000, 0x04000000)
DONE += [flag for flag in FLAGS if libc.unshare(flag) == 0]
DONE += [number for number in range(16) if libc.setns(number, 0) == 0]
if libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0) > 0:
    DONE.append("clone")
