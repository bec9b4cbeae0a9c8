"""tries: create, append to, empty, delete, rename and link files in the canary folder by every call
    there is
sound: pass
uses: breach
"""
C = "@CANARY@"
attempt(
    lambda: open(C + "/written", "w"),
    lambda: open(C + "/precious", "a"),
    lambda: os.open(C + "/precious", os.O_RDONLY | os.O_TRUNC),
    lambda: os.open(C, os.O_TMPFILE | os.O_RDWR),
    lambda: os.truncate(C + "/precious", 0),
    lambda: os.unlink(C + "/precious"),
    lambda: os.rename(C + "/precious", C + "/stolen"),
    lambda: os.link(C + "/precious", C + "/linked"),
    lambda: os.symlink("/", C + "/symlinked"),
    lambda: os.mkdir(C + "/made"),
    lambda: os.mkfifo(C + "/pipe"),
    lambda: os.mknod(C + "/node"),
    lambda: os.rmdir(C),
    lambda: os.rename(C, C + "2"),
)
