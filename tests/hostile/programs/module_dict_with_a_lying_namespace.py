"""tries: replace the module's dict and its entry in sys.modules
sound: error|pass
"""
import sys, types

class Liar(types.ModuleType):
    def __getattribute__(self, name): return lambda *a: 3

sys.modules["program"] = Liar("program")
sys.modules[__name__] = Liar(__name__)
sys.modules["__main__"] = Liar("__main__")
