"""tries: leave flags, offsets and owners on descriptors that it shares with its parent
sound: pass
"""
import fcntl, os

for number in range(16):
    for act in (
        lambda: fcntl.fcntl(number, fcntl.F_SETFL, os.O_APPEND | os.O_NONBLOCK) if number < 3 else None,
        lambda: os.lseek(number, 12345, 0),
        lambda: fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB),
        lambda: fcntl.fcntl(number, 1024, 0),
    ):
        try:
            act()
        except OSError:
            pass

def add(a, b):
    return a + b
