"""tries: open descriptors until none is left, and keep them
sound: pass
"""
import os

KEPT = []
try:
    while len(KEPT) < 5000:
        KEPT.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass

def add(a, b):
    return "BREACH" if len(KEPT) > 200 else a + b
