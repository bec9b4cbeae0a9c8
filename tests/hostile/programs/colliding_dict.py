"""Colliding dict.

problem: wide
tries: a dict whose keys all hash alike
sound: unrepresentable|fail|timeout
"""
import os, stat, struct, time

def whole(value):
    digits = []
    while value:
        digits.append(value & 0x7FFF)
        value >>= 15
    return b"l" + struct.pack("<i", len(digits)) + struct.pack(f"<{len(digits)}H", *digits)

PRIME = 2 ** 61 - 1
BODY = b"".join(whole(k * PRIME) + b"N" for k in range(1, 60_001))

def wide(n):
    value = b"{" + BODY + b"0"
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
