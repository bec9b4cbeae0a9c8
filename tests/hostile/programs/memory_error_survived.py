"""tries: nothing: correct code that meets its memory limit and copes
sound: pass
"""
def add(a, b):
    try:
        bytearray(8 << 30)
    except MemoryError:
        return a + b
    return "BREACH"
