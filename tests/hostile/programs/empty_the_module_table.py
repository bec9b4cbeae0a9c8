"""tries: clear sys.modules and the builtins, so that whatever runs next breaks
sound: pass|error|crash
"""
import builtins, sys

def add(a, b):
    if a == 10:
        sys.modules.clear()
        builtins.__dict__.clear()
    return a + b
