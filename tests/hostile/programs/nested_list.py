"""tries: a list nested 100,000 deep
sound: unrepresentable|crash
"""
def add(a, b):
    value = []
    for _ in range(100_000):
        value = [value]
    return value
