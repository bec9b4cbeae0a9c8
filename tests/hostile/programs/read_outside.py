"""tries: read a file in the canary folder by path, by link, by handle, through the root of another
    process
sound: pass
uses: breach
"""
C = "@CANARY@/precious"
for path in (C, "/proc/self/root" + C, "/proc/1/root" + C, "/proc/self/cwd/.." + C, "/.." * 9 + C):
    attempt(lambda: open(path, "rb").read(), lambda: os.listdir(os.path.dirname(path)),
            lambda: os.getxattr(path, "user.kept"))
handle = bytearray(136)
handle[0] = 128
where = ctypes.c_int()
calls((303, -100, C.encode(), (ctypes.c_char * 136).from_buffer(handle), ctypes.byref(where), 0))
