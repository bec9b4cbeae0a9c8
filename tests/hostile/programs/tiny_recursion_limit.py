"""problem: firstn
tries: a recursion limit that the runner may run into
sound: pass|error|crash
"""
import sys

def firstn(n):
    sys.setrecursionlimit(30)
    return list(range(n))
