"""tries: objects that the wire's form can write though they are no values: Ellipsis, StopIteration,
    a code object
sound: unrepresentable
"""
KINDS = [..., StopIteration, (lambda: 0).__code__, [..., 1]]

def add(a, b):
    return KINDS.pop(0)
