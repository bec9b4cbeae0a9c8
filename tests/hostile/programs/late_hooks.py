"""tries: atexit, __del__, excepthook and import hooks that act after the answers
sound: pass
"""
import atexit, os, sys

def damage(*_):
    open("@CANARY@/late", "w").write("x")

class Last:
    def __del__(self): damage()

KEPT = Last()
atexit.register(damage)
sys.excepthook = sys.unraisablehook = damage
sys.meta_path.insert(0, type("F", (), {"find_spec": staticmethod(lambda *a: None)}))
os.register_at_fork(before=damage, after_in_parent=damage, after_in_child=damage)

def add(a, b):
    return a + b
