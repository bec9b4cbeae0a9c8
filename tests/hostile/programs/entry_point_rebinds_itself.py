"""tries: replace itself between the calls
sound: fail
"""
import sys

def add(a, b):
    sys.modules["program"].add = lambda a, b: a + b
    globals()["add"] = lambda a, b: a + b
    return 0
