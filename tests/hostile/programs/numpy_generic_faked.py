"""tries: put its own class where the encoder looks for numpy's scalar type
sound: unrepresentable|fail|error
"""
import sys, types

class generic:
    def item(self): return Yes()

class Yes(generic):
    def __eq__(self, other): return True
    __hash__ = None

fake = types.ModuleType("numpy")
fake.generic = generic
sys.modules["numpy"] = fake

def add(a, b):
    return Yes()
