"""problem: firstn
tries: a list subclass whose iteration, length and items lie
sound: fail
"""
class Liar(list):
    def __iter__(self): return iter(range(int(self.wanted)))
    def __len__(self): return self.wanted
    def __getitem__(self, key): return list(range(self.wanted))[key]
    def __eq__(self, other): return True
    def copy(self): return list(range(self.wanted))
    __copy__ = __deepcopy__ = lambda self, memo=None: list(range(self.wanted))
    def __reduce_ex__(self, version): return (list, (list(range(self.wanted)),))

def firstn(n):
    value = Liar()
    value.wanted = n
    return value
