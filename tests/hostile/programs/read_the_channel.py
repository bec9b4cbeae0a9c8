"""Read the channel.

problem: add
tries: read from the result channel what the supervisor might still say
sound: pass
"""
import os, stat

SEEN = b""
for number in range(3, 64):
    try:
        if stat.S_ISSOCK(os.fstat(number).st_mode):
            os.set_blocking(number, False)
            SEEN += os.read(number, 1 << 16)
    except OSError:
        pass
    finally:
        try:
            os.set_blocking(number, True)
        except OSError:
            pass

def add(a, b):
    return "BREACH" if SEEN else a + b
