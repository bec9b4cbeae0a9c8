"""tries: keep data in kernel buffers, which no limit of the process counts
sound: pass
"""
import fcntl, os, socket

TOTAL, KEPT = 0, []
try:
    while TOTAL < 1 << 30:
        one, two = os.pipe()
        KEPT += [one, two]
        try:
            fcntl.fcntl(two, 1031, 1 << 20)
        except OSError:
            pass
        os.set_blocking(two, False)
        try:
            while True:
                TOTAL += os.write(two, bytes(1 << 16))
        except BlockingIOError:
            pass
except OSError:
    pass

def add(a, b):
    return "BREACH" if TOTAL > 32 << 20 else a + b
