"""tries: a type whose name is ten megabytes long
sound: unrepresentable
"""
LONG = type("L" * 10_000_000, (), {})

def add(a, b):
    return LONG()
