"""Forge an odd exception.

problem: add
tries: report an exception that is a number, a bomb, or nothing
sound: crash
"""
import os, stat, struct, time

def add(a, b):
    for value in (b"i\x00\x00\x00\x00",):
        record = struct.pack("<cI", b"E", len(value)) + value
        for number in range(3, 64):
            try:
                if stat.S_ISSOCK(os.fstat(number).st_mode):
                    os.write(number, struct.pack("<cIII", b"B", 0, 1, len(record)) + record)
            except OSError:
                pass
    time.sleep(5)
