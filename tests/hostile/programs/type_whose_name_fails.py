"""tries: an object whose type cannot be named: __qualname__ raises, loops or is no text
sound: unrepresentable|error
"""
class Meta(type):
    def __getattribute__(cls, name):
        raise SystemExit(0)

class Odd(metaclass=Meta):
    pass

def add(a, b):
    return Odd()
