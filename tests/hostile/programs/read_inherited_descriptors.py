"""tries: find a file, terminal or listening socket among the descriptors it was born with
sound: pass
"""
import os, stat

FOUND = []
for number in range(1024):
    try:
        mode = os.fstat(number).st_mode
    except OSError:
        continue
    if stat.S_ISREG(mode) and os.fstat(number).st_size > 1 << 17:  # the page of its own answers
        FOUND.append(number)
    if stat.S_ISDIR(mode) or stat.S_ISBLK(mode) or os.isatty(number):
        FOUND.append(number)

def add(a, b):
    return "BREACH" if FOUND else a + b
