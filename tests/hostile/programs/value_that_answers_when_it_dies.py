"""tries: a returned object whose __del__ rewrites the batch that waits to be sent
sound: unrepresentable|crash|fail
"""
import sys

class Forger:
    def __del__(self):
        frame = sys._getframe()
        while frame:
            parts = frame.f_locals.get("parts")
            if isinstance(parts, list):
                parts[:] = [b"V\x05\x00\x00\x00", b"i\x00\x00\x00\x00"] * 4
            frame = frame.f_back

def add(a, b):
    return Forger()
