"""Read outside.

problem: add
tries: read a file in the canary folder by path, by link, by handle, through the root of another
    process
sound: pass
"""
import ctypes, os

C = "@CANARY@"
libc = ctypes.CDLL(None, use_errno=True)
DONE = []
for path in (C + "/precious", "/proc/self/root" + C + "/precious", "/proc/1/root" + C + "/precious", "/proc/self/cwd/.." + C + "/precious", "/.." * 9 + C + "/precious"):
    for act in (lambda: open(path, "rb").read(), lambda: os.listdir(os.path.dirname(path)), lambda: os.getxattr(path, "user.kept")):
        try:
            act()
            DONE.append(path)
        except OSError:
            pass
handle = bytearray(136)
handle[0] = 128
where = ctypes.c_int()
if libc.syscall(303, -100, (C + "/precious").encode(), (ctypes.c_char * 136).from_buffer(handle), ctypes.byref(where), 0) == 0:
    DONE.append("handle")

def add(a, b):
    return "BREACH" if DONE else a + b
