"""tries: put the folder of installed packages on sys.path and import from it
sound: pass
"""
import os, sys

FOUND = []
HERE = os.path.dirname(os.__file__)
for folder in (HERE + "/site-packages", HERE + "/dist-packages", "/usr/lib/python3/dist-packages", "@PROJECT@"):
    sys.path.insert(0, folder)
for name in ("pip", "pytest", "hypothesis", "evalplus_lite", "setuptools"):
    try:
        __import__(name)
        FOUND.append(name)
    except (ImportError, OSError):
        pass

def add(a, b):
    return "BREACH" if FOUND else a + b
