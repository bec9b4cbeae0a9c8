"""tries: replace marshal.dumps and struct.pack with ones that write what it likes
sound: fail|crash|error|unrepresentable
"""
import marshal, struct

marshal.dumps = lambda *a: b"T"
struct.pack = lambda *a: b""

def add(a, b):
    return ["no"]
