"""tries: find anything that an earlier program left: files, patches, variables, threads
sound: pass
"""
import builtins, math, os, sys, threading

FOUND = []
for folder in ("/tmp", "/var/tmp", "/dev/shm"):
    try:
        FOUND += [name for name in os.listdir(folder) if not name.startswith(("canary", "work"))]
    except OSError:
        pass
if sum([1, 2]) != 3 or math.sqrt(4) != 2 or threading.active_count() != 1 or hasattr(builtins, "planted"):
    FOUND.append("patched")
builtins.planted = True

def add(a, b):
    return "BREACH" if FOUND else a + b
