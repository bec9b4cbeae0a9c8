"""tries: change modes, owners, times and extended attributes of files that it may not even read
sound: pass
uses: breach
"""
C = "@CANARY@"
for path in (C, C + "/precious"):
    attempt(
        lambda: os.chmod(path, 0o777),
        lambda: os.chown(path, os.getuid(), os.getgid()),
        lambda: os.lchown(path, os.getuid(), os.getgid()),
        lambda: os.utime(path, (0, 0)),
        lambda: os.setxattr(path, "user.x", b"x"),
        lambda: os.removexattr(path, "user.kept"),
    )
    calls((452, -100, path.encode(), 0o777, 0))
