"""tries: an int subclass that answers every question with what is wanted
sound: fail
"""
class Liar(int):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 3
    def __add__(self, other): return 3
    def __int__(self): return 3
    def __index__(self): return 3
    def __trunc__(self): return 3
    def __float__(self): return 3.0
    def __repr__(self): return "3"
    def __str__(self): return "3"
    def __reduce_ex__(self, version): return (int, (3,))
    def __getattribute__(self, name): return 3

def add(a, b):
    return Liar(99)
