"""tries: compile text that nests beyond the compiler's stack
sound: error|crash|memory
"""
def add(a, b):
    return eval("(" * 100_000 + "1" + ")" * 100_000)
