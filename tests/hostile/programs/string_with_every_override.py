"""problem: text
tries: a str subclass that encodes and compares as what is wanted
sound: fail
"""
class Liar(str):
    def __eq__(self, other): return True
    __hash__ = str.__hash__
    def __str__(self): return "ab" * 99
    def encode(self, *a): return b"abab"
    def __len__(self): return 4
    def __iter__(self): return iter("abab")

def text(n):
    return Liar("zz")
