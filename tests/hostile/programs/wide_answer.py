"""tries: three million elements where one number is expected: slow to take apart
sound: fail|unrepresentable
"""
WIDE = [0] * 3_000_000

def add(a, b):
    return WIDE
