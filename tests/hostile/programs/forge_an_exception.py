"""Forge an exception.

problem: add
tries: report an exception whose message holds terminal escapes, markup and half characters
sound: error
"""
import os, stat, struct, time

def add(a, b):
    text = "\ud800\x1b[2J\x1b]0;owned\x07[bold]\r\n\u202e pass".encode("utf-8", "surrogatepass")
    name = b"\x1b[31mPassed"
    value = b"(\x03\x00\x00\x00u" + struct.pack("<I", len(name)) + name
    value += b"u" + struct.pack("<I", len(text)) + text + b"N"
    record = struct.pack("<cI", b"E", len(value)) + value
    for number in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                os.write(number, struct.pack("<cIII", b"B", 0, 1, len(record)) + record)
        except OSError:
            pass
    time.sleep(5)
