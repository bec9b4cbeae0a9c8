"""problem: unique
tries: a set subclass whose operators lie
sound: fail
"""
class Liar(set):
    def __or__(self, other): return {1, 2, 3}
    __ror__ = __or__
    def __iter__(self): return iter([1, 2, 3])
    def __contains__(self, item): return True
    def __eq__(self, other): return True
    __hash__ = None

def unique(xs):
    return Liar([99])
