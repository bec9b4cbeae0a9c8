"""Forge loaded for ever.

problem: add
tries: report that it has loaded again and again while it never does
sound: crash|timeout
"""
import os, stat, struct

while True:
    for number in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                os.write(number, struct.pack("<cIII", b"L", 0, 0, 0))
        except OSError:
            pass
