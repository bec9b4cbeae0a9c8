"""problem: firstn
tries: range, map and dict views in the place of a list
sound: fail|unrepresentable
"""
KINDS = [lambda n: range(n), lambda n: map(int, range(n)), lambda n: {}.keys()]

def firstn(n):
    return KINDS.pop(0)(n)
