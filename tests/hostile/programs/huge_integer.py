"""tries: an integer of a million digits, slow to print
sound: fail
"""
BIG = 1 << 3_400_000

def add(a, b):
    return BIG
