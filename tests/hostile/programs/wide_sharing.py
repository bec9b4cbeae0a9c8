"""tries: a small value that is huge once written out: forty levels of sharing
sound: memory|timeout|unrepresentable|crash
"""
def add(a, b):
    value = [0]
    for _ in range(40):
        value = [value, value]
    return value
