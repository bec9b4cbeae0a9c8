"""Change attributes outside.

problem: add
tries: change modes, owners, times and extended attributes of files that it may not even read
sound: pass
"""
import ctypes, os

C = "@CANARY@"
libc = ctypes.CDLL(None, use_errno=True)
DONE = []
for path in (C, C + "/precious"):
    for act in (
        lambda: os.chmod(path, 0o777),
        lambda: os.chown(path, os.getuid(), os.getgid()),
        lambda: os.lchown(path, os.getuid(), os.getgid()),
        lambda: os.utime(path, (0, 0)),
        lambda: os.setxattr(path, "user.x", b"x"),
        lambda: os.removexattr(path, "user.kept"),
    ):
        try:
            act()
            DONE.append(path)
        except OSError:
            pass
    if libc.syscall(452, -100, path.encode(), 0o777, 0) == 0:
        DONE.append("fchmodat2")

def add(a, b):
    return "BREACH" if DONE else a + b
