"""tries: an exception whose __str__ raises, and whose class lies about its name
sound: error
"""
class Meta(type):
    @property
    def __name__(cls): raise RuntimeError

class Odd(BaseException, metaclass=Meta):
    def __str__(self): raise SystemExit(0)
    __repr__ = __str__

def add(a, b):
    raise Odd
