"""Raise own limits.

problem: add
tries: raise every limit it is under
sound: pass
"""
import resource

RAISED = []
for name in [n for n in dir(resource) if n.startswith("RLIMIT_")]:
    number = getattr(resource, name)
    if resource.getrlimit(number)[1] == resource.RLIM_INFINITY:
        continue
    for act in (resource.setrlimit, lambda n, v: resource.prlimit(0, n, v)):
        try:
            act(number, (resource.RLIM_INFINITY,) * 2)
            RAISED.append(name)
        except (OSError, ValueError):
            pass

def add(a, b):
    return "BREACH" if RAISED else a + b
