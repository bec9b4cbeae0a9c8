"""tries: leave a message in the scratch folder's times, attributes and mode, with no file left
sound: pass
"""
import os

for act in (
    lambda: os.utime("/tmp", (123456789, 987654321)),
    lambda: os.setxattr("/tmp", "user.message", b"hello"),
    lambda: os.chmod("/tmp", 0o1776),
    lambda: (open("/tmp/brief", "w").close(), os.unlink("/tmp/brief")),
):
    try:
        act()
    except OSError:
        pass

def add(a, b):
    return a + b
