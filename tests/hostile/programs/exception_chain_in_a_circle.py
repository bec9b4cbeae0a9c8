"""tries: an exception that is its own cause, with a traceback of its own making
sound: error
"""
def add(a, b):
    one, two = ValueError("one"), ValueError("two")
    one.__cause__, two.__cause__ = two, one
    raise one
