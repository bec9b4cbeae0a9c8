"""tries: an answer that cannot be copied within the memory limit
sound: unrepresentable|memory
"""
def add(a, b):
    return bytes(180 << 20)
