"""tries: replace the clock function in the runner's frame so that slow answers look quick
sound: timeout
"""
import ctypes, sys

def add(a, b):
    frame = sys._getframe(1)
    frame.f_locals["now"] = lambda: 0.0
    total = 0
    for i in range(10 ** 9):
        total += i
    return a + b
