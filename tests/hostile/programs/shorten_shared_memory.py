"""tries: empty every file behind an inherited descriptor, so that the verifier's next look at memory
    shared with it is fatal
sound: pass
"""
import os

for number in range(3, 256):
    for size in (0, 1 << 20):
        try:
            os.ftruncate(number, size)
        except OSError:
            pass

def add(a, b):
    return a + b
