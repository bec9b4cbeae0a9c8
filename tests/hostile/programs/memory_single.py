"""tries: one allocation beyond the limit
sound: memory
"""
def add(a, b):
    return len(bytearray(3 << 30))
