"""problem: table
tries: a dict subclass whose items, keys and copy lie
sound: fail
"""
class Liar(dict):
    def items(self): return [(self.n, str(self.n))]
    def keys(self): return [self.n]
    def __iter__(self): return iter([self.n])
    def __len__(self): return 1
    def __getitem__(self, key): return str(key)
    def get(self, key, default=None): return str(key)
    def copy(self): return {self.n: str(self.n)}
    def __eq__(self, other): return True

def table(n):
    value = Liar()
    value.n = n
    return value
