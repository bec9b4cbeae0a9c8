"""tries: an object that says it is an int by __class__ and by its metaclass
sound: unrepresentable
"""
class Meta(type):
    __module__ = "builtins"
    def __subclasscheck__(cls, other): return True
    def __instancecheck__(cls, other): return True
    def mro(cls): return (cls, object)
    def __getattribute__(cls, name):
        return "int" if name in ("__name__", "__qualname__") else type.__getattribute__(cls, name)

class Liar(metaclass=Meta):
    __class__ = int
    def __eq__(self, other): return True
    __hash__ = None
    def __int__(self): return 3
    __index__ = __int__

def add(a, b):
    return Liar()
