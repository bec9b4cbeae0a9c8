"""problem: text
tries: text that no encoding can write
sound: fail
"""
def text(n):
    return "\ud800" * n
