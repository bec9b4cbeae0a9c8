"""tries: an answer of 40 MB
sound: unrepresentable
"""
def add(a, b):
    return "x" * (40 << 20)
