"""tries: nothing: a callable object whose other attributes are hostile
sound: pass
"""
class Callable:
    def __call__(self, a, b): return a + b
    def __getattribute__(self, name): raise SystemExit(0)
    def __eq__(self, other): raise SystemExit(0)
    __hash__ = None

add = Callable()
