"""Forge a huge length.

problem: add
tries: announce an answer of 4 GB
sound: unrepresentable|crash
"""
import os, stat, struct

def channel():
    return [n for n in range(3, 64) if is_socket(n)][0]

def is_socket(number):
    try:
        return stat.S_ISSOCK(os.fstat(number).st_mode)
    except OSError:
        return False

def add(a, b):
    os.write(channel(), struct.pack("<cIII", b"B", 0, 4, 0xFFFFFFFF) + b"A" * 4096)
    while True:
        pass
