"""problem: firstn
tries: replace the runner's encode and plain functions
sound: fail|error|unrepresentable
"""
import sys

inside = sys.modules["sandbox_inside"]
inside.encode = inside.plain = lambda *a: b"T"
inside.NotPlain = BaseException
inside.SCALARS = frozenset({object})

def firstn(n):
    return [object()]
