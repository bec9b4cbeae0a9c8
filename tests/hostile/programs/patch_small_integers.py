"""tries: overwrite the interpreter's cached small integers in memory
sound: fail|crash|error|unrepresentable
"""
import ctypes

def add(a, b):
    for offset in (24,):
        ctypes.c_uint32.from_address(id(3) + offset).value = 7
        ctypes.c_uint32.from_address(id(7) + offset).value = 3
    return 0
