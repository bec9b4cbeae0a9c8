"""problem: mean
tries: replace abs, len, isinstance, type, sum, range and float
sound: fail|error|unrepresentable
"""
import builtins

builtins.abs = lambda x: 0
builtins.isinstance = lambda *a: True
builtins.type = lambda *a: float
builtins.max = builtins.min = lambda *a: float("inf")

def mean(xs):
    return -1.0
