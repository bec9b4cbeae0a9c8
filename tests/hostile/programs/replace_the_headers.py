"""tries: replace the frame layouts and the describe function
sound: crash|fail|error
"""
import struct, sys

inside = sys.modules["sandbox_inside"]
inside.HEADER = struct.Struct("<cQQQ")
inside.RECORD = struct.Struct("<Q")
inside.describe = lambda *a: None

def add(a, b):
    raise ValueError
