"""tries: an exception whose __str__ loops
sound: timeout
"""
class Endless(Exception):
    def __str__(self):
        while True:
            pass

def add(a, b):
    raise Endless
