"""tries: overflow a thread's small stack
sound: crash|memory|error|timeout
"""
import sys, threading

sys.setrecursionlimit(10 ** 8)
threading.stack_size(1 << 20)

class Deep:
    def __repr__(self): return repr([self])

def add(a, b):
    thread = threading.Thread(target=lambda: repr(Deep()))
    thread.start()
    thread.join()
    raise RecursionError
